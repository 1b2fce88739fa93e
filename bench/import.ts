/**
 * What `octavo import` and `octavo export` do a second: the commands, from their start to their end, on SQLite and PostgreSQL,
 * at each of `--sizes 10000,100000`. The folder is an export of sample entries; import goes into a new store. Up to 10,000
 * entries both are repeated: then all of it is unchanged. `--only TEXT` names the engine. Folders, stores and the server are in the
 * system's temporary folder (TMPDIR). Decision 56.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { inFolder, median, secondsOf } from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { inStores, loadSamples } from "./store.ts";

type Engine = { name: string; create(): Promise<Record<string, string>> };
type Figure = { work: string; entries: number; seconds: number; goal: number };

/** Entries a second of an import into a new store. */
const goal = 5000;
/** Larger folders are imported and exported once. */
const maxRepeated = 10_000;

export function run(
  { sizes = [10_000, 100_000], only, rounds }: Options,
  remark: (text: string) => void,
): Promise<string> {
  return inFolder(async (folder) => {
    remark(
      `Each figure is one command with the start of its process, the median of ${rounds} rounds, with more than 10,000 entries of one. An entry has 11 fields and ` +
        "about 500 bytes; its import writes the entry, its event and its index rows, and waits until they are on the disk.",
    );
    remark(
      "An import is bound by the processor. On SQLite one thread reads the files and another writes. On PostgreSQL one thread " +
        "does both, and the server, which shares the processors here, takes as long again, most of it for index rows. An " +
        "export is bound by making a folder for each entry.",
    );
    const engines: Engine[] = [];
    if ("SQLite".includes(only)) engines.push({ name: "SQLite", create: async () => ({}) });
    if ("PostgreSQL".includes(only)) {
      const server = await startPostgres("durable");
      engines.push({
        name: "PostgreSQL",
        create: async () => ({ OCTAVO_POSTGRES_URL: await server.createDatabase() }),
      });
    }
    const figures: Figure[] = [];
    for (const size of sizes) {
      const site = join(folder, `site-${size}`);
      await siteOf(folder, site, size);
      for (const engine of engines) figures.push(...(await measured(folder, site, size, engine, rounds)));
      rmSync(site, { recursive: true });
    }
    return format(figures);
  });
}

/** An export of a store with this number of entries. */
async function siteOf(folder: string, site: string, size: number): Promise<void> {
  const data = join(folder, "source");
  await inStores(data, (stores) => loadSamples(stores, "list", size));
  await secondsOf({}, ["export", site, "--data", data]);
  rmSync(data, { recursive: true });
}

async function measured(folder: string, site: string, size: number, engine: Engine, rounds: number) {
  const [data, out] = [join(folder, "data"), join(folder, "out")];
  const all = [
    { work: "import", words: ["import", site] },
    { work: "import again", words: ["import", site] },
    { work: "export", words: ["export", out] },
    { work: "export again", words: ["export", out, "--replace"] },
  ].filter(({ work }) => size <= maxRepeated || !work.endsWith("again"));
  const works = all.map((one) => ({ ...one, times: [] as number[] }));
  for (let round = 0; round < (size <= maxRepeated ? rounds : 1); round++) {
    const env = await engine.create();
    await inStores(data, async () => undefined, env);
    for (const { words, times } of works) times.push(await secondsOf(env, [...words, "--data", data]));
    for (const path of [data, out]) rmSync(path, { recursive: true });
  }
  return works.map(({ work, times }) => ({
    ...{ work: `${work}, ${engine.name}`, entries: size, seconds: median(times) },
    goal: work === "import" ? goal : 0,
  }));
}

function format(figures: readonly Figure[]): string {
  const lines = figures.map(({ work, entries, seconds, goal }) => {
    const rate = entries / seconds;
    const judged = rate >= goal ? "met" : `**missed**: ${(rate / goal).toFixed(2)} of it`;
    const said = goal === 0 ? "" : `≥ ${goal.toLocaleString("en")}/s: ${judged}`;
    return `| ${work} | ${entries.toLocaleString("en")} | ${seconds.toFixed(1)} | ${Math.round(rate).toLocaleString("en")} | ${said} |`;
  });
  return ["| work | entries | seconds | entries a second | goal |", "|---|---|---|---|---|", ...lines].join("\n");
}
