import { replaceFieldRows } from "../index/field-row.ts";
import { isDueSql, listing } from "../index/listing.ts";
import { doTextWork, emptyStale, indexTexts } from "../index/text.ts";
import type { Writing } from "../noun.ts";
import { entryColumns, entryTable, toEntry } from "./entry-row.ts";
import { dataOf, ownerOf } from "./entry-save.ts";

/** What is done later for the indexes of entries. */

/** This many entries that are due are listed in one transaction. */
const dueGroup = 500;

export const isDue = isDueSql("?1");

/** Lists some entries whose date of publication has come since they were written. */
export async function listDue({ sql, index }: Writing, nowSeconds: number): Promise<void> {
  const rows = await sql.rows(`SELECT ${entryColumns} FROM entry WHERE ${isDue} LIMIT ${dueGroup}`, nowSeconds);
  for (const entry of rows.map(toEntry)) {
    const data = await dataOf(entry);
    const owner = await ownerOf(index, entry);
    const after = { owner: { ...owner, listing: listing.listed }, data };
    await replaceFieldRows(index, entryTable, { owner, data }, after);
    await sql.run(`UPDATE entry SET listing = ${listing.listed} WHERE id = ?1`, entry.id);
  }
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
