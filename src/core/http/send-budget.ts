import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { FairQueue } from "../lib/fair-queue.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { Pace } from "../lib/pace.ts";
import { problem } from "../problem.ts";
import { networkOf } from "./throttle.ts";

export type SendBudgetOptions = {
  /** The limit for all replies together, and for those of one connection. */
  maxBytes: number;
  maxConnectionBytes: number;
  /** The time in milliseconds, for whoever must not wait; default performance.now. */
  nowMs?: () => number;
};

/**
 * Waiting replies are refused once memory has been freed more slowly than this rate for this long. A few fast clients
 * are far above the rate; a handful of phones is below it and holds its memory for minutes.
 */
const patienceMs = 2000;
const leastBytesPerSecond = 512 * 1024;
const maxWaiting = 1000;
/** A reply may exceed its reservation by this much without a new one. */
const slackBytes = 64 * 1024;

/**
 * Memory for replies that are being sent. A large reply reserves its memory before it is built, waits in a queue where
 * there is none, and frees what the client has received. A client that does not read costs its part of the budget and
 * no more. Small replies do not count. Decision 24.
 */
export class SendBudget {
  private readonly options: SendBudgetOptions;
  private readonly nowMs: () => number;
  private readonly byConnection = new Map<Socket, number>();
  private readonly waiting = new Set<Socket>();
  private readonly queue: FairQueue;
  private bytes = 0;
  /** How many replies are being built. Each will free a part of its reservation, or all of it. */
  private building = 0;
  /** The rate at which memory is freed, since a reply has been waiting for it. */
  private pace = new Pace(leastBytesPerSecond, 0);

  constructor(options: SendBudgetOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
    this.queue = new FairQueue({ maxWaiting, maxWaitMs: patienceMs, nowMs: this.nowMs, refusal: full });
  }

  /** The share of one reply; it holds nothing yet. */
  hold(connection: Socket, address: string): Hold {
    return new Hold(this, connection, address);
  }

  /** True when this connection holds memory that another reply waits for. */
  isWantedFrom(connection: Socket): boolean {
    return this.waiting.size > 0 && this.byConnection.has(connection);
  }

  /**
   * Takes this many bytes, at most the whole budget. Returns how many it took; undefined when there is not enough
   * memory.
   */
  take(connection: Socket, requested: number): number | undefined {
    const { maxBytes, maxConnectionBytes } = this.options;
    const held = this.byConnection.get(connection) ?? 0;
    const bytes = Math.min(requested, maxBytes, maxConnectionBytes);
    if (this.bytes + bytes > maxBytes || held + bytes > maxConnectionBytes) return undefined;
    this.change(connection, bytes);
    return bytes;
  }

  /**
   * Waits until there is enough memory, and takes it. Networks take turns. Throws busy when the queue is too long or does
   * not move, or the client has disconnected.
   */
  async wait(connection: Socket, address: string, requested: number): Promise<number> {
    // Of a connection that pipelines its requests one reply waits at a time.
    if (this.waiting.has(connection)) throw full();
    if (this.waiting.size === 0) this.pace = new Pace(leastBytesPerSecond, this.nowMs());
    this.waiting.add(connection);
    const take = () => {
      if (!connection.writable) throw full();
      return this.take(connection, requested);
    };
    try {
      return await this.queue.wait(networkOf(address), take, { sinceMs: () => this.movedMs() });
    } finally {
      this.waiting.delete(connection);
    }
  }

  /** Counts the change in what a reply holds. */
  change(connection: Socket, bytes: number): void {
    const held = (this.byConnection.get(connection) ?? 0) + bytes;
    if (held > 0) this.byConnection.set(connection, held);
    else this.byConnection.delete(connection);
    this.bytes += bytes;
    if (bytes >= 0 || this.waiting.size === 0) return;
    this.pace.move(-bytes, this.nowMs());
    this.queue.serve();
  }

  beginBuild(): void {
    this.building++;
  }

  /** From now on the client sets the pace. */
  endBuild(): void {
    this.building--;
    if (this.waiting.size > 0) this.pace = new Pace(leastBytesPerSecond, this.nowMs());
  }

  /** When memory was last freed fast enough, or may yet be. */
  private movedMs(): number {
    return this.nowMs() - (this.building > 0 ? 0 : this.pace.behindMs(this.nowMs()));
  }
}

/** What one reply holds of the budget. */
export class Hold {
  private readonly budget: SendBudget;
  private readonly connection: Socket;
  private readonly address: string;
  private bytes = 0;
  /** What was reserved, before it was capped to the size of the budget; 0 for a list of no items. */
  private reservedBytes: number | undefined;
  private isBuilding = false;
  private isReleased = false;

  constructor(budget: SendBudget, connection: Socket, address: string) {
    this.budget = budget;
    this.connection = connection;
    this.address = address;
  }

  /**
   * Reserves memory for a reply of at most this many bytes, before it is built; waits in a queue where there is none.
   * Throws busy once little or nothing has been freed for two seconds. Frees what was reserved before: a reply that
   * waited with a part of the memory could wait for others that do the same.
   */
  reserve(bytes: number): MaybePromise<void> {
    this.resize(0);
    this.reservedBytes = bytes;
    const taken = this.budget.take(this.connection, bytes);
    if (taken !== undefined) return this.reserved(taken);
    return this.budget.wait(this.connection, this.address, bytes).then((waited) => this.reserved(waited));
  }

  /**
   * Counts a built reply of this many bytes. Does not wait, since the reply is in memory already: throws busy when
   * there is no memory for what exceeds the reservation. `force` counts it anyway: the outcome of a write must be
   * reported.
   */
  claim(bytes: number, force: boolean): void {
    const allowed = this.reservedBytes === undefined ? 0 : this.reservedBytes + slackBytes;
    const more = bytes - Math.max(allowed, this.bytes);
    if (more > 0 && !force) {
      const taken = this.budget.take(this.connection, more);
      if (taken === undefined) throw full();
      this.bytes += taken;
    }
    this.resize(bytes);
  }

  /** Counts that the reply is built and now holds this many bytes. Does nothing after a release. */
  resize(bytes: number): void {
    if (this.isReleased) return;
    this.endBuild();
    this.budget.change(this.connection, bytes - this.bytes);
    this.bytes = bytes;
  }

  /** Frees all of it permanently; may be called more than once. */
  release(): void {
    this.resize(0);
    this.isReleased = true;
  }

  private reserved(bytes: number): void {
    this.bytes += bytes;
    this.isBuilding = true;
    this.budget.beginBuild();
  }

  private endBuild(): void {
    if (!this.isBuilding) return;
    this.isBuilding = false;
    this.budget.endBuild();
  }
}

const full = () => problem("busy", { reason: "too many large replies are being sent to slow clients" });

/** A reply behind others on its connection is held in memory until its turn. */
export function releaseOnClose(hold: Hold, response: ServerResponse): void {
  if (response.closed) hold.release();
  else response.once("close", () => hold.release());
}
