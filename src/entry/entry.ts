import type { Access, Reach, Reader } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import { readCanonical } from "../core/lib/canonical-json.ts";
import { countKeys, type JsonObject, maxDataDepth, mergePatch } from "../core/lib/json.ts";
import { formatJsonLater, parseJsonLater } from "../core/lib/json-slices.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { CollectionAnswer, CollectionQuery } from "../core/list/list.ts";
import type { Asker } from "../core/list/query.ts";
import { isWithin, type Path, rebase, type Slug } from "../core/path.ts";
import type { Fault } from "../core/problem.ts";
import { refuseOtherRevision } from "../core/revision.ts";
import type { Deletion } from "../trash/trash.ts";
import { type EntryFields, formatFields, isUndated, noFields, type SettableFields, withFields } from "./field.ts";
import { problem } from "./problems.ts";
import type { RecentEntry, RecentQuery } from "./recent.ts";

export { maxDataDepth } from "../core/lib/json.ts";

export const maxDataBytes = 1024 * 1024;

/** One entry as stored. Never changed in place: a change creates a new object, so identity can key a cache. */
export type Entry = Readonly<
  EntryFields & {
    /** The client's data as the JSON object text that is returned; always holds `content`. */
    data: string;
    /** The sequence of the event that created this state; increases with each change and is never reused. */
    revision: number;
    /** The sequence of the event that made its content; a move makes a new revision and no new content. */
    contentRevision: number;
    /** The revision of its working copy; null without one. See staged.ts. */
    stagedRevision: number | null;
    /** True where an earlier write has noted that the public saw it before. */
    wasPublic?: boolean;
    /** True where it has a translation, or a working copy of one. */
    translated?: boolean;
    /** The locales in which alone it is public, a JSON list text with "" for the source; null for all. Contract §24. */
    onlyLocales?: string | null;
    /** Of a translation, which has the shape of an entry: its locale. It has the translated keys alone, maybe no content. */
    locale?: string;
    /** Of a translation: the last part of its path, null for that of the entry; hashes of the source by key, a JSON object. */
    name?: string | null;
    sources?: string;
    /** Who changed it last. */
    modifiedBy?: string;
    /** Of one that is read in a locale: the translations whose values it may have, that of the locale itself first. */
    layers?: readonly Entry[];
  }
>;

/** The `data` of a request, validated. Plain data: it is passed to the writer's thread. */
export type EntryInput = {
  /** The client's own keys, a JSON object text. */
  data: string;
  /** True when a null removes its key and objects merge (RFC 7396), false when top-level keys are set as sent. */
  isMergePatch: boolean;
  /** True when the data replaces that of the entry. */
  isWhole?: boolean;
  fields: SettableFields;
  /** The limit of keys of the entry, at all depths; an entry with more cannot gain keys. Absent: no limit. */
  maxKeys?: number;
};

/**
 * `fail` refuses; `update` merges as an update does; `replace` sets the data whole, and keeps the service's fields that it
 * does not name, so that no draft goes live by it; `skip` leaves the entry as it is.
 */
export const conflictRules = ["fail", "update", "replace", "skip"] as const;
export type ConflictRule = (typeof conflictRules)[number];

/** What an upsert did: `unchanged` where what was sent is there already. */
export type UpsertOutcome = "created" | "updated" | "replaced" | "skipped" | "unchanged";

/** Plain data: it is passed to the writer's thread. */
export type UpsertInput = EntryInput & { onConflict: Exclude<ConflictRule, "fail"> };

/**
 * What an import does with an entry or a file that is there and differs. What is the same is left unchanged under each
 * of them, so that an import can be repeated.
 */
export const importPolicies = ["fail", "skip", "replace"] as const;
export type ImportPolicy = (typeof importPolicies)[number];

/** A whole entry as a file states it. Plain data: it is passed to the writer's thread. */
export type EntryState = {
  /** The client's own keys, a JSON object text with `content`. */
  data: string;
  /** What the file states. An absent time is that of the file for a new entry, and kept for one that is there. */
  fields: SettableFields;
  modifiedAt?: number | undefined;
  /** Only for a new entry: one that is there keeps its own. The caller ensures that no other entry has the uuid. */
  uuid?: string | undefined;
  createdAt?: number | undefined;
  /** When the file was written to. */
  fileSeconds: number;
  /** The locales in which alone a new entry is public, the source as ""; absent and null for all. */
  onlyLocales?: readonly string[] | null | undefined;
  onConflict: ImportPolicy;
  maxKeys?: number;
  /** Checks everything that the write would check, and writes nothing. */
  isDryRun?: boolean;
};

