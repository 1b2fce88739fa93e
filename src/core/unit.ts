/**
 * A unit of work: what the writes of one request go through, where they are made together or where their results are
 * kept for its repetitions. A request without such needs has none, and its writes go straight to the store.
 */

/** One write of the store, as its thread runs it. */
export type UnitWrite = { name: string; args: readonly unknown[] };

/** The sequence of the newest event of some writes; 0 while they have none. */
export type Written = { sequence: number };

export interface Unit {
  /** True when the results are known from an earlier request: nothing is written. */
  readonly isReplay: boolean;
  /** True when everything is rolled back. */
  readonly isDryRun: boolean;
  /** Makes the write, and answers its result once it is committed; `written` gets its event. Throws what the write throws. */
  write(write: UnitWrite, written?: Written): Promise<unknown>;
}

/** The bounds of the writes that are made together. Contract, part two, §13. */
export const unitBounds = {
  /** Things that change, as the events of the writes count them. */
  things: 10_000,
  /** The time that it holds up other writes; some seconds where the database is near. */
  ms: 30_000,
  /** Characters of the results, which are in memory at once. */
  resultLength: 32 * 1024 * 1024,
};

/** Writes that are made together. */
export interface UnitStore {
  /**
   * Makes the writes in order in one transaction: each sees those before it, all of them are made or none. Answers their
   * results in this order; on a dry run they are rolled back. With `keep` the results are kept as IdempotencyStore.write
   * does, unless it is a dry run. Throws the first refusal, whose parameter `operation` is the number of the write;
   * batch_too_large past `unitBounds`. `written` gets the last event.
   */
  writeAll(writes: readonly UnitWrite[], options: UnitOptions, written?: Written): Promise<unknown[]>;
}

export type UnitOptions = { isDryRun: boolean; keep?: Keep | undefined };

/** What the results of a request are kept under. */
export type Keep = {
  /** The id of the token that sent it. */
  token: string;
  key: string;
  /** A hash of the request. */
  request: string;
  /** The address that its reply was built with; "" for none. */
  origin: string;
  nowSeconds: number;
};
