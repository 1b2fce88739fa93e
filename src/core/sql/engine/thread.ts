import { Worker } from "node:worker_threads";
import { isUnloadable } from "../../lib/sibling.ts";
import { type Problem, problem } from "../../problem.ts";
import { type Call, type Reply, toError } from "../call.ts";
import { isDamage, storeDamaged } from "../damage.ts";
import type { Caller, Operations } from "../sql.ts";
import type { WriteFigures } from "../store.ts";
import { Stops } from "./stops.ts";

const standardYoungMib = 24;
/** A thread holds some 50 MB, and the first list after it has ended waits some 100 ms for another. */
export const readerIdleMs = 5 * 60_000;

type Pending = { resolve: (value: never) => void; reject: (error: unknown) => void };

/**
 * Calls the operations of another thread by name. Calls of one turn of the event loop are sent in one message. When a
 * thread dies, its pending calls fail with `busy` or `outcome_unknown`, and the next call starts another. Those of one
 * whose module cannot be loaded fail with `internal`.
 */
export class StoreThread<T extends Operations> implements Caller<T> {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private outbox: Call[] = [];
  private lastId = 0;
  /** How many calls were answered, in how many messages: of the writer each is a transaction. */
  private answered = { calls: 0, messages: 0 };
  private isClosed = false;
  private idle: NodeJS.Timeout | undefined;
  private ended: Promise<unknown> | undefined;
  private readonly file: URL;
  private readonly stops = new Stops();
  private readonly options: {
    workerData: object;
    maxPending: number;
    onReply?: () => void;
    onFailure?: (failure: unknown) => void;
    loses: "outcome" | "nothing";
    maxYoungMib?: number;
    idleMs?: number;
  };

  /**
   * `onReply` runs before the callers receive their replies, `onFailure` for each failure. `loses` says what a thread
   * that dies loses: whether its calls were done, or nothing, since they only read. `maxYoungMib` bounds the heap's
   * young generation, which could otherwise grow past 100 MiB and stay there; 24 by default. Decision 44. After `idleMs`
   * without a call the thread ends, and the next call starts another; without it, it stays.
   */
  constructor(file: URL, options: StoreThread<T>["options"]) {
    this.file = file;
    this.options = options;
  }

  call<K extends keyof T & string>(name: K, ...args: Parameters<T[K]>): Promise<Awaited<ReturnType<T[K]>>> {
    return this.callUntil(undefined, name, args);
  }

  /** The number of calls without a reply. */
  get load(): number {
    return this.pending.size;
  }

  get writeFigures(): WriteFigures {
    const { calls, messages } = this.answered;
    return { writesWaiting: this.load, writes: calls, writeGroups: messages };
  }

  /** As `call`; the signal stops the call, where its operation looks whether it was stopped. */
  callUntil<K extends keyof T & string>(
    signal: AbortSignal | undefined,
    name: K,
    args: Parameters<T[K]>,
  ): Promise<Awaited<ReturnType<T[K]>>> {
    // A thread started after close() would never end.
    if (this.isClosed) return Promise.reject(problem("busy", { reason: "the store is closed" }));
    if (this.pending.size >= this.options.maxPending) {
      return Promise.reject(problem("busy", { reason: "too many requests are waiting for the store" }));
    }
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.pending.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => this.pending.has(id) && this.stops.stop(id), { once: true });
      if (this.outbox.push({ id, name, args }) === 1) setImmediate(() => this.send());
    });
  }

  /** Waits for the calls in progress and ends the thread. Later calls throw busy. */
  async close(): Promise<void> {
    this.isClosed = true;
    while (this.pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    clearTimeout(this.idle);
    this.end();
    await this.ended;
  }

  private end(): void {
    const worker = this.worker;
    this.worker = undefined;
    if (!worker) return;
    this.ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("close");
  }

  private endWhenIdle(): void {
    const { idleMs } = this.options;
    if (idleMs === undefined) return;
    this.idle ??= setTimeout(() => this.pending.size === 0 && this.end(), idleMs).unref();
    this.idle.refresh();
  }

  private send(): void {
    this.worker ??= this.start();
    this.worker.postMessage(this.outbox);
    this.outbox = [];
  }

  private start(): Worker {
    const { workerData, maxYoungMib = standardYoungMib } = this.options;
    const resourceLimits = { maxYoungGenerationSizeMb: maxYoungMib };
    const worker = new Worker(this.file, { workerData: { ...workerData, stops: this.stops.shared }, resourceLimits });
    worker.on("message", (replies: Reply[]) => this.receive(replies));
    worker.on("error", (error) => this.lose(worker, error));
    worker.on("exit", () => this.lose(worker, new Error("the store's thread ended")));
    return worker;
  }

  private receive(replies: Reply[]): void {
    this.options.onReply?.();
    this.answered.calls += replies.length;
    this.answered.messages++;
    for (const reply of replies) {
      const pending = this.pending.get(reply.id);
      this.pending.delete(reply.id);
      if ("value" in reply) {
        pending?.resolve(reply.value as never);
        continue;
      }
      const failure = toError(reply);
      this.options.onFailure?.(failure);
      pending?.reject(failure);
    }
    this.endWhenIdle();
  }

  private lose(worker: Worker, cause: Error): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    const lost = this.lossOf(cause);
    this.options.onFailure?.(lost);
    for (const { reject } of this.pending.values()) reject(lost);
    this.pending.clear();
  }

  /** A thread that cannot be loaded, or cannot open its connection because of damage, has done nothing. */
  private lossOf(cause: Error): Problem {
    if (isDamage(cause)) return storeDamaged(cause);
    const isUnknown = this.options.loses === "outcome";
    const lost = isUnknown ? problem("outcome_unknown") : problem("busy", { reason: "the store restarts" });
    return Object.assign(isUnloadable(cause) ? problem("internal") : lost, { cause });
  }
}
