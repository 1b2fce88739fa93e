import type { Value } from "../sql.ts";

/** The values of a statement that is being written: each gets the next parameter. */
export class Bound {
  readonly values: Value[] = [];

  /** The name of the parameter with this value. */
  put(value: Value): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }

  /** The same for a text where a server cannot tell the type. */
  text(value: string): string {
    return `CAST(${this.put(value)} AS TEXT)`;
  }

  /** The same for a whole number. */
  whole(value: number): string {
    return `CAST(${this.put(value)} AS BIGINT)`;
  }
}

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
