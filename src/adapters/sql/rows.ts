import type { BackupRow } from "../../domain/backup.ts";
import type { StoredNoun } from "../../domain/row.ts";
import type { Sql, Value } from "./sql.ts";

/** The rows of a noun as a whole: in a backup, in verify. What one row may hold is domain/row.ts. */

/**
 * How rows go out of the store and into it. What they refer to stands in a row by path or hash, never by the number of
 * another row. What is in no row is made anew by a restore, or is this machine's own. Decision 17.
 */
export type RowTable = {
  noun: StoredNoun;
  table: string;
  columns: readonly string[];
  /** All rows, in an order that is the same wherever they are stored. */
  select: string;
  insert: string;
  /** The values of `insert`. */
  valuesOf(row: BackupRow): Value[];
  /** SQL that is true when there are more rows than in a new store. */
  isFilled: string;
  /** Why the database may refuse a row that is good by itself. */
  refusals: readonly Refusal[];
  /** Adds rows where that takes more than `insert`. Made anew for each transaction, and when a savepoint is undone. */
  loader?(sql: Sql): (rows: readonly Value[][]) => Promise<void>;
};

/** A query that finds something where the row is refused, with the columns that are its values. */
export type Refusal = [reason: string, query: string, ...columns: string[]];

export const isTwice = "there is another one before it";

/** The rows of a table, as they stand there; `more` says what differs. `columns` are joined with ", ". */
export function rowTable(
  noun: StoredNoun,
  table: string,
  columns: string,
  key: string,
  more: Partial<RowTable> = {},
): RowTable {
  const names = columns.split(", ");
  return {
    noun,
    table,
    columns: names,
    select: `SELECT ${columns} FROM ${table} ORDER BY ${key}`,
    insert: `INSERT INTO ${table} (${columns}) VALUES (${names.map((_, i) => `?${i + 1}`).join()})`,
    valuesOf: (row) => names.map((column) => row[column] ?? null),
    isFilled: `EXISTS (SELECT 1 FROM ${table})`,
    refusals: [[isTwice, `SELECT 1 FROM ${table} WHERE ${key} = ?1`, key]],
    ...more,
  };
}

/** Rows that break a rule which no key of the schema holds: what the query finds of each, and the sentence about it. */
export type Relation = { query: string; says: (...found: string[]) => string };

/** A revision that no event made: the next event would give it again, and one ETag would stand for two states. */
export const pastNewestEvent = (noun: string, source: string): Relation => ({
  query: `SELECT ${noun}.revision, ${source}
    WHERE ${noun}.revision > (SELECT coalesce(max(sequence), 0) FROM event)`,
  says: (revision, name) => `The revision ${revision} of the ${noun} ${name} is past the newest event`,
});
