import type { Keep, Unit, UnitOptions, UnitStore, UnitWrite, Written } from "./unit.ts";

/**
 * The results of writes that were sent with an `Idempotency-Key`: the same request sent again gets the same reply, and
 * writes nothing. Contract, part two, §13; decision 71.
 */

/** How long results are kept. */
export const keptSeconds = 24 * 3600;
/** The largest reply that is sent again. */
export const maxReplayedBytes = 1024 * 1024;
/**
 * Results of more characters are not kept: they are JSON in JSON, which is at most twice as long as the reply, and some
 * fields that it does not have.
 */
export const maxResultLength = 4 * maxReplayedBytes;

/** What an earlier request with this key was, and what its writes answered; `results` is undefined when too large. */
export type KeptRequest = Pick<Keep, "request" | "origin"> & { results: unknown[] | undefined };

export interface IdempotencyStore extends UnitStore {
  /**
   * Makes the write, and keeps its result in the same transaction. A write that is refused keeps nothing, nor does one
   * that answers null. Throws what the write throws; idempotency_in_flight when there are results by now.
   */
  write(write: UnitWrite, keep: Keep, written?: Written): Promise<unknown>;
  /** The results that are kept under a token's key; undefined for none, and for those of more than `keptSeconds` ago. */
  find(token: string, key: string, nowSeconds: number): Promise<KeptRequest | undefined>;
  /**
   * Takes the key of a token until the claim is released, for this process; on PostgreSQL for all nodes. Undefined while
   * it is taken. A claim ends with its process.
   */
  claim(token: string, key: string): Promise<Claim | undefined>;
  /** Removes the results under a token's key: nothing of what they were is left. */
  forget(token: string, key: string): Promise<void>;
  /** Removes the results of more than `keptSeconds` ago. */
  expire(nowSeconds: number): Promise<void>;
}

/** Releases what was claimed; may be called twice. */
export type Claim = () => Promise<void>;

/** The writes of a request with a key: made once, and answered from what was kept after that. */
export class KeptUnit implements Unit {
  readonly isDryRun = false;
  private readonly store: IdempotencyStore;
  private readonly keep: Omit<Keep, "origin">;
  private readonly results: unknown[] | undefined;
  /** The address that the reply is built with. */
  origin: string;

  constructor(store: IdempotencyStore, keep: Omit<Keep, "origin">, kept?: KeptRequest) {
    this.store = store;
    this.keep = keep;
    this.results = kept?.results;
    this.origin = kept?.origin ?? "";
  }

  get isReplay(): boolean {
    return this.results !== undefined;
  }

  async write(write: UnitWrite, written?: Written): Promise<unknown> {
    return this.results ? this.results[0] : this.store.write(write, { ...this.keep, origin: this.origin }, written);
  }

  async writeAll(writes: readonly UnitWrite[], options: UnitOptions, written?: Written): Promise<unknown[]> {
    const keep = { ...this.keep, origin: this.origin };
    return this.results ?? this.store.writeAll(writes, { ...options, keep }, written);
  }

  /** For a request that is refused after its write, and undoes it: sent again, it begins anew. */
  forget(): Promise<void> {
    return this.store.forget(this.keep.token, this.keep.key);
  }
}
