import type { Reader } from "../../access/access.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import type { Chains } from "../index/layer.ts";
import type { ReadSql, Row, Value } from "../sql.ts";

/** What lists need of the settings and of a connection. */

export type ListOptions = {
  pageBytes: number;
  regexpBudgetMs: number;
  /** How long a scan may take, by its reader. */
  scanBudgetMs: Readonly<Record<Reader, number>>;
  /** How long the check of one entry may take where a type is tried; the default is that of compileSchema. */
  maxCheckMs?: number | undefined;
  /** Of the locales; empty where there are none. */
  chains?: Chains;
};

/** A call for every row would take half as long as the row. */
export const rowsPerWatch = 8;

/** A connection as lists use it, which read what clients ask for. */
export interface ListSql extends ReadSql {
  /**
   * True on PostgreSQL: a subquery of a join may use what is before it, each statement is a round trip, and `watch` ends none.
   * SQLite reads the numbers of such a subquery with IN.
   */
  readonly isServer: boolean;
  /**
   * The rows of a statement. An engine calls `watch`, which may throw, once for about `rowsPerWatch` rows of `{watch}`, or
   * throws filter_too_costly past `{limit_time}`.
   */
  rowsWatched(watch: () => void, text: string, ...values: Value[]): MaybePromise<Row[]>;
}
