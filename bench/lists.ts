/**
 * Lists as sites request them, on SQLite and PostgreSQL: how often a second on 8 connections, and how long one takes
 * beside one entry by its id. `--big N` is the number of entries of the collection.
 */
import { join } from "node:path";
import type { Stores } from "../src/stores.ts";
import { startPostgres } from "../test/postgres.ts";
import { get, inFolder, loadAnyhow, loadOn, measure, type Row, type Server, startOctavoWith, stop } from "./rounds.ts";
import type { Line, Options } from "./run.ts";
import { createSamples, createTokens, inStores, type Tokens } from "./store.ts";

type Query = { name: string; query: string; most: number };

/** What is asked; `most` is the goal: so many times one entry, at 10,000 entries. */
const queries = (size: number): Query[] => [
  {
    name: "newest 10",
    query: "filter[order_by][field]=published_at&filter[order_by][direction]=desc&filter[limit]=10",
    most: 3,
  },
  {
    name: "10 by price, descending",
    query: "filter[order_by][field]=price&filter[order_by][direction]=desc&filter[limit]=10",
    most: 3,
  },
  { name: "first 20", query: "filter[limit]=20", most: 4 },
  { name: "offset 5,000, 20", query: "filter[limit]=20&filter[offset]=5000", most: 10 },
  {
    name: "condition (1 in 3) and order, 20",
    query: `${where("state", "eq", "open")}&${byPrice}&filter[limit]=20`,
    most: 6,
  },
  {
    name: "condition (20 match) and order, 20",
    query: `${where("group", "eq", "7")}&${byPrice}&filter[limit]=20`,
    most: 6,
  },
  {
    name: "condition (1 in 101) and order, 20",
    query: `${where("author.name", "eq", "Author 7")}&${byPrice}&filter[limit]=20`,
    most: 6,
  },
  { name: "a value that none has", query: `${where("title", "eq", "nothing")}&filter[limit]=20`, most: 3 },
  { name: "contains, 1 match", query: `${where("title", "contains", `number ${size - 3}`)}&filter[limit]=20`, most: 8 },
  { name: "search, 1 match", query: `filter[search]=number+${size - 3}&filter[limit]=20`, most: 8 },
  { name: "count of all", query: "filter[return]=count", most: 10 },
  { name: "count of a condition (1 in 3)", query: `${where("state", "eq", "open")}&filter[return]=count`, most: 10 },
  { name: "20 with total", query: "filter[limit]=20&filter[total]=1", most: 10 },
];
const where = (key: string, expr: string, value: string) =>
  `filter[where][key]=${key}&filter[where][expr]=${expr}&filter[where][value]=${encodeURIComponent(value)}`;
const byPrice = "filter[order_by][field]=price&filter[order_by][direction]=desc";

export function run({ rounds, seconds, big = 10_000, only }: Options, remark: (text: string) => void): Promise<Line[]> {
  remark(howToRead(big));
  return inFolder(async (folder) => {
    const lines: Line[] = [];
    const url = await (await startPostgres("durable")).createDatabase();
    for (const [engine, env] of [
      ["SQLite", {}],
      ["PostgreSQL", { OCTAVO_POSTGRES_URL: url }],
    ] as const) {
      const data = join(folder, engine);
      const tokens = await inStores(data, (stores) => fill(stores, big), env);
      const octavo = await startOctavoWith(env, data);
      for (const query of queries(big).filter(({ name }) => `${engine}: ${name}`.includes(only))) {
        const line = await measure(rowOf(engine, octavo, tokens, query, seconds), rounds);
        lines.push({ ...line, note: line.ratio < 1 / query.most ? `goal missed; ${line.note}` : line.note });
      }
      const beside = `${engine}: one entry, beside four scans`;
      if (beside.includes(only)) lines.push(await measure(besideRow(beside, octavo, tokens, seconds), rounds));
      await stop(octavo);
    }
    return lines;
  });
}

const howToRead = (size: number): string => `\
A collection of ${size.toLocaleString("en")} entries, read with a delivery token. "per second" and "p99" are those of one
connection; the ratio is to one entry by its id on one connection, in the same round: 0.33 is three times as long.`;

async function fill(stores: Stores, size: number): Promise<Tokens> {
  await createSamples(stores, "list", size);
  return createTokens(stores, ["entries"]);
}

/** Reads of one entry while four connections ask for what no index serves. The ratio is to the same reads alone. */
function besideRow(work: string, octavo: Server, { delivery }: Tokens, seconds: number): Row {
  const plan = { port: octavo.port, seconds, from: 0 };
  const reads = { ...plan, connections: 16, requests: [get(`/api/entries?id=list/e42&token=${delivery}`)] };
  const costly = get(`/api/entries?id=list&${where("title", "ends_with", "nothing")}&token=${delivery}`);
  const scans = { ...plan, connections: 4, seconds: seconds + 1, requests: [costly] };
  let idleMs = 0;
  return {
    work,
    goal: "p99 ≤ 3 × idle",
    measure: async () => {
      idleMs = (await loadOn(octavo, reads)).p99Ms;
      const beside = loadAnyhow(octavo, scans);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const sample = await loadOn(octavo, reads);
      const { requests, failures } = await beside;
      const figures = { "p99 in times of idle": sample.p99Ms / idleMs, "scans answered": requests - failures };
      return { ...sample, figures };
    },
    yardstick: () => loadOn(octavo, reads),
  };
}

function rowOf(engine: string, octavo: Server, tokens: Tokens, { name, query, most }: Query, seconds: number): Row {
  const load = (path: string, connections: number) =>
    loadOn(octavo, { port: octavo.port, connections, seconds, from: 0, requests: [get(path)] });
  return {
    work: `${engine}: ${name}`,
    goal: `ratio ≥ ${(1 / most).toFixed(2)}`,
    measure: async () => {
      const many = await load(`/api/entries?id=list&${query}&token=${tokens.delivery}`, 8);
      const alone = await load(`/api/entries?id=list&${query}&token=${tokens.delivery}`, 1);
      return { ...alone, figures: { "a second on 8 connections": many.perSecond } };
    },
    yardstick: () => load(`/api/entries?id=list/e42&token=${tokens.delivery}`, 1),
  };
}
