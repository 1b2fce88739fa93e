import type { Access, Sight } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import { formatJson, type Json, type JsonObject } from "../core/lib/json.ts";
import { formatJsonLater } from "../core/lib/json-slices.ts";
import type { Path, Slug } from "../core/path.ts";
import type { PathPlace } from "../core/path-cursor.ts";
import { quote } from "../core/problem-row.ts";
import { formatRevision, refuseOtherState } from "../core/revision.ts";
import { type Entry, type EntryInput, type FaultyEntry, updatedEntry } from "../entry/entry.ts";
import { type SettableFields, settableFields } from "../entry/field.ts";
import { laidOver, type Patch, publicFields } from "../entry/next.ts";
import { problem } from "./problems.ts";
import { baseOf, type OutdatedKey, objectOf, type StagedBase } from "./staged-base.ts";

/**
 * Working copies: changes of an entry that are not live yet. A copy has the changed top-level keys, the removed ones and
 * the changed fields of the service; it is laid over the entry as that is at the moment. Contract, part two, §11;
 * decision 53.
 */
export type WorkingCopy = Patch &
  Readonly<{
    /** Of its entry. */
    uuid: string;
    /** Of the translation that it changes; "" for the source. */
    locale: string;
    /** The sequence of the event that changed the copy last. */
    revision: number;
    stagedAtSeconds: number;
    stagedBy: string;
    /** Of the keys that `stagedBy` did not change alone: who else did so alone, or `several`. */
    authors: ReadonlyMap<string, string>;
    /** When it is published; null when that is not scheduled. Until then the copy cannot be changed. */
    publishAtSeconds: number | null;
    scheduledBy: string | null;
    /** What each key was when it was staged. */
    base: StagedBase;
    /** The id of the release that it is in; null for none. */
    release: string | null;
  }>;

/** The keys of a copy that were changed live since they were staged; a publish puts them back. */
type Outdated = { readonly outdated: readonly string[] };

/** An entry as it would be if its copy were published, with the copy if it has one; after `stage` with its faults. */
export type StagedEntry = Outdated &
  Pick<FaultyEntry, "faults"> & { readonly entry: Entry; readonly copy: WorkingCopy | undefined };

/** A copy in the list of all. */
export type StagedRow = Outdated & { readonly slug: Slug; readonly title: string; readonly copy: WorkingCopy };

/** Which copies: of entries at and below these paths (null for all), after the place `after`, at most `limit`. */
export type StagedQuery = {
  readonly paths: readonly Path[] | null;
  readonly after: PathPlace | undefined;
  readonly limit: number;
  /** Of this locale alone; "" for the source. */
  readonly locale?: string | undefined;
};

/** The author of a key that several changed. */
const several = "";

/** With `onlyOwn` nothing is dropped, nor taken out of a release, that others than the actor have changed, alone or too. */
type Owned = { readonly onlyOwn?: boolean };

/** What is dropped: all of it unless `keys` say otherwise. */
export type DiscardedPart = Owned & {
  /** Drops only these keys; without any left there is no copy. */
  readonly keys?: readonly string[] | undefined;
};

/** What is staged. `release`: the copy is in that one from now on, null for in none; absent: where it is. */
export type Staging = EntryInput & Owned & { readonly release?: string | null | undefined };

/** With `current` a copy with outdated keys is refused. */
export type Publishing = { readonly current?: boolean | undefined };

