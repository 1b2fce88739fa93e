import { type Problem, problem } from "../../core/problem.ts";
import type { Prose, ProseAsker } from "../render.ts";
import { ProseThread, type ProseThreadOptions, stopping } from "./thread.ts";

/**
 * Texts that wait for one thread. Clients have their turns, and so have the reads of each; a turn is a text, or short ones
 * together. A text that several reads wait for is rendered once, at the first of their turns.
 */

export type LaneOptions = ProseThreadOptions & {
  /** How long a read waits for the turn of one of its texts. */
  maxWaitMs: number;
};

type Html = string | undefined;
type Waiter = { read: Read; resolve(html: Html): void; reject(error: unknown): void };
/** A text that is not rendered yet. */
type Task = { prose: Prose; waiters: Set<Waiter>; isRunning: boolean };

/** Texts are sent together up to this length, so that a turn is short. */
const maxTurnLength = 64 * 1024;
/** Reads of one client that wait. */
const maxWaiting = 1000;

export class Lane {
  private readonly thread: ProseThread;
  private readonly maxWaitMs: number;
  private readonly tasks = { markdown: new Map<string, Task>(), html: new Map<string, Task>() };
  /** By client the reads that have texts that wait; whose turn is next comes first. */
  private readonly lines = new Map<string, Read[]>();
  private isBusy = false;
  private isClosed = false;

  constructor({ maxWaitMs, ...options }: LaneOptions) {
    this.thread = new ProseThread(options);
    this.maxWaitMs = maxWaitMs;
  }

  /** As ProseRenderer.render. */
  render(texts: readonly Prose[], { client, signal }: ProseAsker): Promise<Html>[] {
    if (texts.length === 0) return [];
    const line = this.lines.get(client) ?? [];
    const refusal = this.isClosed ? stopping() : line.length >= maxWaiting ? tooMany() : undefined;
    if (refusal) return texts.map(() => Promise.reject(refusal));
    const read = new Read(this.maxWaitMs, (task) => this.abandon(task));
    const html = texts.map((prose) => read.waitFor(this.taskOf(prose)));
    if (read.hasNext) this.lines.set(client, [...line, read]);
    read.start(signal);
    if (!this.isBusy) void this.work();
    return html;
  }

  /** Ends the thread; what waits is refused with `busy`. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const read of [...this.lines.values()].flat()) read.fail(stopping());
    this.lines.clear();
    await this.thread.close();
  }

  private taskOf(prose: Prose): Task {
    const tasks = this.tasks[prose.format];
    const task = tasks.get(prose.text) ?? { prose, waiters: new Set(), isRunning: false };
    tasks.set(prose.text, task);
    return task;
  }

  /** Forgets a text that nobody waits for any more. */
  private abandon({ prose, waiters, isRunning }: Task): void {
    if (waiters.size === 0 && !isRunning) this.tasks[prose.format].delete(prose.text);
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    for (let turn = this.nextTurn(); turn.length > 0; turn = this.nextTurn()) await this.run(turn);
    this.isBusy = false;
  }

  /** The texts of the next turn; none when nobody waits. */
  private nextTurn(): Task[] {
    // A client that is put back at the end is visited again.
    for (const [client, reads] of this.lines) {
      const [first, ...others] = reads as [Read, ...Read[]];
      const turn = first.take(maxTurnLength);
      const left = first.hasNext ? [...others, first] : others;
      this.lines.delete(client);
      if (left.length > 0) this.lines.set(client, left);
      if (turn.length > 0) return turn;
    }
    return [];
  }

  private async run(turn: readonly Task[]): Promise<void> {
    for (const task of turn) task.isRunning = true;
    for (const { read } of waitersOf(turn)) read.begin();
    try {
      const html = await this.thread.render(turn.map(({ prose }) => prose));
      for (const [i, task] of turn.entries()) this.settle(task, ({ resolve }) => resolve(html[i]));
    } catch (error) {
      for (const task of turn) this.settle(task, ({ reject }) => reject(error));
    }
  }

  private settle({ prose, waiters }: Task, each: (waiter: Waiter) => void): void {
    this.tasks[prose.format].delete(prose.text);
    for (const waiter of waiters) {
      each(waiter);
      waiter.read.end();
    }
  }
}

const waitersOf = (tasks: readonly Task[]): Waiter[] => tasks.flatMap(({ waiters }) => [...waiters]);

const tooMany = () => problem("busy", { reason: "too many reads of this token wait for texts to be rendered" });
const tooLate = () => problem("busy", { reason: "texts of other reads are being rendered" });
const gone = () => problem("busy", { reason: "the client has left" });

/** What one read waits for. Its time runs while none of its texts is being rendered. */
class Read {
  private readonly maxWaitMs: number;
  private readonly abandon: (task: Task) => void;
  /** Those that nobody had rendered when the read came, in its order. */
  private readonly queue: Task[] = [];
  private readonly waits = new Map<Task, Waiter>();
  private next = 0;
  private running = 0;
  private left = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(maxWaitMs: number, abandon: (task: Task) => void) {
    this.maxWaitMs = maxWaitMs;
    this.abandon = abandon;
  }

  get hasNext(): boolean {
    return this.next < this.queue.length;
  }

  waitFor(task: Task): Promise<Html> {
    this.left++;
    if (task.isRunning) this.running++;
    else this.queue.push(task);
    return new Promise((resolve, reject) => {
      const waiter = { read: this, resolve, reject };
      task.waiters.add(waiter);
      this.waits.set(task, waiter);
    });
  }

  start(signal: AbortSignal): void {
    this.setTimer();
    if (signal.aborted) this.fail(gone());
    else signal.addEventListener("abort", () => this.fail(gone()), { once: true });
  }

  /** Texts for a turn, up to the length, but one at least; those that others had rendered meanwhile are left out. */
  take(maxLength: number): Task[] {
    const turn: Task[] = [];
    for (let length = 0; this.hasNext; this.next++) {
      const task = this.queue[this.next] as Task;
      const waits = !task.isRunning && task.waiters.size > 0;
      if (!waits) continue;
      length += task.prose.text.length;
      if (turn.length > 0 && length > maxLength) break;
      turn.push(task);
    }
    return turn;
  }

  begin(): void {
    this.running++;
    clearTimeout(this.timer);
  }

  end(): void {
    this.running--;
    this.left--;
    this.setTimer();
  }

  /** Refuses what is not rendered; texts that only this read waits for are not rendered any more. */
  fail(error: Problem): void {
    clearTimeout(this.timer);
    this.next = this.queue.length;
    for (const [task, waiter] of this.waits) {
      task.waiters.delete(waiter);
      this.abandon(task);
      waiter.reject(error);
    }
    this.waits.clear();
  }

  private setTimer(): void {
    if (this.running > 0 || this.left === 0) return;
    this.timer = setTimeout(() => this.fail(tooLate()), this.maxWaitMs);
  }
}
