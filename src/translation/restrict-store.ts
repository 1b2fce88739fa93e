import type { WriteContext } from "../core/event.ts";
import type { Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { replaceFieldRows } from "../core/sql/index/field-row.ts";
import type { Writing } from "../core/sql/noun.ts";
import { type Entry, existingEntry } from "../entry/entry.ts";
import { changeOf, listingOf } from "../entry/listing-rows.ts";
import { dataOf } from "../entry/next.ts";
import { documentOf, entryTable, findEntry, type StoredEntry } from "../entry/rows.ts";
import { ownerOf } from "../entry/save-store.ts";

/** Entries that are public in some locales alone. Contract §24, Writes. */

export async function restrictEntry(
  on: Writing,
  slug: Slug,
  onlyLocales: readonly string[] | null,
  context: WriteContext,
): Promise<Entry> {
  const { sql, index } = on;
  const current = existingEntry(await findEntry(sql, slug), slug, context.ifMatch) as StoredEntry;
  const next = { ...current, onlyLocales: onlyLocales && JSON.stringify(onlyLocales) };
  const listing = listingOf(next, context.nowSeconds);
  const change = changeOf(current, next, context);
  const owner = await ownerOf(index, current);
  const data = await documentOf(index, current, await dataOf(current));
  const lacking = await replaceFieldRows(
    index,
    entryTable,
    { owner, data },
    { owner: { ...owner, listing, isUnindexed: false }, data },
  );
  const revision = await appendWrite(on, "entry.update", slug, null, 1, context, change);
  await sql.run(
    "UPDATE entry SET only_locales = ?2, listing = ?3, index_partial = ?4, revision = ?5 WHERE id = ?1",
    current.id,
    next.onlyLocales,
    listing,
    lacking,
    revision,
  );
  return { ...next, revision };
}
