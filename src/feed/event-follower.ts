import type { Event, EventStore } from "../core/event.ts";
import { growingWaits } from "../core/lib/retry.ts";

/** What is kept in step with the event log. All its methods are called one at a time. */
export interface EventHandler {
  /**
   * The initial walk: makes everything as the store has it now, which `newest` or later events describe. Called at the
   * first start, and where the log no longer has all events after the position.
   */
  begin(newest: number): Promise<void>;
  /**
   * Handles the next events, in order; may end early once the follower is stopped. When it throws, the same events come
   * again after a wait; some come again after a stop or a crash, too.
   */
  handle(events: readonly Event[]): Promise<void>;
  /** What earlier calls left undone; called before each look at the log. */
  resume?(): Promise<void>;
  /** Makes durable what was handled. False while something is left undone: then the position is not saved. */
  settle?(): Promise<boolean>;
}

export type EventFollowerOptions = {
  /** Identifies its saved position. Only one follower of a name may run. */
  name: string;
  events: Pick<EventStore, "list" | "bounds" | "position" | "savePosition">;
  handler: EventHandler;
  /** Receives what the handler or the log threw. */
  onError: (error: unknown) => void;
  /** How many events are handed over together. */
  batchEvents?: number;
  /** How often the log is polled for writes that `wake` did not report. */
  pollMs?: number;
  /** How long to wait after so many failures in a row. */
  retryMs?: (failures: number) => number;
};

/** For a follower that is switched off: its position no longer keeps events, and it begins anew when it returns. */
export async function forgetFollower(events: EventStore, name: string): Promise<void> {
  // A service that only reads does not start the writer for this.
  if ((await events.position(name)) !== undefined) await events.forgetPosition(name);
}

/** Each save is a commit, and without it events come again after a crash; prune keeps what is after the position. */
const saveEveryEvents = 1000;
const saveEveryMs = 3600 * 1000;

/** Follows the event log from a saved position, in order and in batches. */
export class EventFollower {
  /** The newest event that was handled; while the initial walk has not ended, one from before it. */
  sequence = 0;
  /** True from `stop` on. */
  isStopped = false;
  private readonly options: Required<EventFollowerOptions>;
  private saved = 0;
  private savedMs = performance.now();
  /** Whether the initial walk is to be done. */
  private isLost = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWoken = false;
  private failures = 0;
  private retryAtMs = 0;
  private readonly waiters = new Set<{ sequence: number; resolve: () => void }>();

  constructor(options: EventFollowerOptions) {
    this.options = { batchEvents: 1000, pollMs: 500, retryMs: growingWaits(500, 300_000), ...options };
  }

  /** Reads the position and begins to follow in the background. Rejects when it cannot be read. */
  async start(): Promise<void> {
    const { name, events, pollMs } = this.options;
    const { oldest } = await events.bounds();
    const position = await events.position(name);
    if (position !== undefined && position >= oldest - 1) this.sequence = this.saved = position;
    else this.isLost = true;
    this.timer = setInterval(() => this.wake(), pollMs);
    this.timer.unref();
    this.wake();
  }

  /**
   * Waits until the handler has ended, and saves the position that was reached. Releases all that wait. Does nothing if
   * it was not started.
   */
  async stop(): Promise<void> {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.isStopped = true;
    for (const { resolve } of this.waiters) resolve();
    await this.running;
    await this.save();
  }

  /** Looks at the log at once; after a failure not before its wait has ended. */
  wake(): void {
    this.isWoken = true;
    if (!this.timer || this.isStopped || performance.now() < this.retryAtMs) return;
    this.running ??= this.run();
  }

  /** Waits, at most so long, until the event with this sequence was handled; answers whether it was. */
  async reached(sequence: number, withinMs: number): Promise<boolean> {
    if (this.sequence < sequence && !this.isStopped) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = { sequence, resolve };
      const timer = setTimeout(resolve, withinMs);
      this.waiters.add(waiter);
      this.wake();
      await promise;
      clearTimeout(timer);
      this.waiters.delete(waiter);
    }
    return this.sequence >= sequence;
  }

  /** Does a walk, and goes on behind it. Needs no `start`. */
  async walk(begin: EventHandler["begin"]): Promise<void> {
    const { newest } = await this.options.events.bounds();
    await begin(newest);
    if (this.isStopped) return;
    this.isLost = false;
    this.advance(Math.max(this.sequence, newest));
    await this.save();
  }

  private async run(): Promise<void> {
    try {
      do {
        this.isWoken = false;
        await this.catchUp();
        this.failures = 0;
      } while (this.isWoken && !this.isStopped);
    } catch (error) {
      this.retryAtMs = performance.now() + this.options.retryMs(++this.failures);
      this.options.onError(error);
    } finally {
      this.running = undefined;
    }
  }

  private async catchUp(): Promise<void> {
    const { events, handler, batchEvents } = this.options;
    if (this.isLost) await this.walk((newest) => handler.begin(newest));
    await handler.resume?.();
    while (!this.isStopped) {
      const since = this.sequence;
      const batch = await events.list(since, batchEvents);
      const last = batch.at(-1);
      if (!last) break;
      // Sequences have no gaps: events were pruned before they were handled.
      if ((batch[0] as Event).sequence > since + 1) {
        await this.walk((newest) => handler.begin(newest));
        continue;
      }
      await handler.handle(batch);
      // The handler may have ended early.
      if (!this.isStopped) this.advance(last.sequence);
    }
    const isDue = this.sequence - this.saved >= saveEveryEvents || performance.now() - this.savedMs >= saveEveryMs;
    if (isDue && !this.isStopped) await this.save();
  }

  private advance(sequence: number): void {
    this.sequence = sequence;
    for (const waiter of this.waiters) if (waiter.sequence <= sequence) waiter.resolve();
  }

  private async save(): Promise<void> {
    const { sequence } = this;
    const { name, events, handler } = this.options;
    if (this.isLost || this.saved === sequence || (await handler.settle?.()) === false) return;
    await events.savePosition(name, sequence);
    this.saved = sequence;
    this.savedMs = performance.now();
  }
}
