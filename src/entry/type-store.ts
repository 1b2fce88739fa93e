import type { JsonObject } from "../core/lib/json.ts";
import { parseJsonLater } from "../core/lib/json-slices.ts";
import { rebase, type Slug } from "../core/path.ts";
import { readTogether } from "../core/sql/kept.ts";
import type { Writing } from "../core/sql/noun.ts";
import { isWithinSql } from "../core/sql/sql.ts";
import { typesTogether } from "../type/cache-store.ts";
import { refuseMoved } from "../type/check.ts";
import { maxDataDepth } from "./entry.ts";
import { entryColumns, toEntry } from "./rows.ts";

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
  for (let last = ""; ; ) {
    const rows = await sql.rows(text, slug, last);
    for (const entry of rows.map(toEntry)) {
      last = entry.slug;
      const data = (await parseJsonLater(entry.data, maxDataDepth)) as JsonObject;
      await refuseMoved(types, { ...entry, data }, rebase(entry.slug, slug, newSlug));
    }
    if (rows.length < pageEntries) return;
  }
}
