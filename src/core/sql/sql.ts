import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Asker } from "../list/query.ts";
import { type Path, rootPath } from "../path.ts";

/**
 * A database as the nouns' files use it: one SQL text for every engine, values in `?1`, `?2` …, and in braces what the
 * engines write differently; see sql-text.ts.
 */

export type Value = string | number | null;
export type ValueType = "integer" | "real" | "text";
/** The columns in the order selected. */
export type Row = readonly Value[];

/** A connection that reads. Each text is prepared once and cached. */
export interface ReadSql {
  rows(text: string, ...values: Value[]): MaybePromise<Row[]>;
  row(text: string, ...values: Value[]): MaybePromise<Row | undefined>;
  /** The rows of one SELECT with each of the sets of values. An engine may run it as one statement. */
  rowsAll(text: string, sets: readonly Value[][], types: readonly ValueType[]): MaybePromise<Row[][]>;
}

/** One connection. */
export interface Sql extends ReadSql {
  /** Answers how many rows changed. */
  run(text: string, ...values: Value[]): MaybePromise<number>;
  /** Runs a text for each of the sets of values, or a write of rows: where that is one, no set may depend on another. */
  runAll(write: string | RowsWrite, sets: readonly Value[][]): MaybePromise<void>;
}

/** A write of rows, which an engine may do for all of them at once: none may depend on the effect of another. */
export type RowsWrite = {
  /** The statement for one set of values. */
  readonly text: string;
  readonly types: readonly ValueType[];
  /** The statement for all sets, as rows of this item of a FROM. A parameter is its value in each of them. */
  over(sets: string): string;
};

/** A connection that reads one snapshot of the store. */
export interface SnapshotSql extends Sql {
  /** The rows in batches, so that a scan need not hold all of them. */
  batches(text: string, values: readonly Value[], size: number): Iterable<Row[]> | AsyncIterable<Row[]>;
}

/** A connection in a write transaction. */
export interface TransactionSql extends Sql {
  /**
   * As `runAll`, without waiting: a failure fails the statements that follow. An engine may send what was given since the
   * last other statement together, so no set may depend on another of these either.
   */
  later(write: RowsWrite, sets: readonly Value[][]): void;
  /** Numbers for new rows of the table, which no other row has or gets. */
  numbers(table: string, count: number): MaybePromise<number[]>;
}

/** The same for the event log and the indexes, which transactions share that otherwise do not wait for each other. */
export interface SharedSql extends TransactionSql {
  /**
   * From here to the end of the transaction no other one changes what many things share: the event log, the numbers of
   * parents and keys. Holds for the statements that follow, without being awaited.
   */
  lockShared(): void;
  /** The same for the text index. */
  lockTexts(): void;
  /** The number of a row of the table: no other transaction has an uncommitted row with this number or a lower one. */
  settled(table: string): MaybePromise<number>;
}

/** A connection that writes. */
export interface WriteSql extends SharedSql {
  /**
   * From here to the end of the transaction no other connection writes to the store. With paths only those are locked:
   * the transaction writes nothing else, except after `lockShared`. Holds for the statements that follow; where the lock
   * cannot be had, they fail.
   */
  begin(paths?: readonly string[]): MaybePromise<void>;
  /** Statements that nobody waited for must have succeeded, too: throws the first failure. */
  commit(): MaybePromise<void>;
  /** Rolls the transaction back; does nothing when an error has rolled it back already. */
  rollback(): MaybePromise<void>;
  /**
   * What helps after a failed transaction, which certainly had no effect unless it is `refuse`: the same again, each of
   * its calls in a transaction of its own, or neither.
   */
  remedy(error: unknown): "repeat" | "divide" | "refuse";
  /** The engine's failures that time or an operator can fix, as `busy`; every other error as it is. */
  translate(error: unknown): unknown;
}

/** Commits the writes of the work, or none of them when it throws. Rethrows its error; see `translate`. */
export async function inTransaction<T>(sql: WriteSql, work: () => Promise<T>): Promise<T> {
  try {
    await sql.begin();
    const value = await work();
    await sql.commit();
    return value;
  } catch (error) {
    await sql.rollback();
    throw sql.translate(error);
  }
}

/** Leaves a statement to the transaction, which fails with it; see `commit`. */
export function unawaited(statement: MaybePromise<unknown>): void {
  if (statement instanceof Promise) statement.catch(() => undefined);
}

/** Operations called by name, in another thread or in a transaction of their own. */
export interface Caller<T extends Operations> {
  /** Throws `busy` when too many calls are waiting or the store cannot be reached, and what the operation throws. */
  call<K extends keyof T & string>(name: K, ...args: Parameters<T[K]>): Promise<Awaited<ReturnType<T[K]>>>;
}

/** A caller of scans. For a client it waits for the client's turn, and stops scans of disconnected clients. */
export interface ScanCaller<T extends Operations> extends Caller<T> {
  for(asker: Asker): Caller<T>;
}
export type Operations = Record<string, (...args: never[]) => unknown>;

/** The number that is the only value of a statement which always has a row. */
export const numberIn = (row: Row | undefined): number => (row as readonly [number])[0];