/** What became of one thing of an import. */
export type PutOutcome = "created" | "replaced" | "unchanged" | "skipped";

/**
 * What a restore of an entry brings back. Without the state the service's fields, `visibility` among them, stay as they
 * are: an older text takes no page off the site.
 */
export type RestoredParts = "data" | "data and state";

/** A child in the tree: a path with its entry, if it has one. */
export type EntryChild = { slug: Slug; entry: Entry | undefined; hasChildren: boolean };

/** An entry after a write, and where its data does not fit its type all the same; absent where it does. */
export type FaultyEntry = Entry & { readonly faults?: readonly Fault[] };

/** The entry after an upsert, and what that did. */
export type UpsertedEntry = FaultyEntry & { readonly outcome: UpsertOutcome };

export const withFaults = (entry: Entry, faults: readonly Fault[]): FaultyEntry =>
  faults.length > 0 ? { ...entry, faults } : entry;

/** Where a subtree goes; with `redirected` the references to it in this reach go along. */
export type EntryTarget = { newSlug: Slug; redirected?: Reach | undefined };

/**
 * Where entries are stored. Each write is one transaction whose rule is a function of this file, run inside it; each
 * write appends one event. A write that throws has changed nothing. Racing writes are serialised: the second sees the
 * first.
 */
export interface EntryStore {
  /** The entry, or undefined; as fresh as for management unless `reader` says otherwise. */
  find(slug: Slug, reader?: Reader): Entry | undefined | Promise<Entry | undefined>;
  /** The same for several, in their order, with one query for those that no cache has. */
  findAll(slugs: readonly Slug[], reader: Reader): MaybePromise<(Entry | undefined)[]>;
  /**
   * A collection below `query.path`. Throws entry_not_found when neither the entry nor any visible descendant exists,
   * busy when the client has too many costly collections in progress, filter_too_costly above its time limit.
   */
  list(query: CollectionQuery, access: Access, asker?: Asker): Promise<CollectionAnswer>;
  /**
   * The direct children of the path in id order, at most `limit`, after `after`: also paths without an entry that have
   * descendants. Empty when there are none.
   */
  children(path: Path, after: Slug | undefined, limit: number): Promise<EntryChild[]>;
  /** The entries that were changed last, the newest change first, as far back as the log is looked at. */
  recent(query: RecentQuery): Promise<RecentEntry[]>;
  /** Throws entry_exists; with `ifMatch` entry_not_found, since there is no state to match. */
  create(slug: Slug, input: EntryInput, context: WriteContext): Promise<Entry>;
  /**
   * Makes the entry what an import states; see EntryState for what happens to one that is there. Throws entry_exists
   * (it differs, and the policy is to fail), data_too_large.
   */
  put(slug: Slug, state: EntryState, context: WriteContext): Promise<PutOutcome>;
  /**
   * Creates the entry, or does with the one that is there what the input says. What changes nothing writes nothing. Of two
   * that race one creates, and the other finds what that made. Throws revision_mismatch, with `ifMatch` entry_not_found,
   * data_too_large.
   */
  upsert(slug: Slug, input: UpsertInput, context: WriteContext): Promise<UpsertedEntry>;
  /** Throws entry_not_found, revision_mismatch, data_too_large. */
  update(slug: Slug, input: EntryInput, context: WriteContext): Promise<FaultyEntry>;
  /**
   * Moves the subtree. Throws entry_not_found, entry_exists,
   * move_into_itself, path_invalid, revision_mismatch, too_many_references.
   */
  move(slug: Slug, target: EntryTarget, context: WriteContext): Promise<Entry>;
  /** Copies the subtree; returns the copy. Throws as move does. */
  copy(slug: Slug, target: Pick<EntryTarget, "newSlug">, context: WriteContext): Promise<Entry>;
  /**
   * Brings back the data that was in force at an event; the service's fields too when `parts` says so. Throws
   * entry_not_found, revision_not_found, revision_mismatch.
   */
  restore(slug: Slug, state: { revision: number; parts?: RestoredParts }, context: WriteContext): Promise<FaultyEntry>;
  /**
   * Does so for every entry at and below the path, which existed at that time, as of the end of that second; answers how
   * many differed. `ifMatch` names the state of the entry at the path. Throws entry_not_found,
   * revision_mismatch, subtree_too_large, revision_not_found (a content of that time is not kept).
   */
  restoreSubtree(
    path: Slug,
    state: { atSeconds: number; parts?: RestoredParts },
    context: WriteContext,
  ): Promise<number>;
  /**
   * Moves the subtree to the trash, or deletes it for good, with its history. Throws entry_not_found,
   * revision_mismatch, with `restricted` in_use.
   */
  delete(slug: Slug, deletion: Deletion, context: WriteContext): Promise<void>;
  /**
   * Writes an event of each entry whose date of publication came at least a second ago, since it was written, and marks it
   * as listed in the index; answers how many. Collections include them from that date on.
   */
  goLive(nowSeconds: number): Promise<number>;
  /** When the next one becomes public by its time; undefined for none. */
  nextLive(): Promise<number | undefined>;
  /** Adds new entries to the index of texts. It only affects speed. */
  indexTexts(): Promise<void>;
  /** The number of entries. */
  count(): Promise<number>;
}

