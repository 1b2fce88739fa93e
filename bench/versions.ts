/**
 * Creates, single reads and memory at rest beside an older version: `OLD=<its checkout, after npm ci and npm run build>`.
 * Both serve stores of their own with the same 10,000 entries, and are measured in turns. A store of the older one is made
 * by it, through HTTP, since its modules are not those of this checkout.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { creates, one, written } from "./entries.ts";
import { memoryOf } from "./processes.ts";
import { type Asked, inFolder, loadOn, median, type Server, start, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { sample, type Tokens } from "./store.ts";

const entries = 10_000;
/** The chores of a start, those of the first minute, and what they leave to be collected. */
const restMs = 75_000;
const pauseMs = 2_000;

type Version = { name: string; server: Server; tokens: Tokens; megabytes: number };
type Work = { work: string; goal: number; ask(tokens: Tokens): Asked };

const works: Work[] = [
  { work: "POST create, 16 connections", goal: 0.85, ask: creates },
  { work: "POST create, 64 connections", goal: 0.85, ask: (tokens) => ({ ...creates(tokens), connections: 64 }) },
  { work: "GET one entry, 10,000 random keys, 64 connections", goal: 0.95, ask: (tokens) => one(tokens, entries) },
];

export function run({ rounds, seconds }: Options, remark: (text: string) => void): Promise<string> {
  const old = process.env.OLD;
  if (old === undefined) throw new Error("OLD is the folder of an older checkout");
  const here = new URL("..", import.meta.url).pathname;
  remark(`Before: ${JSON.parse(readFileSync(join(old, "package.json"), "utf8")).version}. Each ratio is of one turn.`);
  return inFolder((a) =>
    inFolder((b) =>
      inFolder(async (c) => {
        const versions = [
          await begin("before", old, a),
          await begin("now", here, b),
          await begin("now, search=off", here, c, "--search", "off"),
        ];
        const rows = versions.map(
          ({ name, megabytes }) => `| memory at rest, MB | ${name} | ${megabytes} | goal 115 |`,
        );
        for (const work of works) rows.push(...(await turns(versions, work, rounds, seconds)));
        for (const { server } of versions) await stop(server);
        return ["| work | version | median | of before, median of the turns |", "|---|---|---|---|", ...rows].join(
          "\n",
        );
      }),
    ),
  );
}

async function turns(versions: Version[], { work, goal, ask }: Work, rounds: number, seconds: number) {
  const found: number[][] = versions.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, { server, tokens }] of versions.entries()) {
      const plan = { ...ask(tokens), port: server.port, seconds, from: round * 1_000_000 };
      found[i]?.push((await loadOn(server, plan)).perSecond);
      await delay(pauseMs);
    }
  const [before = []] = found;
  return versions.map(({ name }, i) => {
    const here = found[i] as number[];
    const ratio = median(here.map((each, round) => each / (before[round] as number)));
    const of = i === 0 ? "" : `${ratio.toFixed(2)}, goal ${goal}`;
    return `| ${work} | ${name} | ${Math.round(median(here)).toLocaleString("en")} | ${of} |`;
  });
}

/** A store that this version makes and fills, then starts again. */
async function begin(name: string, checkout: string, folder: string, ...flags: string[]): Promise<Version> {
  const script = join(checkout, "src/octavo.ts");
  const serve = () => start(script, ["serve", "--port", "0", "--data", folder, ...flags]);
  const first = await serve();
  const token = (kind: string, ...more: string[]): string => {
    const words = [script, "token", "create", "--json", "--data", folder, "--kind", kind, ...more];
    return JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" })).token;
  };
  const [delivery = "", management = ""] = ["delivery", "management"].map((kind) =>
    token(kind, "--resources", "entries"),
  );
  const tokens = { delivery, management, access: token("access"), images: "" };
  const requests = [written("POST", tokens, "small/e{n}", sample(7, entries))];
  await loadOn(first, { port: first.port, connections: 16, seconds: 600, count: entries, requests, from: 0 });
  await delay(restMs);
  await stop(first);
  const server = await serve();
  await delay(restMs);
  return { name, server, tokens, megabytes: Math.round(memoryOf([server.child.pid as number]).resident) };
}
