/**
 * How long searches take at 100,000 entries and more (`--sizes`), by eight callers beside twenty writes a second, on SQLite and
 * PostgreSQL; what the index costs creates; whether typos are found in a large store as in a small one. No query is asked
 * twice. `--only TEXT` names the engine. How good answers are: judged.ts.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "../test/postgres.ts";
import { random } from "../test/random.ts";
import { creates } from "./entries.ts";
import { familyCpuMicrosOf } from "./processes.ts";
import { get, inFolder, loadAnyhow, loadOn, type Server, startOctavoWith, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { ownWord, type QueryKind, queries, textSample, typoIn } from "./search-words.ts";
import { sizesOfPostgres, sizesOfSqlite } from "./sizes.ts";
import { createTokens, inStores, loadSamples, type Tokens } from "./store.ts";

const [callers, writesPerSecond] = [8, 20];
/** Of a search, also beside writes. */
const goalMsOf = (size: number): number => (size <= 100_000 ? 20 : 200);

type Env = Record<string, string>;
type Store = { engine: string; size: number; folder: string; env: Env; tokens: Tokens };

const works: Record<string, readonly QueryKind[]> = {
  "words, typos, beginnings": ["words", "words", "typo", "prefix"],
  words: ["words"],
  typos: ["typo"],
  beginnings: ["prefix"],
};

export function run(
  { seconds, only, sizes = [1000, 100_000] }: Options,
  remark: (text: string) => void,
): Promise<string> {
  return inFolder(async (folder) => {
    remark(
      `${callers} callers, each asks the next query when it has its answer, beside ${writesPerSecond} creates a second; ` +
        "one to four words drawn by their frequency, no query twice. CPU is that of the service for each search, writes " +
        "and their indexing included.",
    );
    const lines: string[] = [];
    const onEngine = async (engine: string, envOf: () => Promise<Env>) => {
      if (!engine.includes(only)) return;
      for (const size of sizes) {
        const env = await envOf();
        const store = await filled(engine, size, join(folder, `${engine}-${size}`), env);
        lines.push(...(await measured(store, seconds, remark)));
      }
    };
    await onEngine("SQLite", async () => ({}));
    if ("PostgreSQL".includes(only)) {
      const server = await startPostgres("durable");
      await onEngine("PostgreSQL", async () => ({ OCTAVO_POSTGRES_URL: await server.createDatabase() }));
    }
    const head = "| work | per second | p50 ms | p95 ms | p99 ms | CPU µs | goal |\n|---|---|---|---|---|---|---|";
    return [head, ...lines].join("\n");
  });
}

async function filled(engine: string, size: number, folder: string, env: Env): Promise<Store> {
  const work = async (stores: Parameters<typeof createTokens>[0]) => {
    await loadSamples(stores, "list", size, undefined, textSample);
    return createTokens(stores, ["entries"]);
  };
  // The service makes the index, which is measured.
  return { engine, size, folder, env, tokens: await inStores(folder, work, { ...env, OCTAVO_SEARCH: "off" }) };
}

