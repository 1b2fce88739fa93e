import type { WriteContext } from "../core/event.ts";
import { appendWrite } from "../core/sql/event.ts";
import { hasUnindexedSql, indexUnindexed } from "../core/sql/index/restored.ts";
import type { FieldTable } from "../core/sql/index/table.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { rowTable } from "../core/sql/rows.ts";
import { deleteRows, firstColumn, type Row, type Sql, withinAny } from "../core/sql/sql.ts";
import { entryTable } from "../entry/rows.ts";
import { fileTable } from "../file/rows.ts";
import { deleteFileTexts } from "../translation/file-store.ts";
import { removeVersions } from "../version/version-store.ts";
import { problem } from "./problems.ts";
import {
  isFound,
  type RestoredItem,
  type RestoreTarget,
  type TrashItem,
  type TrashQuery,
  type TrashStore,
} from "./trash.ts";
import {
  restoreEntries,
  restoreTranslation,
  trashEntries,
  trashEntryRows,
  trashTranslation,
} from "./trash-entry-store.ts";
import {
  restoreFile,
  restoreFolder,
  trashFile,
  trashFileRows,
  trashFolder,
  trashFolderRows,
} from "./trash-file-store.ts";
import { placeKeys } from "./trash-kept-store.ts";
import { trashItemRule } from "./trash-row-rules.ts";
import { itemColumns, toItem } from "./trash-rows.ts";

export const trashNoun = noun({
  links: { trashEntries, trashTranslation, trashFile, trashFolder },
  writes: { restoreTrash, purgeTrash, clearTrash, indexRestored },
  rows: [rowTable(trashItemRule, "id"), trashEntryRows, trashFolderRows, trashFileRows],
  relations: [
    {
      query: `SELECT trash_item.id, trash_item.path FROM trash_item WHERE is_purged = 0 AND count <>
        (SELECT count(*) FROM trash_entry WHERE item = trash_item.id) +
        (SELECT count(*) FROM trash_folder WHERE item = trash_item.id) +
        (SELECT count(*) FROM trash_file WHERE item = trash_item.id)`,
      says: (id, path) => `The item ${id} of the trash, ${path}, has another number of things than it says`,
    },
    // A restore would give what is elsewhere another path, or leave out what is in no folder.
    {
      query: `SELECT trash_item.id, kept.path FROM trash_item JOIN (
          SELECT item, slug AS path, 'entry' AS noun FROM trash_entry
          UNION ALL SELECT item, path, 'folder' FROM trash_folder
          UNION ALL SELECT item, CASE WHEN folder = '' THEN name ELSE folder || '/' || name END, 'file' FROM trash_file
        ) AS kept ON kept.item = trash_item.id
        WHERE NOT (kept.noun = trash_item.noun AND kept.path = trash_item.path
          OR trash_item.noun <> 'file' AND (kept.noun = 'entry') = (trash_item.noun = 'entry')
            AND substr(kept.path, 1, length(trash_item.path) + 1) = trash_item.path || '/')`,
      says: (id, path) => `The item ${id} of the trash cannot have had ${path}`,
    },
    {
      query: `SELECT trash_item.id, kept.folder FROM trash_item JOIN (
          SELECT item, path, parent AS folder FROM trash_folder UNION ALL SELECT item, '', folder FROM trash_file
        ) AS kept ON kept.item = trash_item.id
        WHERE trash_item.noun = 'folder' AND trash_item.is_purged = 0 AND kept.path <> trash_item.path
          AND NOT EXISTS (SELECT 1 FROM trash_folder WHERE item = trash_item.id AND path = kept.folder)`,
      says: (id, path) => `The item ${id} of the trash lacks its folder ${path}`,
    },
    {
      query: `SELECT trash_entry.slug, entry.slug FROM trash_entry JOIN entry ON entry.uuid = trash_entry.uuid
        JOIN trash_item ON trash_item.id = trash_entry.item WHERE trash_item.locale = ''`,
      says: (kept, slug) => `The entry ${kept} in the trash and the entry ${slug} have one uuid`,
    },
    // A DELETE whose event gets its number would be refused.
    {
      query: "SELECT id, path FROM trash_item WHERE id > (SELECT coalesce(max(sequence), 0) FROM event)",
      says: (id, path) => `The item ${id} of the trash, ${path}, is above the newest event`,
    },
    {
      query: `SELECT kept.item, kept.uuid FROM trash_item JOIN (
          SELECT item, uuid, 'entry' AS noun FROM trash_entry UNION ALL SELECT item, uuid, 'file' FROM trash_file
        ) AS kept ON kept.item = trash_item.id LEFT JOIN version ON version.noun = kept.noun AND version.thing = kept.uuid
          AND version.locale = trash_item.locale AND version.next_revision = kept.item AND version.is_deleted = 1
        WHERE version.id IS NULL`,
      says: (id, uuid) => `The item ${id} of the trash has no version of ${uuid}`,
    },
    {
      query: `SELECT version.noun, version.thing FROM version LEFT JOIN (
          SELECT item, uuid, 'entry' AS noun FROM trash_entry UNION ALL SELECT item, uuid, 'file' FROM trash_file
        ) AS kept ON kept.noun = version.noun AND kept.uuid = version.thing AND kept.item = version.next_revision
        WHERE version.is_deleted = 1 AND kept.item IS NULL`,
      says: (noun, thing) => `The deleted version of the ${noun} ${thing} is in no item of the trash`,
    },
  ],
  port: ({ sql, writes }): TrashStore => {
    const clear = async (nowSeconds: number) => {
      // A store without purged items is not written to.
      while (await sql.row("SELECT 1 FROM trash_item WHERE is_purged = 1 LIMIT 1")) await writes.clearTrash(nowSeconds);
    };
    const purge = async (id: number, context: WriteContext) => {
      await writes.purgeTrash(id, context);
      // Where this fails, the chore does it later.
      void clear(context.nowSeconds).catch(() => undefined);
    };
    const isUnindexed = `SELECT 1 WHERE ${indexedTables.map((table) => `EXISTS (${hasUnindexedSql(table)})`).join(" OR ")}`;
    const indexAll = async () => {
      while (await sql.row(isUnindexed)) await writes.indexRestored();
    };
    return {
      list: (query) => listTrash(sql, query),
      find: (id) => findItem(sql, id),
      restore: async (...rest) => {
        const restored = await writes.restoreTrash(...rest);
        // Where this fails, the chore does it later.
        void indexAll().catch(() => undefined);
        return restored;
      },
      indexRestored: indexAll,
      purge,
      expire: async (beforeSeconds, context) => {
        const old = await sql.rows(
          "SELECT id FROM trash_item WHERE deleted_at < ?1 AND is_purged = 0 ORDER BY id",
          beforeSeconds,
        );
        for (const id of firstColumn<number>(old)) await writes.purgeTrash(id, context);
        return old.length;
      },
      clear,
      totals: async () => {
        const row = await sql.row("SELECT count(*), coalesce(sum(bytes), 0) FROM trash_item WHERE is_purged = 0");
        const [items, bytes] = row as readonly [number, number];
        return { items, bytes };
      },
    };
  },
});

