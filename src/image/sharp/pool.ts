import { setTimeout as delay } from "node:timers/promises";
import { FairQueue } from "../../core/lib/fair-queue.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { strangers } from "../rendition.ts";
import { type ChildOptions, RenderChild } from "./child.ts";
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
export type RenderPoolOptions = ChildOptions & { workers: number; maxQueue: number };

/** Running jobs, waiting jobs, processes. */
export type RenderPoolStats = { running: number; waiting: number; children: number };

type Job = {
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
  private readonly queue: FairQueue;
  private closing: Promise<void> | undefined;
  private isExclusiveRunning = false;

  /** Starts no process before the first job. */
  constructor(options: RenderPoolOptions) {
    this.options = options;
    const { maxQueue } = options;
    this.queue = new FairQueue({
      maxWaiting: maxQueue,
      maxWaitingOf: (asker) => (asker === strangers ? maxQueue / 2 : maxQueue),
      refusal: full,
    });
  }

  get stats(): RenderPoolStats {
    return { running: this.runs.size, waiting: this.queue.size, children: this.children.size };
  }

  /**
   * Answers what render() answers; job and result are plain data that survive JSON, a result at most 1 MiB of it.
   * Throws RenderFailure; `busy` when the queue is full or the pool closes. When this settles, no process works on the
   * job any more.
   */
  async render<J, R>(job: J, asker = ""): Promise<R> {
    const text = JSON.stringify(job);
    return new Promise<unknown>((resolve, reject) => {
      this.wait({ asker, text, concurrency: "shared", isSecondTry: false, resolve, reject });
    }) as Promise<R>;
  }

  /** Refuses waiting jobs, gives running jobs two seconds, then kills. Answers when the processes have exited. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    this.queue.close(stopping);
    for (const child of this.children) if (child.isFree) child.retire();
    await Promise.race([Promise.all(this.runs), delay(closeMs, undefined, { ref: false })]);
    const children = [...this.children];
    for (const child of children) child.isFree ? child.retire() : child.kill(stopping());
    // Does not wait for a process that is stuck in the kernel: it exits when the kernel releases it.
    await Promise.race([Promise.all(children.map(({ gone }) => gone)), delay(killMs, undefined, { ref: false })]);
  }

  /** With the number that it had when it waited before, it has its place again. */
  private wait(job: Job, number?: number): void {
    this.queue.wait(job.asker, (own) => this.begin(job, own), { number }).catch(job.reject);
  }

  private begin(job: Job, number: number): "begun" | undefined {
    const isReady = job.concurrency === "shared" || !this.isExclusiveRunning;
    if (!isReady || !this.hasSlot()) return undefined;
    const run = this.run(job, number).finally(() => {
      this.runs.delete(run);
      this.queue.serve();
    });
    this.runs.add(run);
    return "begun";
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
  private async run(job: Job, number: number): Promise<void> {
    let child: RenderChild | undefined;
    const isExclusive = job.concurrency === "exclusive";
    this.isExclusiveRunning ||= isExclusive;
    try {
      child = this.freeChild() ?? this.start();
      job.resolve(await child.run(number, `{"id":${number},"concurrency":"${job.concurrency}","job":${job.text}}`));
    } catch (error) {
      if (needsExclusive(error) && !isExclusive && !this.closing) {
        // Later jobs overtake it only while another exclusive job runs.
        this.wait({ ...job, concurrency: "exclusive" }, number);
        return;
      }
      if (child?.hasLostUnbegun && !job.isSecondTry && !this.closing) {
        // The previous job crashed the process.
        this.wait({ ...job, isSecondTry: true }, number);
        return;
      }
      job.reject(error);
    } finally {
      if (isExclusive) this.isExclusiveRunning = false;
    }
    if (child?.isFree && (child.isWorn || this.closing)) child.retire();
  }

  private start(): RenderChild {
    const child = startChild(this.options);
    this.children.add(child);
    void child.gone.then(() => {
      this.children.delete(child);
      this.queue.serve();
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
