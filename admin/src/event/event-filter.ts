import type { LogEvent } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";

/** Which events are shown; what is empty asks for nothing. */
export type EventFilter = { kind: string; actor: string; subject: string };

export const filterNames = ["kind", "actor", "subject"] as const satisfies (keyof EventFilter)[];

export const readEventFilter = (search: URLSearchParams): EventFilter => ({
  kind: search.get("kind") ?? "",
  actor: search.get("actor") ?? "",
  subject: search.get("subject") ?? "",
});

export const isFiltering = (filter: EventFilter): boolean => filterNames.some((name) => filter[name] !== "");

/** A kind is one (`entry.move`) or all of a noun (`entry.`); a subject is a part of it, or of where it went. */
export function matches({ kind, actor, subject }: EventFilter, event: LogEvent): boolean {
  const part = subject.toLowerCase();
  return (
    (kind.endsWith(".") ? event.kind.startsWith(kind) : kind === "" || event.kind === kind) &&
    (actor === "" || event.actor === actor) &&
    [event.subject, event.target ?? ""].some((path) => path.toLowerCase().includes(part))
  );
}

/** Some of the events that match, newest first, and where to go on; `read` counts those that were looked at. */
export type EventPage = { events: LogEvent[]; next: number | undefined; read: number };

const eventsPage = 50;
const mostEvents = 1000;
const mostRequests = 10;

/**
 * The log answers by its order alone, so what matches is looked for here: page by page, until a page is full or ten
 * thousand were looked at.
 */
export async function findEvents(filter: EventFilter, before: number | undefined): Promise<EventPage> {
  const limit = isFiltering(filter) ? mostEvents : eventsPage;
  const page: EventPage = { events: [], next: before, read: 0 };
  for (let request = 0; request < mostRequests && page.events.length < eventsPage; request++) {
    const events = await octavo.events({ newest: true, before: page.next, limit });
    page.events.push(...events.filter((event) => matches(filter, event)));
    page.read += events.length;
    page.next = events.length < limit ? undefined : events.at(-1)?.sequence;
    if (page.next === undefined) break;
  }
  return page;
}