async function findItem(sql: Sql, id: number): Promise<TrashItem | undefined> {
  const row = await sql.row(`SELECT ${itemColumns} FROM trash_item WHERE id = ?1 AND is_purged = 0`, id);
  return row && toItem(row);
}

/** Items are few enough for a search to look at each. */
const searchPage = 1000;

async function listTrash(sql: Sql, { search, ...query }: TrashQuery): Promise<TrashItem[]> {
  if (!search) return pageOf(sql, query);
  const found: TrashItem[] = [];
  for (let { before } = query; found.length < query.limit; ) {
    const page = await pageOf(sql, { ...query, before, limit: searchPage });
    found.push(...page.filter((item) => isFound(item, search)));
    if (page.length < searchPage) break;
    before = page.at(-1)?.id;
  }
  return found.slice(0, query.limit);
}

async function pageOf(
  sql: Sql,
  { nouns, paths, before = Number.MAX_SAFE_INTEGER, limit, locale }: TrashQuery,
): Promise<TrashItem[]> {
  const within = withinAny("path", paths, 7);
  const [one = "", two = "", three = ""] = nouns;
  const rows = await sql.rows(
    `SELECT ${itemColumns} FROM trash_item
     WHERE id < ?1 AND is_purged = 0 AND noun IN (?2, ?3, ?4)
       AND coalesce(?6, locale) = locale AND ${within.sql}
     ORDER BY id DESC LIMIT ?5`,
    before,
    one,
    two,
    three,
    limit,
    locale ?? null,
    ...within.values,
  );
  return rows.map(toItem);
}

async function existingItem(sql: Sql, id: number): Promise<TrashItem> {
  const item = await findItem(sql, id);
  if (!item) throw problem("trash_item_not_found", { id });
  return item;
}

async function restoreTrash(
  on: Writing,
  id: number,
  target: RestoreTarget,
  context: WriteContext,
): Promise<RestoredItem> {
  const { newPath, extensions, dropNames = false } = target;
  const item = await existingItem(on.sql, id);
  const restored = await {
    entry: () =>
      item.locale === undefined
        ? restoreEntries(on, item, newPath, { dropNames }, context)
        : restoreTranslation(on, item, newPath, { dropNames }, context),
    folder: () => restoreFolder(on, item, newPath, context),
    file: () => restoreFile(on, item, newPath, extensions, context),
  }[item.noun]();
  await on.sql.run("DELETE FROM trash_item WHERE id = ?1", id);
  return restored;
}

