import { setTimeout as delay } from "node:timers/promises";
import { type Problem, problem } from "../../domain/problem.ts";
import { RenderChild } from "./child.ts";
import { RenderFailure } from "./reply.ts";

/**
 * `workers`: most processes at a time. `maxQueue`: most jobs waiting for one. `timeoutMs`: processor time of a
 * job. `clockMs`: time of a job by the clock, once it began; a process that starts has 10 s or that for it. `maxMemoryBytes`: for a process, all of its resident memory; looked at every 100 ms, so what a job takes
 * between two looks comes on top. A process past half of it after a job is replaced, so this must be well above twice
 * what the module holds when idle. `idleMs`: when a process without jobs ends.
 * `module`: exports `render(job, room)`, which may be asynchronous. A job that takes much memory it refuses in a shared
 * room with an error whose code is `needs_room`; then it is called for that job again with a room of its own.
 */
export type RenderPoolOptions = {
  workers: number;
  maxQueue: number;
  timeoutMs: number;
  clockMs: number;
  maxMemoryBytes: number;
  idleMs: number;
  module: URL;
  /** Of the processes, 10 without it; higher is less urgent. */
  niceness?: number;
};

/** Jobs under way, jobs waiting, processes. */
export type RenderPoolStats = { running: number; waiting: number; children: number };

type Job = {
  id: number;
  /** The job as JSON. */
  text: string;
  /** Its own: no other such job runs beside it, whatever the number of processes. */
  room: "shared" | "own";
  isSecondTry: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};

/** How long close() lets running jobs go on. */
const closeMs = 2000;
/** How long close() then waits for what it killed. */
const killMs = 1000;

/**
 * Runs `render(job)` of a module in child processes: first come, first served, one job at a time each. Whatever a job
 * does to its process, no other job and nothing in this process notices: the queue goes on with a fresh one.
 */
export class RenderPool {
  private readonly options: RenderPoolOptions;
  private readonly children = new Set<RenderChild>();
  private readonly runs = new Set<Promise<void>>();
  private readonly waiting: Job[] = [];
  private closing: Promise<void> | undefined;
  /** Whether a job with a room of its own runs. */
  private isRoomTaken = false;
  private lastId = 0;

  /** Processes start when there are jobs for them. */
  constructor(options: RenderPoolOptions) {
    this.options = options;
  }

  get stats(): RenderPoolStats {
    return { running: this.runs.size, waiting: this.waiting.length, children: this.children.size };
  }

  /**
   * Answers what render() answers; job and result are plain data that survive JSON, a result at most 1 MiB of it.
   * Throws RenderFailure; `busy` when the queue is full or the pool closes. After that nothing works on the job any more.
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

  /** Refuses what waits, gives what runs two seconds, then kills. Answers when the processes are gone. */
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
    // One that is stuck in the kernel is not waited for: it goes when the kernel lets it.
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

  /** The first that is free, so that the last ones become idle when there is little to do. */
  private freeChild(): RenderChild | undefined {
    for (const child of this.children) if (child.isFree) return child;
  }

  /** Never throws: the job hears of it. */
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

  /** A process that died of the job before must not take this one with it. */
  private retry(job: Job): void {
    job.isSecondTry = true;
    this.waiting.unshift(job);
  }

  /** In front of what came after it: the others go by only while the room is taken. */
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
