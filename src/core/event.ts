import type { Path } from "./path.ts";
import type { Unit, Written } from "./unit.ts";

/** The events of one noun: what their subject is, and the verbs of its writes. A kind is `<noun>.<verb>`. */
export type EventRow = {
  readonly subject: "path" | "registry key" | "type id" | "id";
  readonly verbs: readonly string[];
  /** The verbs of writes that change nothing that is live. */
  readonly quiet?: readonly string[];
};

/** The types of rows, as an interface extends them. */
export type RowsOf<T> = T;
/** The rows by noun: each feature adds those of its `events.ts`. Every other file learns about a kind from `kindFacts`. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it.
export interface EventNouns {}

export type EventNoun = keyof EventNouns & string;
export type EventKind = { [N in EventNoun]: `${N}.${EventNouns[N]["verbs"][number]}` }[EventNoun];

/** What a kind says of its events. */
export type KindFacts = {
  readonly noun: EventNoun;
  readonly verb: string;
  readonly subject: EventRow["subject"];
  /** Whether such an event names a second path: where a move or copy went, or what came back from the trash. */
  readonly target: "always" | "maybe" | "never";
};

const nouns = new Map<string, EventRow>();
const facts = new Map<string, KindFacts>();

/** Adds the nouns of a feature, and answers them. */
export function addEvents<const Rows extends Readonly<Record<string, EventRow>>>(rows: Rows): Rows {
  for (const [noun, row] of Object.entries(rows)) {
    nouns.set(noun, row);
    for (const verb of row.verbs) facts.set(`${noun}.${verb}`, parseKind(noun, verb, row));
  }
  return rows;
}

/** The kinds of writes, of all features that are loaded. */
export const eventKinds = (): EventKind[] => [...facts.keys()] as EventKind[];

/** The kinds whose writes change nothing that is live. */
export const quietKinds = (): EventKind[] =>
  [...nouns].flatMap(([noun, { quiet = [] }]) => quiet.map((verb) => `${noun}.${verb}` as EventKind));

const targets: Partial<Record<string, KindFacts["target"]>> = { move: "always", copy: "always", undelete: "maybe" };

const parseKind = (noun: string, verb: string, { subject }: EventRow): KindFacts => ({
  noun: noun as EventNoun,
  verb,
  subject,
  target: targets[verb] ?? "never",
});

/**
 * The facts of a kind. A newer version may have written to the same log: of a verb that this one does not have the noun
 * is known, of a noun that it does not have nothing is.
 */
export function kindFacts(kind: string): KindFacts | undefined {
  const known = facts.get(kind);
  if (known) return known;
  const [noun = "", verb = ""] = kind.split(".");
  const row = nouns.get(noun);
  return row && parseKind(noun, verb, row);
}

/** True for writes that change nothing that is live. */
export function isQuiet(kind: string): boolean {
  const { noun = "", verb = "" } = kindFacts(kind) ?? {};
  return nouns.get(noun)?.quiet?.includes(verb) ?? false;
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
  /** Of a write of a translation: its locale. */
  locale?: string;
};

/** What the log keeps of the entry that a write of one entry changed. Contract, part two, §12. */
export type EntryChange = {
  readonly uuid: string;
  readonly wasPublic: Publicity;
  readonly isPublic: Publicity;
  /** As in its event. */
  readonly outdated?: readonly string[];
};

/**
 * How the public sees an entry: not at all, in lists too, by its id alone, or in lists of other locales than the source alone.
 * The numbers are those of the log.
 */
export const publicity = { none: 0, listed: 1, byId: 2, elsewhere: 3 } as const;
export type Publicity = (typeof publicity)[keyof typeof publicity];

/** By the number that the log keeps of an entry of a subtree, which is one of nothing, too: how the public sees it. */
export const notedPublicity = [publicity.byId, publicity.listed, publicity.elsewhere] as const;
export const notedOf = (each: Publicity): number => Math.max(0, notedPublicity.indexOf(each as 1));

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
export type NewEvent = Omit<Event, "sequence" | "outdated" | "locale" | keyof EventOrigin> & {
  origin: EventOrigin;
  locale?: string | undefined;
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
  /** Of a write of a translation: its locale. */
  locale?: string | undefined;
  /** The writer may change some locales alone: of an entry itself what is the source's, not what all have. Contract §24, Rights. */
  isLocal?: true | undefined;
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
    ...(event.locale !== undefined && { locale: event.locale }),
  };
}