async function purgeTrash(on: Writing, id: number, context: WriteContext): Promise<void> {
  const { path, count } = await existingItem(on.sql, id);
  await appendWrite(on, "trash.purge", path, null, count, context);
  await on.sql.run("UPDATE trash_item SET is_purged = 1 WHERE id = ?1", id);
}

/** The tables whose rows come back into field indexes. */
const indexedTables: readonly FieldTable[] = [entryTable, fileTable];

async function indexRestored({ index }: Writing): Promise<void> {
  for (const table of indexedTables) await indexUnindexed(index, table);
}

/** This many places, and versions, are removed in one transaction, so that other writes wait little. */
const [clearGroup, versionGroup] = [50, 500];

/** Removes some rows of a purged item, with all versions of what they were; at last the item. */
async function clearTrash({ sql }: Writing, nowSeconds: number): Promise<void> {
  const row = await sql.row("SELECT id, locale FROM trash_item WHERE is_purged = 1 ORDER BY id LIMIT 1");
  if (!row) return;
  const [item, locale] = row as readonly [number, string];
  let count = 0;
  for (const noun of ["entry", "file"] as const) {
    const columns = ["uuid", "item", ...placeKeys[noun]].join(", ");
    const found = await sql.rows(`SELECT ${columns} FROM trash_${noun} WHERE item = ?1 LIMIT ${clearGroup}`, item);
    if (!(await clearThings(sql, noun, found, locale, nowSeconds))) return;
    count += found.length;
  }
  if (count > 0) return;
  const folders = `SELECT path FROM trash_folder WHERE item = ?1 ORDER BY path LIMIT ${versionGroup}`;
  if ((await sql.run(`DELETE FROM trash_folder WHERE item = ?1 AND path IN (${folders})`, item)) > 0) return;
  await sql.run("DELETE FROM trash_item WHERE id = ?1", item);
}

/**
 * Removes the items of translations of the entries, a uuid and its item, that were deleted alone, before the entries were:
 * their versions go with those of the entry. They are read first: as one statement, PostgreSQL compared each entry with each
 * place of the trash.
 */
async function deleteItemsOf(sql: Sql, entries: readonly Row[]): Promise<void> {
  const found = await sql.rowsAll(
    `SELECT next_revision FROM version
     WHERE noun = 'entry' AND thing = ?1 AND is_deleted = 1 AND next_revision <> ?2`,
    entries.map(([uuid = null, item = null]) => [uuid, item]),
    ["text", "integer"],
  );
  const items = found.flat().map(([item = null]) => [item]);
  for (const each of [deletePlacesOf, deleteItem]) await sql.runAll(each, items);
}

const deletePlacesOf = deleteRows("trash_entry", "item = ?1", ["integer"]);
const deleteItem = deleteRows("trash_item", "id = ?1", ["integer"]);

/**
 * Removes what the rows name, a uuid and the key of its place, unless it has more versions than one transaction removes:
 * answers false.
 */
async function clearThings(
  sql: Sql,
  noun: "entry" | "file",
  rows: readonly Row[],
  locale: string,
  nowSeconds: number,
): Promise<boolean> {
  if (locale === "" && noun === "entry") await deleteItemsOf(sql, rows);
  // What other items of the translation have stays.
  const versions = await sql.rowsAll(
    `SELECT id, blob FROM version WHERE noun = ?1 AND thing = ?2
       AND (?3 = '' OR locale = ?3 AND next_revision <= ?4 AND (is_deleted = 0 OR next_revision = ?4))
     ORDER BY next_revision LIMIT ${versionGroup}`,
    rows.map(([uuid = null, item = null]) => [noun, uuid, locale, item]),
    ["text", "text", "text", "integer"],
  );
  const some = versions.flat().slice(0, versionGroup);
  await removeVersions(sql, some, nowSeconds);
  if (some.length === versionGroup) return false;
  // Of a translation the entry lives, with its copies.
  if (locale === "")
    await sql.runAll(
      { entry: deleteStaged, file: deleteFileTexts }[noun],
      rows.map(([uuid = null]) => [uuid]),
    );
  const isPlace = ["item", ...placeKeys[noun]].map((column, i) => `${column} = ?${i + 1}`).join(" AND ");
  const deletePlaces = deleteRows(`trash_${noun}`, isPlace, ["integer", ...placeKeys[noun].map(() => "text" as const)]);
  await sql.runAll(
    deletePlaces,
    rows.map(([, ...key]) => key),
  );
  return true;
}

const deleteStaged = deleteRows("working_copy", "uuid = ?1 AND published_revision = 0", ["text"]);
