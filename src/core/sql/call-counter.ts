import type { CountedToken } from "../access/token.ts";

/** How long a call on a token without a limit may stay in memory before it is written. Contract §2. */
const flushMs = 2000;

type Calls = { id: string; calls: number; at: number };
type CallWrites = {
  countCall(counted: readonly CountedToken[], nowSeconds: number, calls: number): Promise<void>;
  addCalls(counts: readonly Calls[]): Promise<void>;
};

/** Counts calls on tokens: exactly in the store where a limit is set, batched in memory for the others. */
export class CallCounter {
  private readonly writes: CallWrites;
  private pending = new Map<string, Calls>();
  /** The last write, which never rejects. */
  private written: Promise<unknown> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;

  constructor(writes: CallWrites) {
    this.writes = writes;
    this.timer = setInterval(() => void this.flush().catch(() => undefined), flushMs);
    this.timer.unref();
  }

  count(counted: readonly CountedToken[], nowSeconds: number, calls = 1): undefined | Promise<void> {
    if (counted.some(({ token }) => token.limitCalls > 0)) return this.writes.countCall(counted, nowSeconds, calls);
    for (const { token } of counted) this.add(token.id, calls, nowSeconds);
    return undefined;
  }

  /** Writes what is counted. What is being written when it is called is then written, too. */
  flush(): Promise<void> {
    const flushed = this.written.then(() => this.writePending());
    this.written = flushed.catch(() => undefined);
    return flushed;
  }

  private async writePending(): Promise<void> {
    if (this.pending.size === 0) return;
    const counts = [...this.pending.values()];
    this.pending = new Map();
    try {
      await this.writes.addCalls(counts);
    } catch (error) {
      for (const { id, calls, at } of counts) this.add(id, calls, at);
      throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private add(id: string, calls: number, at: number): void {
    const known = this.pending.get(id);
    if (known) {
      known.calls += calls;
      known.at = Math.max(known.at, at);
    } else this.pending.set(id, { id, calls, at });
  }
}
