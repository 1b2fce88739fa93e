import type { WriteContext } from "../core/event.ts";
import { type Path, rebase, type Slug } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { indexUnindexed, restoredGroup } from "../core/sql/index/restored.ts";
import type { Writing } from "../core/sql/noun.ts";
import { insertOf, rowTable } from "../core/sql/rows.ts";
import { firstColumn, isWithinSql, type Row, type Sql, type TransactionSql } from "../core/sql/sql.ts";
import type { Entry } from "../entry/entry.ts";
import { returnedEntry } from "../entry/next.ts";
import { changeOfReturned, returning } from "../entry/next-store.ts";
import { noteCopied } from "../entry/noted-store.ts";
import { entryTable } from "../entry/rows.ts";
import { entryVersion } from "../version/version.ts";
import { keepAllDeleted, keepDeleted, toVersion } from "../version/version-store.ts";
import { problem } from "./problems.ts";
import type { RestoredItem, TrashItem } from "./trash.ts";
import { keptThings, removeKept } from "./trash-kept-store.ts";
import { trashEntryRule } from "./trash-row-rules.ts";
import { insertItem, movedSql, noItem, type Removal } from "./trash-rows.ts";

/** Entries in the trash. */

export const trashEntryRows = rowTable(trashEntryRule, "item, slug", { refusals: [noItem] });

/** Keeps the entry, which is about to be deleted, and alone at its path. */
async function trashOne(sql: TransactionSql, deletion: Removal, entry: Entry, context: WriteContext): Promise<void> {
  const { id } = deletion;
  await insertItem(sql, deletion, "CAST(?9 AS BIGINT)", context, Buffer.byteLength(entry.data));
  keepDeleted(sql, { noun: "entry", thing: entry.uuid }, entryVersion(entry), id, context);
  sql.later(insertPlace, [
    [id, entry.slug, entry.uuid, entry.createdAt, Number(entry.wasPublic ?? false), entry.onlyLocales ?? null],
  ]);
}

const insertPlace = insertOf(trashEntryRule);

/** Keeps the entry and all below it, which are about to be deleted. */
export async function trashEntries(on: Writing, deletion: Removal, entry: Entry, context: WriteContext): Promise<void> {
  const { sql } = on;
  const { id, path, count } = deletion;
  if (count > 1 || entry.translated) await on.links.trashTranslations(on, path, id, context);
  // What is known need not be read again.
  if (count === 1) return trashOne(sql, deletion, entry, context);
  const isGone = isWithinSql("slug", "?2");
  await insertItem(sql, deletion, `SELECT sum(octet_length(data)) FROM entry WHERE ${isGone}`, context);
  await keepAllDeleted(sql, "entry", isGone, path, id, context);
  await sql.run(
    `INSERT INTO trash_entry (item, slug, uuid, created_at, was_public, only_locales)
     SELECT ?1, slug, uuid, created_at, was_public, only_locales FROM entry WHERE ${isGone}`,
    id,
    path,
  );
}

/** Keeps a translation that is deleted alone. */
export async function trashTranslation(
  sql: TransactionSql,
  deletion: Removal,
  translation: Entry,
  context: WriteContext,
): Promise<void> {
  const { id, locale } = deletion;
  const { slug, uuid, createdAt, wasPublic = false } = translation;
  await insertItem(sql, deletion, "CAST(?9 AS BIGINT)", context, Buffer.byteLength(translation.data));
  keepDeleted(sql, { noun: "entry", thing: uuid, locale }, entryVersion(translation), id, context);
  sql.later(insertPlace, [[id, slug, uuid, createdAt, Number(wasPublic), null]]);
}

/** Puts a translation back onto its entry, wherever that is now. Throws entry_not_found, translation_exists, name_taken. */
export async function restoreTranslation(
  on: Writing,
  item: TrashItem,
  newPath: Path | undefined,
  names: { dropNames: boolean },
  context: WriteContext,
): Promise<RestoredItem> {
  if (newPath !== undefined) throw problem("argument_conflict", { first: "new_id", second: "id" });
  const returned = await on.links.returnTranslation(on, item, names, context);
  await removeKept(on.sql, "entry", item.id);
  return { ...item, ...returned };
}

/** Puts the entries back below the path. They enter the field index later when they are many. Throws entry_exists. */
export async function restoreEntries(
  on: Writing,
  item: TrashItem,
  newPath: Path | undefined,
  names: { dropNames: boolean },
  context: WriteContext,
): Promise<RestoredItem> {
  const { sql, index } = on;
  const { id, path: from, count } = item;
  const to = newPath ?? from;
  if (to !== from) await refuseTooLong(sql, id, from, to);
  await refuseTaken(sql, id, from, to, newPath === undefined ? "id" : "new_id");
  const change = count === 1 ? await changeOfOne(sql, id, context) : undefined;
  const revision = await appendWrite(on, "entry.undelete", from, newPath ?? null, count, context, change);
  const write = returning(on, revision, context);
  for await (const entries of keptEntries(sql, id)) {
    await write(entries.map((entry) => ({ ...entry, slug: rebase(entry.slug, from, to) })));
  }
  if (count > 1) await noteCopied(sql, revision, to, context.nowSeconds);
  await on.links.returnTranslations(on, item, to, names, context);
  if (count <= restoredGroup) await indexUnindexed(index, entryTable);
  await removeKept(sql, "entry", id);
  return { ...item, path: to, revision };
}

/** The entries of an item, with what they said and the revisions of their working copies. */
async function* keptEntries(sql: Sql, item: number): AsyncGenerator<Entry[]> {
  for await (const kept of keptThings(sql, "entry", ["created_at", "was_public", "only_locales"], item)) {
    const staged = await sql.rowsAll(
      "SELECT revision FROM working_copy WHERE published_revision = 0 AND uuid = ?1 AND locale = ''",
      kept.map(([, uuid = null]) => [uuid]),
      ["text"],
    );
    yield kept.map((row, i) => toEntry(row, (staged[i]?.[0]?.[0] ?? null) as number | null));
  }
}

type KeptRow = readonly [Slug, uuid: string, createdAt: number, wasPublic: number, onlyLocales: string | null, ...Row];

function toEntry(row: Row, stagedRevision: number | null): Entry {
  const [slug, uuid, createdAt, wasPublic, onlyLocales, ...version] = row as KeptRow;
  const place = { slug, uuid, createdAt, wasPublic: wasPublic === 1, onlyLocales, stagedRevision, revision: 0 };
  return returnedEntry(place, toVersion(version));
}

async function refuseTooLong(sql: Sql, item: number, from: Path, to: Path): Promise<void> {
  const rows = await sql.rows("SELECT slug FROM trash_entry WHERE item = ?1 ORDER BY slug", item);
  for (const [slug] of rows) rebase(slug as Path, from, to);
}

/** Refuses when a resulting id exists. */
async function refuseTaken(sql: Sql, item: number, from: Path, to: Path, argument: string): Promise<void> {
  const found = await sql.rows(
    `SELECT entry.slug FROM trash_entry AS kept JOIN entry ON entry.slug = ${movedSql("kept.slug")}
     WHERE kept.item = ?1 ORDER BY entry.slug LIMIT 1`,
    item,
    from,
    to,
  );
  const [taken] = firstColumn<string>(found);
  if (taken !== undefined) throw problem("entry_exists", { argument, id: taken });
}

/** What the log keeps of the restore of an item of one entry. */
async function changeOfOne(sql: Sql, item: number, context: WriteContext) {
  const { value } = await keptEntries(sql, item).next();
  return changeOfReturned((value as readonly Entry[])[0] as Entry, context);
}
