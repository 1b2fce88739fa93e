import type { Path } from "./path.ts";
import type { Unit, Written } from "./unit.ts";

/**
 * The events of each noun: what their subject is, and the verbs of its writes. A kind is `<noun>.<verb>`. Every other
 * file learns about a kind from `kindFacts`.
 */
const nouns = {
  entry: {
    subject: "path",
    verbs: [
      "create",
      "update",
      "move",
      "copy",
      "delete",
      "undelete",
      "restore",
      "stage",
      "discard",
      "schedule",
      "publish",
      "publish_failed",
      "live",
    ],
  },
  folder: { subject: "path", verbs: ["create", "move", "copy", "delete", "undelete"] },
  file: { subject: "path", verbs: ["upload", "update", "move", "copy", "delete", "undelete", "restore"] },
  registry: { subject: "registry key", verbs: ["set", "delete", "restore"] },
  type: { subject: "type id", verbs: ["put", "delete"] },
  trash: { subject: "path", verbs: ["purge"] },
  token: { subject: "id", verbs: ["create", "update", "rotate", "revoke"] },
  session: { subject: "id", verbs: ["start", "end"] },
  role: { subject: "id", verbs: ["put", "delete"] },
  person: { subject: "id", verbs: ["create", "update", "link", "join", "delete"] },
  passkey: { subject: "id", verbs: ["create", "delete"] },
  view: { subject: "id", verbs: ["put", "delete"] },
  webhook: { subject: "id", verbs: ["create", "update", "rotate", "delete", "failed"] },
  release: {
    subject: "id",
    verbs: ["create", "update", "delete", "schedule", "publish", "publish_failed", "undo"],
  },
} as const satisfies Record<string, { subject: string; verbs: readonly string[] }>;

export type EventNoun = keyof typeof nouns;
export type EventKind = { [N in EventNoun]: `${N}.${(typeof nouns)[N]["verbs"][number]}` }[EventNoun];

/** The kinds of writes. */
export const eventKinds = Object.entries(nouns).flatMap(([noun, { verbs }]) =>
  verbs.map((verb) => `${noun}.${verb}`),
) as EventKind[];

/** What a kind says of its events. */
export type KindFacts = {
  readonly noun: EventNoun;
  readonly verb: string;
  readonly subject: (typeof nouns)[EventNoun]["subject"];
  /** Whether such an event names a second path: where a move or copy went, or what came back from the trash. */
  readonly target: "always" | "maybe" | "never";
};

const targets: Partial<Record<string, KindFacts["target"]>> = { move: "always", copy: "always", undelete: "maybe" };

const facts = new Map(eventKinds.map((kind) => [kind as string, parseKind(kind)]));

/**
 * The facts of a kind. A newer version may have written to the same log: of a verb that this one does not have the noun
 * is known, of a noun that it does not have nothing is.
 */
export const kindFacts = (kind: string): KindFacts | undefined => facts.get(kind) ?? parseKind(kind);

function parseKind(kind: string): KindFacts | undefined {
  const [noun = "", verb = ""] = kind.split(".");
  if (!Object.hasOwn(nouns, noun)) return undefined;
  const { subject } = nouns[noun as EventNoun];
  return { noun: noun as EventNoun, verb, subject, target: targets[verb] ?? "never" };
}

/** One write as the log keeps it, appended in the write's own transaction. */
export type Event = {
  /** Increases with each event and is never reused; it is the revision of what the write changed. */
  sequence: number;
  atSeconds: number;
  kind: EventKind;
  /**
   * What changed: the path of an entry, folder or file, a registry key, the id of a token, session, role, person, passkey,
   * view, webhook or release. For a subtree its root.
   */
  subject: string;
  /** The target path of a move or copy, and of what came back from the trash to another path. */
  target: string | null;
  /** How many things changed: 1, or the size of the subtree. */
  count: number;
  /** The id of the token that wrote, `person:<id>`, or `octavo` for the command line and the service itself. */
  actor: string;
  /** The id of the request, as in its reply and its log line; absent for writes of the service and the command line. */
  requestId?: string;
  /** The address of its client, where the setting `audit_addresses` is on. */
  address?: string;
  /** What the request is a part of, as `traceparent` says it. */
  trace?: string;
  /** Of a publication: the keys that were changed live since they were staged, and that it put back; absent for none. */
  outdated?: readonly string[];
};

