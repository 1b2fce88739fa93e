import { setImmediate } from "node:timers/promises";
import type { Event, EventStore } from "../core/event.ts";
import type { Messages } from "../core/http/stream.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { LogWatch } from "./log-watch-wire.ts";

/** How many events are read together. */
const pageEvents = 500;

/** Events as the replies have them. */
type RowsOf = (events: Event[]) => MaybePromise<readonly object[]>;

/**
 * The event log as messages, for any number of readers: those that have read up to the same event share a read of the log
 * and its text. Replay and what happens now are the same pages.
 */
export class EventStream {
  private readonly events: Pick<EventStore, "list">;
  private readonly watch: LogWatch;
  private readonly rowsOf: RowsOf;
  private readonly pages = new Map<number, Promise<Messages<number>>>();

  constructor(events: Pick<EventStore, "list">, watch: LogWatch, rowsOf: RowsOf) {
    this.events = events;
    this.watch = watch;
    this.rowsOf = rowsOf;
  }

  /** The messages after an event, as soon as there are any; none once the signal aborts. */
  async after(since: number, signal: AbortSignal): Promise<Messages<number>> {
    for (;;) {
      const page = await this.page(since);
      if (page.text !== "" || signal.aborted) return page;
      await this.watch.wait(since, signal);
    }
  }

  private page(since: number): Promise<Messages<number>> {
    const known = this.pages.get(since);
    if (known) return known;
    const page = this.read(since);
    this.pages.set(since, page);
    // Those that ask together share it; nothing is kept for later.
    const forget = () => void setImmediate().then(() => this.pages.delete(since));
    page.then(forget, forget);
    return page;
  }

  private async read(since: number): Promise<Messages<number>> {
    const events = await this.events.list(since, pageEvents);
    const place = events.at(-1)?.sequence ?? since;
    const rows = await this.rowsOf(events);
    return {
      text: events.map((event, i) => message(event, rows[i])).join(""),
      place,
      hasMore: events.length === pageEvents,
    };
  }
}

const message = ({ sequence, kind }: Event, row: object | undefined): string =>
  `id: ${sequence}\nevent: ${kind}\ndata: ${JSON.stringify(row)}\n\n`;
