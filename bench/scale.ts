/**
 * The same requests to one and two processes on SQLite, and to one, two and three nodes on PostgreSQL, at once and a round
 * trip of 1 ms away, with the processor time of the nodes and of PostgreSQL. Decision 42. `--big N` is the number of entries. Store and server are in the
 * system's temporary folder (TMPDIR): if that is in memory, an fsync costs nothing.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { atDistance } from "./delay.ts";
import { creates, filtered, one, patches } from "./entries.ts";
import { familyCpuMicrosOf } from "./processes.ts";
import {
  type Asked,
  compare,
  get,
  inFolder,
  loadOn,
  type Row,
  type Sample,
  type Server,
  startOctavo,
  startOctavoWith,
  stop,
} from "./rounds.ts";
import type { Line, Options } from "./scenario.ts";
import { sizesOfPostgres, sizesOfSqlite } from "./sizes.ts";
import { createSamples, createTokens, inStores, type Tokens } from "./store.ts";

/** A service to measure: its nodes, the main process of its database server, if any, and how far away that is. */
type Setup = { name: string; nodes: Server[]; postgres: number | undefined; ms: number; tokens: Tokens };
/**
 * The requests, built for each setup, since tokens differ. `isEach`: the connections are those of each node. `goals`: the
 * least rate of one node by distance, and the least rate of two nodes, in times of one, by distance.
 */
type Work = {
  name: string;
  asked: (tokens: Tokens) => Asked;
  isEach?: boolean;
  goals?: { one: Record<number, number>; two: Record<number, number> };
};

const nodeCounts = [1, 2, 3];
/** Milliseconds that a round trip between node and server takes in addition. */
const distances = [0, 1];

export function run(
  { rounds, seconds, big = 100_000, only }: Options,
  remark: (text: string) => void,
): Promise<Line[]> {
  return inFolder(async (folder) => {
    remark(howToRead);
    const setups = [...(await onSqlite(folder, big, remark)), ...(await onPostgres(folder, big, remark))];
    const lines: Line[] = [];
    for (const work of works(big).filter(({ name }) => name.includes(only))) {
      // The first requests of a process cost more: compiler, query plans, caches.
      for (const setup of setups) await load(setup, work, 1, 9e8);
      const rows = setups.map((setup) => rowOf(setup, work, seconds));
      lines.push(...besideOneNode(setups, work, await compare(rows, rounds)));
    }
    for (const { nodes } of setups) await Promise.all(nodes.map(stop));
    return lines;
  });
}

const howToRead = `\
All of it runs on this one machine: the nodes, PostgreSQL, and the load, which takes its part, too. So the rate says what
the machine gives, not what nodes on machines of their own would; what carries over is processor time per request. "CPU µs"
is that of all nodes together, "PostgreSQL µs" that of all processes of the server. Both ratios are to one process on
SQLite in the same round, the CPU ratio without PostgreSQL's part.`;

/** The lines with the rate in times of one node at the same distance, and with what the goals say of it. */
function besideOneNode(setups: readonly Setup[], { goals }: Work, lines: readonly Line[]): Line[] {
  return lines.map((line, i) => {
    const { nodes, postgres, ms } = setups[i] as Setup;
    if (postgres === undefined) return line;
    const one = lines[setups.findIndex((other) => other.postgres !== undefined && other.ms === ms)] as Line;
    const times = line.perSecond / one.perSecond;
    const note = nodes.length === 1 ? line.note : `${times.toFixed(2)} × one node, ${line.note}`;
    const [found, least, unit] =
      nodes.length === 1 ? [line.perSecond, goals?.one[ms], "a second"] : [times, goals?.two[ms], "× one node"];
    if (least === undefined || nodes.length > 2) return { ...line, note };
    return { ...line, note, goal: `≥ ${least} ${unit}: ${found >= least ? "met" : "missed"}` };
  });
}

function rowOf(setup: Setup, work: Work, seconds: number): Omit<Row, "yardstick"> {
  return {
    work: `${work.name}: ${setup.name}`,
    goal: "",
    measure: (from) => load(setup, work, seconds, from),
  };
}

/** Connections are distributed among the nodes. */
async function load({ nodes, postgres, tokens }: Setup, work: Work, seconds: number, from: number): Promise<Sample> {
  const [first, ...others] = nodes as [Server, ...Server[]];
  const asked = work.asked(tokens);
  const connections = asked.connections * (work.isEach ? nodes.length : 1);
  const plan = { ...asked, connections, port: first.port, morePorts: others.map(({ port }) => port), seconds, from };
  const ofNodes = () => nodes.reduce((total, { child }) => total + familyCpuMicrosOf(child.pid as number), 0);
  if (postgres === undefined) return loadOn(first, plan, ofNodes);
  const before = familyCpuMicrosOf(postgres);
  const result = await loadOn(first, plan, ofNodes);
  const micros = (familyCpuMicrosOf(postgres) - before) / result.requests;
  return { ...result, figures: { "PostgreSQL µs": micros, "both µs": micros + result.cpuMicros } };
}

