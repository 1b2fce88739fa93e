import type { Stores } from "../stores.ts";

/** How often the clock is compared with the next time: what is due is published within two seconds. */
export const scheduleLookMs = 500;
/** After a failure: until then the store hardly changes its mind, and the log would fill. */
const restSeconds = 10;

/** What is done at times that the store knows. */
export type Due = {
  /** The next time; undefined for none. */
  next(): Promise<number | undefined>;
  /** Does what is due by now; answers how much. Each is done once, whoever else looks. */
  run(nowSeconds: number): Promise<number>;
};

/** Working copies and releases that are scheduled, and entries whose date of publication comes. */
export const duesOf = ({
  staged,
  releases,
  entries,
}: Pick<Stores, "staged" | "releases" | "entries">): Record<string, Due> => ({
  "publish what is due": { next: () => staged.nextDue(), run: (now) => staged.publishDue(now) },
  "publish releases that are due": { next: () => releases.nextDue(), run: (now) => releases.publishDue(now) },
  "tell what is public by its time": { next: () => entries.nextLive(), run: (now) => entries.goLive(now) },
});

/**
 * Does what is due, soon after its time. The next time is kept in memory and is asked for again only when
 * something was written, here or by another process or node: so nothing is read while nothing happens.
 */
export class Schedule {
  private readonly stores: Pick<Stores, "version">;
  private readonly due: Due;
  /** Of the store when the next time was asked for. */
  private version: number | undefined;
  private nextSeconds: number | undefined;
  private restsUntil = Number.NEGATIVE_INFINITY;
  private isLooking = false;

  constructor(stores: Pick<Stores, "version">, due: Due) {
    this.stores = stores;
    this.due = due;
  }

  /** Does what is due by now; answers how much. */
  async look(nowSeconds: number): Promise<number> {
    if (this.isLooking || nowSeconds < this.restsUntil) return 0;
    this.isLooking = true;
    try {
      return await this.run(nowSeconds);
    } catch (error) {
      this.restsUntil = nowSeconds + restSeconds;
      throw error;
    } finally {
      this.isLooking = false;
    }
  }

  private async run(nowSeconds: number): Promise<number> {
    const { due } = this;
    const version = this.stores.version();
    // Not known: on PostgreSQL a node that does not hear from the store, which would not answer either.
    if (version === undefined) return 0;
    if (version !== this.version) {
      this.nextSeconds = await due.next();
      this.version = version;
    }
    if (this.nextSeconds === undefined || this.nextSeconds > nowSeconds) return 0;
    this.version = undefined;
    return due.run(nowSeconds);
  }
}
