import type { EntryObject } from "../../../client/src/api.ts";
import {
  type CallOptions,
  createClient,
  type EntryChild,
  etagOf,
  type Fields,
  type Filter,
  type InLocale,
  OctavoProblem,
  type Page,
  type PageQuery,
  type SearchMatch,
} from "../../../client/src/client.ts";
import type { Json, JsonObject } from "./json.ts";
import { octavo, unlessSearched } from "./octavo.ts";
import { joinPath, nameOf, parentOf } from "./path.ts";

export type Visibility = EntryObject["visibility"];

/** An entry object: the client's keys, such as title and content, and the service's own fields. */
export type Entry = JsonObject & Omit<EntryObject, "title" | "content">;
/** An entry with its ETag; the query cache copies objects, and a copy has no ETag of its own. */
export type TaggedEntry = { entry: Entry; tag: string };
/** How far an entry is translated into a language; one may be both missing and outdated. */
export type TranslatedState = "missing" | "outdated" | "done";
export type EntryQuery = Omit<PageQuery<Fields>, "filter"> &
  InLocale & {
    filter?: Filter | undefined;
    /** With `locale`: only what is translated this far. */
    translation?: TranslatedState | undefined;
  };

const tagged = (entry: object): TaggedEntry => ({ entry: entry as Entry, tag: etagOf(entry) ?? "" });

export const readEntry = async (id: string, locale?: string): Promise<TaggedEntry> =>
  tagged(
    locale ? (await octavo.request<object>("GET /api/entries", { id, locale })).data : await octavo.entries.fetch(id),
  );

const levelPart = 100;

/** The tree item at a path, or null if there is none. */
export async function readChild(slug: string): Promise<EntryChild | null> {
  // Asks for the siblings from its name on: the browser logs a read of what does not exist as an error.
  const before = [...nameOf(slug)].slice(0, -1).join("");
  const after = before === "" ? undefined : joinPath(parentOf(slug), before);
  const level = await orMissing(octavo.entries.children(parentOf(slug), { after, limit: levelPart }));
  const found = level?.find((child) => child.slug === slug);
  if (found || !level || level.length < levelPart) return found ?? null;
  const [read, below] = await Promise.all([
    orMissing(readEntry(slug)),
    orMissing(octavo.entries.children(slug, { limit: 1 })),
  ]);
  if (!read && !below) return null;
  const entry = read && { ...read.entry, title: typeof read.entry.title === "string" ? read.entry.title : "" };
  return { slug, has_children: (below ?? []).length > 0, entry: entry ?? null };
}

/** Undefined for what does not exist, or not for this session. */
export const orMissing = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof OctavoProblem && error.status === 404) return undefined;
    throw error;
  });

/** A page of entries; of a search with how each was found, the best first. */
export type EntryPage = Page<Entry> & { matches?: SearchMatch[] };

/** Those with the words of `search` are what the service's search finds, unless a field sorts them or it has none. */
export async function listEntries(id: string, query: EntryQuery, options?: CallOptions): Promise<EntryPage> {
  if (query.search !== undefined && query.sort === undefined) {
    const found = await searchEntries(id, query.search, query, options).catch(unlessSearched);
    if (found) return found;
  }
  return (await octavo.entries.list(id, query, options)) as Page<Entry>;
}

/** Of one call, and the first place that no call reaches. */
const [mostFound, mostSkipped] = [100, 1000];

/** The cursor is the number of the entries before. */
async function searchEntries(id: string, words: string, query: EntryQuery, options?: CallOptions): Promise<EntryPage> {
  const { filter, depth = 1, limit = mostFound, cursor = "0", locale } = query;
  const begin = Number(cursor);
  const end = begin + limit;
  const items: Entry[] = [];
  const matches: SearchMatch[] = [];
  for (let offset = begin; ; ) {
    const sent = { id, depth, filter, locale, offset, limit: Math.min(mostFound, end - offset) };
    const found = await octavo.entries.search(words, sent, options);
    items.push(...(found.items as Entry[]));
    matches.push(...found.matches);
    offset += found.items.length;
    const isLast = found.items.length === 0 || offset >= found.total || offset > mostSkipped;
    if (isLast || offset >= end)
      return { items, matches, total: found.total, ...(!isLast && { cursor: String(offset) }) };
  }
}

/** The URL of the collection for a website. */
export const collectionUrl = (id: string, query: EntryQuery): string =>
  `${createClient({ url: location.origin }).entries.url(id, query)}&token=ENTRIES_TOKEN`;

export const createEntry = async (id: string, data: JsonObject): Promise<TaggedEntry> =>
  tagged(await octavo.entries.create(id, data));

/** Keys to set; in a merge patch (RFC 7396) null removes its key, and objects are merged. */
export type EntryPatch = { data: JsonObject; isMergePatch: boolean };

/** Updates the entry as read. Throws revision_mismatch after a concurrent change. */
export const patchEntry = async (read: TaggedEntry, { data, isMergePatch }: EntryPatch): Promise<TaggedEntry> =>
  tagged(await octavo.entries.update(read.entry.slug, data, { ifMatch: read.tag, mergePatch: isMergePatch }));

/** The name of an entry without a title. */
export const titleOf = (entry: { slug: string; title?: Json }): string =>
  typeof entry.title === "string" && entry.title !== "" ? entry.title : nameOf(entry.slug);
