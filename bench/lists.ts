/**
 * Lists as sites request them: Octavo on SQLite and on PostgreSQL, Directus on the same PostgreSQL server, at each of
 * `--sizes 10000,100000,1000000`. `--only TEXT` runs the lists whose names have the text, `--big N` leaves out Octavo on
 * PostgreSQL at larger sizes. About 25 minutes on an idle machine of two cores with `--rounds 3 --seconds 0.4`.
 */
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { bootstrapDirectus, changeDirectus, directusPath, loadDirectus, startDirectus } from "./directus.ts";
import type { Filling } from "./list-fill.ts";
import { askedColumns, directusItem, directusQuery, type ListQuery, listQueries, octavoQuery } from "./list-queries.ts";
import { besideTable, type Cell, listTables, type Store } from "./list-table.ts";
import { installPeers, peers } from "./peer-install.ts";
import { familyMemoryOf } from "./processes.ts";
import {
  askChild,
  get,
  inFolder,
  loadAnyhow,
  loadOn,
  random,
  type Sample,
  type Server,
  startOctavoWith,
  stop,
} from "./rounds.ts";
import type { Options } from "./scenario.ts";
import { sizesOfPostgres, sizesOfSqlite } from "./sizes.ts";
import type { Tokens } from "./store.ts";

/** A service with the entries of one size. */
type Setup = {
  store: Store;
  server: Server;
  /** The path of one entry. */
  one: string;
  /** The path of a list. */
  listPath(query: ListQuery): string;
  /** Changes an entry, in a field that no list is asked by. */
  change(n: number, rating: number): Promise<Response>;
};
type Remark = (text: string) => void;

export async function run(
  { rounds, seconds, sizes = standardSizes, only, big = Number.POSITIVE_INFINITY }: Options,
  remark: Remark,
): Promise<string> {
  remark(howToRead);
  const installed = installPeers();
  const cells: Cell[] = [];
  const beside: string[] = [];
  for (const size of sizes) {
    await inFolder(async (folder) => {
      const setups = await startSetups(folder, installed, size, big, remark);
      for (const query of listQueries.filter(({ name }) => name.includes(only))) {
        cells.push(...(await measureList(setups, query, size, rounds, seconds)));
      }
      const held = setups.map(({ store, server }) => `${store} ${grouped(residentMb(server))} MB`);
      remark(`Memory of the services after the lists of ${grouped(size)} entries: ${held.join(", ")}.`);
      if (size === sizes[0] && "beside scans".includes(only)) beside.push(await besideScans(setups, seconds));
      await Promise.all(setups.map(({ server }) => stop(server)));
    });
  }
  return [listTables(cells), ...beside].join("\n\n");
}

const standardSizes = [10_000, 100_000, 1_000_000];
const writesPerSecond = 20;

const howToRead = `\
One collection, read with a delivery token by 8 connections while ${writesPerSecond} entries a second are changed. Every request is another
one: its values, limits and offsets are drawn at random; one row repeats its request, and says so. "a second" is the rate,
"× one" how many reads of one entry by its id, which is in the service's memory, the same 8 connections make in that time in
the same round. Directus ${peers.directus} has its administrator's token, which spares it the rules of access, an index on each
column that is asked for, and no limiter, which would refuse under load. The number of items of each list that does not
depend on the values is compared with what must match. "Refused" is 503 \`filter_too_costly\`, after the time that a list may
take which no index serves (2 seconds for a delivery token). All runs on this one machine, servers, database and load, and
other work ran beside: compare rows of one run with each other only. Goals: at 10,000 entries in times of one entry; at a
million twice the time at 10,000, or milliseconds where the work grows with the entries. "missed" says by how much.`;

// ---------------------------------------------------------------------------------------------- the setups

