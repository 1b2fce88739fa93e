import { type EntryChange, publicity, type WriteContext } from "../core/event.ts";
import { type Path, parentOf, rebase } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { ensureParent } from "../core/sql/index/parent.ts";
import { indexUnindexed, restoredGroup } from "../core/sql/index/restored.ts";
import { missing } from "../core/sql/index/table.ts";
import type { Writing } from "../core/sql/noun.ts";
import { insertOf, namesOf, rowTable } from "../core/sql/rows.ts";
import { firstColumn, isWithinSql, type Sql } from "../core/sql/sql.ts";
import { listing, listingOf, publicityOf } from "../entry/listing-rows.ts";
import { noteCopied } from "../entry/noted-store.ts";
import { entryRule } from "../entry/row-rules.ts";
import { entryTable, toEntry } from "../entry/rows.ts";
import { problem } from "./problems.ts";
import type { RestoredItem, TrashItem } from "./trash.ts";
import { trashEntryRule } from "./trash-row-rules.ts";
import { insertItem, movedParentSql, movedSql, noItem, type Removal } from "./trash-rows.ts";

/** Entries in the trash. */

/** The columns that come back as they were. */
const kept = namesOf(entryRule).filter((column) => column !== "slug" && column !== "revision");
const columns = namesOf(trashEntryRule);

export const trashEntryRows = rowTable(trashEntryRule, "item, slug", {
  insert: insertOf(trashEntryRule, { parent: "text" }),
  valuesOf: (row) => [...columns.map((column) => row[column] ?? null), parentOf(row.slug as Path)],
  refusals: [noItem],
});

/** Copies the entries at and below the path, which are about to be deleted. */
export async function trashEntries(sql: Sql, deletion: Removal, context: WriteContext): Promise<void> {
  const isGone = isWithinSql("slug", "?2");
  await insertItem(sql, deletion, `SELECT sum(octet_length(data)) FROM entry WHERE ${isGone}`, context);
  await sql.run(
    `INSERT INTO trash_entry (item, slug, parent, revision, ${kept.join(", ")})
     SELECT ?1, slug, parent.path, revision, ${kept.join(", ")}
     FROM entry JOIN parent ON parent.id = entry.parent WHERE ${isGone}`,
    deletion.id,
    deletion.path,
  );
}

/** Puts the entries back below the path. They enter the field index later when they are many. Throws entry_exists. */
export async function restoreEntries(
  on: Writing,
  item: TrashItem,
  newPath: Path | undefined,
  context: WriteContext,
): Promise<RestoredItem> {
  const { sql, index } = on;
  const { id, path: from, count } = item;
  const to = newPath ?? from;
  if (to !== from) await refuseTooLong(sql, id, from, to);
  await refuseTaken(sql, id, from, to, newPath === undefined ? "id" : "new_id");
  const change = count === 1 ? await changeOf(sql, id, context) : undefined;
  const revision = await appendWrite(on, "entry.undelete", from, newPath ?? null, count, context, change);
  await ensureParent(index.sql, parentOf(to));
  const parent = movedSql("kept.parent");
  await sql.run(
    `INSERT INTO parent (path) SELECT DISTINCT ${parent} FROM trash_entry AS kept
     WHERE kept.item = ?1 AND kept.slug <> ?2 AND NOT EXISTS (SELECT 1 FROM parent WHERE path = ${parent})`,
    id,
    from,
    to,
  );
  await sql.run(
    `INSERT INTO entry (slug, parent, revision, listing, index_partial, ${kept.join(", ")})
     SELECT ${movedSql("kept.slug")}, parent.id, ?5, ${listingSql}, ${missing.all}, ${kept.join(", ")}
     FROM trash_entry AS kept JOIN parent ON parent.path = ${movedParentSql("kept.slug")}
     WHERE kept.item = ?1 ORDER BY kept.slug`,
    id,
    from,
    to,
    parentOf(to),
    revision,
    context.nowSeconds,
  );
  if (count > 1) await noteCopied(sql, revision, to, context.nowSeconds);
  if (count <= restoredGroup) await indexUnindexed(index, entryTable);
  await sql.run("DELETE FROM trash_entry WHERE item = ?1", id);
  return { ...item, path: to, revision };
}

/** `listingOf` at the time ?6. */
const listingSql = `CASE visibility
  WHEN 'visible' THEN CASE WHEN published_at <= ?6 THEN ${listing.listed} ELSE ${listing.scheduled} END
  WHEN 'hidden' THEN ${listing.hidden} ELSE ${listing.draft} END`;

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

/** What the log keeps of the restore of one entry. */
async function changeOf(sql: Sql, item: number, { nowSeconds }: WriteContext): Promise<EntryChange> {
  const row = await sql.row(`SELECT 0, ${namesOf(entryRule).join(", ")} FROM trash_entry WHERE item = ?1`, item);
  const entry = toEntry(row as NonNullable<typeof row>);
  const isPublic = publicityOf(entry, listingOf(entry, nowSeconds), nowSeconds);
  return { uuid: entry.uuid, wasPublic: publicity.none, isPublic };
}
