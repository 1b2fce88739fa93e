import { problem } from "../problem.ts";

/** At most two scans of one client run at a time; further ones wait in a queue per client, up to two seconds. */

const maxRunning = 2;
const usualWaitMs = 2000;
/** Requests of one client that wait. */
const maxWaiting = 100;

type Queue = { running: number; waiting: (() => void)[] };

export class Turns {
  private readonly lines = new Map<string, Queue>();
  private readonly maxWaitMs: number;

  /** The longest wait in milliseconds: two seconds, unless somebody must not wait. */
  constructor(maxWaitMs = usualWaitMs) {
    this.maxWaitMs = maxWaitMs;
  }

  /** How many wait. */
  get waiting(): number {
    return this.lines.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Runs the work when it is the client's turn. Throws busy after the longest wait, or when too many wait. */
  async take<T>(client: string, work: () => Promise<T>): Promise<T> {
    const line = this.lineOf(client);
    if (line.running < maxRunning) line.running++;
    else await this.wait(line);
    try {
      return await work();
    } finally {
      // The turn is handed on: a request that comes before the next one runs must not take it.
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.running === 0) this.lines.delete(client);
    }
  }

  private lineOf(client: string): Queue {
    const line = this.lines.get(client) ?? { running: 0, waiting: [] };
    this.lines.set(client, line);
    return line;
  }

  private wait(line: Queue): Promise<void> {
    const busy = () => problem("busy", { reason: "this token has too many costly lists in progress" });
    if (line.waiting.length >= maxWaiting) return Promise.reject(busy());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const go = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      line.waiting.splice(line.waiting.indexOf(go), 1);
      reject(busy());
    }, this.maxWaitMs);
    line.waiting.push(go);
    return promise;
  }
}
