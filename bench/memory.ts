/**
 * Memory of the service with its rendering processes: idle, with 16 renditions in flight, and during a mixed load of
 * `--minutes N` (10 by default) with a curve. RSS counts a page that three processes share three times, PSS once. MB are
 * 1,000,000 bytes.
 */
import { setTimeout as delay } from "node:timers/promises";
import { creates, filtered, one, patches } from "./entries.ts";
import { uploaded } from "./files.ts";
import { allCopies, image, large, makePictures, plant, small, widthJobs } from "./images-fill.ts";
import { childrenOf, familyMemoryOf, type Memory, memoryOf, watchMemory } from "./processes.ts";
import { type Asked, get, inFolder, loadAnyhow, type Server, startOctavo, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createSamples, inStores, type Tokens } from "./store.ts";

const entries = 10_000;
const settleMs = 10_000;
/** Rendering processes end when they have been idle for a minute. */
const idleMs = 65_000;
const sliceSeconds = 5;
const points = 20;

type Bench = { octavo: Server; tokens: Tokens; next: number };
type Row = [state: string, measured: string, goal: string];

export function run({ minutes }: Options): Promise<string> {
  return inFolder((pictures) =>
    inFolder(async (folder) => {
      await makePictures(pictures);
      const tokens = await plant(folder, pictures, allCopies);
      await inStores(folder, (stores) => createSamples(stores, "small", entries));
      // Once before: compiled code is kept from then on, and the text index has its entries.
      const before = await startOctavo(folder);
      await delay(settleMs);
      await stop(before);
      const octavo = await startOctavo(folder);
      const bench = { octavo, tokens, next: 0 };
      const rows: Row[] = [...(await idle(bench, "10 s after a restart")), ...(await rendering(bench))];
      const [mixed, curve] = await underLoad(bench, minutes);
      rows.push(...mixed, ...(await afterwards(bench)));
      await stop(octavo);
      return `${table(rows)}\n\nThe mixed load, MB RSS of the service, the maximum of each ${points}th of ${minutes} minutes: ${curve.join(" ")}`;
    }),
  );
}

const table = (rows: readonly Row[]): string =>
  ["| state | MB | goal |", "|---|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");

const pidOf = ({ octavo }: Bench): number => octavo.child.pid as number;
const shown = ({ resident, proportional }: Memory): string =>
  `RSS ${Math.round(resident)}, PSS ${Math.round(proportional)}`;

async function idle(bench: Bench, when: string): Promise<Row[]> {
  await delay(settleMs);
  const children = childrenOf(pidOf(bench)).length;
  return [[`idle, ${when}, ${children} other processes`, shown(memoryOf([pidOf(bench)])), "RSS ≤ 110"]];
}

/** Half of the requests are for 24 megapixels, half for 2. */
async function rendering(bench: Bench): Promise<Row[]> {
  const [, seen] = await watchMemory(pidOf(bench), () => load(bench, renditions(bench, 16), 20));
  const most = { resident: max(seen, "resident"), proportional: max(seen, "proportional") };
  return [["16 renditions of 24 and 2 MP in flight, all processes, maximum", shown(most), "PSS ≤ 250"]];
}

const max = (seen: readonly Memory[], name: keyof Memory): number => Math.max(...seen.map((each) => each[name]));

function renditions(bench: Bench, connections: number): Asked {
  const from = bench.next;
  bench.next += 400;
  const requests = [large, small]
    .map((source) => widthJobs(source, from).slice(0, 400))
    .flatMap((jobs) => jobs.map((job) => image(job.source, `w=${job.width}`, bench.tokens)))
    .sort(() => Math.random() - 0.5);
  return { connections, requests };
}

/** Slices of a mixed load, one after the other: reads, lists, writes, uploads, downloads, images. */
async function underLoad(bench: Bench, minutes: number): Promise<[Row[], number[]]> {
  const endMs = performance.now() + minutes * 60_000;
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(memoryOf([pidOf(bench)]).resident), 250);
  let failures = 0;
  try {
    while (performance.now() < endMs) {
      const samples = await Promise.all(mixOf(bench).map((asked) => load(bench, asked, sliceSeconds)));
      failures += samples.reduce((sum, sample) => sum + sample.failures, 0);
    }
  } finally {
    clearInterval(timer);
  }
  const most = Math.round(Math.max(...seen));
  const name = `mixed load of ${minutes} minutes, ${failures} failures, service alone, maximum`;
  return [[[name, `RSS ${most}`, ""]], curveOf(seen)];
}

function mixOf(bench: Bench): Asked[] {
  const { tokens } = bench;
  const kept = Array.from({ length: 50 }, (_, n) => image("small-0.jpg", `h=${100 + n}`, tokens));
  return [
    { ...one(tokens, entries), connections: 16 },
    { ...filtered(tokens, "small", entries), connections: 4 },
    { connections: 2, requests: [get(`/api/entries?id=small&filter[limit]=100&token=${tokens.delivery}`)] },
    { ...creates(tokens), connections: 4 },
    { ...patches(tokens), connections: 4 },
    uploaded(tokens, 2, 100_000),
    uploaded(tokens, 1, 20_000_000),
    { connections: 4, requests: allCopies.slice(0, 16).map((name) => get(`/project/uploads/${name}`)) },
    { connections: 4, requests: kept },
    renditions(bench, 4),
  ];
}

const load = ({ octavo, next }: Bench, asked: Asked, seconds: number) =>
  loadAnyhow(octavo, { ...asked, port: octavo.port, seconds, from: next * 100_000 });

function curveOf(values: readonly number[]): number[] {
  const part = Math.max(1, values.length / points);
  const parts = Array.from({ length: points }, (_, i) => values.slice(Math.floor(i * part), Math.ceil((i + 1) * part)));
  return parts.filter(({ length }) => length > 0).map((some) => Math.round(Math.max(...some)));
}

async function afterwards(bench: Bench): Promise<Row[]> {
  await delay(settleMs);
  const rows: Row[] = [["10 s after it, service alone", shown(memoryOf([pidOf(bench)])), "RSS ≤ 350"]];
  rows.push(["10 s after it, all processes", shown(familyMemoryOf(pidOf(bench))), ""]);
  await delay(idleMs - settleMs);
  const children = childrenOf(pidOf(bench)).length;
  return [...rows, [`a minute after it, ${children} other processes`, shown(memoryOf([pidOf(bench)])), "RSS ≤ 350"]];
}
