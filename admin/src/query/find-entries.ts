import type { CallOptions, SearchMatch } from "../../../client/src/client.ts";
import { type Entry, type EntryQuery, listEntries } from "../api/entry.ts";
import { escapePattern } from "../api/file.ts";
import { emptyFilter, toQuery } from "../model/filter/filter.ts";

/** Entries that were found, how those of a search were, by id, and how many there are. */
export type FoundEntries = { entries: Entry[]; matches: Record<string, SearchMatch>; total: number | undefined };

/**
 * Entries with these words: in their title, then those with the text at the beginning of their title or of a segment of their
 * id, then others. Without a search of the service a list finds them.
 */
export async function findEntries(
  text: string,
  { path = "", depth = "*", filter, limit }: EntryQuery & { path?: string; limit: number },
  options?: CallOptions,
): Promise<FoundEntries> {
  const ask = (query: EntryQuery) => listEntries(path, { ...query, depth, limit }, options);
  // A pattern on a very large store is refused; a search is not.
  const [begin, found] = await Promise.all([
    ask(beginsWith(text)).catch(() => ({ items: [] })),
    ask({ search: text, filter, total: true }),
  ]);
  options?.signal?.throwIfAborted();
  const matches = Object.fromEntries((found.matches ?? []).map((match) => [match.id, match]));
  const isTitled = ({ slug }: Entry): boolean => matches[slug]?.typos === 0 && "title" in matches[slug].highlights;
  const all = [...found.items.filter(isTitled), ...begin.items, ...found.items];
  const entries = [...new Map(all.map((entry) => [entry.slug, entry])).values()];
  return { entries, matches, total: found.total };
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
