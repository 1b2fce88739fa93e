import type { JsonObject } from "../core/lib/json.ts";
import { formatJsonLater, parseJsonLater } from "../core/lib/json-slices.ts";
import { type EntryPlace, entryIn, type Version } from "../version/version.ts";
import {
  type ChangedEntry,
  type Entry,
  maxDataDepth,
  type RestoredParts,
  refuseTooLarge,
  type UnsavedEntry,
} from "./entry.ts";
import { isUndated, type SettableFields, withFields } from "./field.ts";

/**
 * What becomes the next version of an entry: an earlier one, or a patch over the present one. A publish, a release, its
 * undo, a schedule and each restore go through `nextVersion`, what comes out of the trash through `returnedEntry`;
 * next-store.ts writes both. Decision 78.
 */

/** Changes of an entry: the changed top-level keys, a JSON object text, the removed ones, and the changed fields. */
export type Patch = {
  readonly data: string;
  readonly removed: readonly string[];
  /** null sets one back to its default. */
  readonly fields: SettableFields;
  /** Of a translation: by changed key the hash of the source that it was written against, a JSON object text. */
  readonly sources?: string | undefined;
};

/**
 * `version`: brings it back; undefined for the present one once more. `patch`: publishes it; undefined for a draft that
 * becomes visible as it is.
 */
export type NextSource = { readonly version: Version | undefined; readonly parts: RestoredParts } | Publication;

/** `atSeconds`: the time that was set for it; absent for now. */
export type Publication = { readonly patch: Patch | undefined; readonly atSeconds?: number | undefined };

/** The data of an entry, parsed. */
export const dataOf = async ({ data }: Pick<Entry, "data">): Promise<JsonObject> =>
  (await parseJsonLater(data, maxDataDepth)) as JsonObject;

/** The title of what has these data; empty where it has none that is a text. */
export function titleIn(data: JsonObject | undefined): string {
  const title = data?.get("title");
  return typeof title === "string" ? title : "";
}

export const titleOf = async (entry: Pick<Entry, "data">): Promise<string> => titleIn(await dataOf(entry));

/** The entry with the patch laid over. */
export async function laidOver(entry: Entry, patch: Patch | undefined): Promise<Entry> {
  if (!patch) return entry;
  const object = await laidOverData(await dataOf(entry), patch, entry.locale !== undefined);
  return { ...withFields(entry, patch.fields), data: await formatJsonLater(object) };
}

/** The same of their data. `isPartial`: those of a translation. */
export async function laidOverData(
  live: JsonObject,
  { data, removed }: Pick<Patch, "data" | "removed">,
  isPartial = false,
): Promise<JsonObject> {
  const object = new Map(live);
  for (const key of removed) object.delete(key);
  for (const [key, value] of await dataOf({ data })) object.set(key, value);
  if (!isPartial && !object.has("content")) object.set("content", "");
  return object;
}

/**
 * What a publish at that time sets by itself: a draft becomes visible unless the patch says otherwise, and its first publish
 * dates it unless a client has. Contract §11, Working copies.
 */
export function publicFields(
  present: Entry,
  patch: Patch | undefined,
  atSeconds: number,
): Pick<Entry, "visibility" | "publishedAt"> {
  const { publishedAt, ...asked } = withFields(present, patch?.fields ?? {});
  const becomesVisible = present.visibility === "draft" && patch?.fields.visibility === undefined;
  const visibility = becomesVisible ? "visible" : asked.visibility;
  const isFirst = !present.wasPublic || publishedAt !== present.publishedAt;
  const isDated = visibility === "draft" || !isFirst || !isUndated({ ...present, publishedAt });
  return { visibility, publishedAt: isDated ? publishedAt : atSeconds };
}

/**
 * The next version of an entry, and its data before. Rejects with data_too_large: an entry may have grown since its patch
 * was made.
 */
export const nextVersion = (present: Entry, source: NextSource, nowSeconds: number): Promise<ChangedEntry> =>
  "patch" in source
    ? published(present, source, nowSeconds)
    : restored(present, source.version, source.parts, nowSeconds);

async function published(present: Entry, { patch, atSeconds }: Publication, nowSeconds: number): Promise<ChangedEntry> {
  const before = await dataOf(present);
  const data = patch ? await laidOverData(before, patch, present.locale !== undefined) : before;
  const text = patch ? await formatJsonLater(data) : present.data;
  if (patch) refuseTooLarge(text);
  const { revision: _, contentRevision: __, ...unchanged } = patch ? withFields(present, patch.fields) : present;
  const entry: UnsavedEntry = {
    ...unchanged,
    ...publicFields(present, patch, atSeconds ?? nowSeconds),
    data: text,
    modifiedAt: Math.max(nowSeconds, present.modifiedAt),
    stagedRevision: null,
    ...(patch?.sources && { sources: mergedSources(present.sources, patch.sources) }),
  };
  return { entry, before, data };
}

/** What was written against later sources has the last word. */
export const mergedSources = (before = "{}", after = "{}"): string =>
  JSON.stringify({ ...JSON.parse(before), ...JSON.parse(after) });

async function restored(
  present: Entry,
  version: Version | undefined,
  parts: RestoredParts,
  nowSeconds: number,
): Promise<ChangedEntry> {
  const before = await dataOf(present);
  if (!version) return { entry: present, before, data: before };
  const entry = restoredEntry(present, version, parts, nowSeconds);
  return { entry, before, data: await dataOf(entry) };
}

/** The data of a version, with what those of a translation were written against. */
const withData = (entry: Entry, version: Version): Entry => ({
  ...entry,
  data: version.data,
  ...(entry.locale !== undefined && { sources: entryIn(entry, version).sources }),
});

/** The entry with those parts of a version brought back, now. */
export const restoredEntry = (entry: Entry, version: Version, parts: RestoredParts, nowSeconds: number): Entry => ({
  ...(parts === "data" ? withData(entry, version) : entryIn(entry, version)),
  modifiedAt: Math.max(nowSeconds, entry.modifiedAt),
});

/**
 * The next version of an entry that is gone, at the place where it goes: what was deleted, with its dates. It gets a new
 * revision only, since it says what it said.
 */
export const returnedEntry = (place: EntryPlace, version: Version): Entry => entryIn(place, version);
