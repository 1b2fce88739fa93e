/**
 * Lists beside their floor: the service and a bare server (bare-lists.ts) on one store, asked the same addresses by one client,
 * in turns: processor time of a request. `--sizes 10000,200000`, `--only TEXT` runs the rows whose names have the text, which
 * end with the engine: `--only SQLite`.
 */
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../test/postgres.ts";
import { creates } from "./entries.ts";
import type { Filling } from "./list-fill.ts";
import { listQueries, octavoQuery, top } from "./list-queries.ts";
import type { LoadPlan } from "./load.ts";
import { familyCpuMicrosOf } from "./processes.ts";
import {
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

type Engine = "SQLite" | "PostgreSQL";
/** What both answer: `ask` makes the arguments of an address, with values drawn at random. */
type Work = { name: string; goal: Record<Engine, number>; ask(size: number): string };
/** The two on one store. */
type Pair = {
  engine: Engine;
  size: number;
  tokens: Tokens;
  service: Server;
  bare: Server;
  /** Processor time so far of the database server; 0 where there is none. */
  databaseMicros(): number;
};
/** Processor time of a request in one round. */
type Cost = { micros: number; databaseMicros: number };
type Turn = { service: Cost; bare: Cost };

const connections = 8;
/** Of a round; values are drawn so often. */
const addresses = 10_000;

const works: Work[] = [
  {
    name: "one entry",
    goal: { SQLite: 1.5, PostgreSQL: 1.5 },
    ask: (size) => `id=${top}/e${random(size)}`,
  },
  ...listQueries
    .filter(({ hasFloor }) => hasFloor)
    .map(({ name, ask }) => ({
      name,
      goal: { SQLite: 2, PostgreSQL: 2.5 },
      ask: (size: number) => `id=${top}${octavoQuery(ask(size))}`,
    })),
];

const howToRead = `\
The floor is node:http with one prepared statement on the very same index of the same store (bench/bare-lists.ts): the same
rows in the same order, with an ETag, nothing else of the contract. It is no rival: it is what no service on this index can
be below. On PostgreSQL it is a pool of \`pg\`, with as many connections. A text is looked up in the rarest posting lists, as
few as decide; a page with a total is two statements. Both run at once and are asked the same addresses by the same client
with ${connections} connections, one after the other in each round; values are drawn at random, and neither keeps a reply. Figures
are processor time of a request, of all threads of the process and with the kernel's: medians of the rounds; that of
PostgreSQL's processes is said beside. The ratio, without PostgreSQL, is the median of the ratios of one round, beside its
smallest and largest. Before a list is measured, the answers of both are compared; nothing is written meanwhile. Creates
come last and have no floor: compare them with those of another run.`;

export async function run(
  { rounds, seconds, sizes = [10_000, 200_000], only }: Options,
  remark: (text: string) => void,
): Promise<string> {
  remark(howToRead);
  const rows: string[][] = [];
  for (const size of sizes) {
    for (const [engine, startPair] of Object.entries(stores) as [Engine, StartPair][]) {
      const isAsked = (name: string) => `${name}, ${engine}`.includes(only);
      const asked = works.filter(({ name }) => isAsked(name));
      if (asked.length === 0 && !isAsked("create")) continue;
      await inFolder(async (folder) => {
        const pair = { engine, size, ...(await startPair(join(folder, "store"), size)) };
        for (const work of asked) rows.push(await measureList(pair, work, rounds, seconds));
        if (isAsked("create")) rows.push(rowOfCreates(pair, await measureCreates(pair, rounds, seconds)));
        await Promise.all([stop(pair.service), stop(pair.bare)]);
      });
    }
  }
  return table(rows);
}

async function measureList(pair: Pair, work: Work, rounds: number, seconds: number): Promise<string[]> {
  await compareAnswers(pair, work);
  return rowOf(pair, work, await measureRounds(pair, work, rounds, seconds));
}

// ---------------------------------------------------------------------------------------------- the stores

type StartPair = (folder: string, size: number) => Promise<Omit<Pair, "engine" | "size">>;

const startOnSqlite: StartPair = async (folder, size) => {
  const filling: Filling = { folder, size, env: {} };
  const tokens = await askChild<Tokens>("./list-fill.ts", filling);
  const service = await startOctavoWith({}, folder);
  const bare = await start("./bare-lists.ts", ["sqlite", folder]);
  return { tokens, service, bare, databaseMicros: () => 0 };
};

const startOnPostgres: StartPair = async (folder, size) => {
  postgres ??= await startPostgres("durable");
  const pid = postgres.pid() as number;
  const url = await postgres.createDatabase();
  const env = { OCTAVO_POSTGRES_URL: url };
  const filling: Filling = { folder, size, env };
  const tokens = await askChild<Tokens>("./list-fill.ts", filling);
  await makeFresh(url);
  const service = await startOctavoWith(env, folder);
  const bare = await start("./bare-lists.ts", ["postgres", url]);
  return { tokens, service, bare, databaseMicros: () => familyCpuMicrosOf(pid) };
};
let postgres: PostgresServer | undefined;

const stores: Record<Engine, StartPair> = { SQLite: startOnSqlite, PostgreSQL: startOnPostgres };

// ---------------------------------------------------------------------------------------------- the same answers

const addressOf = ({ tokens, size }: Pair, { ask }: Work): string =>
  `/api/entries?${ask(size)}&token=${tokens.delivery}`;
const compared = 10;

/** Throws where the answers differ: servers of different answers do different work. */
async function compareAnswers(pair: Pair, work: Work): Promise<void> {
  for (let n = 0; n < compared; n++) {
    const address = addressOf(pair, work);
    const [expected, found] = [await answerOf(pair.service, address), await answerOf(pair.bare, address)];
    if (expected !== found) throw new Error(`${address}\nOctavo: ${expected}\nbare: ${found}`);
  }
}

/** The data, and the total if there is one. */
async function answerOf({ port }: Server, address: string): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}${address}`);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${address}: ${reply.status} ${text}`);
  const { data } = JSON.parse(text) as { data: unknown };
  return JSON.stringify({ data, total: reply.headers.get("X-Total-Count") });
}

