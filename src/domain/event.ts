/** What a write was, in the field's own words: `<noun>.<verb>`. */
export type EventKind =
  | "entry.create"
  | "entry.update"
  | "entry.move"
  | "entry.copy"
  | "entry.delete"
  | "registry.set"
  | "registry.delete"
  | "token.create"
  | "token.update"
  | "token.rotate"
  | "token.revoke";

/** One write as the log keeps it, appended in the write's own transaction. */
export type Event = {
  /** Rises with each event and is never given twice; it is the revision of what the write changed. */
  sequence: number;
  atSeconds: number;
  kind: EventKind;
  /** What changed: a slug, a registry key, a token's id. For a subtree its top. */
  subject: string;
  /** Where a move or copy went. */
  target: string | null;
  /** How many things changed: 1, or the size of the subtree. */
  count: number;
  /** The id of the token that wrote, or `octavo` for the command line and the service itself. */
  actor: string;
};

/** The log that audit, invalidation and webhooks read. */
export interface EventStore {
  /** Events after the sequence `since`, oldest first, at most `limit`. */
  list(since: number, limit: number): Promise<Event[]>;
  /** Drops what is older; answers how many went. */
  prune(beforeSeconds: number): Promise<number>;
}

/** An event with the field's own words, as the wire shows it. */
export function eventFields(event: Event) {
  return {
    sequence: event.sequence,
    at: event.atSeconds,
    kind: event.kind,
    subject: event.subject,
    target: event.target,
    count: event.count,
    actor: event.actor,
  };
}
