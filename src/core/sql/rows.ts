import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Rule } from "../row.ts";
import type { BackupRow } from "../row-column.ts";
import { insertRows, type RowsWrite, type SharedSql, type Value, type ValueType } from "./sql.ts";

/** The rows of a noun as a whole: in a backup, in verify. Its columns and their rules are in the row-rules.ts of its feature. */

/** The names of the noun's columns, in the order of its rows. */
export const namesOf = ({ columns }: Pick<Rule, "columns">): readonly string[] => Object.keys(columns);

/** Inserts rows of the noun: the values of its columns, then those of columns that are derived from them. */
export function insertOf(
  rule: Pick<Rule, "noun" | "columns">,
  derived: Readonly<Record<string, ValueType>> = {},
  table: string = rule.noun,
): RowsWrite {
  const types = Object.values(rule.columns).map(({ type }) => type);
  return insertRows(table, [...namesOf(rule), ...Object.keys(derived)], [...types, ...Object.values(derived)]);
}

/**
 * How rows are exported and imported. A row refers to others by path or hash, never by row number. Values in no row are
 * rebuilt by a restore, or belong to this machine. Decision 17.
 */
export type RowTable = {
  rule: Rule;
  table: string;
  /** False: a restore makes the rows from something else, and a backup has none. Absent: true. */
  isInBackup?: boolean;
  columns: readonly string[];
  /** All rows, in an order that is the same in every store. */
  select: string;
  insert: string | RowsWrite;
  /** The values of `insert`. */
  valuesOf(row: BackupRow): Value[];
  /** SQL that is true when there are more rows than in a new store. */
  isFilled: string;
  /** Why the database may refuse a valid row. */
  refusals: readonly Refusal[];
  /**
   * Inserts rows where that takes more than `insert`. Created for each transaction, and again after a savepoint is
   * rolled back.
   */
  loader?(sql: SharedSql): Loader;
};

/**
 * Prepares rows and answers what inserts them. The rows before may be inserted meanwhile: by then the rows of other nouns
 * before are in the store.
 */
export type Loader = (rows: readonly Value[][]) => Promise<() => MaybePromise<void>>;

/** A query that finds something when the row is refused, with the columns that are its values. */
export type Refusal = [reason: string, query: string, ...columns: string[]];

export const isTwice = "there is another one before it";

/** The rows of a noun as stored, in the order of the key; `more` overrides the rest. The table has the noun's name. */
export function rowTable(rule: Rule, key: string, more: Partial<RowTable> = {}): RowTable {
  const { table = rule.noun } = more;
  const names = namesOf(rule);
  return {
    rule,
    table,
    columns: names,
    select: `SELECT ${names.join(", ")} FROM ${table} ORDER BY ${key}`,
    insert: insertOf(rule, {}, table),
    valuesOf: (row) => names.map((column) => row[column] ?? null),
    isFilled: `EXISTS (SELECT 1 FROM ${table})`,
    refusals: [[isTwice, `SELECT 1 FROM ${table} WHERE ${key} = ?1`, key]],
    ...more,
  };
}

/**
 * Rows that violate a rule which no key of the schema enforces: what the query finds of each, and the sentence about
 * it.
 */
export type Relation = { query: string; says: (...found: string[]) => string };

/** A revision without an event: the next event would assign it again, and two states would have one ETag. */
export const pastNewestEvent = (noun: string, source: string): Relation => ({
  query: `SELECT ${noun}.revision, ${source}
    WHERE ${noun}.revision > (SELECT coalesce(max(sequence), 0) FROM event)`,
  says: (revision, name) => `The revision ${revision} of the ${noun} ${name} is above the newest event`,
});
