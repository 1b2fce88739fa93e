import { setImmediate } from "node:timers/promises";

/** This many works are started between two turns of the event loop. */
const turn = 64;

/** Runs works at once, so many and of so much size, each of which begins with synchronous reads. The first failure ends all. */
export class AtOnce {
  private readonly max: number;
  private readonly maxSize: number;
  private running = 0;
  private size = 0;
  private started = 0;
  private failure: { error: unknown } | undefined;
  private wake = (): void => undefined;

  constructor(max: number, maxSize: number) {
    this.max = max;
    this.maxSize = maxSize;
  }

  /** Starts it when there is room. */
  async start(work: () => Promise<void>, size: number): Promise<void> {
    if (this.running >= this.max) await this.room(Math.max(0, this.max - turn));
    while (this.running > 0 && this.size + size > this.maxSize) await this.room(this.running - 1);
    // Replies of the writer, and its next group, wait for a turn of the event loop.
    if (++this.started % turn === 0) await setImmediate();
    if (this.failure) throw this.failure.error;
    this.running++;
    this.size += size;
    void work()
      .catch((error) => {
        this.failure ??= { error };
      })
      .finally(() => {
        this.running--;
        this.size -= size;
        this.wake();
      });
  }

  async end(): Promise<void> {
    await this.room(0);
    if (this.failure) throw this.failure.error;
  }

  private async room(most: number): Promise<void> {
    while (this.running > most) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
