import { pagesBy } from "../core/lib/in-groups.ts";
import type { JsonObject } from "../core/lib/json.ts";
import { parseJsonLater } from "../core/lib/json-slices.ts";
import { rebase, type Slug } from "../core/path.ts";
import { readTogether } from "../core/sql/kept.ts";
import type { Writing } from "../core/sql/noun.ts";
import { isWithinSql } from "../core/sql/sql.ts";
import { typesTogether } from "../type/cache-store.ts";
import { refuseMoved } from "../type/check.ts";
import { maxDataDepth } from "./entry.ts";
import { entryColumns, type StoredEntry, toEntry } from "./rows.ts";

/** The same write; the checks of its entries have a bound of time together. Throws type_too_costly. */
export const checkedTogether = (on: Writing): Writing => ({
  ...on,
  kept: readTogether(on.kept),
});

/** Entries may be large: this many are read at a time. */
const pageEntries = 100;

/**
 * Refuses a move or a copy of a subtree when an entry of it gets another type, which its data does not fit. Reads nothing
 * in a store without types. Throws data_invalid, type_too_costly.
 */
export async function refuseMovedFaults(on: Writing, slug: Slug, newSlug: Slug): Promise<void> {
  const { sql } = on;
  const types = await typesTogether(on);
  if (!types) return;
  const text = `SELECT ${entryColumns} FROM entry
    WHERE ${isWithinSql("slug", "?1")} AND slug > ?2 ORDER BY slug LIMIT ${pageEntries}`;
  const read = async (last?: StoredEntry) => (await sql.rows(text, slug, last?.slug ?? "")).map(toEntry);
  for await (const entries of pagesBy(pageEntries, read))
    for (const entry of entries) {
      const data = (await parseJsonLater(entry.data, maxDataDepth)) as JsonObject;
      await refuseMoved(types, { ...entry, data }, rebase(entry.slug, slug, newSlug));
    }
}
