import { publicity } from "../core/event.ts";
import { appendChanges } from "../core/sql/event.ts";
import { replaceFieldRows } from "../core/sql/index/field-row.ts";
import { doTextWork, emptyStale, indexTexts } from "../core/sql/index/text.ts";
import type { Writing } from "../core/sql/noun.ts";
import { isDueSql, listing } from "./listing-rows.ts";
import { dataOf } from "./next.ts";
import { documentOf, entryColumns, entryTable, toEntry } from "./rows.ts";
import { ownerOf } from "./save-store.ts";

/** What is done later for the indexes of entries. */

/** This many entries that are due are listed in one transaction. */
const dueGroup = 500;

/** Events of what becomes public by its time come so long after it: by then all clocks have passed it. */
export const liveAfterSeconds = 1;

export const isDue = isDueSql("?1");
export const nextScheduled = `SELECT published_at FROM entry
  WHERE listing = ${listing.scheduled} ORDER BY published_at LIMIT 1`;

/** Lists some entries whose date of publication has come since they were written, and logs it; returns how many. */
export async function goLive(on: Writing, nowSeconds: number): Promise<number> {
  const { sql, index } = on;
  const rows = await sql.rows(
    `SELECT ${entryColumns} FROM entry WHERE ${isDue} ORDER BY published_at LIMIT ${dueGroup}`,
    nowSeconds - liveAfterSeconds,
  );
  const entries = rows.map(toEntry);
  const changes = entries.map(({ slug, uuid }) => ({
    slug,
    change: { uuid, wasPublic: publicity.none, isPublic: publicity.listed },
  }));
  if (entries.length > 0) await appendChanges(on, "entry.live", changes, { actor: "octavo", nowSeconds });
  for (const entry of entries) {
    const data = await documentOf(index, entry, await dataOf(entry));
    const owner = await ownerOf(index, entry);
    const after = { owner: { ...owner, listing: listing.listed }, data };
    await replaceFieldRows(index, entryTable, { owner, data }, after);
    await sql.run(`UPDATE entry SET listing = ${listing.listed} WHERE id = ?1`, entry.id);
  }
  return entries.length;
}

/** Brings some entries into the text index. */
export async function indexEntryTexts({ sql, index }: Writing): Promise<void> {
  await emptyStale(sql, entryTable);
  await indexTexts(index.sql, entryTable);
}

/** Continues the text index after the entry with this number was created; answers true when there is more to do. */
export function continueTexts({ index }: Writing, id: number): Promise<boolean> {
  return doTextWork(index.sql, entryTable, id);
}
