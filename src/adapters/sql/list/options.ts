import type { Reader } from "../../../domain/access/access.ts";

/** What lists need of the settings and of an engine. */

export type ListOptions = {
  pageBytes: number;
  regexpBudgetMs: number;
  /** How long a scan may take, by its reader. */
  scanBudgetMs: Readonly<Record<Reader, number>>;
};

/** What the two engines spell differently in a list. */
export type Dialect = {
  /**
   * True on PostgreSQL: a subquery of a join may use what is before it. SQLite reads the numbers of such a subquery with IN.
   */
  hasLateral: boolean;
  /** SQL that is true, once for each row that a statement looks at: it throws when these are too many. Empty for none. */
  watch: string;
  /** Bounds what each statement of a transaction takes, in milliseconds as a text: `?1`. Absent where `watch` does. */
  limit?: string;
};
