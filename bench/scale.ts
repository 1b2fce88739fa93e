/**
 * The same requests to one and two processes on SQLite, and to one, two and three nodes on PostgreSQL, with the processor
 * time of the nodes and of PostgreSQL. Decision 14. `--big N` is the number of entries. Store and server are in the
 * system's temporary folder (TMPDIR): if that is in memory, an fsync costs nothing.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../test/postgres.ts";
import { creates, filtered, one, patches } from "./entries.ts";
import { familyCpuMicrosOf } from "./processes.ts";
import {
  type Asked,
  compare,
  inFolder,
  loadOn,
  type Row,
  type Sample,
  type Server,
  startOctavo,
  startOctavoWith,
  stop,
} from "./rounds.ts";
import type { Line, Options } from "./run.ts";
import { sizesOfPostgres, sizesOfSqlite } from "./sizes.ts";
import { createSamples, createTokens, inStores, type Tokens } from "./store.ts";

/** A service to measure: its nodes, and the main process of its database server, if any. */
type Setup = { name: string; nodes: Server[]; postgres: number | undefined; tokens: Tokens };
/** The requests, built for each setup, since tokens differ. */
type Work = { name: string; asked: (tokens: Tokens) => Asked };

const nodeCounts = [1, 2, 3];

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
      lines.push(
        ...(await compare(
          setups.map((setup) => rowOf(setup, work, seconds)),
          rounds,
        )),
      );
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
  const plan = { ...work.asked(tokens), port: first.port, morePorts: others.map(({ port }) => port), seconds, from };
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
      name: "90 reads of one, 6 of 3 conditions, 2 creates, 2 updates, 32 connections",
      asked: (tokens) => mixed(tokens, keys, count),
    },
  ];
}

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
    { name: "SQLite", nodes: [await startOctavo(alone)], postgres: undefined, tokens },
    { name: "SQLite, 2 workers", nodes: [await startOctavo(shared, "--workers", "2")], postgres: undefined, tokens },
  ];
}

/** A database for each setup, and all its nodes from the start: an idle node costs two small reads a second. */
async function onPostgres(folder: string, count: number, remark: Remark): Promise<Setup[]> {
  const server = await startPostgres("durable");
  const original = await server.createDatabase();
  const tokens = await fill(join(folder, "fill"), count, { OCTAVO_POSTGRES_URL: original });
  remark(`PostgreSQL with as many: ${await sizesOfPostgres(original, count)}.`);
  const setups: Setup[] = [];
  for (const nodeCount of nodeCounts) {
    const url = await server.createDatabase(original);
    const name = `PostgreSQL, ${nodeCount} ${nodeCount === 1 ? "node" : "nodes"}`;
    setups.push({ name, nodes: await startNodes(folder, url, nodeCount), postgres: server.pid(), tokens });
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
