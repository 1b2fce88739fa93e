import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { readCpuMs, readRss, spawnWorker } from "./process.ts";
import { parseReply, RenderFailure, type Reply, toFailure } from "./reply.ts";

export type ChildOptions = {
  module: URL;
  timeoutMs: number;
  wallTimeoutMs: number;
  maxMemoryBytes: number;
  idleMs: number;
  /** Niceness of the process, 10 by default; higher is less urgent. */
  niceness?: number;
};

type Running = {
  id: number;
  isBegun: boolean;
  /** Processor time of the process when the job began; undefined before that, and where it cannot be read. */
  beganAtCpuMs: number | undefined;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  timeout: NodeJS.Timeout;
  sampling: NodeJS.Timeout;
};

const sampleMs = 100;
const maxJobs = 500;
/** Timeout for the start of a process: with its low priority, a slow start on a busy machine is not the job's fault. */
const startMs = 10_000;
const maxReplyLength = 1024 * 1024;
const maxStderrLength = 2000;
/** How long a job waits for its killed process to exit. */
const killMs = 1000;
/** How long to wait for the stderr of a dead process, and for the exit of one that closed its channel. */
const lastWordsMs = 1000;

/**
 * One rendering process, one job at a time. It is killed when a job exceeds its time or memory limit, when it sends an
 * invalid reply, and when it was idle for `idleMs`. It does not keep this process alive unless it has a job.
 */
export class RenderChild {
  /** Fulfils when the process has exited; never rejects. */
  readonly gone: Promise<void>;
  /** True when it had done jobs and exited before it began the current one: the current job is not to blame. */
  hasLostUnbegun = false;
  private readonly options: ChildOptions;
  private readonly process: ChildProcess;
  private readonly bury = Promise.withResolvers<void>();
  private running: Running | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  private graceTimer: NodeJS.Timeout | undefined;
  private failure: Error | undefined;
  private isDead = false;
  private jobs = 0;
  private rss = 0;
  private heard = "";
  private stderr = "";

  /** Throws what spawn() throws, when the system is out of memory for a process. */
  constructor(options: ChildOptions) {
    this.options = options;
    this.gone = this.bury.promise;
    this.process = spawnWorker(options.module, options.niceness);
    this.process.on("error", () => this.process.pid === undefined && this.fail());
    this.process.once("exit", (code, signal) => this.die(code, signal));
    this.process.unref();
    this.listen();
  }

  /** Whether it can take a job. */
  get isFree(): boolean {
    return !this.running && !this.failure && !this.isDead;
  }

  /** Whether it has done enough jobs, or holds enough memory, to be replaced. */
  get isWorn(): boolean {
    return this.jobs >= maxJobs || this.rss > this.options.maxMemoryBytes / 2;
  }

  /**
   * Sends the line of JSON `{ id, concurrency, job }` to a free process; answers what render() answers. Throws RenderFailure,
   * or the error it was killed with. After a kill it throws when the process has exited, or a second later when it is
   * stuck in the kernel: until then it may still write.
   */
  run(id: number, line: string): Promise<unknown> {
    clearTimeout(this.idleTimer);
    this.stderr = "";
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const { wallTimeoutMs } = this.options;
    const timeout = this.startTimeout("starved", this.jobs > 0 ? wallTimeoutMs : Math.max(wallTimeoutMs, startMs));
    const sampling = setInterval(() => this.sample(), sampleMs);
    this.running = { id, isBegun: false, beganAtCpuMs: undefined, resolve, reject, timeout, sampling };
    this.channel?.write(`${line}\n`);
    return promise;
  }

  /** Kills the process for a fault; its job, if any, fails with this error. The first kill decides the error. */
  kill(failure: Error): void {
    if (this.failure) return;
    this.failure = failure;
    this.process.kill("SIGKILL");
    this.graceTimer = setTimeout(() => this.lose(), killMs);
  }

  /** Kills a process without a job: nothing is lost. */
  retire(): void {
    this.kill(new RenderFailure("crashed", "it was retired"));
  }

  private get channel(): Socket | undefined {
    // The streams are missing when the system is out of file descriptors.
    return (this.process.stdio as unknown as Socket[] | undefined)?.[3];
  }

  private listen(): void {
    const [channel, stderr] = [this.channel, this.process.stderr as Socket | null | undefined];
    for (const socket of [channel, stderr]) {
      socket?.setEncoding("utf8");
      socket?.unref();
      // EPIPE, ECONNRESET: the process has exited or is exiting, which another event reports.
      socket?.on("error", () => undefined);
    }
    channel?.on("data", (chunk: string) => this.hear(chunk));
    channel?.once("close", () => setTimeout(() => this.breach("it closed its channel"), lastWordsMs).unref());
    stderr?.on("data", (chunk: string) => {
      this.stderr = (this.stderr + chunk).slice(-maxStderrLength);
    });
  }

