/** What the bare server of bench/bare-lists.ts reads: Octavo's own tables, by prepared statements alone. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { readChunk } from "../src/core/sql/index/posting.ts";
import { readSettings } from "../src/settings.ts";

export type Value = string | number;
export type Row = Value[];
type Rows = Row[] | Promise<Row[]>;

export type BareStore = {
  /** Parameters are `?1` and so on, those of limits `{1}`. */
  prepare(text: string): (...values: Value[]) => Rows;
  /** SQL that joins the entry with this number, when what is before it has been read. */
  withEntry(alias: string, id: string): string;
  /** SQL at the end of a subquery of a condition: it is asked for one row after another. */
  eachRow: string;
  /** The posting lists of the rarest trigrams, by ascending length: some that together decide. */
  rarest(grams: readonly number[]): Row[][] | Promise<Row[][]>;
  /** Entries by number, with these columns of `e`. */
  entries(columns: string): (ids: readonly number[]) => Rows;
};

/** Three of a number have few entries in common at any size, two have not at 200,000. */
const mostLists = 3;

/** Parameters of limits: SQLite would prepare the statement again for each value of one that stands alone. */
const limits = /\{(\d)\}/g;

// ---------------------------------------------------------------------------------------------- SQLite

/** A trigram with more chunks is not among the rarest, unless all have more. */
const fewChunks = 2;

/** The store of a service's folder, which the service may have open. */
export function openSqlite(folder: string): BareStore {
  const database = new DatabaseSync(join(folder, "octavo.db"), { readOnly: true });
  // As the service has it.
  database.exec("PRAGMA cache_size = -16000");
  const prepare = (text: string) => {
    const statement = database.prepare(text.replace(limits, "CAST(?$1 AS INTEGER)"));
    statement.setReturnArrays(true);
    return (...values: Value[]) => statement.all(...values) as unknown as Row[];
  };
  const chunks = prepare("SELECT first, rest FROM entry_gram WHERE level IN (0, 1) AND gram = ?1 LIMIT {2}");
  const rarest = (grams: readonly number[], most = fewChunks): Row[][] => {
    const lists = grams.map((gram) => chunks(gram, most + 1));
    const short = lists.filter(({ length }) => length <= most);
    const isEnough = short.length > 1 || short.length === grams.length;
    return isEnough ? shortest(short) : rarest(grams, 4 * most);
  };
  return {
    prepare,
    withEntry: (alias, id) => `CROSS JOIN entry AS ${alias} ON ${alias}.id = ${id}`,
    eachRow: "",
    rarest: (grams) => rarest(grams),
    entries: (columns) => {
      const one = prepare(`SELECT ${columns} FROM entry AS e WHERE id = ?1`);
      return (ids) => ids.flatMap((id) => one(id));
    },
  };
}

const shortest = (lists: readonly Row[][]): Row[][] =>
  lists
    .map((chunks) => ({ chunks, length: chunks.reduce((sum, [, rest]) => sum + 1 + (rest as string).length, 0) }))
    .sort((a, b) => a.length - b.length)
    .slice(0, mostLists)
    .map(({ chunks }) => chunks);

/** The entries of a posting list, out of its chunks. */
export const numbersOf = (chunks: readonly Row[]): number[] =>
  chunks.flatMap(([first, rest]) => readChunk(first as number, rest as string));

// ---------------------------------------------------------------------------------------------- PostgreSQL

/** int8, int4, numeric. */
const numberTypes = new Set([20, 23, 1700]);
const types = { getTypeParser: (type: number) => (text: string) => (numberTypes.has(type) ? Number(text) : text) };

/** The rarest of the trigrams $1; those of more than $2 chunks come last. */
const rarestSql = `
  SELECT chosen.gram, first, rest FROM (
    SELECT given.gram, (
      SELECT CASE WHEN count(*) <= $2 THEN coalesce(sum(length), 0) END FROM (
        SELECT octet_length(rest) + 1 AS length FROM entry_gram AS chunk
        WHERE level IN (0, 1) AND chunk.gram = given.gram LIMIT $2 + 1
      ) AS few
    ) AS length
    FROM unnest($1::bigint[]) AS given (gram) ORDER BY length LIMIT ${mostLists}
  ) AS chosen JOIN entry_gram AS chunk ON level IN (0, 1) AND chunk.gram = chosen.gram ORDER BY chosen.length`;
const mostChunks = 16;

/** The database of a service. As many connections as a service has for short lists, and its settings of them. */
export function openPostgres(url: string): BareStore {
  const { postgresConnections: all } = readSettings({ flags: {}, env: {}, file: undefined });
  const options = "-c plan_cache_mode=force_generic_plan -c jit=off -c max_parallel_workers_per_gather=0";
  const pool = new pg.Pool({ connectionString: url, max: Math.floor(all / 2), options, types });
  let count = 0;
  const named = (text: string) => {
    const query = { name: `bare${count++}`, text, rowMode: "array" as const };
    return async (values: unknown[]): Promise<Row[]> => (await pool.query<Row>({ ...query, values })).rows;
  };
  const rarest = named(rarestSql);
  return {
    prepare: (text) => {
      const statement = named(text.replace(limits, "$$$1").replace(/\?(\d)/g, "$$$1"));
      return (...values) => statement(values);
    },
    withEntry: (alias, id) => `CROSS JOIN LATERAL (SELECT * FROM entry WHERE entry.id = ${id} OFFSET 0) AS ${alias}`,
    eachRow: "OFFSET 0",
    rarest: async (grams) => {
      const chunks = await rarest([`{${grams.join()}}`, mostChunks]);
      return [...Map.groupBy(chunks, ([gram]) => gram).values()].map((rows) => rows.map(([, ...chunk]) => chunk));
    },
    entries: (columns) => {
      const some = named(`SELECT ${columns} FROM entry AS e WHERE id = ANY ($1::bigint[])`);
      return (ids) => some([`{${ids.join()}}`]);
    },
  };
}
