import type { Row } from "../sql.ts";
import type { Bound } from "./bound.ts";

/**
 * A list that is read without a transaction. Its first statement returns facts, too; each returns the newest event, and those
 * that return the same one read one state of the store. Decision 67.
 */
export type Presumed = {
  /** At most how many rows each table had when a list read it last. */
  readonly sizes: Map<string, number>;
  /** Whether each table had items with layers then. */
  readonly layered: Map<string, boolean>;
  /** Facts to be read with the first statement: SQL for each. `hear` gets them before its rows are answered. */
  first(facts: (b: Bound) => string[], hear: (facts: Row) => void): void;
};

/** What was presumed is not so: the list must be read in a transaction. */
export class NotPresumed extends Error {}
