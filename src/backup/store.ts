import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { rowName } from "../core/row.ts";
import { isReferencedSql } from "../core/sql/blob.ts";
import { beginIndex, collectItems, endIndex } from "../core/sql/index/build.ts";
import { presentIndex } from "../core/sql/index/keys.ts";
import { hasTexts } from "../core/sql/index/table.ts";
import { loadTexts } from "../core/sql/index/text.ts";
import type { NounSet } from "../core/sql/noun.ts";
import { relationFaults } from "../core/sql/relation.ts";
import type { Loader, RowTable } from "../core/sql/rows.ts";
import { numberOf, type Row, type SharedSql, type SnapshotSql, type Sql, type Value } from "../core/sql/sql.ts";
import { beginLog } from "../core/sql/state.ts";
import {
  type BackupBlob,
  type BackupEnd,
  BackupError,
  type BackupRow,
  type RowBatch,
  type RowSnapshot,
  type RowStore,
} from "./backup.ts";
import { formatOf } from "./older-store.ts";
import { notEmpty } from "./restore.ts";

/** Exports and imports all rows of the store: a row refers to others by path, never by number. Decision 17. */

/** What the export and import need of an engine. */
type RowEngine = {
  sql: Sql;
  /** Runs the work on one snapshot of the store, on a separate connection. */
  snapshot<T>(work: (sql: SnapshotSql) => Promise<T>): Promise<T>;
  /**
   * Runs the work in one write transaction, on a separate connection: commits all of it or, when it throws, nothing.
   */
  transaction<T>(work: (sql: SharedSql) => Promise<T>): Promise<T>;
};

export const rowStore = (nouns: NounSet, { sql, snapshot, transaction }: RowEngine): RowStore => ({
  rules: nouns.rowRules,
  formatOf: (number) => formatOf(nouns.rowRules, number),
  snapshot: (work) => snapshot((reading) => work(rowSnapshot(nouns, reading))),
  isEmpty: () => isEmpty(nouns, sql),
  load: (batches, end) => transaction((writing) => load(nouns, writing, batches, end)),
});

// ------------------------------------------------------------------------------------------------------------- out of it

/** Rows may be large: at most this many are in memory. */
const batchRows = 100;
const batchBlobs = 10_000;
const ofFiles = `FROM blob WHERE ${isReferencedSql}`;

function rowSnapshot(nouns: NounSet, sql: SnapshotSql): RowSnapshot {
  return {
    count: (noun) => count(nouns, sql, noun),
    rows: (noun) => rowsOf(nouns, sql, noun),
    blobTotals: () => blobTotals(sql),
    async *blobs() {
      for await (const batch of sql.batches(`SELECT hash, size ${ofFiles} ORDER BY hash`, [], batchBlobs)) {
        yield batch.map(([hash, size]) => ({ hash, size }) as BackupBlob);
      }
    },
  };
}

function tableOf({ rowTables }: NounSet, noun: string): RowTable {
  const table = rowTables.get(noun);
  if (!table) throw new Error(`no noun has rows of ${noun}`);
  return table;
}

/** The rows of the noun in batches, in the format of a backup. */
export async function* rowsOf(nouns: NounSet, sql: SnapshotSql, noun: string): AsyncGenerator<BackupRow[]> {
  const { select, columns } = tableOf(nouns, noun);
  for await (const batch of sql.batches(select, [], batchRows)) yield batch.map((row) => toBackupRow(columns, row));
}

async function blobTotals(sql: Sql): Promise<{ count: number; bytes: number }> {
  const row = await sql.row(`SELECT count(*), coalesce(sum(size), 0) ${ofFiles}`);
  const [count, bytes] = row as readonly [number, number];
  return { count, bytes };
}

const toBackupRow = (columns: readonly string[], row: Row): BackupRow =>
  Object.fromEntries(columns.map((column, i) => [column, row[i] as Value]));

async function count(nouns: NounSet, sql: Sql, noun: string): Promise<number> {
  return numberOf(sql, `SELECT count(*) FROM ${tableOf(nouns, noun).table}`);
}

// --------------------------------------------------------------------------------------------------------------- into it

async function isEmpty({ rowTables }: NounSet, sql: Sql): Promise<boolean> {
  const filled = [...rowTables.values()].map(({ isFilled }) => isFilled);
  const row = await sql.row(`SELECT 1 WHERE ${filled.join(" OR ")}`);
  return row === undefined;
}

