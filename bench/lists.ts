/**
 * Lists as sites request them: Octavo on SQLite and on PostgreSQL, Payload on both, Directus on the same PostgreSQL server, at
 * each of `--sizes 10000,200000,1000000`. `--only TEXT` runs the lists whose names have the text, `--big N` leaves out Octavo
 * on PostgreSQL at larger sizes.
 */
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { bootstrapDirectus, changeDirectus, directusPath, loadDirectus, startDirectus } from "./directus.ts";
import type { Filling } from "./list-fill.ts";
import {
  type Ask,
  askedColumns,
  directusItem,
  directusQuery,
  type ListQuery,
  listQueries,
  octavoQuery,
  payloadQuery,
  top,
} from "./list-queries.ts";
import { besideTable, type Cell, listTables, type OwnStore, ownStores, type Store } from "./list-table.ts";
import { changePayload, loadPayload, type PayloadStore, startPayload } from "./payload.ts";
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
  /** The path of one entry; absent for a rival. */
  one?: string;
  /** The path of a list. */
  listPath(query: ListQuery): string;
  /** What a reply has. */
  read(reply: Response, body: Body): Found;
  /** Changes an entry, in a field that no list is asked by. */
  change(n: number, rating: number): Promise<Response>;
};
type Body = { data?: unknown; docs?: unknown[]; totalDocs?: number; meta?: { filter_count: number }; code?: string };
type Found = { count: number } | { items: number; total?: number | undefined };
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

const standardSizes = [10_000, 200_000, 1_000_000];
const writesPerSecond = 20;

const howToRead = `\
One collection, read with a delivery token by 8 connections while ${writesPerSecond} entries a second are changed. Values, limits and
offsets are drawn at random, and no service keeps replies; one row repeats its request, and says so. "a second" is the rate;
"to the best rival" is Octavo's in times of the fastest rate of the others in this list. Directus ${peers.directus} has its
administrator's token, which spares it the rules of access, and no limiter, which would refuse under load. Payload ${peers.payload}
is its own REST handler behind node:http, which spares it the work of a framework, without rules of access; it has pages in
place of offsets, counts only where a total is asked for, and leaves equal values in any order. Its writes are without
transactions, as is its standard on SQLite: on PostgreSQL they would wait for each other without end. Both have an index on
each column that is asked for. The number of items of each list that does not depend on the values is compared with what
must match. "Refused" is 503 \`filter_too_costly\`, after the time that a list may take which no index serves (2 seconds for
a delivery token). All runs on this one machine, servers, database and load: compare rows of one
run with each other only. Goals are of a million entries: twice the time at 10,000, or milliseconds where the work grows
with the entries. "missed" says by how much. The bench \`floor\` compares lists with the least that they could cost.`;

// ---------------------------------------------------------------------------------------------- the setups

/** All with the same entries; what it took and what it takes on the disk is remarked. */
async function startSetups(
  folder: string,
  installed: string,
  size: number,
  mostOnPostgres: number,
  remark: Remark,
): Promise<Setup[]> {
  const setups: Setup[] = [];
  for (const engine of ownStores) {
    const own = engine === "SQLite" || size <= mostOnPostgres;
    if (own) setups.push(await startOctavo(join(folder, engine), engine, size, remark));
    else
      remark(
        `Octavo on PostgreSQL was not filled with ${grouped(size)} entries: it takes long (\`--big N\` is the most).`,
      );
  }
  setups.push(await startDirectusWith(installed, size));
  const payloads: Record<OwnStore, PayloadStore> = {
    SQLite: { engine: "sqlite", place: join(folder, "payload.db") },
    PostgreSQL: { engine: "postgres", place: await (await startShared()).createDatabase() },
  };
  for (const engine of ownStores) setups.push(await startPayloadWith(installed, engine, payloads[engine], size));
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

async function startOctavo(folder: string, engine: OwnStore, size: number, remark: Remark): Promise<Setup> {
  const url = engine === "SQLite" ? undefined : await (await startShared()).createDatabase();
  const env: Record<string, string> = url ? { OCTAVO_POSTGRES_URL: url } : {};
  const [seconds, tokens] = await timed(() => fill({ folder, size, env }));
  const sizes = url ? await sizesOfPostgres(url, size) : sizesOfSqlite(folder, size);
  remark(`${engine} with ${grouped(size)} entries: ${sizes}. Filled at once, as by a restore, in ${seconds} s.`);
  return octavoSetup(engine, await startOctavoWith(env, folder), tokens, size);
}

function octavoSetup(store: OwnStore, server: Server, tokens: Tokens, size: number): Setup {
  const path = (id: string, query: string) => `/api/entries?id=${id}${query}&token=${tokens.delivery}`;
  const authorized = { token: tokens.management, access_token: tokens.access };
  return {
    store,
    server,
    one: path(`${top}/e42`, ""),
    listPath: ({ ask }) => path(top, octavoQuery(ask(size))),
    read: (reply, { data }) => {
      if (typeof data === "number") return { count: data };
      const total = reply.headers.get("X-Total-Count");
      return { items: (data as unknown[]).length, total: total === null ? undefined : Number(total) };
    },
    change: (n, rating) =>
      fetch(`http://127.0.0.1:${server.port}/api/entries`, {
        method: "PATCH",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...authorized, id: `${top}/e${n}`, data: { rating } }),
      }),
  };
}