// ---------------------------------------------------------------------------------------------- requests

function works(count: number): Work[] {
  const keys = Math.min(count, 10_000);
  return [
    { name: "GET one entry, random keys, 64 connections", asked: (tokens) => one(tokens, keys) },
    { name: "GET 3 conditions, 16 connections", asked: (tokens) => filtered(tokens, "small", count) },
    { name: "POST create, 16 connections", asked: creates },
    {
      name: "POST create, 64 connections a node",
      asked: (tokens) => ({ ...creates(tokens), connections: 64 }),
      isEach: true,
      goals: { one: { 0: 2000, 1: 1000 }, two: { 1: 1.7 } },
    },
    { name: "GET newest 10, 16 connections", asked: newest },
    {
      name: "90 reads of one, 6 of 3 conditions, 2 creates, 2 updates, 32 connections",
      asked: (tokens) => mixed(tokens, keys, count),
    },
  ];
}

/** Each request another, so that no reply is repeated. */
const newest = (tokens: Tokens): Asked => ({
  connections: 16,
  requests: [
    get(
      `/api/entries?id=small&options[collection]=true&filter[order_by][field]=published_at&filter[order_by][direction]=desc&filter[limit]=10&token=${tokens.delivery}&n={n}`,
    ),
  ],
});

function mixed(tokens: Tokens, keys: number, count: number): Asked {
  const shares: [Asked, number][] = [
    [one(tokens, keys), 90],
    [filtered(tokens, "small", count), 6],
    [creates(tokens), 2],
    [patches(tokens), 2],
  ];
  const hundred = (turn: number) =>
    shares.flatMap(([{ requests }, share]) =>
      Array.from({ length: share }, (_, i) => requests[(turn * share + i) % requests.length] as string),
    );
  const requests = Array.from({ length: 100 }, (_, turn) => hundred(turn).sort(() => Math.random() - 0.5));
  return { connections: 32, requests: requests.flat() };
}

// ---------------------------------------------------------------------------------------------- the setups

type Remark = (text: string) => void;

async function onSqlite(folder: string, count: number, remark: Remark): Promise<Setup[]> {
  const [alone, shared] = [join(folder, "alone"), join(folder, "shared")];
  const tokens = await fill(alone, count, {});
  cpSync(alone, shared, { recursive: true });
  remark(`SQLite with ${count.toLocaleString("en")} entries: ${sizesOfSqlite(alone, count)}.`);
  return [
    { name: "SQLite", nodes: [await startOctavo(alone)], postgres: undefined, ms: 0, tokens },
    {
      name: "SQLite, 2 workers",
      nodes: [await startOctavo(shared, "--workers", "2")],
      postgres: undefined,
      ms: 0,
      tokens,
    },
  ];
}

/** A database for each setup, and all its nodes from the start: an idle node costs two small reads a second. */
async function onPostgres(folder: string, count: number, remark: Remark): Promise<Setup[]> {
  const server = await startPostgres("durable");
  const original = await server.createDatabase();
  const tokens = await fill(join(folder, "fill"), count, { OCTAVO_POSTGRES_URL: original });
  remark(`PostgreSQL with as many: ${await sizesOfPostgres(original, count)}.`);
  const setups: Setup[] = [];
  for (const ms of distances) {
    for (const nodeCount of nodeCounts) {
      const url = await atDistance(await server.createDatabase(original), ms);
      const name = `PostgreSQL${ms > 0 ? ` ${ms} ms away` : ""}, ${nodeCount} ${nodeCount === 1 ? "node" : "nodes"}`;
      const nodes = await startNodes(join(folder, `away-${ms}`), url, nodeCount);
      setups.push({ name, nodes, postgres: server.pid(), ms, tokens });
    }
  }
  return setups;
}

function startNodes(folder: string, url: string, count: number): Promise<Server[]> {
  const start = (_: unknown, i: number) =>
    startOctavoWith({ OCTAVO_POSTGRES_URL: url }, join(folder, `node-${count}-${i}`));
  return Promise.all(Array.from({ length: count }, start));
}

function fill(folder: string, count: number, env: Record<string, string>): Promise<Tokens> {
  const work = async (stores: Parameters<typeof createTokens>[0]) => {
    await createSamples(stores, "small", count);
    return createTokens(stores, ["entries"]);
  };
  return inStores(folder, work, env);
}
