/**
 * What history and trash cost: updates and creates with history and without, and the latency of single updates beside a
 * restore of a subtree and beside a purge, on SQLite and PostgreSQL. `--big N` is the number of entries of the purge, ten
 * times those of the restore; `--only TEXT` names the engine. Decision 51.
 */
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { creates, patches } from "./entries.ts";
import { type Asked, inFolder, loadOn, median, type Server, startOctavoWith, stop } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { createEntry, createSamples, createTokens, inStores, loadSamples, type Tokens } from "./store.ts";

type Target = { name: string; create(): Promise<Record<string, string>> };
type Figure = { work: string; figure: string; goal: string };

export function run({ rounds, seconds, big = 100_000, only }: Options): Promise<string> {
  return inFolder(async (folder) => {
    const server = "PostgreSQL".includes(only) || only === "" ? await startPostgres("durable") : undefined;
    const targets: Target[] = [{ name: "SQLite", create: async () => ({}) }];
    if (server) {
      const create = async () => ({ OCTAVO_POSTGRES_URL: await server.createDatabase() });
      targets.push({ name: "PostgreSQL", create });
    }
    const figures: Figure[] = [];
    for (const target of targets.filter(({ name }) => name.includes(only))) {
      figures.push(...(await prices(join(folder, `${target.name}-price`), target, rounds, seconds)));
      figures.push(...(await beside(join(folder, `${target.name}-beside`), target, big)));
    }
    const lines = figures.map(({ work, figure, goal }) => `| ${work} | ${figure} | ${goal} |`);
    return ["| work | figure | goal |", "| --- | --- | --- |", ...lines].join("\n");
  });
}

// ---------------------------------------------------------------------------------------------- the price of history

async function prices(folder: string, target: Target, rounds: number, seconds: number): Promise<Figure[]> {
  const services: { server: Server; tokens: Tokens }[] = [];
  for (const rows of ["100", "0"]) {
    const env = await target.create();
    const data = join(folder, rows);
    const tokens = await inStores(
      data,
      async (stores) => {
        await createSamples(stores, "small", 10_000);
        return createTokens(stores, ["entries"]);
      },
      env,
    );
    services.push({ server: await startOctavoWith(env, data, "--history-keep-rows", rows), tokens });
  }
  const figures: Figure[] = [];
  let from = 0;
  const works: [string, (tokens: Tokens) => Asked, number][] = [
    ["updates", patches, 0.85],
    ["creates", creates, 1],
  ];
  for (const [work, askedOf, least] of works) {
    const rate = async ({ server, tokens }: (typeof services)[number], time = seconds) => {
      const plan = { ...askedOf(tokens), port: server.port, seconds: time, from };
      from += 1e6;
      return (await loadOn(server, plan)).perSecond;
    };
    for (const service of services) await rate(service, 1);
    const [kept, ratios]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const [withHistory, without] = [await rate(services[0] as never), await rate(services[1] as never)];
      kept.push(withHistory);
      ratios.push(withHistory / without);
    }
    const ratio = median(ratios);
    figures.push({
      work: `${work} with history, 16 connections, ${target.name}`,
      figure: `${Math.round(median(kept))} a second, ${ratio.toFixed(2)} × without`,
      goal: least === 1 ? "no difference" : `≥ ${least} × without: ${ratio >= least ? "met" : "missed"}`,
    });
  }
  for (const { server } of services) await stop(server);
  return figures;
}

// ---------------------------------------------------------------------------------------------- writes beside large work

async function beside(folder: string, target: Target, big: number): Promise<Figure[]> {
  const env = await target.create();
  const small = big / 10;
  const tokens = await inStores(
    folder,
    async (stores) => {
      await loadSamples(stores, "purged", big);
      await createSamples(stores, "restored", small);
      for (const id of ["purged", "restored", "one"]) await createEntry(stores, id, {});
      return createTokens(stores, ["entries"]);
    },
    env,
  );
  const server = await startOctavoWith(env, folder);
  const send = async (method: string, path: string, args: object) => {
    const body = JSON.stringify({ token: tokens.management, access_token: tokens.access, ...args });
    const headers = { "Content-Type": "application/json" };
    const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers, body });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${text}`);
    return text;
  };
  const trash = async (): Promise<{ id: number; path: string }[]> => {
    const reply = await fetch(`http://127.0.0.1:${server.port}/api/trash?token=${tokens.management}`);
    return ((await reply.json()) as { data: { id: number; path: string }[] }).data;
  };
  const idOf = async (path: string) => (await trash()).find((item) => item.path === path)?.id as number;
  /** Latencies of single updates, one after another, until the work is over, at least for this time. */
  const updatesDuring = async (work: Promise<unknown>, leastMs: number): Promise<number[]> => {
    const times: number[] = [];
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    for (const began = performance.now(); !isOver || performance.now() - began < leastMs; ) {
      const start = performance.now();
      await send("PATCH", "/api/entries", { id: "one", data: { n: times.length } });
      times.push(performance.now() - start);
    }
    await ended;
    return times.sort((a, b) => a - b);
  };
  const p99 = (times: readonly number[]) => times[Math.floor(times.length * 0.99)] as number;
  const leastMs = 5000;
  await updatesDuring(Promise.resolve(), 2000);
  const idle = await updatesDuring(Promise.resolve(), leastMs);
  const idleMs = p99(idle);
  const figures: Figure[] = [
    { work: `single updates, idle, ${target.name}`, figure: `p99 ${idleMs.toFixed(1)} ms`, goal: "" },
  ];
  const measured = async (work: string, during: Promise<unknown>): Promise<void> => {
    const began = performance.now();
    let seconds = 0;
    const timed = during.then(() => {
      seconds = (performance.now() - began) / 1000;
    });
    const times = await updatesDuring(timed, leastMs);
    const ratio = p99(times) / idleMs;
    figures.push({
      work: `single updates beside ${work}, ${target.name}`,
      figure: `p99 ${p99(times).toFixed(1)} ms, longest ${(times.at(-1) as number).toFixed(0)} ms, ${ratio.toFixed(1)} × idle; it took ${seconds.toFixed(1)} s`,
      goal: `< 5 × idle: ${ratio < 5 ? "met" : "missed"}`,
    });
  };
  for (const id of ["restored", "purged"]) await send("DELETE", "/api/entries", { id });
  await measured(`a restore of ${small + 1}`, send("POST", "/api/trash/restore", { id: await idOf("restored") }));
  const purge = async () => {
    await send("DELETE", "/api/trash", { id: await idOf("purged") });
  };
  await measured(`a purge of ${big + 1}`, purge());
  await stop(server);
  return figures;
}