async function startDirectusWith(installed: string, size: number): Promise<Setup> {
  const url = await (await startShared()).createDatabase();
  bootstrapDirectus(installed, url);
  const server = await startDirectus(installed, url, {});
  await loadDirectus(server, url, size, (n) => directusItem(n, size), askedColumns);
  return {
    store: "Directus",
    server,
    listPath: ({ ask }) => directusPath("", directusQuery(ask(size))),
    read: (_reply, { data, meta }) => {
      const items = data as { count?: number | string }[];
      const count = items[0]?.count;
      return count === undefined ? { items: items.length, total: meta?.filter_count } : { count: Number(count) };
    },
    change: (n, rating) => changeDirectus(server, n, { rating }),
  };
}

async function startPayloadWith(
  installed: string,
  engine: OwnStore,
  store: PayloadStore,
  size: number,
): Promise<Setup> {
  await loadPayload(installed, store, size);
  const server = await startPayload(installed, store);
  return {
    store: `Payload, ${engine}`,
    server,
    listPath: ({ ask }) => `/api/entries${payloadQuery(ask(size))}`,
    // Without pages the total is the number of items.
    read: (_reply, { docs, totalDocs = 0 }) =>
      docs ? { items: docs.length, total: totalDocs === docs.length ? undefined : totalDocs } : { count: totalDocs },
    change: (n, rating) => changePayload(server, n, { rating }),
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
    const none = { perSecond: 0, refused: 1 };
    const found = refusedMs === undefined ? medians(figures) : { ms: refusedMs, ...none };
    const cell = { list: query.name, size, matches: query.matches?.(size), store, ...found };
    console.error(Object.values(cell).join(" · "));
    return cell;
  });
}

type Figures = Pick<Cell, "ms" | "perSecond" | "refused">;

/** Beside the writes. */
async function measureRound(setup: Setup, query: ListQuery, seconds: number, size: number): Promise<Figures> {
  const stopWriting = startWriting(setup, size);
  try {
    const many = await load(setup, requestsOf(setup, query), 8, seconds);
    const refused = many.failures / many.requests;
    return { ms: many.p50Ms, perSecond: many.perSecond * (1 - refused), refused };
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

/** How often the values of a list are drawn. */
const draws = 2000;

function requestsOf(setup: Setup, query: ListQuery): string[] {
  return Array.from({ length: query.isRepeated ? 1 : draws }, () => get(setup.listPath(query)));
}

/** Throws when a request fails, except by a refusal for its cost. */
async function load(
  { store, server }: Setup,
  requests: string[],
  connections: number,
  seconds: number,
): Promise<Sample> {
  const sample = await loadAnyhow(server, { port: server.port, connections, seconds, from: 0, requests });
  const { 503: _, ...others } = sample.statuses;
  if (Object.keys(others).length > 0) throw new Error(`${store} answered with ${JSON.stringify(others)}`);
  return sample;
}

function medians(figures: Figures[]): Figures {
  const median = (name: keyof Figures): number =>
    figures.map((each) => each[name]).sort((a, b) => a - b)[Math.floor(figures.length / 2)] as number;
  return { ms: median("ms"), perSecond: median("perSecond"), refused: median("refused") };
}

/**
 * Asks once, and compares the answer with what must match: rows of different answers would compare different work.
 * Answers after how many milliseconds the list was refused; undefined when it was not.
 */
async function firstAnswer(setup: Setup, query: ListQuery, size: number): Promise<number | undefined> {
  const startMs = performance.now();
  const reply = await fetch(`http://127.0.0.1:${setup.server.port}${setup.listPath(query)}`);
  const body = (await reply.json()) as Body;
  const ms = performance.now() - startMs;
  if (reply.status === 503 && body.code === "filter_too_costly") return ms;
  if (!reply.ok) throw new Error(`${setup.store}, ${query.name}: ${reply.status} ${JSON.stringify(body)}`);
  const found = worded(setup.read(reply, body));
  const expected = expectedOf(query, size);
  if (expected !== undefined && found !== expected)
    throw new Error(`${setup.store}, ${query.name}: ${found} in place of ${expected}`);
  return undefined;
}

function worded(found: Found): string {
  if ("count" in found) return `count ${found.count}`;
  return found.total === undefined ? `${found.items} items` : `${found.items} items of ${found.total}`;
}

/** Undefined where it depends on the values. */
function expectedOf({ ask, matches }: ListQuery, size: number): string | undefined {
  if (!matches) return undefined;
  const { isCount, hasTotal, limit = matches(size), offset = 0 }: Ask = ask(size);
  if (isCount) return worded({ count: matches(size) });
  const items = Math.min(limit, Math.max(0, matches(size) - offset));
  return worded({ items, total: hasTotal ? matches(size) : undefined });
}

// ---------------------------------------------------------------------------------------------- beside scans

/** Reads of one entry while four connections ask for what no index serves. */
async function besideScans(setups: Setup[], seconds: number): Promise<string> {
  const rows: { store: Store; idleMs: number; besideMs: number }[] = [];
  for (const { store, server, one, listPath } of setups) {
    if (one === undefined) continue;
    const plan = { port: server.port, from: 0, seconds: 2 * seconds };
    const reads = { ...plan, connections: 16, requests: [get(one)] };
    const query: ListQuery = { name: "", ask: () => ({ where: [scanned] }) };
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