/** What the log keeps of the entry that a write of one entry changed. Contract, part two, §12. */
export type EntryChange = {
  readonly uuid: string;
  readonly wasPublic: Publicity;
  readonly isPublic: Publicity;
  /** As in its event. */
  readonly outdated?: readonly string[];
};

/** How the public sees an entry: not at all, in lists too, or by its id alone. The numbers are those of the log. */
export const publicity = { none: 0, listed: 1, byId: 2 } as const;
export type Publicity = (typeof publicity)[keyof typeof publicity];

/** The kinds whose writes change nothing that is live. */
export const quietKinds = [
  "entry.stage",
  "entry.discard",
  "entry.schedule",
  "entry.publish_failed",
] satisfies EventKind[];

/** An event with the first event of the writes that were made together with it: its own sequence if there is none before. */
export type CommittedEvent = Event & { first: number };

/** A thing that an event changed: where it was and is, null for nowhere, and how the public saw and sees an entry. */
export type ChangedThing = {
  sequence: number;
  uuid: string;
  from: Path | null;
  to: Path | null;
  was: Publicity;
  is: Publicity;
};

/** An event before it has a sequence. */
export type NewEvent = Omit<Event, "sequence" | "outdated" | keyof EventOrigin> & {
  origin: EventOrigin;
  entry?: EntryChange | undefined;
};

/** What the log keeps of the request that wrote. */
export type EventOrigin = { [K in "requestId" | "address" | "trace"]?: string | undefined };

/** What an event names: its subject, and the target where it has one. */
export const namedBy = ({ subject, target }: Pick<Event, "subject" | "target">): string[] =>
  target === null ? [subject] : [subject, target];

/** The actor and the time, as every store's write takes them; the store adds the event's sequence. */
export type WriteContext = {
  actor: string;
  nowSeconds: number;
  /** The request; absent for the command line and the service itself. */
  origin?: EventOrigin | undefined;
  /** The state that the writer knows, as a request's If-Match: the write is refused for another one. */
  ifMatch?: string | undefined;
  /** What the write goes through instead of straight to the store; never handed to the store's thread. */
  unit?: Unit | undefined;
  /** Gets what was written; never handed to the store's thread. */
  written?: Written | undefined;
};

/** The log that audit, invalidation and webhooks read. */
export interface EventStore {
  /** Events after the sequence `since`, oldest first, at most `limit`. */
  list(since: number, limit: number): Promise<Event[]>;
  /** The same, with what was made together: these events are all there, or none of them yet. */
  listCommitted(since: number, limit: number): Promise<CommittedEvent[]>;
  /**
   * What the events from the first to the last sequence changed, in order: an entry each, those of a subtree that were or
   * are public, and what is below a folder; that only if there was a webhook. Not what an event itself names.
   */
  listThings(from: number, to: number): Promise<ChangedThing[]>;
  /** Events before the sequence `before`, newest first, at most `limit`; the newest of all when it is undefined. */
  listBefore(before: number | undefined, limit: number): Promise<Event[]>;
  /** The sequence of the newest event and of the oldest that is kept; 0 for none. */
  bounds(): Promise<{ oldest: number; newest: number }>;
  /** How far a follower has processed the log, as it last reported; undefined when it never did. */
  position(follower: string): Promise<number | undefined>;
  savePosition(follower: string, sequence: number): Promise<void>;
  /** Does nothing when it has none. */
  forgetPosition(follower: string): Promise<void>;
  /**
   * Removes events older than `beforeSeconds`, except the newest event, and those after the position of a follower or of a
   * webhook that is on. Positions with older events after them than `unhandledBeforeSeconds` are forgotten: such a follower starts anew.
   */
  prune(beforeSeconds: number, options?: PruneOptions): Promise<Pruned>;
}

export type PruneOptions = {
  /**
   * An event that a clock that was ahead dated after this time is removed with the events that followed it; without it
   * no time counts as ahead.
   */
  nowSeconds?: number;
  /** Without it no position is forgotten. */
  unhandledBeforeSeconds?: number;
};

/** How far a follower has processed the log. */
export type FollowerPosition = { follower: string; sequence: number };

export type Pruned = {
  /** The number of removed events. */
  count: number;
  /** The followers for which old events were kept. */
  behind: FollowerPosition[];
  /** Those whose positions were forgotten. */
  forgotten: FollowerPosition[];
};

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
    ...(event.requestId !== undefined && { request_id: event.requestId }),
    ...(event.address !== undefined && { address: event.address }),
    ...(event.outdated && { outdated: event.outdated }),
  };
}