async function load(nouns: NounSet, sql: SharedSql, batches: AsyncIterable<RowBatch>, end: BackupEnd): Promise<void> {
  const { indexedTables } = nouns;
  if (!(await isEmpty(nouns, sql))) throw new BackupError(notEmpty);
  // The backup also holds what every new store has: the root, the signing key, which keys are indexed.
  await sql.run("DELETE FROM folder");
  await sql.run("DELETE FROM store_state");
  for (const table of indexedTables) await beginIndex(sql, table);
  await addAll(nouns, sql, batches);
  const index = await presentIndex(sql);
  for (const table of indexedTables) {
    if (table.layered) await collectItems(index, table, table.layered);
    await endIndex(sql, table);
  }
  for (const table of indexedTables.filter(hasTexts)) await loadTexts(sql, table);
  await compare(nouns, sql, end);
  await beginLog(sql);
}

/** Adds the batches in order. A server writes one while this process reads and prepares the next. */
async function addAll(nouns: NounSet, sql: SharedSql, batches: AsyncIterable<RowBatch>): Promise<void> {
  const loaders = loadersOf(nouns, sql);
  let last: string | undefined;
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const batch of batches) {
      if (batch.noun !== last) await writing;
      last = batch.noun;
      const insert = await prepare(nouns, loaders, batch);
      await writing;
      writing = addBatch(nouns, sql, batch, insert);
      // Awaited above or below.
      writing.catch(() => undefined);
    }
  } finally {
    // Also after a failure: no statement may follow the ROLLBACK.
    await writing;
  }
}

async function addBatch(
  nouns: NounSet,
  sql: SharedSql,
  batch: RowBatch,
  insert: () => MaybePromise<void>,
): Promise<void> {
  await sql.run("SAVEPOINT batch");
  try {
    await insert();
    // Fails where a statement of the batch that was not awaited has failed.
    await sql.run("RELEASE SAVEPOINT batch");
  } catch (error) {
    await sql.run("ROLLBACK TO SAVEPOINT batch");
    await refuseFirst(nouns, sql, batch);
    throw error;
  }
}

type Loaders = ReadonlyMap<string, Loader>;

const loadersOf = ({ rowTables }: NounSet, sql: SharedSql): Loaders =>
  new Map(
    [...rowTables].map(([noun, { insert, loader }]): [string, Loader] => [
      noun,
      loader?.(sql) ?? (async (rows) => () => sql.runAll(insert, rows)),
    ]),
  );

async function prepare(nouns: NounSet, loaders: Loaders, { noun, rows }: RowBatch): Promise<() => MaybePromise<void>> {
  const loader = loaders.get(noun) as Loader;
  return loader(rows.map(tableOf(nouns, noun).valuesOf));
}

/**
 * Adds the rows of a batch that the database refused one by one, up to the refused row. Throws BackupError, which names
 * it.
 */
async function refuseFirst(nouns: NounSet, sql: SharedSql, { noun, rows }: RowBatch): Promise<void> {
  // New ones: the row numbers that others hold belong to the savepoint that was rolled back.
  const loaders = loadersOf(nouns, sql);
  for (const row of rows) {
    const { rule, refusals } = tableOf(nouns, noun);
    for (const [reason, query, ...columns] of refusals) {
      const found = await sql.row(query, ...columns.map((column) => row[column] ?? null));
      if (found) throw new BackupError(`${rowName(rule, row)} is not accepted: ${reason}`);
    }
    const insert = await prepare(nouns, loaders, { noun, rows: [row] });
    await insert();
  }
}

/** Throws BackupError for inconsistent rows, and when the store does not match the backup. */
async function compare(nouns: NounSet, sql: Sql, end: BackupEnd): Promise<void> {
  const [fault, ...others] = await relationFaults(sql, nouns.relations);
  if (fault !== undefined) throw new BackupError(fault + (others.length > 0 ? `; ${others.length} more faults` : ""));
  for (const noun of nouns.rowRules.keys()) {
    const [found, expected] = [await count(nouns, sql, noun), end.counts[noun]];
    if (found !== expected) throw new BackupError(`${found} rows of ${noun} are in the store instead of ${expected}`);
  }
  const { count: blobs, bytes } = await blobTotals(sql);
  if (blobs !== end.blobs.count || bytes !== end.blobs.bytes) {
    const held = `${end.blobs.count} blobs of ${end.blobs.bytes} bytes`;
    throw new BackupError(`its files have ${blobs} blobs of ${bytes} bytes, and it holds ${held}`);
  }
}
