import { FairQueue, whoYields } from "../lib/fair-queue.ts";
import { problem } from "../problem.ts";
import type { Arrival } from "./arrival.ts";

export type SpoolOptions = {
  maxCount: number;
  maxBytes: number;
  /** A sender that is behind the minimum rate by more than this loses its place to a newcomer. */
  patienceMs: number;
  /** The time in milliseconds, for whoever must not wait; default performance.now. */
  nowMs?: () => number;
};

/**
 * Places for uploads whose senders are not authenticated yet: Flextype accepted the tokens after the file, so such a
 * file must be received before its sender can be authenticated. Both the number of places and the bytes of all of them
 * together are limited. When full, the sender that is furthest behind its minimum rate loses its place, so that a few
 * senders of a byte now and then do not lock out the others; a sender that keeps up the rate keeps its place, unless its
 * network has more than that of a newcomer. Contract §2.
 */
export class SpoolRoom {
  private readonly options: SpoolOptions;
  private readonly nowMs: () => number;
  private readonly spools = new Set<Spool>();
  private readonly queue: FairQueue;
  private bytes = 0;

  constructor(options: SpoolOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? (() => performance.now());
    // Less than the patience, or a sender that has just started would be dropped for one that waits.
    this.queue = new FairQueue({ maxWaitMs: options.patienceMs / 2, nowMs: this.nowMs, refusal: full });
  }

  /** Takes a place, waiting briefly for one. Throws busy when there is none. */
  enter(arrival: Arrival, network: string): Promise<Spool> {
    return this.queue.wait(network, () => this.take(arrival, network));
  }

  private take(arrival: Arrival, network: string): Spool | undefined {
    if (arrival.isGone) throw full();
    const isFull = this.spools.size >= this.options.maxCount;
    if (isFull && !this.dropSlowest() && !this.dropOfMost(network, () => 1, 1)) return undefined;
    const spool = new Spool(arrival, network, this);
    this.spools.add(spool);
    return spool;
  }

  /** Counts bytes of a spool. Throws busy when they exceed the limit. */
  add(spool: Spool, length: number): void {
    if (!this.spools.has(spool)) return;
    spool.bytes += length;
    this.bytes += length;
    const makesRoom = () => this.dropSlowest() || this.dropOfMost(spool.asker, ({ bytes }) => bytes, 0);
    while (this.bytes > this.options.maxBytes) if (!makesRoom()) throw full();
  }

  /** Frees a place; may be called more than once. */
  leave(spool: Spool): void {
    this.remove(spool);
    this.queue.serve();
  }

  /** Ends the spool whose sender is furthest behind; false when all keep up. */
  private dropSlowest(): boolean {
    let slowest: Spool | undefined;
    let mostMs = this.options.patienceMs;
    for (const spool of this.spools) {
      const behindMs = spool.arrival.behindMs();
      if (behindMs > mostMs) [slowest, mostMs] = [spool, behindMs];
    }
    return this.drop(slowest);
  }

  /** Ends a spool of the network that has most; false when that is this one, or has no more. */
  private dropOfMost(network: string, weigh: (spool: Spool) => number, more: number): boolean {
    return this.drop(whoYields(this.spools, network, { weigh, more }));
  }

  private drop(spool: Spool | undefined): boolean {
    if (!spool) return false;
    // The caller takes the freed place before those that wait.
    this.remove(spool);
    spool.arrival.end(full());
    return true;
  }

  private remove(spool: Spool): void {
    if (this.spools.delete(spool)) this.bytes -= spool.bytes;
  }
}

/** One of the places. */
export class Spool {
  readonly arrival: Arrival;
  /** Its network. */
  readonly asker: string;
  bytes = 0;
  private readonly room: SpoolRoom;

  constructor(arrival: Arrival, asker: string, room: SpoolRoom) {
    this.arrival = arrival;
    this.asker = asker;
    this.room = room;
  }

  /** The same bytes, counted as they pass. Throws busy when they exceed the limit. */
  async *counted(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of source) {
      this.room.add(this, chunk.length);
      yield chunk;
    }
  }

  /** Frees the place; may be called more than once. */
  leave(): void {
    this.room.leave(this);
  }
}

const full = () =>
  problem("busy", { reason: "too many uploads wait for their tokens; send the tokens before the file" });
