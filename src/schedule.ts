import type { Stores } from "./stores.ts";

/** How often the clock is compared with the next time: what is due is published within two seconds. */
export const scheduleLookMs = 500;
/** After a failure: until then the store hardly changes its mind, and the log would fill. */
const restSeconds = 10;

/**
 * Publishes what is scheduled, soon after its time. The next time is kept in memory and is asked for again only when
 * something was written, here or by another process or node: so nothing is read while nothing happens.
 */
export class Schedule {
  private readonly stores: Pick<Stores, "staged" | "version">;
  /** Of the store when the next time was asked for. */
  private version: number | undefined;
  private nextSeconds: number | undefined;
  private restsUntil = Number.NEGATIVE_INFINITY;
  private isLooking = false;

  constructor(stores: Pick<Stores, "staged" | "version">) {
    this.stores = stores;
  }

  /** Publishes what is due by now; answers how many. Each is published once, whoever else looks. */
  async look(nowSeconds: number): Promise<number> {
    if (this.isLooking || nowSeconds < this.restsUntil) return 0;
    this.isLooking = true;
    try {
      return await this.publish(nowSeconds);
    } catch (error) {
      this.restsUntil = nowSeconds + restSeconds;
      throw error;
    } finally {
      this.isLooking = false;
    }
  }

  private async publish(nowSeconds: number): Promise<number> {
    const { staged } = this.stores;
    const version = this.stores.version();
    // Not known: on PostgreSQL a node that does not hear from the store, which would not answer either.
    if (version === undefined) return 0;
    if (version !== this.version) {
      this.nextSeconds = await staged.nextDue();
      this.version = version;
    }
    if (this.nextSeconds === undefined || this.nextSeconds > nowSeconds) return 0;
    this.version = undefined;
    return staged.publishDue(nowSeconds);
  }
}
