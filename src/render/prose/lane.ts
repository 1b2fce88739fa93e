import { FairQueue, type Refused } from "../../core/lib/fair-queue.ts";
import { problem } from "../../core/problem.ts";
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
  private readonly queue: FairQueue;
  private readonly tasks = { markdown: new Map<string, Task>(), html: new Map<string, Task>() };
  private isBusy = false;

  constructor({ maxWaitMs, ...options }: LaneOptions) {
    this.thread = new ProseThread(options);
    this.queue = new FairQueue({ maxWaitingOf: () => maxWaiting, maxWaitMs, refusal });
  }

  /** As ProseRenderer.render. */
  render(texts: readonly Prose[], asker: ProseAsker): Promise<Html>[] {
    const read = new Read((task) => this.abandon(task));
    const html = texts.map((prose) => read.waitFor(this.taskOf(prose)));
    void this.wait(read, asker);
    return html;
  }

  /** Ends the thread; what waits is refused with `busy`. */
  async close(): Promise<void> {
    this.queue.close(stopping);
    await this.thread.close();
  }

  /** Waits for the turns of the read: as many as its texts need. */
  private async wait(read: Read, { client, signal }: ProseAsker): Promise<void> {
    const sinceMs = () => read.sinceMs;
    try {
      do await this.queue.wait(client, () => this.begin(read), { signal, sinceMs });
      while (read.hasNext);
    } catch (error) {
      read.fail(error);
    }
  }

  /** Begins with a turn of the read; undefined while another turn is in progress. */
  private begin(read: Read): "begun" | undefined {
    // Where there is none, others had its texts rendered.
    if (read.hasNext) {
      if (this.isBusy) return undefined;
      this.isBusy = true;
      void this.run(read.take(maxTurnLength));
    }
    return "begun";
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

  private async run(turn: readonly Task[]): Promise<void> {
    for (const task of turn) task.isRunning = true;
    for (const { read } of waitersOf(turn)) read.begin();
    try {
      const html = await this.thread.render(turn.map(({ prose }) => prose));
      for (const [i, task] of turn.entries()) this.settle(task, ({ resolve }) => resolve(html[i]));
    } catch (error) {
      for (const task of turn) this.settle(task, ({ reject }) => reject(error));
    }
    this.isBusy = false;
    this.queue.serve();
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

const reasons: Record<Refused, string> = {
  full: "too many reads of this token wait for texts to be rendered",
  late: "texts of other reads are being rendered",
  gone: "the client has left",
};
const refusal = (why: Refused) => problem("busy", { reason: reasons[why] });

/** What one read waits for. Its time runs while none of its texts is being rendered. */
class Read {
  private readonly abandon: (task: Task) => void;
  /** Those that nobody had rendered when the read came, in its order. */
  private readonly queue: Task[] = [];
  private readonly waits = new Map<Task, Waiter>();
  private running = 0;
  private idleSinceMs = performance.now();

  constructor(abandon: (task: Task) => void) {
    this.abandon = abandon;
  }

  /** False when each of its texts is rendered, or is being rendered. */
  get hasNext(): boolean {
    while (this.queue[0]?.isRunning) this.queue.shift();
    return this.queue.length > 0;
  }

  get sinceMs(): number {
    return this.running > 0 ? performance.now() : this.idleSinceMs;
  }

  waitFor(task: Task): Promise<Html> {
    if (task.isRunning) this.running++;
    else this.queue.push(task);
    return new Promise((resolve, reject) => {
      const waiter = { read: this, resolve, reject };
      task.waiters.add(waiter);
      this.waits.set(task, waiter);
    });
  }

  /** Texts for a turn, up to the length, but one at least; those that others had rendered meanwhile are left out. */
  take(maxLength: number): Task[] {
    const turn: Task[] = [];
    for (let length = 0; this.hasNext; ) {
      const [task] = this.queue as [Task];
      length += task.prose.text.length;
      if (turn.length > 0 && length > maxLength) break;
      turn.push(task);
      this.queue.shift();
    }
    return turn;
  }

  begin(): void {
    this.running++;
  }

  end(): void {
    this.running--;
    this.idleSinceMs = performance.now();
  }

  /** Refuses what is not rendered; texts that only this read waits for are not rendered any more. */
  fail(error: unknown): void {
    this.queue.length = 0;
    for (const [task, waiter] of this.waits) {
      task.waiters.delete(waiter);
      this.abandon(task);
      waiter.reject(error);
    }
    this.waits.clear();
  }
}
