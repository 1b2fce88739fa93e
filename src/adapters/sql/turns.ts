import { problem } from "../../domain/problem.ts";

/** At most two scans of one client run at a time: whoever asks for more waits in a line of their own, and not for long. */

const maxRunning = 2;
const maxWaitMs = 2000;
/** Requests of one client that wait. */
const maxWaiting = 100;

type Line = { running: number; waiting: (() => void)[] };

export class Turns {
  private readonly lines = new Map<string, Line>();

  /** Runs the work when it is the client's turn. Throws busy after two seconds, or when too many wait. */
  async take<T>(client: string, work: () => Promise<T>): Promise<T> {
    const line = this.lineOf(client);
    if (line.running >= maxRunning) await this.wait(line);
    line.running++;
    try {
      return await work();
    } finally {
      line.running--;
      const next = line.waiting.shift();
      if (next) next();
      else if (line.running === 0) this.lines.delete(client);
    }
  }

  private lineOf(client: string): Line {
    const line = this.lines.get(client) ?? { running: 0, waiting: [] };
    this.lines.set(client, line);
    return line;
  }

  private wait(line: Line): Promise<void> {
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
    }, maxWaitMs);
    line.waiting.push(go);
    return promise;
  }
}