// ---------------------------------------------------------------------------------------------- the answer's text

/** The entry object: client keys as sent, then the service's. One string join; nothing is parsed. Contract §4. */
export function formatEntry(entry: Entry): string {
  return `${entry.data.slice(0, -1)},${formatFields(entry)}}`;
}

/** Throws data_too_large for data of more than a mebibyte. */
export function refuseTooLarge(data: string): void {
  if (Buffer.byteLength(data) > maxDataBytes)
    throw problem("data_too_large", { argument: "data", limit: maxDataBytes });
}

/** The minimum that a key adds to the text: `"":1,`. A text too short to exceed the limit is not counted. */
const charactersPerKey = 5;

/** Throws data_too_large when the entry has more than `maxKeys` keys and more than before. */
export function refuseTooManyKeys(
  data: JsonObject,
  text: string,
  before: JsonObject | undefined,
  maxKeys = Infinity,
): void {
  if (text.length <= charactersPerKey * maxKeys) return;
  const count = keysOf(data);
  if (count <= maxKeys || (before && count <= keysOf(before))) return;
  throw problem("data_too_large", { argument: "data", limit: maxKeys, unit: "keys at all depths" });
}

/** An empty `content` is not counted: the service adds it. */
const keysOf = (data: JsonObject): number => countKeys(data) - Number(data.get("content") === "");

// ---------------------------------------------------------------------------------------------- rules of the writes
// The store calls each inside its transaction with the state it read there; each returns the new state.

type Stamp = { nowSeconds: number };

/** An entry with new content that has no revision yet: the store assigns it when nothing refuses the write any more. */
export type UnsavedEntry = Omit<Entry, "revision" | "contentRevision">;

/** A written entry with its parsed data, for the field index. */
export type WrittenEntry = { entry: UnsavedEntry; data: JsonObject };
/** The same of an entry that exists, with its data before. */
export type ChangedEntry = WrittenEntry & { before: JsonObject };

/**
 * A new entry. `content` is "" when not given (contract §4). Rejects with entry_exists, with `ifMatch`
 * entry_not_found, data_too_large (too many keys).
 */
export async function createdEntry(
  existing: Entry | undefined,
  slug: Slug,
  input: EntryInput,
  ifMatch: string | undefined,
  stamp: Stamp & { uuid: string },
): Promise<WrittenEntry> {
  if (existing) throw problem("entry_exists", { argument: "id", id: slug });
  if (ifMatch !== undefined) throw problem("entry_not_found", { id: slug });
  const { object, text } = await mergedData(undefined, input);
  refuseTooManyKeys(object, text, undefined, input.maxKeys);
  const times = { createdAt: stamp.nowSeconds, modifiedAt: stamp.nowSeconds };
  const entry = { ...noFields, slug, uuid: stamp.uuid, data: text, ...times, stagedRevision: null };
  return { entry: withFields(entry, input.fields), data: object };
}