/** Where working copies are stored. Each write is one transaction and one event. */
export interface StagedStore {
  /**
   * The entry with its copy laid over; undefined when there is no such entry. With a release as if that were published: other
   * copies are not there.
   */
  find(slug: Slug, reader?: ReleaseReader, locale?: string): Promise<StagedEntry | undefined>;
  /** Several entries, in their order, each as the reader sees it, whether he may see it or not. */
  findAll(slugs: readonly Slug[], reader: Sight): Promise<(Entry | undefined)[]>;
  /** Entries with a copy, in the order of their ids. */
  list(query: StagedQuery): Promise<StagedRow[]>;
  /** The outdated keys of the copy in three texts; none without a copy. Throws entry_not_found. */
  outdated(slug: Slug, locale?: string): Promise<OutdatedKey[]>;
  /**
   * Changes the copy, which is created when it is missing. Throws entry_not_found, revision_mismatch,
   * publish_scheduled, data_too_large, too_many_copies, nothing_staged (it would take what is not there out of a release);
   * with `onlyOwn` scope_missing (it would take out what others have staged);
   * with a release release_not_found, release_published, release_full, in_release (the copy is in another one).
   */
  stage(slug: Slug, input: Staging, context: WriteContext): Promise<StagedEntry>;
  /** Creates a draft in a release. Throws as EntryStore.create and `stage` do. */
  createDraft(slug: Slug, input: EntryInput, release: string, context: WriteContext): Promise<Entry>;
  /**
   * Drops the copy, or keys of it. Throws entry_not_found, nothing_staged, revision_mismatch, publish_scheduled,
   * argument_invalid (a key that the copy does not have), and with `onlyOwn` scope_missing.
   */
  discard(slug: Slug, part: DiscardedPart, context: WriteContext): Promise<void>;
  /**
   * Makes the copy live; a draft becomes visible unless the copy says otherwise. Throws entry_not_found, nothing_staged,
   * revision_mismatch, publish_scheduled, in_release, data_too_large, with `current` staged_outdated. The event names the keys that it put back.
   */
  publish(slug: Slug, how: Publishing, context: WriteContext): Promise<Entry>;
  /**
   * Sets when the copy is published, null for no time. Throws entry_not_found, nothing_staged, revision_mismatch,
   * publish_scheduled (there is a time already), in_release, with `current` staged_outdated.
   */
  schedule(slug: Slug, how: Publishing & { atSeconds: number | null }, context: WriteContext): Promise<StagedEntry>;
  /**
   * Publishes the copies whose time has come, each exactly once; answers how many. One that is refused stays, without a
   * time, and the log says so. One with outdated keys is published: its event names them.
   */
  publishDue(nowSeconds: number): Promise<number>;
  /** The earliest time at which a copy is published, in Unix seconds; undefined when none has a time. */
  nextDue(): Promise<number | undefined>;
}

/** The most copies of a store: lists of what is staged look at each. */
export const maxCopies = 10_000;

/** The ETag of the staged view, without quotes: it names both states. */
export const stagedTag = ({ revision, stagedRevision }: Pick<Entry, "revision" | "stagedRevision">): string =>
  `${formatRevision(revision)}.${formatRevision(stagedRevision ?? 0)}`;

/** Refuses a write that was meant for another state of the entry or of its copy. Throws revision_mismatch. */
export const refuseOtherStates = (ifMatch: string | undefined, entry: Entry): void =>
  refuseOtherState(ifMatch, stagedTag(entry));

/** Refuses to change a copy that is going to be published. Throws publish_scheduled. */
export function refuseScheduled(slug: Slug, copy: WorkingCopy | undefined): void {
  if (copy && copy.publishAtSeconds !== null)
    throw problem("publish_scheduled", { id: slug, at: copy.publishAtSeconds, release: copy.release });
}

/** Refuses to publish alone what goes live with others. Throws publish_scheduled, in_release. */
export function refuseInRelease(slug: Slug, copy: WorkingCopy | undefined): void {
  if (!copy || copy.release === null) return;
  refuseScheduled(slug, copy);
  throw problem("in_release", { argument: "id", id: slug, release: copy.release });
}

/**
 * The entry as it would be once a release is published: the copy counts if it is in that one, a draft becomes visible as
 * if that were now.
 */
export async function releasedEntry<T extends Entry>(
  entry: T,
  copy: WorkingCopy | undefined,
  { release, nowSeconds }: ReleaseReader,
): Promise<T> {
  if (!copy || copy.release !== release) return { ...entry, stagedRevision: null };
  return { ...entry, ...(await laidOver(entry, copy)), ...publicFields(entry, copy, nowSeconds) };
}

/** Who sees a release, and when. */
export type ReleaseReader = Pick<Access, "release" | "nowSeconds">;

/** What a change makes of a copy: it has no revision yet. */
export type UnsavedCopy = Omit<WorkingCopy, "revision">;