/** All with the same entries; what it took and what it takes on the disk is remarked. */
async function startSetups(
  folder: string,
  installed: string,
  size: number,
  mostOnPostgres: number,
  remark: Remark,
): Promise<Setup[]> {
  const postgres = await startShared();
  const [octavoUrl, directusUrl] = [await postgres.createDatabase(), await postgres.createDatabase()];
  const [alone, node] = [join(folder, "alone"), join(folder, "node")];
  const onPostgres = { OCTAVO_POSTGRES_URL: octavoUrl };
  bootstrapDirectus(installed, directusUrl);
  const directus = await startDirectus(installed, directusUrl, {});
  const itemOf = (n: number) => directusItem(n, size);
  const hasPostgres = size <= mostOnPostgres;
  const [[aloneSeconds, aloneTokens], [nodeSeconds, nodeTokens], [peerSeconds]] = await Promise.all([
    timed(() => fill({ folder: alone, size, env: {} })),
    timed(async () => (hasPostgres ? fill({ folder: node, size, env: onPostgres }) : undefined)),
    timed(() => loadDirectus(directus, directusUrl, size, itemOf, askedColumns)),
  ]);
  const notes = [`SQLite with ${grouped(size)} entries: ${sizesOfSqlite(alone, size)}.`];
  notes.push(
    hasPostgres
      ? `PostgreSQL with ${grouped(size)} entries: ${await sizesOfPostgres(octavoUrl, size)}.`
      : `Octavo on PostgreSQL was not filled with ${grouped(size)} entries in this run: it takes long (\`--big N\` is the most).`,
    `Filled at once, as by a restore: SQLite in ${aloneSeconds} s${hasPostgres ? `, PostgreSQL in ${nodeSeconds} s` : ""}; Directus by SQL in ${peerSeconds} s.`,
  );
  remark(notes.join("\n"));
  const setups: Setup[] = [octavoSetup("SQLite", await startOctavoWith({}, alone), aloneTokens, size)];
  if (nodeTokens) setups.push(octavoSetup("PostgreSQL", await startOctavoWith(onPostgres, node), nodeTokens, size));
  setups.push({
    store: "Directus",
    server: directus,
    one: directusPath("/e42", ""),
    listPath: ({ ask }) => directusPath("", directusQuery(ask(size))),
    change: (n, rating) => changeDirectus(directus, n, { rating }),
  });
  for (const setup of setups) await warm(setup);
  return setups;
}

/** What a process does for the first time costs more. */
async function warm(setup: Setup): Promise<void> {
  const requests = listQueries.flatMap((query) => requestsOf(setup, query).slice(0, 10));
  await load(
    setup,
    requests.sort(() => Math.random() - 0.5),
    4,
    8,
  );
}

let shared: ReturnType<typeof startPostgres> | undefined;
function startShared(): ReturnType<typeof startPostgres> {
  shared ??= startPostgres("durable");
  return shared;
}

function octavoSetup(store: Store, server: Server, tokens: Tokens, size: number): Setup {
  const path = (id: string, query: string) => `/api/entries?id=${id}${query}&token=${tokens.delivery}`;
  const authorized = { token: tokens.management, access_token: tokens.access };
  return {
    ...{ store, server, one: path("list/e42", "") },
    listPath: ({ ask }) => path("list", octavoQuery(ask(size))),
    change: (n, rating) =>
      fetch(`http://127.0.0.1:${server.port}/api/entries`, {
        method: "PATCH",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...authorized, id: `list/e${n}`, data: { rating } }),
      }),
  };
}

/** In a process of its own: a load holds its thread. */
const fill = (filling: Filling): Promise<Tokens> => askChild<Tokens>("./list-fill.ts", filling);

async function timed<T>(work: () => Promise<T>): Promise<[seconds: string, T]> {
  const startMs = performance.now();
  const result = await work();
  return [((performance.now() - startMs) / 1000).toFixed(1), result];
}

const residentMb = ({ child }: Server): number => Math.round(familyMemoryOf(child.pid as number).resident);
const grouped = (count: number): string => count.toLocaleString("en");

// ---------------------------------------------------------------------------------------------- one list

/** Each round takes one service after the other, so that all have the same noise. */
async function measureList(
  setups: Setup[],
  query: ListQuery,
  size: number,
  rounds: number,
  seconds: number,
): Promise<Cell[]> {
  const runs: { setup: Setup; refusedMs: number | undefined; figures: Figures[] }[] = [];
  for (const setup of setups) runs.push({ setup, refusedMs: await firstAnswer(setup, query, size), figures: [] });
  for (let round = 0; round < rounds; round++) {
    for (const { setup, refusedMs, figures } of runs) {
      if (refusedMs === undefined) figures.push(await measureRound(setup, query, seconds, size));
    }
  }
  return runs.map(({ setup: { store }, refusedMs, figures }) => {
    const none = { perSecond: 0, timesOne: Number.NaN, refused: 1 };
    const found = refusedMs === undefined ? medians(figures) : { ms: refusedMs, ...none };
    const cell = { list: query.name, size, matches: query.matches?.(size), store, ...found };
    console.error(Object.values(cell).join(" · "));
    return cell;
  });
}

type Figures = Pick<Cell, "ms" | "perSecond" | "timesOne" | "refused">;

/** One entry and the list, both beside the writes. */
async function measureRound(setup: Setup, query: ListQuery, seconds: number, size: number): Promise<Figures> {
  const stopWriting = startWriting(setup, size);
  try {
    const one = await load(setup, [get(setup.one)], 8, seconds / 2);
    const many = await load(setup, requestsOf(setup, query), 8, seconds);
    const refused = many.failures / many.requests;
    const perSecond = many.perSecond * (1 - refused);
    return { ms: many.p50Ms, perSecond, timesOne: one.perSecond / perSecond, refused };
  } finally {
    await stopWriting();
  }
}

