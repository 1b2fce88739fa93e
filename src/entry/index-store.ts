import { type EntryChange, publicity } from "../core/event.ts";
import type { Slug } from "../core/path.ts";
import { appendChanges } from "../core/sql/event.ts";
import { replaceFieldRows } from "../core/sql/index/field-row.ts";
import { doTextWork, emptyStale, indexTexts } from "../core/sql/index/text.ts";
import type { Writing } from "../core/sql/noun.ts";
import { updateRows, type Value } from "../core/sql/sql.ts";
import { changeOf, isDueSql, listing, listingOf } from "./listing-rows.ts";
import { dataOf } from "./next.ts";
import { documentOf, entryColumns, entryTable, toEntry } from "./rows.ts";
import { ownerOf } from "./save-store.ts";

/** What is done later for the indexes of entries. */

/** This many entries that are due are listed in one transaction. */
const dueGroup = 500;

/** Events of what becomes public by its time come so long after it: by then all clocks have passed it. */
export const liveAfterSeconds = 1;

const isDue = isDueSql("?1");
export const hasDue = `SELECT 1 FROM entry WHERE ${isDue} UNION ALL SELECT 1 FROM translation WHERE ${isDue} LIMIT 1`;
const nextIn = (table: string): string => `SELECT * FROM (SELECT published_at FROM ${table}
  WHERE listing = ${listing.scheduled} ORDER BY published_at LIMIT 1) AS next_${table}`;
export const nextScheduled = `SELECT published_at FROM (${nextIn("entry")} UNION ALL ${nextIn("translation")}) AS due
  ORDER BY published_at LIMIT 1`;

/**
 * Lists some entries and translations whose date of publication has come since they were written, and logs it; returns how many.
 */
export async function goLive(on: Writing, nowSeconds: number): Promise<number> {
  const { sql, index } = on;
  const rows = await sql.rows(
    `SELECT ${entryColumns} FROM entry WHERE ${isDue} ORDER BY published_at LIMIT ${dueGroup}`,
    nowSeconds - liveAfterSeconds,
  );
  const entries = rows.map(toEntry);
  const changes: Live[] = entries.map((entry) => ({
    slug: entry.slug,
    change: changeOf(entry, entry, { nowSeconds }),
  }));
  const due = await sql.rows(dueTranslations, nowSeconds - liveAfterSeconds);
  for (const [uuid, locale, slug] of due as [string, string, Slug | null][]) {
    const change = { uuid, wasPublic: publicity.none, isPublic: publicity.listed };
    if (slug !== null) changes.push({ slug, locale, change });
  }
  if (changes.length > 0) await appendChanges(on, "entry.live", changes, { actor: "octavo", nowSeconds });
  for (const entry of entries) {
    const data = await documentOf(index, entry, await dataOf(entry));
    const owner = await ownerOf(index, entry);
    const listed = listingOf(entry, nowSeconds);
    await replaceFieldRows(index, entryTable, { owner, data }, { owner: { ...owner, listing: listed }, data });
    await sql.run("UPDATE entry SET listing = ?2 WHERE id = ?1", entry.id, listed);
  }
  const keys = due.map(([uuid, locale]) => [uuid, locale] as Value[]);
  if (keys.length > 0) await sql.runAll(listTranslations, keys);
  return entries.length + due.length;
}

type Live = { slug: Slug; locale?: string; change: EntryChange };

/** One of no entry, which a check reports, is not due again and again. */
const dueTranslations = `SELECT due.uuid, due.locale, entry.slug
  FROM (SELECT uuid, locale FROM translation WHERE ${isDue} ORDER BY published_at LIMIT ${dueGroup}) AS due
  LEFT JOIN entry ON entry.uuid = due.uuid AND entry.translated = 1 ORDER BY entry.slug, due.locale`;
const listTranslations = updateRows("translation", `listing = ${listing.listed}`, "uuid = ?1 AND locale = ?2", [
  "text",
  "text",
]);

/** Brings some entries into the text index. */
export async function indexEntryTexts({ sql, index }: Writing): Promise<void> {
  await emptyStale(sql, entryTable);
  await indexTexts(index.sql, entryTable);
}

/** Continues the text index after the entry with this number was created; answers true when there is more to do. */
export function continueTexts({ index }: Writing, id: number): Promise<boolean> {
  return doTextWork(index.sql, entryTable, id);
}