  private hear(chunk: string): void {
    const lines = (this.heard + chunk).split("\n");
    this.heard = lines.pop() ?? "";
    for (const line of lines) this.take(line);
    if (this.heard.length > maxReplyLength) this.breach("its reply had no end");
  }

  private take(line: string): void {
    if (this.failure) return;
    const reply = parseReply(line);
    const { running } = this;
    if (typeof reply?.rss === "number") this.rss = reply.rss;
    if (!reply) this.breach("it sent an invalid reply");
    else if (reply.id === undefined) this.checkMemory(this.rss);
    else if (reply.id !== running?.id) this.breach("it replied to another job");
    // Once only: otherwise it would postpone its own end forever.
    else if (reply.isBegun && !running.isBegun) this.begin(running);
    else if (reply.isBegun) this.breach("it started twice");
    else this.finish(running, reply);
  }

  private begin(running: Running): void {
    running.isBegun = true;
    clearTimeout(running.timeout);
    running.beganAtCpuMs = readCpuMs(this.process.pid);
    const { timeoutMs, wallTimeoutMs } = this.options;
    // Where processor time cannot be read, wall-clock time counts, as if the job had the machine for itself.
    const isSeen = running.beganAtCpuMs !== undefined;
    running.timeout = isSeen ? this.startTimeout("starved", wallTimeoutMs) : this.startTimeout("timeout", timeoutMs);
  }

  private startTimeout(kind: "timeout" | "starved", ms: number): NodeJS.Timeout {
    return setTimeout(() => this.kill(new RenderFailure(kind, `it took longer than ${ms} ms`)), ms);
  }

  /** Reports it in the same way as an error that spawn() throws. */
  private fail(): void {
    this.failure ??= new RenderFailure("starved", "it could not be started");
    this.end("it could not be started");
  }

  private sample(): void {
    this.checkMemory(readRss(this.process.pid));
    this.checkTime(readCpuMs(this.process.pid));
  }

  private checkTime(cpuMs: number | undefined): void {
    const { timeoutMs } = this.options;
    const began = this.running?.beganAtCpuMs;
    if (cpuMs === undefined || began === undefined || cpuMs - began <= timeoutMs) return;
    this.kill(new RenderFailure("timeout", `it took ${cpuMs - began} ms of processor time, more than ${timeoutMs}`));
  }

  private finish({ resolve, reject }: Running, { value, error }: Reply): void {
    this.rest();
    this.jobs++;
    if (error) reject(toFailure(error));
    else resolve(value);
    this.idleTimer = setTimeout(() => this.retire(), this.options.idleMs).unref();
  }

  private rest(): void {
    clearTimeout(this.running?.timeout);
    clearInterval(this.running?.sampling);
    this.running = undefined;
  }

  private checkMemory(bytes: number | undefined): void {
    if (bytes === undefined || bytes <= this.options.maxMemoryBytes) return;
    this.kill(new RenderFailure("memory", `it held ${bytes} bytes, more than ${this.options.maxMemoryBytes}`));
  }

  private breach(detail: string): void {
    if (!this.isDead) this.kill(new RenderFailure("crashed", detail));
  }

  /** A reply may still be in the pipe, and the cause in stderr: "close" is emitted when both were read. */
  private die(code: number | null, signal: string | null): void {
    this.isDead = true;
    clearTimeout(this.idleTimer);
    const how = code === null ? `it ended by ${signal}` : `it ended with exit code ${code}`;
    const isUnstarted = code !== null && code !== 0 && this.jobs === 0 && this.running?.isBegun === false;
    const end = () =>
      this.end(this.stderr ? `${how}: ${this.stderr.trim()}` : how, isUnstarted ? "unstarted" : "crashed");
    const timer = setTimeout(end, lastWordsMs);
    this.process.once("close", () => {
      clearTimeout(timer);
      end();
    });
  }

  private end(how: string, kind: "crashed" | "unstarted" = "crashed"): void {
    this.isDead = true;
    this.failure ??= new RenderFailure(kind, how);
    clearTimeout(this.graceTimer);
    this.channel?.destroy();
    this.process.stderr?.destroy();
    // In this order: a job that is retried must be back in the queue before a slot is free for the next.
    this.lose();
    this.bury.resolve();
  }

  private lose(): void {
    const { running } = this;
    clearTimeout(this.idleTimer);
    this.rest();
    if (!running) return;
    this.hasLostUnbegun = !running.isBegun && this.jobs > 0;
    running.reject(this.failure);
  }
}
