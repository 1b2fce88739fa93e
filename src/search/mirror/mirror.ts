import { isJsonObject, type JsonObject } from "../../core/lib/json.ts";
import { type Document, documentOf, type Refused, type Target } from "./target.ts";

/** Keeps an index as the feed of changes says: from a cursor on, or by comparing all. */

/** A page of the feed. */
export type Page = { data: JsonObject[]; cursor: string; hasMore: boolean };
/** Reads a page; undefined where the feed does not go on from this cursor. */
export type ReadPage = (cursor: string | undefined) => Promise<Page | undefined>;

export type Applied = { put: number; removed: number; refused: readonly Refused[] };
/** What a comparison found, before it repaired it. */
export type Compared = {
  entries: number;
  missing: number;
  different: number;
  extra: number;
  refused: readonly Refused[];
  cursor: string;
};

/** What one request puts: products take more, but not each of them texts of many megabytes. */
const [mostDocuments, mostBytes] = [1000, 4_000_000];

/** Applies a page and keeps its cursor. What is cut off comes again. */
export async function apply(target: Target, { data, cursor }: Page): Promise<Applied> {
  const { documents, gone } = changesOf(data);
  const refused = await putAll(target, documents);
  await target.remove(gone);
  await target.keep(cursor);
  return { put: documents.length - refused.length, removed: gone.length, refused };
}

/**
 * Makes the index the same as all that is public: puts what is missing or different, removes what is too much. When it is cut
 * off, another one finds less to do. `say` is told how many entries were read.
 */
export async function compare(target: Target, readPage: ReadPage, say: (entries: number) => void): Promise<Compared> {
  const has = new Map<string, string | undefined>();
  for await (const some of target.all()) for (const { uuid, hash } of some) has.set(uuid, hash);
  const extra = new Set(has.keys());
  const entries = new Set<string>();
  const refused: Refused[] = [];
  let [missing, different] = [0, 0];
  let cursor: string | undefined;
  for (let hasMore = true; hasMore; ) {
    const page = await readPage(cursor);
    if (!page) throw new Error("the feed of changes does not go on");
    const { documents, gone } = changesOf(page.data);
    const wrong = documents.filter(({ uuid, hash }) => has.get(uuid) !== hash);
    for (const { uuid } of wrong) {
      if (entries.has(uuid)) continue;
      if (has.has(uuid)) different++;
      else missing++;
    }
    for (const { uuid, hash } of documents) {
      entries.add(uuid);
      extra.delete(uuid);
      has.set(uuid, hash);
    }
    refused.push(...(await putAll(target, wrong)));
    // What is gone since the comparison began may have been put by it.
    const ours = gone.filter((uuid) => entries.delete(uuid));
    for (const uuid of ours) has.delete(uuid);
    await target.remove(ours);
    ({ cursor, hasMore } = page);
    say(entries.size);
  }
  const left = [...extra];
  for (let i = 0; i < left.length; i += mostDocuments) await target.remove(left.slice(i, i + mostDocuments));
  await target.keep(cursor as string);
  return { entries: entries.size, missing, different, extra: left.length, refused, cursor: cursor as string };
}

function changesOf(data: readonly JsonObject[]): { documents: Document[]; gone: string[] } {
  const documents: Document[] = [];
  const gone: string[] = [];
  for (const change of data) {
    const entry = change.get("entry");
    if (isJsonObject(entry)) documents.push(documentOf(entry));
    else gone.push(String(change.get("uuid")));
  }
  return { documents, gone };
}

async function putAll(target: Target, documents: readonly Document[]): Promise<Refused[]> {
  const refused: Refused[] = [];
  let [some, bytes]: [Document[], number] = [[], 0];
  const flush = async () => {
    refused.push(...(await target.put(some)));
    [some, bytes] = [[], 0];
  };
  for (const document of documents) {
    if (some.length === mostDocuments || (some.length > 0 && bytes + document.bytes > mostBytes)) await flush();
    some.push(document);
    bytes += document.bytes;
  }
  if (some.length > 0) await flush();
  return refused;
}
