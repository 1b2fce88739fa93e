import { replaceFieldRows } from "../core/sql/index/field-row.ts";
import { changeTexts, moveTexts } from "../core/sql/index/text.ts";
import type { Writing } from "../core/sql/noun.ts";
import type { Row } from "../core/sql/sql.ts";
import { dataOf } from "../entry/next.ts";
import { bothDocumentsOf, documentOf, entryColumns, entryTable, type StoredEntry, toEntry } from "../entry/rows.ts";
import { ownerOf } from "../entry/save-store.ts";

/** What the indexes have of an entry, as its translations change. */

const findNow = `SELECT ${entryColumns} FROM entry WHERE id = ?1`;

/**
 * Does the work, which changes translations of the entry; its index rows follow. Those of one entry one after another. The texts
 * are indexed also of locales that the setting does not name.
 */
export async function reindexed<T>(on: Writing, { id }: StoredEntry, work: () => Promise<T>): Promise<T> {
  const { sql, index, atEnd } = on;
  const was = toEntry((await sql.row(findNow, id)) as Row);
  const data = await dataOf(was);
  const before = await bothDocumentsOf(index, was, data);
  const done = await work();
  // What came back with many others is indexed later.
  if (was.isUnindexed) return done;
  const after = await bothDocumentsOf(index, toEntry((await sql.row(findNow, id)) as Row), data);
  if (await changeTexts(index.sql, entryTable, id, before.texts, after.texts)) atEnd(() => moveTexts(sql, entryTable));
  if (!index.chains?.length) return done;
  const owner = await ownerOf(index, was);
  const lacking = await replaceFieldRows(
    index,
    entryTable,
    { owner, data: before.fields },
    { owner, data: after.fields },
  );
  await sql.run("UPDATE entry SET index_partial = ?2 WHERE id = ?1 AND index_partial <> ?2", id, lacking);
  return done;
}

/** Gives a copy, which is in the indexes without its translations, those that it has now. */
export async function indexCopy({ index }: Writing, copy: StoredEntry): Promise<void> {
  const data = await dataOf(copy);
  const owner = await ownerOf(index, copy);
  const after = { owner, data: await documentOf(index, copy, data) };
  await replaceFieldRows(index, entryTable, { owner, data }, after);
}
