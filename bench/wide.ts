/**
 * Entries of many keys: the time of a create and of an update of one key, in sequence, and the latency of reads of another
 * entry meanwhile, on SQLite and on PostgreSQL. `--big N` is the number of keys of the larger entry, above the default
 * limit.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "../test/postgres.ts";
import { written } from "./entries.ts";
import type { LoadPlan, LoadResult } from "./load.ts";
import { askChild, inFolder, type Server, startOctavoWith, stop } from "./rounds.ts";
import type { Line, Options } from "./scenario.ts";
import { createEntry, createTokens, inStores, type Tokens } from "./store.ts";

type Setup = { name: string; server: Server; tokens: Tokens };

export function run({ rounds, big = 60_000, only }: Options, remark: (text: string) => void): Promise<Line[]> {
  return inFolder(async (folder) => {
    remark(howToRead);
    const lines: Line[] = [];
    const counts = [100, 10_000, big];
    for (const setup of [await onSqlite(folder, counts), await onPostgres(folder, counts)]) {
      for (const keys of counts) {
        for (const [work, request] of works(setup.tokens, keys)) {
          const name = `${work} of ${keys.toLocaleString("en")} keys: ${setup.name}`;
          if (!name.includes(only)) continue;
          // The first requests of a process cost more.
          await measure(setup, request, 3);
          const results: Measured[] = [];
          for (let round = 0; round < rounds; round++) results.push(await measure(setup, request, 10));
          lines.push(lineOf(name, results));
        }
      }
      await stop(setup.server);
    }
    return lines;
  });
}

const howToRead = `\
"per second" and p99 are those of the writes, sent one after the other on one connection. The note has their median, and
the longest wait of a read of another entry, beside them and beside nothing: four clients read it, with short pauses.`;

async function onSqlite(folder: string, counts: readonly number[]): Promise<Setup> {
  const data = join(folder, "sqlite");
  const tokens = await fill(data, counts, {});
  return { name: "SQLite", tokens, server: await startOctavoWith(envFor(counts), data) };
}

async function onPostgres(folder: string, counts: readonly number[]): Promise<Setup> {
  const env = { OCTAVO_POSTGRES_URL: await (await startPostgres("durable")).createDatabase() };
  const data = join(folder, "postgres");
  const tokens = await fill(data, counts, env);
  return { name: "PostgreSQL", tokens, server: await startOctavoWith({ ...env, ...envFor(counts) }, data) };
}

const envFor = (counts: readonly number[]) => ({ OCTAVO_ENTRY_MAX_KEYS: String(Math.max(...counts)) });

const fill = (folder: string, counts: readonly number[], env: Record<string, string>): Promise<Tokens> =>
  inStores(
    folder,
    async (stores) => {
      await createEntry(stores, "beside", { title: "Read all the time" });
      for (const count of counts) await createEntry(stores, `wide/${count}`, wide(count));
      return createTokens(stores, ["entries"]);
    },
    env,
  );

const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));

/** `{n}` is a new number for each request. */
const works = (tokens: Tokens, count: number): [work: string, request: string][] => [
  ["POST", written("POST", tokens, `new/${count}-{n}`, wide(count))],
  ["PATCH one key", written("PATCH", tokens, `wide/${count}`, { f7: "{n}" })],
];

type Measured = { writes: LoadResult; besideMs: number; aloneMs: number };

let next = 0;

/** This number of writes with concurrent reads; and the reads alone. */
async function measure({ server, tokens }: Setup, request: string, count: number): Promise<Measured> {
  const from = next;
  next += count;
  const url = `http://127.0.0.1:${server.port}/api/entries?id=beside&token=${tokens.delivery}`;
  const aloneMs = await longestWait(url, sleep(1000));
  const plan: LoadPlan = { port: server.port, connections: 1, requests: [request], seconds: 60, count, from };
  const writing = askChild<LoadResult>("./load.ts", plan);
  const besideMs = await longestWait(url, writing);
  const writes = await writing;
  if (writes.failures > 0) throw new Error(`writes were refused: ${JSON.stringify(writes.statuses)}`);
  return { writes, besideMs, aloneMs };
}

/** The longest wait of four readers for a reply during the work; each pauses between two reads. */
async function longestWait(url: string, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  const reader = async (): Promise<number> => {
    let longestMs = 0;
    while (!isOver) {
      const sentMs = performance.now();
      await (await fetch(url)).text();
      longestMs = Math.max(longestMs, performance.now() - sentMs);
      await sleep(pauseMs);
    }
    return longestMs;
  };
  return Math.max(...(await Promise.all([reader(), reader(), reader(), reader()])));
}

const pauseMs = 10;

function lineOf(work: string, results: Measured[]): Line {
  const median = (pick: (result: Measured) => number): number =>
    results.map(pick).sort((a, b) => a - b)[Math.floor(results.length / 2)] as number;
  const whole = (pick: (result: Measured) => number) => median(pick).toFixed(0);
  const note = `median ${whole((r) => r.writes.p50Ms)} ms; a read waits ${whole((r) => r.besideMs)} ms at most, alone ${whole((r) => r.aloneMs)} ms`;
  console.error(`${work}: ${note}`);
  const perSecond = median(({ writes }) => writes.perSecond);
  const p99Ms = median(({ writes }) => writes.p99Ms);
  return { work, perSecond, p99Ms, note, cpuMicros: Number.NaN, ratio: Number.NaN, cpuRatio: Number.NaN, goal: "" };
}
