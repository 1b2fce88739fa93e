import { setTimeout as delay } from "node:timers/promises";
import { type Problem, problem } from "../../domain/problem.ts";
import { RenderChild } from "./child.ts";
import { RenderFailure } from "./reply.ts";

/**
 * `workers`: maximum number of processes. `maxQueue`: maximum number of waiting jobs. `timeoutMs`: processor time of a
 * job. `clockMs`: wall-clock time of a job, once it began; a process has 10 s or that, whichever is more, to start.
 * `maxMemoryBytes`: limit of a process's whole resident memory; it is checked every 100 ms, so a process can exceed it
 * by what a job allocates between two checks. A process past half of it after a job is replaced, so this must be well
 * above twice what the module holds when idle. `idleMs`: when a process without jobs ends. `module`: exports
 * `render(job, room)`, which may be asynchronous. In a shared room it refuses a job that takes much memory with an
 * error whose code is `needs_room`; then it is called for that job again with a room of its own.
 */
export type RenderPoolOptions = {
  workers: number;
  maxQueue: number;
  timeoutMs: number;
  clockMs: number;
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
  /** The job as JSON. */
  text: string;
  /** "own": no other such job runs at the same time, whatever the number of processes. */
  room: "shared" | "own";
  isSecondTry: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** How long close() waits for running jobs. */
const closeMs = 2000;
/** How long close() then waits for the processes it killed. */
const killMs = 1000;

/**
 * Runs `render(job)` of a module in child processes: first in, first out, one job at a time each. Whatever a job does
 * to its process, no other job and nothing in this process is affected: the queue continues with a fresh process.
 */
export class RenderPool {
  private readonly options: RenderPoolOptions;
  private readonly children = new Set<RenderChild>();
  private readonly runs = new Set<Promise<void>>();
  private readonly waiting: Job[] = [];
  private closing: Promise<void> | undefined;
  /** Whether a job with a room of its own is running. */
  private isRoomTaken = false;
  private lastId = 0;

  /** Processes are started when there are jobs for them. */
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
  async render<J, R>(job: J): Promise<R> {
    if (this.closing) throw stopping();
    if (this.waiting.length >= this.options.maxQueue && !this.hasRoom()) throw full();
    const id = ++this.lastId;
    const text = JSON.stringify(job);
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.push({ id, text, room: "shared", isSecondTry: false, resolve, reject });
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
    while (this.hasRoom()) {
      const next = this.waiting.findIndex(({ room }) => room === "shared" || !this.isRoomTaken);
      if (next < 0) return;
      const [job] = this.waiting.splice(next, 1) as [Job];
      const run = this.run(job).finally(() => {
        this.runs.delete(run);
        this.dispatch();
      });
      this.runs.add(run);
    }
  }

  private hasRoom(): boolean {
    if (this.closing) return false;
    return this.children.size < this.options.workers || this.freeChild() !== undefined;
  }

  /** The first free process, so that the last ones become idle under low load. */
  private freeChild(): RenderChild | undefined {
    for (const child of this.children) if (child.isFree) return child;
  }

  /** Never throws: the job receives the failure. */
  private async run(job: Job): Promise<void> {
    let child: RenderChild | undefined;
    const hasRoom = job.room === "own";
    this.isRoomTaken ||= hasRoom;
    try {
      child = this.freeChild() ?? this.start();
      job.resolve(await child.run(job.id, `{"id":${job.id},"room":"${job.room}","job":${job.text}}`));
    } catch (error) {
      if (needsRoom(error) && !hasRoom && !this.closing) {
        this.waitForRoom(job);
        return;
      }
      if (child?.hasLostUnbegun && !job.isSecondTry && !this.closing) {
        this.retry(job);
        return;
      }
      job.reject(error);
    } finally {
      if (hasRoom) this.isRoomTaken = false;
    }
    if (child?.isFree && (child.isWorn || this.closing)) child.retire();
  }

  /** A process that died of the job before must not fail this one. */
  private retry(job: Job): void {
    job.isSecondTry = true;
    this.waiting.unshift(job);
  }

  /** At the head of the queue: other jobs overtake it only while the room is taken. */
  private waitForRoom(job: Job): void {
    job.room = "own";
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

const needsRoom = (error: unknown): boolean => error instanceof RenderFailure && error.code === "needs_room";
const full = (): Problem => problem("busy", { reason: "too many pictures are waiting to be rendered" });
const stopping = (): Problem => problem("busy", { reason: "the service stops" });
