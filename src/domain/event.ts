/** The kinds of writes: `<noun>.<verb>`. */
export const eventKinds = [
  "entry.create",
  "entry.update",
  "entry.move",
  "entry.copy",
  "entry.delete",
  "entry.undelete",
  "entry.restore",
  "entry.stage",
  "entry.discard",
  "entry.schedule",
  "entry.publish",
  "entry.publish_failed",
  "folder.create",
  "folder.move",
  "folder.copy",
  "folder.delete",
  "folder.undelete",
  "file.upload",
  "file.update",
  "file.move",
  "file.copy",
  "file.delete",
  "file.undelete",
  "file.restore",
  "registry.set",
  "registry.delete",
  "registry.restore",
  "type.put",
  "type.delete",
  "trash.purge",
  "token.create",
  "token.update",
  "token.rotate",
  "token.revoke",
  "session.start",
  "session.end",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** One write as the log keeps it, appended in the write's own transaction. */
export type Event = {
  /** Increases with each event and is never reused; it is the revision of what the write changed. */
  sequence: number;
  atSeconds: number;
  kind: EventKind;
  /**
   * What changed: the path of an entry, folder or file, a registry key, the id of a token or session. For a subtree its
   * root.
   */
  subject: string;
  /** The target path of a move or copy, and of what came back from the trash to another path. */
  target: string | null;
  /** How many things changed: 1, or the size of the subtree. */
  count: number;
  /** The id of the token that wrote, or `octavo` for the command line and the service itself. */
  actor: string;
};

/** What the log keeps of the entry that a write of one entry changed. Contract, part two, §12. */
export type EntryChange = { readonly uuid: string; readonly wasPublic: boolean; readonly isPublic: boolean };

/** An event before it has a sequence. */
export type NewEvent = Omit<Event, "sequence"> & { entry?: EntryChange | undefined };

/** The actor and the time, as every store's write takes them; the store adds the event's sequence. */
export type WriteContext = {
  actor: string;
  nowSeconds: number;
  /** The state that the writer knows, as a request's If-Match: the write is refused for another one. */
  ifMatch?: string | undefined;
};

/** The log that audit, invalidation and webhooks read. */
export interface EventStore {
  /** Events after the sequence `since`, oldest first, at most `limit`. */
  list(since: number, limit: number): Promise<Event[]>;
  /** Events before the sequence `before`, newest first, at most `limit`; the newest of all when it is undefined. */
  listBefore(before: number | undefined, limit: number): Promise<Event[]>;
  /** The sequence of the newest event and of the oldest that is kept; 0 for none. */
  bounds(): Promise<{ oldest: number; newest: number }>;
  /** How far a follower has processed the log, as it last reported; undefined when it never did. */
  position(follower: string): Promise<number | undefined>;
  savePosition(follower: string, sequence: number): Promise<void>;
  /**
   * Removes events older than `beforeSeconds`, except the newest event; returns how many. An event that a clock that
   * was ahead dated after `nowSeconds` is removed with the events that followed it; without `nowSeconds` no time counts
   * as ahead.
   */
  prune(beforeSeconds: number, nowSeconds?: number): Promise<number>;
}

/** An event under the wire's names. */
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