/** Reads such a number. */
export const numberOf = async (sql: Pick<ReadSql, "row">, text: string, ...values: Value[]): Promise<number> =>
  numberIn(await sql.row(text, ...values));

/**
 * Makes a write again and again, each a transaction of its own, as long as the query finds something; answers the sum of what
 * the writes answer. A store without any is not written to.
 */
export async function repeatWhile(
  sql: Pick<Sql, "row">,
  [query, value]: readonly [string, Value],
  write: () => Promise<number>,
): Promise<number> {
  let sum = 0;
  while (await sql.row(query, value)) sum += await write();
  return sum;
}

/** The same for a statement that may have no row. */
export async function findNumber(
  sql: Pick<ReadSql, "row">,
  text: string,
  ...values: Value[]
): Promise<number | undefined> {
  const [number] = ((await sql.row(text, ...values)) ?? []) as readonly [number?];
  return number;
}

/** The first column of rows; the caller knows its type. */
export const firstColumn = <T extends Value>(rows: readonly Row[]): T[] => rows.map(([value]) => value as T);

/** The statement that inserts one row: `?1` is the value of the first column. */
export const insertInto = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((_, i) => `?${i + 1}`).join(", ")})`;

/** Inserts rows; `onConflict` is what follows their values. */
export const insertRows = (
  table: string,
  columns: readonly string[],
  types: readonly ValueType[],
  onConflict = "",
): RowsWrite => ({
  text: `${insertInto(table, columns)} ${onConflict}`,
  types,
  over: (sets) => `INSERT INTO ${table} (${columns.join(", ")}) SELECT * FROM ${sets} ${onConflict}`,
});

/** Deletes the rows for which the SQL is true. */
export const deleteRows = (table: string, where: string, types: readonly ValueType[]): RowsWrite => ({
  text: `DELETE FROM ${table} WHERE ${where}`,
  types,
  over: (sets) => `DELETE FROM ${table} USING ${sets} WHERE ${where}`,
});

/** Changes the rows for which the SQL is true. */
export const updateRows = (table: string, set: string, where: string, types: readonly ValueType[]): RowsWrite => ({
  text: `UPDATE ${table} SET ${set} WHERE ${where}`,
  types,
  over: (sets) => `UPDATE ${table} SET ${set} FROM ${sets} WHERE ${where}`,
});

/** The columns of a table in a join. */
export const columnsOf = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(", ");

/**
 * SQL that is true for the path in the parameter and everything below it: one range of the column's index. "0" is the
 * byte after "/"; neighbours such as `a-b` sort between the path and its "/", and the last part excludes them.
 */
export const isWithinSql = (column: string, parameter: string): string =>
  `(${column} >= ${parameter} AND ${column} < ${parameter} || '0'` +
  ` AND (${column} = ${parameter} OR ${column} > ${parameter} || '/'))`;

/** isWithinSql for ?1, where the root contains everything. */
export const withinSql = (column: string, path: Path): string =>
  path === rootPath ? "CAST(?1 AS TEXT) IS NOT NULL" : isWithinSql(column, "?1");

/** SQL that is true at and below one of the paths, everywhere for null. Its parameters start with `first`. */
export function withinAny(
  column: string,
  paths: readonly Path[] | null,
  first: number,
): { sql: string; values: Path[] } {
  if (paths === null) return { sql: "1 = 1", values: [] };
  const each = paths.map((_, i) => isWithinSql(column, `?${first + i}`));
  return { sql: each.length > 0 ? `(${each.join(" OR ")})` : "1 = 0", values: [...paths] };
}

/** The pattern that a text matches when it has this part. */
export const partPattern = (part: string): string => `%${part.replace(/[%_!]/g, "!$&")}%`;

/** SQL that is true for a text that matches the pattern in the parameter. */
export const likeSql = (expression: string, parameter: number): string => `${expression} LIKE ?${parameter} ESCAPE '!'`;

/** SQL that is true for everything below the path in the parameter. */
export const isBelowSql = (column: string, parameter: string): string =>
  `(${column} > ${parameter} || '/' AND ${column} < ${parameter} || '0')`;

/** What no path begins with. */
export const unusedPrefix = "\u0001";

/**
 * Moves the paths at and below `from` in a table's column, and sets the revision of their rows. In two steps, through a
 * prefix no path can have: a unique key is checked row by row, and a/b/b may become a/b.
 */
export async function renameWithin(
  sql: Sql,
  table: string,
  column: string,
  from: string,
  to: string,
  revision: number,
): Promise<void> {
  await sql.run(
    `UPDATE ${table} SET ${column} = ?4 || substr(${column}, ?1), revision = ?2 WHERE ${isWithinSql(column, "?3")}`,
    [...from].length + 1,
    revision,
    from,
    unusedPrefix,
  );
  await sql.run(
    `UPDATE ${table} SET ${column} = ?1 || substr(${column}, 2) WHERE ${column} >= ?2 AND ${column} < ?3`,
    to,
    unusedPrefix,
    "\u0002",
  );
}
