import { Worker } from "node:worker_threads";
import { Problem, type ProblemData, problem } from "../../domain/problem.ts";
import { isDamage, storeDamaged } from "./damage.ts";
import type { Caller, Operations } from "./sql.ts";

/**
 * What goes to a thread and what comes back. A call that failed unforeseen carries the error's stack as text, a problem
 * that of its cause.
 */
export type Call = { id: number; name: string; args: unknown[] };
export type Reply =
  | { id: number; value: unknown }
  | { id: number; problem: ProblemData & { errors: ProblemData[]; cause: string | undefined } }
  | { id: number; error: string };

/** The buffers of a reply that are transferred, not copied: the pieces of a long text. */
export function transferred(reply: Reply): ArrayBuffer[] {
  const value = "value" in reply ? reply.value : undefined;
  const json = typeof value === "object" && value !== null && "json" in value ? value.json : undefined;
  return Array.isArray(json) ? json.map((piece: Uint8Array<ArrayBuffer>) => piece.buffer) : [];
}

type Pending = { resolve: (value: never) => void; reject: (error: unknown) => void };

/**
 * Calls the operations of another thread by name. Calls of one turn of the event loop go over in one message. A thread
 * that dies fails what it was asked with `busy` or `outcome_unknown`, and is replaced at the next call.
 */
export class StoreThread<T extends Operations> implements Caller<T> {
  private worker: Worker | undefined;
  private readonly pending = new Map<number, Pending>();
  private outbox: Call[] = [];
  private lastId = 0;
  private isClosed = false;
  private readonly file: URL;
  private readonly options: {
    workerData: unknown;
    maxPending: number;
    onReply?: () => void;
    onFailure?: (failure: unknown) => void;
    loses: "outcome" | "nothing";
    maxYoungMib?: number;
  };

  /**
   * `onReply` runs before the callers hear of their replies, `onFailure` for each that is a failure. `loses` says what is
   * lost with a thread that dies: whether its calls were done, or nothing, since they only read. `maxYoungMib` bounds the
   * heap's young generation, which could otherwise grow past 100 MiB and stay there.
   */
  constructor(file: URL, options: StoreThread<T>["options"]) {
    this.file = file;
    this.options = options;
  }

  call<K extends keyof T & string>(name: K, ...args: Parameters<T[K]>): Promise<Awaited<ReturnType<T[K]>>> {
    // A thread that began behind the close would never end.
    if (this.isClosed) return Promise.reject(problem("busy", { reason: "the store is closed" }));
    if (this.pending.size >= this.options.maxPending) {
      return Promise.reject(problem("busy", { reason: "too many requests are waiting for the store" }));
    }
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.pending.set(id, { resolve, reject });
      if (this.outbox.push({ id, name, args }) === 1) setImmediate(() => this.send());
    });
  }

  /** Waits for what is under way and ends the thread. What comes later is busy. */
  async close(): Promise<void> {
    this.isClosed = true;
    while (this.pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const worker = this.worker;
    this.worker = undefined;
    if (!worker) return;
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("close");
    await exited;
  }

  private send(): void {
    this.worker ??= this.start();
    this.worker.postMessage(this.outbox);
    this.outbox = [];
  }

  private start(): Worker {
    const { workerData, maxYoungMib } = this.options;
    const resourceLimits = maxYoungMib === undefined ? {} : { maxYoungGenerationSizeMb: maxYoungMib };
    const worker = new Worker(this.file, { workerData, resourceLimits });
    worker.on("message", (replies: Reply[]) => this.receive(replies));
    worker.on("error", (error) => this.lose(worker, error));
    worker.on("exit", () => this.lose(worker, new Error("the store's thread ended")));
    return worker;
  }

  private receive(replies: Reply[]): void {
    this.options.onReply?.();
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
  }

  private lose(worker: Worker, cause: Error): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    const lost = this.lossOf(cause);
    this.options.onFailure?.(lost);
    for (const { reject } of this.pending.values()) reject(lost);
    this.pending.clear();
  }

  /** A thread whose connection cannot be opened for damage has done nothing. */
  private lossOf(cause: Error): Problem {
    if (isDamage(cause)) return storeDamaged(cause);
    const isUnknown = this.options.loses === "outcome";
    const lost = isUnknown ? problem("outcome_unknown") : problem("busy", { reason: "the store restarts" });
    lost.cause = cause;
    return lost;
  }
}

/** What a failed reply stands for. */
export function toError(reply: Exclude<Reply, { value: unknown }>): Error {
  if ("problem" in reply) {
    const { code, params, errors, cause } = reply.problem;
    const failure = new Problem(
      code,
      params,
      errors.map((error) => new Problem(error.code, error.params)),
    );
    if (cause !== undefined) failure.cause = cause;
    return failure;
  }
  const error = new Error("an operation of the store's thread failed");
  error.stack = reply.error;
  return error;
}

/** A failure as it travels back. */
export function toReply(id: number, error: unknown): Reply {
  if (!(error instanceof Problem)) return { id, error: stackOf(error) };
  const { code, params, cause } = error;
  const errors = error.errors.map((one) => ({ code: one.code, params: one.params }));
  return { id, problem: { code, params, errors, cause: cause === undefined ? undefined : stackOf(cause) } };
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
