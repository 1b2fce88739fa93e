/** A database as the nouns' files see it: one SQL text for every engine, values in `?1`, `?2` … */

export type Value = string | number | null;
/** The columns in the order selected. */
export type Row = readonly Value[];
type Later<T> = T | Promise<T>;

/** One connection. Each text is prepared once and kept. */
export interface Sql {
  rows(text: string, ...values: Value[]): Later<Row[]>;
  row(text: string, ...values: Value[]): Later<Row | undefined>;
  /** Answers how many rows changed. */
  run(text: string, ...values: Value[]): Later<number>;
  /** The rows in batches, so that a scan need not hold them all. */
  batches(text: string, values: readonly Value[], size: number): Iterable<Row[]> | AsyncIterable<Row[]>;
}

/**
 * SQL that is true for the path in the parameter and all below it: one run of the column's index, in its order. "/" is
 * followed by "0"; between the path and its "/" stand its neighbours such as `a-b`, which the last part leaves out.
 */
export const isWithinSql = (column: string, parameter: string): string =>
  `(${column} >= ${parameter} AND ${column} < ${parameter} || '0'` +
  ` AND (${column} = ${parameter} OR ${column} > ${parameter} || '/'))`;