// ---------------------------------------------------------------------------------------------- the rounds

/** The first round is not counted: what a process does for the first time costs more. */
async function measureRounds(pair: Pair, work: Work, rounds: number, seconds: number): Promise<Turn[]> {
  await measureRound(pair, work, seconds);
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round++) turns.push(await measureRound(pair, work, seconds));
  return turns;
}

async function measureRound(pair: Pair, work: Work, seconds: number): Promise<Turn> {
  const plan = {
    connections,
    seconds,
    from: 0,
    requests: Array.from({ length: addresses }, () => get(addressOf(pair, work))),
  };
  return { service: await costOf(pair, pair.service, plan), bare: await costOf(pair, pair.bare, plan) };
}

async function costOf(pair: Pair, server: Server, plan: Omit<LoadPlan, "port">): Promise<Cost> {
  const before = pair.databaseMicros();
  const { cpuMicros: micros, requests } = await loadOn(server, { ...plan, port: server.port });
  return { micros, databaseMicros: (pair.databaseMicros() - before) / requests };
}

/** Creates of one entry each, into an empty place. */
async function measureCreates(pair: Pair, rounds: number, seconds: number): Promise<Cost[]> {
  const plan = { ...creates(pair.tokens), seconds };
  await costOf(pair, pair.service, { ...plan, from: 0 });
  const costs: Cost[] = [];
  for (let round = 1; round <= rounds; round++) {
    costs.push(await costOf(pair, pair.service, { ...plan, from: round * 1e7 }));
  }
  return costs;
}

// ---------------------------------------------------------------------------------------------- the table

const head = [
  "list",
  "entries",
  "engine",
  "service, µs",
  "floor, µs",
  "ratio",
  "from, to",
  "goal",
  "reached",
  "PostgreSQL beside the service, µs",
  "beside the floor, µs",
];

function rowOf({ engine, size }: Pair, { name, goal }: Work, turns: readonly Turn[]): string[] {
  const ratios = turns.map(({ service, bare }) => service.micros / bare.micros).sort((a, b) => a - b);
  const [ratio, most] = [median(ratios), goal[engine]];
  const [service, bare] = [turns.map((turn) => turn.service), turns.map((turn) => turn.bare)];
  return noted([
    name,
    size.toLocaleString("en"),
    engine,
    microsOf(service),
    microsOf(bare),
    ratio.toFixed(2),
    `${ratios[0]?.toFixed(2)}, ${ratios.at(-1)?.toFixed(2)}`,
    `≤ ${most}`,
    ratio <= most ? "met" : `missed: ${(ratio / most).toFixed(2)} times the goal`,
    databaseMicrosOf(engine, service),
    databaseMicrosOf(engine, bare),
  ]);
}

function rowOfCreates({ engine, size }: Pair, costs: readonly Cost[]): string[] {
  const sorted = costs.map(({ micros }) => micros).sort((a, b) => a - b);
  const spread = `${sorted[0]?.toFixed(0)}, ${sorted.at(-1)?.toFixed(0)} µs`;
  const own = ["create", size.toLocaleString("en"), engine, microsOf(costs), "", "", spread, "", ""];
  return noted([...own, databaseMicrosOf(engine, costs), ""]);
}

/** Prints a row as soon as it is there. */
function noted(row: string[]): string[] {
  console.error(row.join(" · "));
  return row;
}

const microsOf = (costs: readonly Cost[]): string => rounded(costs.map(({ micros }) => micros));
const databaseMicrosOf = (engine: Engine, costs: readonly Cost[]): string =>
  engine === "SQLite" ? "" : rounded(costs.map(({ databaseMicros }) => databaseMicros));
const rounded = (values: readonly number[]): string => Math.round(median(values)).toLocaleString("en");

const table = (rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
