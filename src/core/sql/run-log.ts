import type { NewEvent } from "../event.ts";
import { appendEvents, type Commit } from "./event.ts";
import type { SharedSql } from "./sql.ts";

type Waiting = {
  event: NewEvent;
  place: number;
  resolve: (sequence: number) => void;
  reject: (error: unknown) => void;
};

/**
 * The events of writes that run at once. They are appended together, when each of these writes has its event or has
 * ended: on PostgreSQL the log is locked from then on.
 */
export class RunLog {
  private readonly sql: SharedSql;
  private running: number;
  private waiting: Waiting[] = [];
  private readonly commit: Commit | undefined;

  constructor(sql: SharedSql, writes: number, commit: Commit | undefined) {
    this.sql = sql;
    this.commit = commit;
    this.running = writes;
  }

  /** Answers the event's sequence. Those that are appended together are in the order of their places. */
  append(event: NewEvent, place = 0): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ event, place, resolve, reject });
      this.appendAll();
    });
  }

  /** One of the writes has ended. */
  end(): void {
    this.running--;
    this.appendAll();
  }

  private appendAll(): void {
    const { waiting } = this;
    if (waiting.length === 0 || waiting.length < this.running) return;
    this.waiting = [];
    void this.flush(waiting.sort((a, b) => a.place - b.place));
  }

  private async flush(waiting: readonly Waiting[]): Promise<void> {
    const events = waiting.map(({ event }) => event);
    try {
      const sequences = await appendEvents(this.sql, events, this.commit);
      for (const [i, sequence] of sequences.entries()) waiting[i]?.resolve(sequence);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
