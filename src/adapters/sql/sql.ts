import type { MaybePromise } from "../../lib/maybe-promise.ts";

/** A database as the nouns' files see it: one SQL text for every engine, values in `?1`, `?2` … */

export type Value = string | number | null;
export type ValueType = "integer" | "real" | "text";
/** The columns in the order selected. */
export type Row = readonly Value[];

/** One connection. Each text is prepared once and kept. */
export interface Sql {
  rows(text: string, ...values: Value[]): MaybePromise<Row[]>;
  row(text: string, ...values: Value[]): MaybePromise<Row | undefined>;
  /** Answers how many rows changed. */
  run(text: string, ...values: Value[]): MaybePromise<number>;
  /**
   * Runs one text with each of the sets of values. With the types of the values an engine may do it in one statement: the
   * text is `INSERT … VALUES (…)` or `DELETE FROM … WHERE …`, and no set depends on what another one did.
   */
  runAll(text: string, sets: readonly Value[][], types?: readonly ValueType[]): MaybePromise<void>;
}

/** A connection that reads one state of the store from the first row to the last. */
export interface SnapshotSql extends Sql {
  /** The rows in batches, so that a scan need not hold them all. */
  batches(text: string, values: readonly Value[], size: number): Iterable<Row[]> | AsyncIterable<Row[]>;
}

/** A connection that writes. From `begin` to its end nobody else writes to the store. */
export interface WriteSql extends Sql {
  begin(): MaybePromise<void>;
  commit(): MaybePromise<void>;
  /** Undoes what was not committed; nothing when an error has undone it already. */
  rollback(): MaybePromise<void>;
  /** True when nothing of the transaction that failed so can have happened, and another one may do better. */
  mayRepeat(error: unknown): boolean;
  /** The engine's failures that time or an operator can mend, as `busy`; every other error as it is. */
  translate(error: unknown): unknown;
}

/** Commits what the work writes, or nothing of it when it throws. Throws what it throws; see `translate`. */
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

/** Operations that run elsewhere, called by name: another thread, or a transaction of their own. */
export interface Caller<T extends Operations> {
  /** Throws `busy` when too much is waiting already or the store cannot be reached, and what the operation throws. */
  call<K extends keyof T & string>(name: K, ...args: Parameters<T[K]>): Promise<Awaited<ReturnType<T[K]>>>;
}
export type Operations = Record<string, (...args: never[]) => unknown>;

/**
 * SQL that is true for the path in the parameter and all below it: one run of the column's index, in its order. "/" is
 * followed by "0"; between the path and its "/" stand its neighbours such as `a-b`, which the last part leaves out.
 */
export const isWithinSql = (column: string, parameter: string): string =>
  `(${column} >= ${parameter} AND ${column} < ${parameter} || '0'` +
  ` AND (${column} = ${parameter} OR ${column} > ${parameter} || '/'))`;

/**
 * Moves the paths at and below `from` in a table's column, and gives their rows the revision. In two steps, through a
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
    `UPDATE ${table} SET ${column} = char(1) || substr(${column}, ?1), revision = ?2 WHERE ${isWithinSql(column, "?3")}`,
    [...from].length + 1,
    revision,
    from,
  );
  await sql.run(
    `UPDATE ${table} SET ${column} = ?1 || substr(${column}, 2) WHERE ${column} >= char(1) AND ${column} < char(2)`,
    to,
  );
}
