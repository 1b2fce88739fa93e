import type { EventStore } from "../core/event.ts";

/** How often the log is looked at while somebody waits; a look reads one number. */
const lookEveryMs = 200;

type Waiting = { since: number; resolve: () => void };

/** Notifies any number of waiting streams that something was written. */
export class LogWatch {
  private readonly events: Pick<EventStore, "bounds">;
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  constructor(events: Pick<EventStore, "bounds">) {
    this.events = events;
  }

  /** Waits until there may be events after this one, or the signal aborts. */
  wait(since: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(waiting);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const waiting: Waiting = { since, resolve: done };
      this.waiting.add(waiting);
      signal.addEventListener("abort", done);
      this.timer ??= setInterval(() => void this.look(), lookEveryMs).unref();
    });
  }

  private async look(): Promise<void> {
    if (this.waiting.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    if (this.waiting.size === 0 || this.isLooking) return;
    this.isLooking = true;
    try {
      const { newest } = await this.events.bounds();
      for (const { since, resolve } of [...this.waiting]) if (since < newest) resolve();
    } catch {
      // A store that cannot be read now is looked at again.
    } finally {
      this.isLooking = false;
    }
  }
}