/**
 * The entry after a shallow merge. An unset field gets its default. Rejects with entry_not_found, revision_mismatch,
 * data_too_large.
 */
export async function updatedEntry(
  current: Entry | undefined,
  slug: Slug,
  input: EntryInput,
  ifMatch: string | undefined,
  stamp: Stamp,
): Promise<ChangedEntry> {
  const entry = existingEntry(current, slug, ifMatch);
  const before = (await parseJsonLater(entry.data, maxDataDepth)) as JsonObject;
  const { object, text } = await mergedData(input.isWhole ? undefined : before, input, entry.locale !== undefined);
  refuseTooLarge(text);
  refuseTooManyKeys(object, text, before, input.maxKeys);
  const { revision: _, contentRevision: __, ...unchanged } = withFields(entry, input.fields);
  const updated = {
    ...unchanged,
    data: text,
    // A clock that was set back must not make an entry look older than it was. Contract §4.
    modifiedAt: Math.max(stamp.nowSeconds, entry.modifiedAt),
  };
  return { entry: updated, before, data: object };
}

/**
 * The copy of one entry at its new path: a new uuid, created now; all other fields kept, but for a date of publication that
 * nobody set. Contract §4.
 */
export function copiedEntry(entry: Entry, slug: Slug, stamp: Stamp & { uuid: string; revision: number }): Entry {
  return {
    ...entry,
    slug,
    uuid: stamp.uuid,
    publishedAt: isUndated(entry) ? stamp.nowSeconds : entry.publishedAt,
    wasPublic: false,
    createdAt: stamp.nowSeconds,
    modifiedAt: stamp.nowSeconds,
    revision: stamp.revision,
    contentRevision: stamp.revision,
    stagedRevision: null,
  };
}

/** The entry, if it exists and is in the state that the caller names. Throws entry_not_found, revision_mismatch. */
export function existingEntry(current: Entry | undefined, slug: Slug, ifMatch: string | undefined): Entry {
  if (!current) throw problem("entry_not_found", { id: slug });
  refuseOtherRevision(ifMatch, current.revision);
  return current;
}

/** At each of these slugs the entry that is there. */
export function inOrderOf<E extends Entry>(slugs: readonly Slug[], entries: readonly E[]): (E | undefined)[] {
  const bySlug = new Map(entries.map((entry) => [entry.slug, entry]));
  return slugs.map((slug) => bySlug.get(slug));
}

/** Refuses a move or copy into the entry's own subtree. Throws move_into_itself. */
export function refuseIntoItself(slug: Slug, newSlug: Slug): void {
  if (isWithin(newSlug, slug)) throw problem("move_into_itself", { id: slug, newId: newSlug });
}

/** The new path of each entry of a subtree, in the same order. Throws path_invalid when one would exceed a limit. */
export function rebaseAll(slugs: readonly Path[], from: Slug, to: Slug): Slug[] {
  return slugs.map((slug) => rebase(slug, from, to));
}

function laidOver(before: JsonObject, sent: JsonObject): JsonObject {
  const after = new Map(before);
  for (const [key, value] of sent) after.set(key, value);
  return after;
}

/** Merges what was sent into the current data. `isPartial`: that of a translation. */
export async function mergedData(
  before: JsonObject | undefined,
  { data, isMergePatch }: EntryInput,
  isPartial = false,
): Promise<{ object: JsonObject; text: string }> {
  const canonical =
    data.length <= smallData ? (readCanonical(data, maxDataDepth) as JsonObject | undefined) : undefined;
  const sent = canonical ?? ((await parseJsonLater(data, maxDataDepth)) as JsonObject);
  // A new entry mostly is what was sent, whose text need not be written again.
  if (canonical && !before && !isMergePatch && canonical.has("content")) return { object: canonical, text: data };
  const object = isMergePatch ? mergePatch(before ?? new Map(), sent) : before ? laidOver(before, sent) : sent;
  if (!isPartial && !object.has("content")) object.set("content", "");
  return { object, text: await formatJsonLater(object) };
}

/** Data of this many characters is parsed at once; larger data in slices. */
const smallData = 16_384;
