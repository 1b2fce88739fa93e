import type { CallOptions } from "../../../client/src/client.ts";
import { type Entry, type EntryQuery, listEntries } from "../api/entry.ts";
import { escapePattern } from "../api/file.ts";
import { emptyFilter, toQuery } from "../model/filter/filter.ts";

/** Entries with a text at the beginning of their title or of a segment of their id, then others that have it in a text. */
export async function findEntries(
  text: string,
  { path = "", depth = "*", filter, limit }: EntryQuery & { path?: string; limit: number },
  options?: CallOptions,
): Promise<Entry[]> {
  const ask = async (query: EntryQuery): Promise<Entry[]> =>
    (await listEntries(path, { ...query, depth, limit }, options)).items;
  // A pattern on a very large store is refused; a search is not.
  const found = (await Promise.all([ask(beginsWith(text)).catch(() => []), ask({ search: text, filter })])).flat();
  options?.signal?.throwIfAborted();
  return [...new Map(found.map((entry) => [entry.slug, entry])).values()];
}

function beginsWith(text: string): EntryQuery {
  const start = escapePattern(text);
  return toQuery({
    ...emptyFilter,
    match: "any",
    conditions: [
      { key: "title", operator: "regexp", value: `(?i)^${start}` },
      { key: "slug", operator: "regexp", value: `(?i)(^|/)${start}` },
    ],
  });
}
