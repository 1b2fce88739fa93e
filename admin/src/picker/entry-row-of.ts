import type { Entry } from "../api/entry.ts";
import type { Types } from "../type/types.ts";
import type { EntryRow } from "./entry-rows.tsx";

/** Entries as rows, each once; those of these types alone, when there are any. */
export function entryRowsOf(
  entries: readonly Entry[],
  types: Types | undefined,
  narrowed: readonly string[],
): EntryRow[] {
  const rows = new Map<string, EntryRow>();
  for (const { slug, title, visibility, published_at: publishedAt, fieldset } of entries) {
    const type = types?.typeOf(slug, fieldset);
    if (narrowed.length > 0 && !(type && narrowed.includes(type.id))) continue;
    const entry = { title: typeof title === "string" ? title : "", visibility, publishedAt };
    rows.set(slug, { slug, entry, type: type && (type.title || type.id) });
  }
  return [...rows.values()];
}
