import { problem } from "../../../../domain/problem.ts";
import { type Call, toError } from "../../call.ts";
import { writesBeside } from "../../nouns.ts";
import type { Caller } from "../../sql.ts";
import type { Writer, Writes } from "../../writes.ts";
import type { PostgresFeed } from "./feed.ts";

/**
 * The maximum number of calls in one transaction: bounds how long the first one waits for the last. Larger than on SQLite,
 * since each group costs its round trips: an import is a fifth faster.
 */
const maxGroup = 1024;

type Waiting = { call: Call; resolve: (value: never) => void; reject: (error: unknown) => void };

/** The writes of this node: concurrent writes share a transaction. This node's later reads see each write. */
export class WriteQueue implements Caller<Writes> {
  private readonly writer: Writer;
  private readonly feed: PostgresFeed;
  private readonly maxPending: number;
  private readonly onFailure: (failure: unknown) => void;
  private queue: Waiting[] = [];
  private pending = 0;
  private running: Promise<void> | undefined;

  constructor(writer: Writer, feed: PostgresFeed, maxPending: number, onFailure: (failure: unknown) => void) {
    this.writer = writer;
    this.feed = feed;
    this.maxPending = maxPending;
    this.onFailure = onFailure;
  }

  call<K extends keyof Writes & string>(
    name: K,
    ...args: Parameters<Writes[K]>
  ): Promise<Awaited<ReturnType<Writes[K]>>> {
    if (this.pending >= this.maxPending) {
      return Promise.reject(problem("busy", { reason: "too many requests are waiting for the store" }));
    }
    this.pending++;
    return new Promise((resolve, reject) => {
      this.queue.push({ call: { id: 0, name, args }, resolve, reject });
      this.running ??= this.drain();
    });
  }

  /** Waits for the writes in progress. */
  async close(): Promise<void> {
    await this.running;
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      // The calls of one turn of the event loop, and those received while the last group was written.
      await new Promise((resolve) => setImmediate(resolve));
      await this.write(this.queue.splice(0, this.groupSize()));
    }
    this.running = undefined;
  }

  /** The number of waiting calls that share the next transaction: one that is beside others has none with it. */
  private groupSize(): number {
    const beside = this.queue.findIndex(({ call }) => writesBeside.has(call.name));
    return beside < 0 ? maxGroup : Math.max(1, Math.min(beside, maxGroup));
  }

  private async write(group: Waiting[]): Promise<void> {
    const replies = await this.writer.run(group.map(({ call }) => call));
    // After a failed poll nothing may be answered from the cache: the next reads ask the database.
    await this.feed.look().catch(() => undefined);
    this.pending -= group.length;
    for (const [i, { resolve, reject }] of group.entries()) {
      const reply = replies[i];
      if (reply && "value" in reply) {
        resolve(reply.value as never);
        continue;
      }
      const failure = reply ? toError(reply) : new Error("a write without a reply");
      this.onFailure(failure);
      reject(failure);
    }
  }
}
