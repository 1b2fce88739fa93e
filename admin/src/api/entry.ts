import type { EntryObject } from "../../../client/src/api.ts";
import {
  createClient,
  type EntryChild,
  etagOf,
  type Fields,
  type Filter,
  OctavoProblem,
  type Page,
  type PageQuery,
} from "../../../client/src/client.ts";
import type { Json, JsonObject } from "./json.ts";
import { octavo } from "./octavo.ts";
import { nameOf } from "./path.ts";

export type Visibility = EntryObject["visibility"];

/** An entry as the service answers it: the client's own keys, title and content among them, and the service's. */
export type Entry = JsonObject & Omit<EntryObject, "title" | "content">;
/** An entry with the tag of the state that was read; the cache of queries copies objects, which then have none. */
export type TaggedEntry = { entry: Entry; tag: string };
export type EntryQuery = Omit<PageQuery<Fields>, "filter"> & { filter?: Filter | undefined };

const tagged = (entry: object): TaggedEntry => ({ entry: entry as Entry, tag: etagOf(entry) ?? "" });

export const readEntry = async (id: string): Promise<TaggedEntry> => tagged(await octavo.entries.fetch(id));

/** One step down the tree by its own path, or null when nothing is there. */
export async function readChild(slug: string): Promise<EntryChild | null> {
  const [read, below] = await Promise.all([
    orMissing(readEntry(slug)),
    orMissing(octavo.entries.children(slug, { limit: 1 })),
  ]);
  if (!read && !below) return null;
  const entry = read && { ...read.entry, title: typeof read.entry.title === "string" ? read.entry.title : "" };
  return { slug, has_children: (below ?? []).length > 0, entry: entry ?? null };
}

const orMissing = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof OctavoProblem && error.status === 404) return undefined;
    throw error;
  });

export const listEntries = async (id: string, query: EntryQuery): Promise<Page<Entry>> =>
  (await octavo.entries.list(id, query)) as Page<Entry>;

/** The address that a website would read the collection from. */
export const collectionUrl = (id: string, query: EntryQuery): string =>
  `${createClient({ url: location.origin }).entries.url(id, query)}&token=ENTRIES_TOKEN`;

export const createEntry = async (id: string, data: JsonObject): Promise<TaggedEntry> =>
  tagged(await octavo.entries.create(id, data));

/** Keys to set; in a merge patch (RFC 7396) a null takes its key away, and objects are merged with what is there. */
export type EntryPatch = { data: JsonObject; isMergePatch: boolean };

/** Changes the state that was read. Throws revision_mismatch when someone else saved meanwhile. */
export const patchEntry = async (read: TaggedEntry, { data, isMergePatch }: EntryPatch): Promise<TaggedEntry> =>
  tagged(await octavo.entries.update(read.entry.slug, data, { ifMatch: read.tag, mergePatch: isMergePatch }));

/** Makes it public now: a draft, what is hidden, and what waits for its date. */
export async function publishEntry({ slug, published_at: publishedAt }: Entry): Promise<void> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  await octavo.entries.update(slug, { visibility: "visible", published_at: Math.min(publishedAt, nowSeconds) });
}

/** What an entry is called where its title is no text. */
export const titleOf = (entry: { slug: string; title?: Json }): string =>
  typeof entry.title === "string" && entry.title !== "" ? entry.title : nameOf(entry.slug);
