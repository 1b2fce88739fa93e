/**
 * What locales cost: reads, creates and lists of a store with the setting `locales` beside the same without it, on SQLite and
 * PostgreSQL. `--sizes N` changes how many entries there are, `--only TEXT` runs the works whose names have the text, which end
 * with the engine: `--only SQLite`. With BENCH_BEFORE, the folder of a checkout of an
 * earlier commit, that is measured, too; with BENCH_STORES, a folder, the stores on SQLite are kept there for the next run.
 */
import { cpSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../test/postgres.ts";
import { creates } from "./entries.ts";
import type { Filling } from "./list-fill.ts";
import { type Ask, octavoQuery, top } from "./list-queries.ts";
import { isTranslated, locales, states, titles } from "./locale-sample.ts";
import { fineCpuMicrosOf } from "./processes.ts";
import {
  type Asked,
  askChild,
  get,
  inFolder,
  loadOn,
  median,
  random,
  type Server,
  start,
  startOctavoWith,
  stop,
} from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { makeFresh } from "./sizes.ts";
import type { Tokens } from "./store.ts";

const engines = ["SQLite", "PostgreSQL"] as const;
type Engine = (typeof engines)[number];
/** The language that the values of a request are in. */
type Language = "en" | "de";

/** The four stores, of the same entries. */
const sites = {
  before: "before there were locales",
  none: "no `locales`",
  unused: "three locales, no translation",
  translated: "three locales, four of five entries in all",
} as const;
type SiteName = keyof typeof sites;
type Site = { server: Server; tokens: Tokens };
type Sites = Partial<Record<SiteName, Site>>;

/** How a store is asked. */
type Variant = { site: SiteName; isGerman?: boolean };
/** Each but the first is compared with the one without locales, and that with the one before. */
const variants: readonly Variant[] = [
  { site: "before" },
  { site: "none" },
  { site: "unused" },
  { site: "unused", isGerman: true },
  { site: "translated" },
  { site: "translated", isGerman: true },
];

/** What is asked. `isWrite`: the language is never named. */
type Work = { name: string; most: number | undefined; isWrite?: true; asked(draw: Draw): Asked };
/** What the values of requests are drawn for: `address` makes one of the arguments after the token. */
type Draw = { size: number; language: Language; tokens: Tokens; address(more: string): string };

/** The number of an entry that has all translations. */
function translatedEntry(size: number): number {
  const n = random(size);
  return isTranslated(n) ? n : n + 1;
}

const addresses = 5000;
const list = (name: string, ask: (size: number, language: Language) => Ask): Work => ({
  name,
  most: 1.5,
  asked: ({ size, language, address }) => ({
    connections: 8,
    requests: Array.from({ length: addresses }, () => address(`&id=${top}${octavoQuery(ask(size, language))}`)),
  }),
});

const works: readonly Work[] = [
  {
    name: "one entry",
    most: undefined,
    asked: ({ size, address }) => ({
      connections: 8,
      requests: Array.from({ length: addresses }, () => address(`&id=${top}/e${random(size)}`)),
    }),
  },
  list("newest ten, offset < 500", () => ({ order: "published_at", limit: 10, offset: random(500) })),
  list("group = x, 20 match", (size) => ({
    where: [{ field: "group", operator: "eq", values: [random(Math.ceil(size / 20))] }],
    limit: 30,
  })),
  list("title = x, 1 match (translated)", (size, language) => ({
    where: [{ field: "title", operator: "eq", values: [`${titles[language]} ${translatedEntry(size)}`] }],
  })),
  list("state = x, newest ten, offset < 100 (translated)", (_size, language) => ({
    where: [{ field: "state", operator: "eq", values: [states[language][random(3)] ?? ""] }],
    order: "published_at",
    limit: 10,
    offset: random(100),
  })),
  list("by title, ten, offset < 500 (translated)", () => ({ order: "title", limit: 10, offset: random(500) })),
  list("search of a number, 1 match", (size) => ({ search: `${translatedEntry(size)}`, limit: 20 })),
  list("count of price ≥ x", () => ({
    where: [{ field: "price", operator: "gte", values: [random(997) / 10] }],
    isCount: true,
  })),
  { name: "create", most: 1.1, isWrite: true, asked: ({ tokens }) => creates(tokens) },
];

const howToRead = `\
Stores of the same entries, each read by one process with a delivery token and 8 connections (creates: 16, management); values
are drawn at random, and no list is kept. They are asked in turns, one after the other in each round. Of a German request the
values are German where the key is translated and the store has translations. Figures are processor time of a request, of the
service with its threads and of PostgreSQL's processes: they vary less than rates beside other work. "ratio" is the median of
the ratios of one round, beside its smallest and largest: to the store without \`locales\`, and of that one to the store of the
commit before. Title, state and content are translated into German and French. Reads of one entry have no goal: they are named
so that nobody has to guess.`;

/** Without the setting nothing may be lost: what rounds of one work differ by. */
const noise = 1.05;

export async function run(
  { rounds, seconds, sizes: [size = 100_000] = [], only }: Options,
  remark: (text: string) => void,
): Promise<string> {
  remark(howToRead);
  const rows: Row[] = [];
  const load = [loadavg()[1]];
  for (const engine of engines) {
    const asked = works.filter(({ name }) => `${name}, ${engine}`.includes(only));
    if (asked.length === 0) continue;
    await inFolder(async (folder) => {
      const started = await startSites[engine](folder, size);
      for (const work of asked) rows.push(...(await measureWork(engine, started, work, { size, rounds, seconds })));
      await Promise.all(Object.values(started.sites).map(({ server }) => stop(server)));
    });
    load.push(loadavg()[1]);
  }
  const loads = load.map((each) => each?.toFixed(0)).join(", ");
  remark(
    `${size.toLocaleString("en")} entries, ${rounds} rounds of ${seconds} s; load of the machine on the way: ${loads}.`,
  );
  remark(summary(rows));
  return table(rows);
}

// ---------------------------------------------------------------------------------------------- the stores

type Started = { sites: Sites; databaseMicros(): number };

const localesEnv = { OCTAVO_LOCALES: locales.join(",") };
const before = process.env.BENCH_BEFORE;
const kept = process.env.BENCH_STORES;

type Env = Record<string, string>;
type Filled = Exclude<SiteName, "unused">;
type Tokened = Record<"none" | "translated", Tokens> & { before: Tokens | undefined };

/** At once, each in a process of its own. */
async function fillAll(size: number, places: Record<Filled, Omit<Filling, "size">>): Promise<Tokened> {
  const fill = (site: Filled, script = "./list-fill.ts") =>
    askChild<Tokens>(script, { ...places[site], size, isTranslated: site === "translated" });
  const [none, translated, old] = await Promise.all([
    fill("none"),
    fill("translated"),
    before ? fill("before", join(before, "bench/list-fill.ts")) : undefined,
  ]);
  return { none, translated, before: old };
}

async function startAll(tokens: Tokened, at: (site: SiteName) => string, envs: Record<SiteName, Env>): Promise<Sites> {
  const own = (site: Exclude<SiteName, "before">) => startOctavoWith(envs[site], at(site));
  const old = (checkout: string) =>
    start(join(checkout, "src/octavo.ts"), ["serve", "--port", "0", "--data", at("before")], envs.before);
  return {
    ...(before && tokens.before && { before: { tokens: tokens.before, server: await old(before) } }),
    none: { tokens: tokens.none, server: await own("none") },
    unused: { tokens: tokens.none, server: await own("unused") },
    translated: { tokens: tokens.translated, server: await own("translated") },
  };
}

const startSites: Record<Engine, (folder: string, size: number) => Promise<Started>> = {
  SQLite: async (folder, size) => {
    const at = (site: SiteName) => join(kept ?? folder, site);
    const fills = { none: { folder: at("none"), env: {} }, translated: { folder: at("translated"), env: localesEnv } };
    const tokens = await fillAll(size, { ...fills, before: { folder: at("before"), env: {} } });
    rmSync(at("unused"), { recursive: true, force: true });
    cpSync(at("none"), at("unused"), { recursive: true });
    const envs = { before: {}, none: {}, unused: localesEnv, translated: localesEnv };
    return { sites: await startAll(tokens, at, envs), databaseMicros: () => 0 };
  },
  PostgreSQL: async (folder, size) => {
    postgres ??= await startPostgres("durable");
    const { createDatabase } = postgres;
    const pid = postgres.pid() as number;
    const at = (site: SiteName) => join(folder, site);
    const urlOf = (url: string) => ({ OCTAVO_POSTGRES_URL: url });
    const urls = { none: await createDatabase(), translated: await createDatabase(), before: await createDatabase() };
    const envs = {
      before: urlOf(urls.before),
      none: urlOf(urls.none),
      translated: { ...localesEnv, ...urlOf(urls.translated) },
    };
    const tokens = await fillAll(size, {
      none: { folder: at("none"), env: envs.none },
      translated: { folder: at("translated"), env: envs.translated },
      before: { folder: at("before"), env: envs.before },
    });
    const unused = await createDatabase(urls.none);
    const sites = await startAll(tokens, at, { ...envs, unused: { ...localesEnv, ...urlOf(unused) } });
    for (const url of [...Object.values(urls), unused]) await makeFresh(url);
    return { sites, databaseMicros: () => fineCpuMicrosOf(pid) };
  },
};
let postgres: PostgresServer | undefined;

// ---------------------------------------------------------------------------------------------- the rounds

/** Processor time of a request in one round. */
type Cost = { micros: number; databaseMicros: number };
type Row = { engine: Engine; work: Work; variant: Variant; costs: readonly Cost[]; ratios: readonly number[] };

async function measureWork(
  engine: Engine,
  { sites, databaseMicros }: Started,
  work: Work,
  { size, rounds, seconds }: { size: number; rounds: number; seconds: number },
): Promise<Row[]> {
  const asked = variants.filter(({ site, isGerman }) => sites[site] && !(work.isWrite && isGerman));
  const costOf = async ({ site, isGerman = false }: Variant, round: number): Promise<Cost> => {
    const { server, tokens } = sites[site] as Site;
    const language = isGerman && site === "translated" ? "de" : "en";
    const address = (more: string) =>
      get(`/api/entries?token=${tokens.delivery}${more}${isGerman ? "&locale=de" : ""}`);
    const plan = { ...work.asked({ size, language, tokens, address }), seconds, port: server.port, from: round * 1e7 };
    const before = databaseMicros();
    const { cpuMicros: micros, requests } = await loadOn(server, plan, fineCpuMicrosOf);
    return { micros, databaseMicros: (databaseMicros() - before) / requests };
  };
  // What a process does for the first time costs more.
  for (const variant of asked) await costOf(variant, 0);
  const costs = asked.map((): Cost[] => []);
  for (let round = 1; round <= rounds; round++)
    for (const [i, variant] of asked.entries()) costs[i]?.push(await costOf(variant, round));
  const of = (site: SiteName) => costs[asked.findIndex((variant) => variant.site === site)];
  const rows = asked.map((variant, i): Row => {
    const base = of(variant.site === "before" || variant.site === "none" ? "before" : "none") ?? of("none") ?? [];
    const own = costs[i] ?? [];
    const ratios = own.map((cost, round) => sumOf(cost) / sumOf(base[round] as Cost)).sort((a, b) => a - b);
    return { engine, work, variant, costs: own, ratios };
  });
  for (const row of rows) console.error(cellsOf(row).join(" · "));
  return rows;
}

const sumOf = ({ micros, databaseMicros }: Cost): number => micros + databaseMicros;

// ---------------------------------------------------------------------------------------------- the table

const head = ["work", "engine", "store", "asked", "µs", "PostgreSQL, µs", "ratio", "from, to", "goal", "reached"];

/** The most that it may be; undefined where nothing is promised. */
const goalOf = ({ work: { most }, variant: { site } }: Row): number | undefined =>
  site === "before" ? undefined : site === "none" ? (before ? noise : undefined) : most;

function verdictOf(row: Row): string {
  const most = goalOf(row);
  const ratio = median(row.ratios);
  if (most === undefined) return "";
  return ratio <= most ? "met" : `missed: ${(ratio / most).toFixed(2)} times the goal`;
}

function cellsOf(row: Row): string[] {
  const { engine, work, variant, costs, ratios } = row;
  const rounded = (values: number[]) => Math.round(median(values)).toLocaleString("en");
  const most = goalOf(row);
  return [
    work.name,
    engine,
    sites[variant.site],
    variant.isGerman ? "`locale=de`" : "",
    rounded(costs.map(({ micros }) => micros)),
    engine === "SQLite" ? "" : rounded(costs.map(({ databaseMicros }) => databaseMicros)),
    median(ratios).toFixed(2),
    `${ratios[0]?.toFixed(2)}, ${ratios.at(-1)?.toFixed(2)}`,
    most === undefined ? "" : `≤ ${most}`,
    verdictOf(row),
  ];
}

/** How many goals are met, and what misses its own. */
function summary(rows: readonly Row[]): string {
  const withGoal = rows.filter((row) => goalOf(row) !== undefined);
  const missed = withGoal.filter((row) => verdictOf(row) !== "met");
  const nameOf = ({ engine, work, variant }: Row) =>
    `${work.name}, ${engine}, ${sites[variant.site]}${variant.isGerman ? ", in German" : ""}`;
  const each = missed.map((row) => `* ${nameOf(row)}: ${median(row.ratios).toFixed(2)} of ≤ ${goalOf(row)}`);
  return [`${withGoal.length - missed.length} of ${withGoal.length} goals are met.`, ...each].join("\n");
}

const table = (rows: readonly Row[]): string =>
  [head, head.map(() => "---"), ...rows.map(cellsOf)].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
