import type { EntryObject } from "../../../client/src/api.ts";
import type { Json, JsonObject } from "./json.ts";
import { nameOf } from "./path.ts";
import { formatQuery, nextCursor, type Query, Refusal, request } from "./request.ts";

export type Visibility = EntryObject["visibility"];

/** An entry as the service answers it: the client's own keys, title and content among them, and the service's. */
export type Entry = JsonObject & Omit<EntryObject, "title" | "content">;
/** An entry with the tag of the state that was read. */
export type TaggedEntry = { entry: Entry; tag: string };

/** A step down the tree: a name, and the entry there, if there is one. */
export type EntryChild = {
  slug: string;
  has_children: boolean;
  entry: { title: string; visibility: Visibility; published_at: number } | null;
};

const url = "/api/management/entries";

const tagged = ({ data, headers }: { data: Entry; headers: Headers }): TaggedEntry => ({
  entry: data,
  tag: headers.get("etag") ?? "",
});

export const readEntry = async (id: string): Promise<TaggedEntry> =>
  tagged(await request<Entry>("GET", url, { query: { id } }));

export const childrenPage = 100;

export const listChildren = async (id: string, after?: string): Promise<EntryChild[]> =>
  (await request<EntryChild[]>("GET", `${url}/children`, { query: { id, after, limit: childrenPage } })).data;

/** One step down the tree by its own path, or null when nothing is there. */
export async function readChild(slug: string): Promise<EntryChild | null> {
  const [read, below] = await Promise.all([orMissing(readEntry(slug)), orMissing(listChildren(slug))]);
  if (!read && !below) return null;
  const entry = read && { ...read.entry, title: typeof read.entry.title === "string" ? read.entry.title : "" };
  return { slug, has_children: (below ?? []).length > 0, entry: entry ?? null };
}

const orMissing = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  });

/** How many entries lie below: directly, or at any depth. */
export const countBelow = async (id: string, depth: "1" | "*"): Promise<number> =>
  (await listEntries(id, { "filter[depth]": depth, "filter[limit]": 1, "filter[total]": true })).total;

type EntryPage = { entries: Entry[]; next: string | undefined; total: number };

/** Arguments of a collection: a filter asks for one, an empty one too. */
const collectionOf = (id: string, filter: Query): Query => ({
  id,
  filter: Object.keys(filter).length > 0 ? undefined : "",
  ...filter,
});

export async function listEntries(id: string, filter: Query, cursor?: string): Promise<EntryPage> {
  const query = { ...collectionOf(id, filter), cursor };
  const { data, headers } = await request<Entry[]>("GET", url, { query });
  return { entries: data, next: nextCursor(headers), total: Number(headers.get("x-total-count") ?? data.length) };
}

/** The address that a website would read the collection from. */
export const collectionUrl = (id: string, filter: Query): string =>
  `${location.origin}/api/entries${formatQuery(collectionOf(id, filter))}&token=ENTRIES_TOKEN`;

export const createEntry = async (id: string, data: JsonObject): Promise<TaggedEntry> =>
  tagged(await request<Entry>("POST", url, { body: { id, data } }));

/** Keys to set; in a merge patch (RFC 7396) a null takes its key away, and objects are merged with what is there. */
export type EntryPatch = { data: JsonObject; isMergePatch: boolean };

/** Changes the state that was read. Throws Refusal: revision_mismatch when someone else saved meanwhile. */
export async function patchEntry(read: TaggedEntry, { data, isMergePatch }: EntryPatch): Promise<TaggedEntry> {
  const type = isMergePatch ? "application/merge-patch+json" : "application/json";
  const headers = { "Content-Type": type, "If-Match": read.tag };
  return tagged(await request<Entry>("PATCH", url, { body: { id: read.entry.slug, data }, headers }));
}

/** Makes it public now: a draft, what is hidden, and what waits for its date. */
export async function publishEntry({ slug, published_at: publishedAt }: Entry): Promise<void> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const data = { visibility: "visible", published_at: Math.min(publishedAt, nowSeconds) };
  await request("PATCH", url, { body: { id: slug, data } });
}

export const moveEntry = async (id: string, newId: string): Promise<Entry> =>
  (await request<Entry>("PUT", url, { body: { id, new_id: newId } })).data;

export const copyEntry = async (id: string, newId: string): Promise<Entry> =>
  (await request<Entry>("PUT", `${url}/copy`, { body: { id, new_id: newId } })).data;

export const deleteEntry = async (id: string, keepalive: boolean): Promise<void> =>
  void (await request("DELETE", url, { body: { id }, keepalive }));

/** What an entry is called where its title is no text. */
export const titleOf = (entry: { slug: string; title?: Json }): string =>
  typeof entry.title === "string" && entry.title !== "" ? entry.title : nameOf(entry.slug);
