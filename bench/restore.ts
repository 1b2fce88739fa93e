/**
 * Writes of many entries: `octavo restore` from a file, `octavo verify`, a copy of a folder, on SQLite and on PostgreSQL, at
 * each of `--sizes 10000,100000,1000000`. `--only TEXT` runs the works whose names have the text, `--big N` leaves out
 * PostgreSQL at larger sizes. Store and server are in the system's temporary folder (TMPDIR).
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Slug } from "../src/core/path.ts";
import { startPostgres } from "../test/postgres.ts";
import { inFolder, median, secondsOf } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { context, createEntry, inStores, loadSamples } from "./store.ts";

type Figure = { work: string; entries: number; seconds: number; goal: string };
/** A store to restore to: a new one for each restore. */
type Target = { name: string; goalSeconds: number; create(): Promise<Record<string, string>> };

const copied = 10_000;
const million = 1_000_000;

export function run(
  { sizes = [10_000, 100_000, 1_000_000], only, rounds, big = Number.POSITIVE_INFINITY }: Options,
  remark: (text: string) => void,
): Promise<string> {
  return inFolder(async (folder) => {
    remark(
      "Restore and verify are the commands, from their start to their end; a restore ends with a verification. Medians of " +
        `${rounds} rounds. A goal for a million entries is judged at that size only.`,
    );
    const server = "PostgreSQL".includes(only) || only === "" ? await startPostgres("durable") : undefined;
    const targets: Target[] = [{ name: "SQLite", goalSeconds: 180, create: async () => ({}) }];
    if (server) {
      const create = async () => ({ OCTAVO_POSTGRES_URL: await server.createDatabase() });
      targets.push({ name: "PostgreSQL", goalSeconds: 360, create });
    }
    const figures: Figure[] = [];
    for (const size of sizes) {
      const file = await backupOf(folder, size, remark);
      for (const target of targets.filter(({ name }) => name === "SQLite" || size <= big)) {
        figures.push(...(await restores(folder, file, size, target, rounds)));
      }
      rmSync(file);
    }
    for (const target of targets) figures.push(await copies(folder, target, rounds));
    return format(figures.filter(({ work }) => work.includes(only)));
  });
}

/** A backup of a store with this number of entries. */
async function backupOf(folder: string, size: number, remark: (text: string) => void): Promise<string> {
  const [data, file] = [join(folder, "source"), join(folder, `${size}.tar`)];
  await inStores(data, (stores) => loadSamples(stores, "list", size));
  const seconds = await secondsOf({}, ["backup", file, "--data", data]);
  rmSync(data, { recursive: true });
  const mb = Math.round(statSync(file).size / 1e6);
  remark(`The backup of ${size.toLocaleString("en")} entries: ${seconds.toFixed(1)} s, ${mb} MB.`);
  return file;
}

async function restores(folder: string, file: string, size: number, target: Target, rounds: number): Promise<Figure[]> {
  const restored: number[] = [];
  const verified: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const data = join(folder, "restored");
    mkdirSync(data);
    const env = await target.create();
    restored.push(await secondsOf(env, ["restore", file, "--data", data]));
    verified.push(await secondsOf(env, ["verify", "--data", data]));
    rmSync(data, { recursive: true });
  }
  const goal = size === million ? `≤ ${target.goalSeconds} s` : "";
  return [
    { work: `restore, ${target.name}`, entries: size, seconds: median(restored), goal },
    { work: `verify, ${target.name}`, entries: size, seconds: median(verified), goal },
  ];
}

/** Copies of a folder in an open store, without HTTP. */
async function copies(folder: string, target: Target, rounds: number): Promise<Figure> {
  const data = join(folder, "copies");
  const seconds = await inStores(
    data,
    async (stores) => {
      await loadSamples(stores, "list", copied);
      await createEntry(stores, "list", {});
      const times: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const began = performance.now();
        await stores.entries.copy("list" as Slug, { newSlug: `copy${round}` as Slug }, context);
        // The first one compiles.
        if (round > 0) times.push((performance.now() - began) / 1000);
      }
      return median(times);
    },
    await target.create(),
  );
  rmSync(data, { recursive: true });
  return {
    work: `copy of a folder, ${target.name}`,
    entries: copied,
    seconds,
    goal: target.name === "SQLite" ? "≥ 20,000/s" : "",
  };
}

function format(figures: readonly Figure[]): string {
  const lines = figures.map(({ work, entries, seconds, goal }) => {
    const rate = entries / seconds;
    const [, sign, number = ""] = /^(\S) ([\d,]+)/.exec(goal) ?? [];
    const limit = Number(number.replaceAll(",", ""));
    const isMet = sign === "≤" ? seconds <= limit : rate >= limit;
    const judged = goal === "" ? "" : `${goal}: ${isMet ? "met" : "**missed**"}`;
    return `| ${work} | ${entries.toLocaleString("en")} | ${seconds.toFixed(1)} | ${Math.round(rate).toLocaleString("en")} | ${judged} |`;
  });
  return ["| work | entries | seconds | entries a second | goal |", "|---|---|---|---|---|", ...lines].join("\n");
}