/** The copy after a change. The limits of an entry hold for the result. Rejects with data_too_large. */
export async function changedCopy(
  entry: Entry,
  copy: WorkingCopy | undefined,
  input: EntryInput,
  { nowSeconds, actor }: WriteContext,
): Promise<UnsavedCopy> {
  const view = await laidOver(entry, copy);
  const { data: after } = await updatedEntry(view, entry.slug, input, undefined, { nowSeconds });
  const changed: JsonObject = copy ? await objectOf(copy.data) : new Map<string, Json>();
  const removed = new Set(copy?.removed);
  const sent = await objectOf(input.data);
  const keys = keysOf(sent, input);
  const own = keysOf(changed, copy);
  const authors = authorsAfter(copy, own, keys, actor);
  const base = new Map([...(copy?.base ?? []), ...(await baseOf(entry, keys))]);
  for (const key of sent.keys()) {
    const value = after.get(key);
    if (value === undefined) changed.delete(key);
    else changed.set(key, value);
    if (value === undefined) removed.add(key);
    else removed.delete(key);
  }
  return {
    uuid: entry.uuid,
    locale: entry.locale ?? "",
    data: await formatJsonLater(changed),
    removed: [...removed],
    fields: { ...copy?.fields, ...input.fields },
    stagedAtSeconds: nowSeconds,
    // A change of nothing takes no empty copy over from who made it.
    stagedBy: copy && own.length + keys.length === 0 ? copy.stagedBy : actor,
    authors,
    base,
    publishAtSeconds: null,
    scheduledBy: null,
    release: copy?.release ?? null,
  };
}

/** The keys of a change, or of a copy: changed or removed ones of the client, and the service's by their names on the wire. */
const keysOf = (data: JsonObject, other: Partial<Pick<WorkingCopy, "removed" | "fields">> = {}): string[] => [
  ...data.keys(),
  ...(other.removed ?? []),
  ...fieldsOf(other.fields ?? {}).map(({ name }) => name),
];

/** Those of a copy. */
const keysOfCopy = async (copy: WorkingCopy): Promise<string[]> => keysOf(await objectOf(copy.data), copy);

/** Those of copies, by their locales. */
export async function keysByLocale(copies: readonly WorkingCopy[]): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map(await Promise.all(copies.map(async (copy) => [copy.locale, await keysOfCopy(copy)] as const)));
}

/** Those that are there. */
const fieldsOf = (fields: SettableFields) => settableFields.filter(({ key }) => Object.hasOwn(fields, key));

const authorOf = ({ authors, stagedBy }: WorkingCopy, key: string): string => authors.get(key) ?? stagedBy;

/** Who changed what of the copy, `keys`, once the actor has changed some. */
function authorsAfter(
  copy: WorkingCopy | undefined,
  keys: readonly string[],
  sent: readonly string[],
  actor: string,
): ReadonlyMap<string, string> {
  const authors = new Map(copy && keys.map((key) => [key, authorOf(copy, key)]));
  // Who put an empty copy into a release has a part in what others write there: without keys it would leave the release.
  const maker = copy && copy.release !== null && keys.length === 0 ? copy.stagedBy : actor;
  for (const key of sent) authors.set(key, (authors.get(key) ?? maker) === actor ? actor : several);
  return new Map([...authors].filter(([, author]) => author !== actor));
}

/**
 * Refuses to drop, or to take out, of what others staged, more than the actor alone changed. Without keys all of the copy is meant. Throws
 * scope_missing, which names what may be dropped; argument_invalid for a key that the copy does not have.
 */
export async function refuseForeign(copy: WorkingCopy, { keys, onlyOwn }: DiscardedPart, actor: string): Promise<void> {
  const all = new Set(keysOf(await objectOf(copy.data), copy));
  const unknown = keys?.find((key) => !all.has(key));
  if (unknown !== undefined) {
    const accepted = `keys of the working copy: ${listed([...all])}`;
    throw problem("argument_invalid", { argument: "keys", received: unknown, accepted });
  }
  const isOwn = (key: string): boolean => authorOf(copy, key) === actor;
  const isAllOwn = all.size === 0 ? copy.stagedBy === actor : [...(keys ?? all)].every(isOwn);
  if (!onlyOwn || isAllOwn) return;
  const own = [...all].filter(isOwn);
  const rest = own.length > 0 ? `; "keys" may name what this token alone has staged: ${listed(own)}` : "";
  throw problem("scope_missing", { needed: `writes:all, since others have staged here, too${rest}` });
}