async function measured(store: Store, seconds: number, remark: (text: string) => void): Promise<string[]> {
  const { engine, size, folder, env, tokens } = store;
  const name = `${engine}, ${size.toLocaleString("en")} entries`;
  const goalMs = goalMsOf(size);
  const server = await startOctavoWith(env, folder);
  const lines: string[] = [];
  try {
    const began = performance.now();
    await untilIndexed(server, tokens);
    const took = (performance.now() - began) / 1000;
    const cpu = familyCpuMicrosOf(server.child.pid as number) / 1e6;
    const sizes =
      engine === "SQLite"
        ? sizesOfSqlite(folder, size)
        : await sizesOfPostgres(env.OCTAVO_POSTGRES_URL as string, size);
    remark(`${name}: indexed ${took.toFixed(0)} s after the start (processor ${cpu.toFixed(0)} s). ${sizes}.`);
    remark(`${name}: ${await foundWithTypos(server, store)} of ${typoCount} words with a typo found.`);
    for (const [work, kinds] of Object.entries(works)) {
      const asked = queries(40_000, 100 + size, kinds);
      const requests = asked.map((q) => get(searchOf(q, tokens)));
      const stopWrites = writesBeside(server, tokens);
      const plan = { port: server.port, connections: callers, requests, from: 0 };
      const measure = async () => {
        await loadAnyhow(server, { ...plan, seconds: 1, requests: requests.slice(-2000) });
        return loadAnyhow(server, { ...plan, seconds }, familyCpuMicrosOf);
      };
      const sample = await measure().finally(stopWrites);
      if (sample.failures > 0) remark(`${name}, ${work}: **${sample.failures} of ${sample.requests} refused**.`);
      if (sample.requests > requests.length - 2000) remark(`${name}, ${work}: queries came twice.`);
      lines.push(
        lineOf(
          `search: ${work}, ${name}`,
          sample,
          `p95 ≤ ${goalMs} ms: ${sample.p95Ms <= goalMs ? "met" : "**missed**"}`,
        ),
      );
    }
  } finally {
    await stop(server);
  }
  for (const search of ["on", "off"]) {
    const other = await startOctavoWith({ ...env, OCTAVO_SEARCH: search }, folder);
    const asked = creates(tokens);
    await loadAnyhow(other, { ...asked, port: other.port, seconds: 1, from: 9e8 });
    const sample = await loadOn(other, { ...asked, port: other.port, seconds, from: 0 }, familyCpuMicrosOf);
    lines.push(lineOf(`create: search ${search}, 16 connections, ${name}`, sample, ""));
    // Words are indexed after the answer: by the next search, or within a minute.
    if (search === "on") {
      const before = familyCpuMicrosOf(other.child.pid as number);
      await untilIndexed(other, tokens);
      const micros = (familyCpuMicrosOf(other.child.pid as number) - before) / sample.requests;
      remark(`${name}: the words of a create are indexed afterwards, in ${micros.toFixed(0)} µs.`);
    }
    await stop(other);
  }
  return lines;
}

type Shown = { perSecond: number; p50Ms: number; p95Ms: number; p99Ms: number; cpuMicros: number };

function lineOf(work: string, { perSecond, p50Ms, p95Ms, p99Ms, cpuMicros }: Shown, goal: string): string {
  const figures = [perSecond, p50Ms, p95Ms, p99Ms, cpuMicros].map((figure) => figure.toFixed(figure < 100 ? 1 : 0));
  const line = `| ${work} | ${figures.join(" | ")} | ${goal} |`;
  console.error(line);
  return line;
}

const searchOf = (q: string, { delivery }: Tokens, more = ""): string =>
  `/api/delivery/entries/search?q=${encodeURIComponent(q)}${more}&token=${delivery}`;

type Answer = { matches: { id: string }[]; partial?: boolean };

const ask = (server: Server, path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);

async function untilIndexed(server: Server, tokens: Tokens): Promise<void> {
  for (;;) {
    const reply = await ask(server, searchOf(ownWord(0), tokens));
    const answer = (await reply.json()) as Answer;
    if (reply.ok && !answer.partial) return;
    await delay(100);
  }
}

const typoCount = 500;

/** How many of the words that one entry alone has find it with a typo. */
async function foundWithTypos(server: Server, { size, tokens }: Store): Promise<number> {
  const pick = random(7);
  let found = 0;
  for (let i = 0; i < typoCount; i++) {
    const n = Math.floor((i * size) / typoCount);
    const reply = await ask(server, searchOf(typoIn(ownWord(n), pick), tokens, "&prefix=off&only=slug"));
    const { matches } = (await reply.json()) as Answer;
    if (matches.some(({ id }) => id === `list/e${n}`)) found++;
  }
  return found;
}

let written = 0;

/** Creates entries at a steady pace until it is stopped. */
function writesBeside({ port }: Server, { management, access }: Tokens): () => Promise<void> {
  const pending = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    const n = 5_000_000 + written++;
    const body = JSON.stringify({ id: `list/w${n}`, data: textSample(n), token: management, access_token: access });
    const headers = { "Content-Type": "application/json" };
    const sent = fetch(`http://127.0.0.1:${port}/api/entries`, { method: "POST", headers, body }).then(
      async (reply) => {
        await reply.arrayBuffer();
        if (!reply.ok) throw new Error(`a create was answered ${reply.status}`);
      },
    );
    pending.add(sent);
    void sent.finally(() => pending.delete(sent));
  }, 1000 / writesPerSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
  };
}
