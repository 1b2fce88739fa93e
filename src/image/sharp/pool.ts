import { setTimeout as delay } from "node:timers/promises";
import { AskerTurns } from "../../core/lib/waiting-line.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { strangers } from "../rendition.ts";
import { RenderChild } from "./child.ts";
import type { Concurrency } from "./job.ts";
import { RenderFailure } from "./reply.ts";

/**
 * `workers`: maximum number of processes. `maxQueue`: maximum number of waiting jobs. `timeoutMs`: processor time of a
 * job. `wallTimeoutMs`: wall-clock time of a job from its start; a process has 10 s or that, whichever is more, to
 * start. `maxMemoryBytes`: limit of a process's resident memory; it is checked every 100 ms, so a process can exceed it
 * by what a job allocates between two checks. A process that holds more than half of it after a job is replaced, so it
 * must be well above twice what the module holds when idle. `idleMs`: an idle process ends after this time. `module`:
 * exports `render(job, concurrency)`, which may be asynchronous. A "shared" call refuses a job that takes much memory
 * with an error whose code is `needs_exclusive`; the pool then calls it again with "exclusive".
 */
export type RenderPoolOptions = {
  workers: number;
  maxQueue: number;
  timeoutMs: number;
  wallTimeoutMs: number;
  maxMemoryBytes: number;
  idleMs: number;
  module: URL;
  /** Niceness of the processes, 10 by default; higher is less urgent. */
  niceness?: number;
};

/** Running jobs, waiting jobs, processes. */
export type RenderPoolStats = { running: number; waiting: number; children: number };

type Job = {
  id: number;
  asker: string;
  /** The job as JSON. */
  text: string;
  /** At most one exclusive job runs at a time, whatever the number of processes. */
  concurrency: Concurrency;
  isSecondTry: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** How long close() waits for running jobs. */
const closeMs = 2000;
/** How long close() then waits until the killed processes have exited. */
const killMs = 1000;

/**
 * Runs `render(job)` of a module in child processes, one job at a time in each. Askers take turns; the jobs of each are
 * first in, first out. A job that
 * crashes its process affects no other job and not this process: the queue continues with a new one.
 */
export class RenderPool {
  private readonly options: RenderPoolOptions;
  private readonly children = new Set<RenderChild>();
  private readonly runs = new Set<Promise<void>>();
  private readonly waiting: Job[] = [];
  private closing: Promise<void> | undefined;
  private isExclusiveRunning = false;
  private lastId = 0;
  private readonly turns = new AskerTurns();

  /** Starts no process before the first job. */
  constructor(options: RenderPoolOptions) {
    this.options = options;
  }

  get stats(): RenderPoolStats {
    return { running: this.runs.size, waiting: this.waiting.length, children: this.children.size };
  }

  /**
   * Answers what render() answers; job and result are plain data that survive JSON, a result at most 1 MiB of it.
   * Throws RenderFailure; `busy` when the queue is full or the pool closes. When this settles, no process works on the
   * job any more.
   */
  async render<J, R>(job: J, asker = ""): Promise<R> {
    if (this.closing) throw stopping();
    if (!this.hasRoom(asker) && !this.hasSlot()) throw full();
    const id = ++this.lastId;
    const text = JSON.stringify(job);
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.push({ id, asker, text, concurrency: "shared", isSecondTry: false, resolve, reject });
      this.dispatch();
    }) as Promise<R>;
  }

  /** Refuses waiting jobs, gives running jobs two seconds, then kills. Answers when the processes have exited. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    for (const job of this.waiting.splice(0)) job.reject(stopping());
    for (const child of this.children) if (child.isFree) child.retire();
    await Promise.race([Promise.all(this.runs), delay(closeMs, undefined, { ref: false })]);
    const children = [...this.children];
    for (const child of children) child.isFree ? child.retire() : child.kill(stopping());
    // Does not wait for a process that is stuck in the kernel: it exits when the kernel releases it.
    await Promise.race([Promise.all(children.map(({ gone }) => gone)), delay(killMs, undefined, { ref: false })]);
  }

  private dispatch(): void {
    while (this.hasSlot()) {
      const job = this.next();
      if (!job) return;
      this.waiting.splice(this.waiting.indexOf(job), 1);
      this.turns.take(job, this.waiting);
      const run = this.run(job).finally(() => {
        this.runs.delete(run);
        this.dispatch();
      });
      this.runs.add(run);
    }
  }

  private next(): Job | undefined {
    const isReady = ({ concurrency }: Job) => concurrency === "shared" || !this.isExclusiveRunning;
    return this.turns.first(this.waiting.filter(isReady));
  }

  private hasRoom(asker: string): boolean {
    const { maxQueue } = this.options;
    if (this.waiting.length >= maxQueue) return false;
    return asker !== strangers || this.waiting.filter((job) => job.asker === asker).length < maxQueue / 2;
  }

  private hasSlot(): boolean {
    if (this.closing) return false;
    return this.children.size < this.options.workers || this.freeChild() !== undefined;
  }

  /** The first free process: under low load the last ones become idle and end. */
  private freeChild(): RenderChild | undefined {
    for (const child of this.children) if (child.isFree) return child;
  }

  /** Never throws: a failure rejects the job. */
  private async run(job: Job): Promise<void> {
    let child: RenderChild | undefined;
    const isExclusive = job.concurrency === "exclusive";
    this.isExclusiveRunning ||= isExclusive;
    try {
      child = this.freeChild() ?? this.start();
      job.resolve(await child.run(job.id, `{"id":${job.id},"concurrency":"${job.concurrency}","job":${job.text}}`));
    } catch (error) {
      if (needsExclusive(error) && !isExclusive && !this.closing) {
        this.retryExclusively(job);
        return;
      }
      if (child?.hasLostUnbegun && !job.isSecondTry && !this.closing) {
        this.retry(job);
        return;
      }
      job.reject(error);
    } finally {
      if (isExclusive) this.isExclusiveRunning = false;
    }
    if (child?.isFree && (child.isWorn || this.closing)) child.retire();
  }

  /** The previous job crashed the process: this one goes back to the head of the queue. */
  private retry(job: Job): void {
    job.isSecondTry = true;
    this.waiting.unshift(job);
  }

  /** Back to its place in the queue: later jobs overtake it only while another exclusive job runs. */
  private retryExclusively(job: Job): void {
    job.concurrency = "exclusive";
    const behind = this.waiting.findIndex(({ id }) => id > job.id);
    this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, job);
  }

  private start(): RenderChild {
    const child = startChild(this.options);
    this.children.add(child);
    void child.gone.then(() => {
      this.children.delete(child);
      this.dispatch();
    });
    return child;
  }
}

function startChild(options: RenderPoolOptions): RenderChild {
  try {
    return new RenderChild(options);
  } catch (error) {
    throw new RenderFailure("starved", `its process could not be started: ${String(error)}`);
  }
}

const needsExclusive = (error: unknown): boolean => error instanceof RenderFailure && error.code === "needs_exclusive";
const full = (): Problem => problem("busy", { reason: "too many pictures are waiting to be rendered" });
const stopping = (): Problem => problem("busy", { reason: "the service stops" });