const maxListed = 10;
const listed = (keys: readonly string[]): string =>
  keys.slice(0, maxListed).map(quote).join(", ") + (keys.length > maxListed ? ", …" : "");

/** The copy without these keys; undefined when nothing is left. */
export async function copyWithout(copy: WorkingCopy, keys: readonly string[]): Promise<UnsavedCopy | undefined> {
  const dropped = new Set(keys);
  const isKept = (key: string) => !dropped.has(key);
  const data = new Map([...(await objectOf(copy.data))].filter(([key]) => isKept(key)));
  const fields = fieldsOf(copy.fields).filter(({ name }) => isKept(name));
  const rest: Pick<WorkingCopy, "fields" | "removed"> = {
    fields: Object.fromEntries(fields.map(({ key }) => [key, copy.fields[key]])),
    removed: copy.removed.filter(isKept),
  };
  if (keysOf(data, rest).length === 0) return undefined;
  const authors = new Map([...copy.authors].filter(([key]) => isKept(key)));
  const base = new Map([...copy.base].filter(([key]) => isKept(key)));
  return { ...copy, ...rest, authors, base, data: await formatJsonLater(data) };
}

/** A copy without changes: what is scheduled of a draft that has none. */
export const emptyCopy = ({ uuid, locale = "" }: Entry, { nowSeconds, actor }: WriteContext): UnsavedCopy => ({
  uuid,
  locale,
  data: "{}",
  removed: [],
  fields: {},
  authors: new Map(),
  base: new Map(),
  stagedAtSeconds: nowSeconds,
  stagedBy: actor,
  publishAtSeconds: null,
  scheduledBy: null,
  release: null,
});

/** Refuses to publish what has neither a copy nor a draft. Throws nothing_staged. */
export function refuseNothingStaged(entry: Entry, copy: WorkingCopy | undefined): void {
  if (!copy && (entry.visibility !== "draft" || entry.revision === 0))
    throw problem("nothing_staged", { id: entry.slug });
}

/** Refuses to put back what was changed live. Throws staged_outdated. */
export function refuseOutdated(slug: Slug, { current = false }: Publishing, outdated: readonly string[]): void {
  if (current && outdated.length > 0) throw problem("staged_outdated", { id: slug, keys: listed(outdated) });
}

// ---------------------------------------------------------------------------------------------- as stored

/** The changed fields as a JSON object text, by their names on the wire. */
export const formatStagedFields = (fields: SettableFields, sources?: string): string =>
  JSON.stringify({ ...Object.fromEntries(settableFields.map(({ name, key }) => [name, fields[key]])), sources });

/** The inverse. */
export function parseStagedFields(text: string): SettableFields {
  const read = JSON.parse(text);
  const found = settableFields.filter(({ name }) => Object.hasOwn(read, name));
  return Object.fromEntries(found.map(({ name, key }) => [key, read[name]]));
}

/** Of a translation: what each key was written against. */
export const parseCopySources = (text: string): string | undefined => JSON.parse(text).sources;

/** A copy of the list under the wire's names. */
export const stagedFields = ({ slug, title, copy, outdated }: StagedRow) => ({
  id: slug,
  title,
  revision: copy.revision,
  staged_at: copy.stagedAtSeconds,
  staged_by: copy.stagedBy,
  publish_at: copy.publishAtSeconds,
  outdated,
  ...(copy.locale !== "" && { locale: copy.locale }),
  // Only where there is one: to a client without releases, the row is as before.
  ...(copy.release !== null && { release: copy.release }),
});

/** Who changed which keys, as a JSON object text: lists of keys by their author. */
export function formatAuthors(authors: WorkingCopy["authors"]): string {
  const keys = Map.groupBy(authors, ([, author]) => author);
  return JSON.stringify(Object.fromEntries([...keys].map(([author, of]) => [author, of.map(([key]) => key)])));
}

/** The inverse. */
export const parseAuthors = (text: string): WorkingCopy["authors"] =>
  new Map(
    Object.entries(JSON.parse(text) as Record<string, string[]>).flatMap(([author, keys]) =>
      keys.map((key) => [key, author]),
    ),
  );

/** The removed keys as a JSON array text. */
export const formatRemoved = (keys: readonly string[]): string => formatJson([...keys]);

/** The inverse. */
export const parseRemoved = (text: string): string[] => JSON.parse(text) as string[];
