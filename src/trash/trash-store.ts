import type { WriteContext } from "../core/event.ts";
import type { Path } from "../core/path.ts";
import { unreferenceBlobs } from "../core/sql/blob.ts";
import { appendWrite } from "../core/sql/event.ts";
import { hasUnindexedSql, indexUnindexed } from "../core/sql/index/restored.ts";
import type { FieldTable } from "../core/sql/index/table.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { rowTable } from "../core/sql/rows.ts";
import { deleteRows, findNumber, firstColumn, type Row, type Sql, type Value, withinAny } from "../core/sql/sql.ts";
import { entryTable } from "../entry/rows.ts";
import { fileTable } from "../file/rows.ts";
import { removeHistory } from "../version/history-store.ts";
import { problem } from "./problems.ts";
import { isFound, type RestoredItem, type TrashItem, type TrashQuery, type TrashStore } from "./trash.ts";
import { restoreEntries, trashEntries, trashEntryRows } from "./trash-entry-store.ts";
import {
  restoreFile,
  restoreFolder,
  trashFile,
  trashFileRows,
  trashFolder,
  trashFolderRows,
} from "./trash-file-store.ts";
import { trashItemRule } from "./trash-row-rules.ts";
import { itemColumns, toItem } from "./trash-rows.ts";

export const trashNoun = noun({
  links: { trashEntries, trashFile, trashFolder },
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
      query: `SELECT trash_entry.slug, entry.slug FROM trash_entry JOIN entry ON entry.uuid = trash_entry.uuid`,
      says: (kept, slug) => `The entry ${kept} in the trash and the entry ${slug} have one uuid`,
    },
    // A DELETE whose event gets its number would be refused.
    {
      query: "SELECT id, path FROM trash_item WHERE id > (SELECT coalesce(max(sequence), 0) FROM event)",
      says: (id, path) => `The item ${id} of the trash, ${path}, is above the newest event`,
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
  { nouns, paths, before = Number.MAX_SAFE_INTEGER, limit }: TrashQuery,
): Promise<TrashItem[]> {
  const within = withinAny("path", paths, 6);
  const [one = "", two = "", three = ""] = nouns;
  const rows = await sql.rows(
    `SELECT ${itemColumns} FROM trash_item
     WHERE id < ?1 AND is_purged = 0 AND noun IN (?2, ?3, ?4) AND ${within.sql}
     ORDER BY id DESC LIMIT ?5`,
    before,
    one,
    two,
    three,
    limit,
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
  { newPath, extensions }: { newPath: Path | undefined; extensions: readonly string[] },
  context: WriteContext,
): Promise<RestoredItem> {
  const item = await existingItem(on.sql, id);
  const restored = await {
    entry: () => restoreEntries(on, item, newPath, context),
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

/** This many rows of the trash, and of the history, are removed in one transaction, so that other writes wait little. */
const [clearGroup, historyGroup] = [250, 500];

/** What of a row of the trash is needed to remove it. */
type Gone = { uuid: string; blob: string | null; key: Row };

/** Removes some rows of a purged item, with the history of what they were; at last the item. */
async function clearTrash({ sql }: Writing, nowSeconds: number): Promise<void> {
  const item = await findNumber(sql, "SELECT id FROM trash_item WHERE is_purged = 1 ORDER BY id LIMIT 1");
  if (item === undefined) return;
  const entries = await sql.rows(
    `SELECT uuid, NULL, item, slug FROM trash_entry WHERE item = ?1 ORDER BY slug LIMIT ${clearGroup}`,
    item,
  );
  const files = await sql.rows(
    `SELECT uuid, blob, item, folder, name FROM trash_file WHERE item = ?1 ORDER BY folder, name LIMIT ${clearGroup}`,
    item,
  );
  const isCleared =
    (await clearRows(sql, "entry", "trash_entry", ["slug"], entries.map(toGone), nowSeconds)) &&
    (await clearRows(sql, "file", "trash_file", ["folder", "name"], files.map(toGone), nowSeconds));
  if (!isCleared || entries.length + files.length > 0) return;
  const folders = `SELECT path FROM trash_folder WHERE item = ?1 ORDER BY path LIMIT ${historyGroup}`;
  const count = await sql.run(`DELETE FROM trash_folder WHERE item = ?1 AND path IN (${folders})`, item);
  if (count === 0) await sql.run("DELETE FROM trash_item WHERE id = ?1", item);
}

function toGone(row: Row): Gone {
  const [uuid, blob, ...key] = row as readonly [uuid: string, blob: string | null, ...Value[]];
  return { uuid, blob, key };
}

/** Removes the rows, unless there is more history of theirs than one transaction removes: answers false. */
async function clearRows(
  sql: Sql,
  noun: "entry" | "file",
  table: string,
  key: readonly string[],
  rows: readonly Gone[],
  nowSeconds: number,
): Promise<boolean> {
  if (rows.length === 0) return true;
  const history = await sql.rowsAll(
    `SELECT id, blob FROM history WHERE noun = ?1 AND thing = ?2 ORDER BY next_revision LIMIT ${historyGroup}`,
    rows.map(({ uuid }) => [noun, uuid]),
    ["text", "text"],
  );
  const some = history.flat().slice(0, historyGroup);
  await removeHistory(sql, some, nowSeconds);
  if (some.length === historyGroup) return false;
  await unreferenceBlobs(
    sql,
    rows.flatMap(({ blob }) => blob ?? []),
    nowSeconds,
  );
  const isRow = ["item", ...key].map((column, i) => `${column} = ?${i + 1}`).join(" AND ");
  if (noun === "entry") {
    const uuids = rows.map(({ uuid }) => [uuid]);
    await sql.runAll(deleteRows("staged", "uuid = ?1", ["text"]), uuids);
  }
  await sql.runAll(
    deleteRows(table, isRow, ["integer", ...key.map(() => "text" as const)]),
    rows.map((row) => [...row.key]),
  );
  return true;
}
