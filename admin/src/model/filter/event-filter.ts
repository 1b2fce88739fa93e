import type { LogEvent } from "../../../../client/src/api.ts";
import { octavo } from "../../api/octavo.ts";
import { partsOf } from "../event-kind.ts";

/** Filters the shown events; an empty value matches all. */
export type EventFilter = { kind: string; actor: string; subject: string };

export const filterNames = ["kind", "actor", "subject"] as const satisfies (keyof EventFilter)[];

export const readEventFilter = (search: URLSearchParams): EventFilter => ({
  kind: search.get("kind") ?? "",
  actor: search.get("actor") ?? "",
  subject: search.get("subject") ?? "",
});

export const isFiltering = (filter: EventFilter): boolean => filterNames.some((name) => filter[name] !== "");

/** `kind` is one kind (`entry.move`) or a noun (`entry.`); `subject` is a part of the subject or the target. */
export function matches({ kind, actor, subject }: EventFilter, event: LogEvent): boolean {
  const part = subject.toLowerCase();
  return (
    (kind === "" || event.kind === kind || `${partsOf(event.kind).noun}.` === kind) &&
    (actor === "" || event.actor === actor) &&
    [event.subject, event.target ?? ""].some((path) => path.toLowerCase().includes(part))
  );
}

/** A page of matching events, newest first, and where to continue. */
export type EventPage = {
  events: LogEvent[];
  next: number | undefined;
  /** The number of events examined. */
  read: number;
  /** The sequence of the newest one examined; 0 for none. */
  newest: number;
};

const eventsPage = 50;
const mostEvents = 1000;
const mostRequests = 10;

/**
 * The API of the log has no filter, so the page filters: it reads on until a page is full or ten thousand events were
 * examined.
 */
export async function findEvents(filter: EventFilter, before: number | undefined): Promise<EventPage> {
  const limit = isFiltering(filter) ? mostEvents : eventsPage;
  const page: EventPage = { events: [], next: before, read: 0, newest: 0 };
  for (let request = 0; request < mostRequests && page.events.length < eventsPage; request++) {
    const events = await octavo.events({ newest: true, before: page.next, limit });
    page.events.push(...events.filter((event) => matches(filter, event)));
    page.read += events.length;
    page.newest ||= events[0]?.sequence ?? 0;
    page.next = events.length < limit ? undefined : events.at(-1)?.sequence;
    if (page.next === undefined) break;
  }
  return page;
}
