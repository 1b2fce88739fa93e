import type { SearchMatch } from "../../../../client/src/client.ts";
import type { Entry } from "../../api/entry.ts";
import { isObject, type Json } from "../../api/json.ts";

/** A text with the ranges of what was found in it, in UTF-16 units. */
export type MarkedText = { text: string; ranges: readonly (readonly number[])[] };

/** What a search has found in an entry: in its title, and in its first other text. */
export type EntryMarks = { title: MarkedText["ranges"]; excerpt: MarkedText | undefined };

/** By id, for the entries that a search has found. */
export const marksOf = (entries: readonly Entry[], matches: Record<string, SearchMatch>): Record<string, EntryMarks> =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      const match = matches[entry.slug];
      return match ? [[entry.slug, { title: match.highlights.title ?? [], excerpt: excerptOf(entry, match) }]] : [];
    }),
  );

/** Characters before the first range, and of the whole. */
const [before, most] = [40, 140];

/** The part of an entry's text, other than its title, in which a search found the first words; undefined where none is. */
function excerptOf(entry: Entry, { highlights }: SearchMatch): MarkedText | undefined {
  for (const [field, ranges] of Object.entries(highlights)) {
    const text = textAt(entry, field);
    const [first] = ranges;
    if (field === "title" || text === undefined || first === undefined) continue;
    const begin = wordStart(text, Math.max(0, (first[0] ?? 0) - before));
    const end = Math.min(text.length, begin + most);
    const inside = ranges.filter(([from = 0, to = 0]) => from >= begin && to <= end);
    const shown = `${begin > 0 ? "…" : ""}${text.slice(begin, end).replace(/\s/g, " ")}${end < text.length ? "…" : ""}`;
    const moved = begin - (begin > 0 ? 1 : 0);
    return { text: shown, ranges: inside.map(([from = 0, to = 0]) => [from - moved, to - moved]) };
  }
  return undefined;
}

/** Behind the space at or after the place, so that no word is cut; at most so far as the first range begins. */
function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, at + before).search(/\s/);
  return space < 0 ? at : at + space + 1;
}

/** The text of a field by its dotted name, whose keys may have dots themselves. */
function textAt(value: Json | undefined, name: string): string | undefined {
  if (name === "") return typeof value === "string" ? value : undefined;
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (name !== key && !name.startsWith(`${key}.`)) continue;
    const found = textAt(member, name.slice(key.length + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
