import pg from "pg";
import type { Event } from "../../../event.ts";
import { eventBounds, listEvents } from "../../event.ts";
import type { Sql } from "../../sql.ts";
import { channel, connectionConfig, type PostgresOptions } from "./connection.ts";

export type FeedOptions = PostgresOptions & {
  /** How long a poll lets the cache answer, and the time between two polls is a third of it; default 1.5 s. */
  freshForMs?: number | undefined;
  /** The time from the end of a connection that listens to the next; default 1 s. */
  reconnectMs?: number | undefined;
};

/** Contract §2 allows two seconds until every node knows; a poll takes time, too. */
const defaultFreshForMs = 1500;
/** More than one commit has: the caches of readers learn of all of it at once. */
const pageEvents = 20_000;
const defaultReconnectMs = 1000;

/**
 * Follows the event log: delivers each event once, in order, soon after its commit. Polls the log, by default twice a
 * second; the server's notifications only speed this up, so a lost one costs nothing.
 */
export class PostgresFeed {
  /** Rises with each event, and when events may have been missed: values read before may be stale. */
  generation = 0;
  private readonly sql: Sql;
  private readonly options: FeedOptions;
  private readonly freshForMs: number;
  private readonly onEvent: (event: Event) => void;
  private readonly onGap: () => void;
  /** The newest event that was received. */
  sequence = 0;
  private lookedMs = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private listener: pg.Client | undefined;
  private isClosed = false;

  /** `onGap`: events may have been missed, and everything cached must be dropped. */
  constructor(sql: Sql, options: FeedOptions, onEvent: (event: Event) => void, onGap: () => void) {
    this.sql = sql;
    this.options = options;
    this.freshForMs = options.freshForMs ?? defaultFreshForMs;
    this.onEvent = onEvent;
    this.onGap = onGap;
  }

  /** Begins after the newest event. */
  async start(): Promise<void> {
    this.sequence = (await eventBounds(this.sql)).newest;
    this.lookedMs = performance.now();
    this.timer = setInterval(() => void this.look().catch(() => undefined), this.freshForMs / 3);
    this.timer.unref();
    void this.listen();
  }

  /** True while the last poll is recent enough to answer from the cache. */
  get isFresh(): boolean {
    return performance.now() - this.lookedMs < this.freshForMs;
  }

  /** A poll of the log that begins after this call. Rejects when the log cannot be read; then nothing is fresh. */
  look(): Promise<void> {
    this.next ??= (this.looking ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        this.looking = this.readOn();
        return this.looking;
      });
    return this.next;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    await (this.next ?? this.looking)?.catch(() => undefined);
    await this.listener?.end().catch(() => undefined);
  }

  private async readOn(): Promise<void> {
    const beganMs = performance.now();
    try {
      for (;;) {
        const events = await listEvents(this.sql, this.sequence, pageEvents);
        if (events[0] && events[0].sequence > this.sequence + 1) this.gap();
        for (const event of events) this.hear(event);
        if (events.length < pageEvents) break;
      }
      this.lookedMs = beganMs;
    } catch (error) {
      this.gap();
      this.lookedMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  private hear(event: Event): void {
    this.generation++;
    this.sequence = event.sequence;
    this.onEvent(event);
  }

  private gap(): void {
    this.generation++;
    this.onGap();
  }

  /** Listens on one connection after the other. */
  private async listen(): Promise<void> {
    const { reconnectMs = defaultReconnectMs } = this.options;
    while (!this.isClosed) {
      await this.listenOnce().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, reconnectMs).unref());
    }
  }

  /** Ends with the connection, or rejects when there is none. */
  private async listenOnce(): Promise<void> {
    const client = new pg.Client({ ...connectionConfig(this.options), pipeline: false } as pg.ClientConfig);
    this.listener = client;
    const ended = new Promise((resolve) => client.once("end", resolve));
    client.on("error", () => undefined);
    client.on("notification", () => void this.look().catch(() => undefined));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      await ended;
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}