/** Changes entries at a steady rate; answers what ends that. Throws what a write was refused with. */
function startWriting(setup: Setup, size: number): () => Promise<void> {
  const writes: Promise<void>[] = [];
  const timer = setInterval(() => {
    const written = setup.change(random(size), random(6)).then(async (reply) => {
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${setup.store} refused a write: ${reply.status} ${text}`);
    });
    written.catch(() => undefined);
    writes.push(written);
  }, 1000 / writesPerSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(writes);
  };
}

const values = 500;
let nextCall = 0;

function requestsOf(setup: Setup, query: ListQuery): string[] {
  if (query.isRepeated) return [get(setup.listPath(query))];
  return Array.from({ length: values }, () => get(`${setup.listPath(query)}&call={n}`));
}

/** Throws when a request fails, except by a refusal for its cost. */
async function load(
  { store, server }: Setup,
  requests: string[],
  connections: number,
  seconds: number,
): Promise<Sample> {
  nextCall += 1e6;
  const sample = await loadAnyhow(server, { port: server.port, connections, seconds, from: nextCall, requests });
  const { 503: _, ...others } = sample.statuses;
  if (Object.keys(others).length > 0) throw new Error(`${store} answered with ${JSON.stringify(others)}`);
  return sample;
}

function medians(figures: Figures[]): Figures {
  const median = (name: keyof Figures): number =>
    figures.map((each) => each[name]).sort((a, b) => a - b)[Math.floor(figures.length / 2)] as number;
  return { ms: median("ms"), perSecond: median("perSecond"), timesOne: median("timesOne"), refused: median("refused") };
}

/**
 * Asks once, and compares the answer with what must match: rows of different answers would compare different work.
 * Answers after how many milliseconds the list was refused; undefined when it was not.
 */
async function firstAnswer(setup: Setup, query: ListQuery, size: number): Promise<number | undefined> {
  const startMs = performance.now();
  const reply = await fetch(`http://127.0.0.1:${setup.server.port}${setup.listPath(query)}`);
  const body = (await reply.json()) as Answer;
  const ms = performance.now() - startMs;
  if (reply.status === 503 && body.code === "filter_too_costly") return ms;
  if (!reply.ok) throw new Error(`${setup.store}, ${query.name}: ${reply.status} ${JSON.stringify(body)}`);
  const found = foundIn(reply, body);
  const expected = expectedOf(query, size);
  if (expected !== undefined && found !== expected)
    throw new Error(`${setup.store}, ${query.name}: ${found} in place of ${expected}`);
  return undefined;
}

type Answer = { data: unknown; meta?: { filter_count: number }; code?: string };

/** The number of items, the count, the total. */
function foundIn(reply: Response, { data, meta }: Answer): string {
  if (typeof data === "number") return `count ${data}`;
  const items = data as { count?: number | string }[];
  if (items[0]?.count !== undefined) return `count ${items[0].count}`;
  const total = reply.headers.get("X-Total-Count") ?? meta?.filter_count;
  return total === undefined || total === null ? `${items.length} items` : `${items.length} items of ${total}`;
}

/** Undefined where it depends on the values. */
function expectedOf({ ask, matches }: ListQuery, size: number): string | undefined {
  if (!matches) return undefined;
  const { isCount, hasTotal, limit = matches(size), offset = 0 } = ask(size);
  if (isCount) return `count ${matches(size)}`;
  const items = Math.min(limit, Math.max(0, matches(size) - offset));
  return hasTotal ? `${items} items of ${matches(size)}` : `${items} items`;
}

// ---------------------------------------------------------------------------------------------- beside scans

/** Reads of one entry while four connections ask for what no index serves. */
async function besideScans(setups: Setup[], seconds: number): Promise<string> {
  const rows: { store: Store; idleMs: number; besideMs: number }[] = [];
  for (const { store, server, one, listPath } of setups.filter(({ store }) => store !== "Directus")) {
    const plan = { port: server.port, from: 0, seconds: 2 * seconds };
    const reads = { ...plan, connections: 16, requests: [get(one)] };
    const query: ListQuery = { name: "", most: 1, ask: () => ({ where: [scanned] }) };
    const scans = { ...plan, connections: 4, seconds: 2 * seconds + 1, requests: [get(listPath(query))] };
    const { p99Ms: idleMs } = await loadOn(server, reads);
    const running = loadAnyhow(server, scans);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { p99Ms: besideMs } = await loadOn(server, reads);
    await running;
    rows.push({ store, idleMs, besideMs });
  }
  return besideTable(rows);
}

const scanned = { field: "title", operator: "ends_with", values: ["nothing"] } as const;
