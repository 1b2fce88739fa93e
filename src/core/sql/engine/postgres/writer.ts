import { setImmediate } from "node:timers/promises";
import { Turns } from "../../../lib/fair-queue.ts";
import { problem } from "../../../problem.ts";
import { toError } from "../../call.ts";
import type { NounSet } from "../../noun.ts";
import type { WriteFigures } from "../../store.ts";
import type { Done, WriteCaller, Writer } from "../../writes.ts";
import { type WaitingCall, WriteGroup } from "../write-group.ts";
import type { PostgresFeed } from "./feed.ts";

/** More than on SQLite, since each group costs its round trips. */
const maxCalls = 1024;

type Waiting = WaitingCall & { resolve: (value: never) => void; reject: (error: unknown) => void };

/** The writes of this node: concurrent writes share a transaction. This node's later reads see each write. */
export class WriteQueue implements WriteCaller {
  private readonly writer: Writer;
  private readonly feed: PostgresFeed;
  private readonly maxPending: number;
  private readonly onFailure: (failure: unknown) => void;
  private readonly groups: WriteGroup;
  private readonly queue = new Turns<Waiting>();
  private pending = 0;
  private answered = { calls: 0, groups: 0 };
  private running: Promise<void> | undefined;
  private isClosed = false;

  /** `groupMs`: how long a transaction may take. */
  constructor(
    nouns: NounSet,
    writer: Writer,
    feed: PostgresFeed,
    maxPending: number,
    onFailure: (failure: unknown) => void,
    groupMs: number,
  ) {
    this.writer = writer;
    this.feed = feed;
    this.maxPending = maxPending;
    this.onFailure = onFailure;
    this.groups = new WriteGroup(nouns, { calls: maxCalls, ms: groupMs });
  }

  call(name: string, ...args: unknown[]): Promise<Done> {
    // What the store does of its own accord goes on call by call: it ends here, and opens no connection again.
    if (this.isClosed) return Promise.reject(problem("busy", { reason: "the store is closed" }));
    if (this.pending >= this.maxPending) {
      return Promise.reject(problem("busy", { reason: "too many requests are waiting for the store" }));
    }
    this.pending++;
    return new Promise((resolve, reject) => {
      this.queue.add({ asker: this.groups.askerOf({ name, args }), call: { id: 0, name, args }, resolve, reject });
      this.running ??= this.drain();
    });
  }

  get writeFigures(): WriteFigures {
    const { calls, groups } = this.answered;
    return { writesWaiting: this.pending, writes: calls, writeGroups: groups };
  }

  /** Waits for the writes in progress. Later calls throw busy. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.running;
  }

  private async drain(): Promise<void> {
    while (this.queue.first) {
      // The calls of one turn of the event loop, and those received while the last group was written.
      await setImmediate();
      await this.write(this.groups.takeFrom(this.queue));
    }
    this.running = undefined;
  }

  private async write(group: Waiting[]): Promise<void> {
    const calls = group.map(({ call }) => call);
    const began = performance.now();
    const replies = await this.writer.run(calls);
    this.groups.ended(calls, performance.now() - began);
    // After a failed poll nothing may be answered from the cache: the next reads ask the database.
    await this.feed.look().catch(() => undefined);
    this.pending -= group.length;
    this.answered.calls += group.length;
    this.answered.groups++;
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
