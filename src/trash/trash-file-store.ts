import type { WriteContext } from "../core/event.ts";
import { allSettled } from "../core/lib/all-settled.ts";
import { joinPath, nameOf, type Path, parentOf, rebase } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { indexUnindexed, restoredGroup } from "../core/sql/index/restored.ts";
import { missing } from "../core/sql/index/table.ts";
import type { Writing } from "../core/sql/noun.ts";
import { insertOf, namesOf, rowTable } from "../core/sql/rows.ts";
import { columnsOf, isWithinSql, type Row, type Sql, type TransactionSql } from "../core/sql/sql.ts";
import { type File, renamedFile } from "../file/file.ts";
import { ensureFolder, refuseTakenPath } from "../file/folder-rows.ts";
import { notePlacesMade } from "../file/noted-store.ts";
import { fileTable, insertFile, insertFileRow } from "../file/rows.ts";
import { fileIn, fileVersion } from "../version/version.ts";
import { keepAllDeleted, keepDeleted, toVersion } from "../version/version-store.ts";
import type { RestoredItem, TrashItem } from "./trash.ts";
import { keptThings, removeKept } from "./trash-kept-store.ts";
import { trashFileRule, trashFolderRule } from "./trash-row-rules.ts";
import { insertItem, movedSql, noItem, type Removal } from "./trash-rows.ts";

/** Folders and files in the trash. */

const folderColumns = namesOf(trashFolderRule);

export const trashFolderRows = rowTable(trashFolderRule, "item, path", {
  insert: insertOf(trashFolderRule, { parent: "text" }),
  valuesOf: (row) => [...folderColumns.map((column) => row[column] ?? null), parentOf(row.path as Path)],
  refusals: [noItem],
});

/** What no version of a file changes, besides its place and its uuid. */
const unchanging = ["created_at", "uploader", "sent_name", "given_name"];
const kept = ["uuid", ...unchanging];

export const trashFileRows = rowTable(trashFileRule, "item, folder, name", { refusals: [noItem] });

const insertPlace = insertOf(trashFileRule);

/** Keeps the file, which is about to be deleted. */
export async function trashFile(
  sql: TransactionSql,
  deletion: Removal,
  file: File,
  context: WriteContext,
): Promise<void> {
  const { id } = deletion;
  const { path, uuid, createdAt, uploader, sentName, givenName, size } = file;
  await insertItem(sql, deletion, "CAST(?9 AS BIGINT)", context, size);
  keepDeleted(sql, { noun: "file", thing: uuid }, fileVersion(file), id, context, size);
  sql.later(insertPlace, [[id, parentOf(path), nameOf(path), uuid, createdAt, uploader, sentName, givenName]]);
}

/** Keeps the folder and everything below it, which are about to be deleted. */
export async function trashFolder(sql: Sql, deletion: Removal, context: WriteContext): Promise<void> {
  const { id, path } = deletion;
  const isGone = isWithinSql("folder.path", "?2");
  const bytes = `SELECT sum(size) FROM file JOIN folder ON folder.id = file.folder WHERE ${isGone}`;
  await insertItem(sql, deletion, bytes, context);
  await sql.run(
    `INSERT INTO trash_folder (item, path, parent, created_at, modified_at)
     SELECT ?1, folder.path, above.path, folder.created_at, folder.modified_at
     FROM folder JOIN folder AS above ON above.id = folder.parent WHERE ${isGone}`,
    id,
    path,
  );
  await keepAllDeleted(sql, "file", isGone, path, id, context);
  await sql.run(
    `INSERT INTO trash_file (item, folder, name, ${kept.join(", ")})
     SELECT ?1, folder.path, file.name, ${columnsOf("file", kept)}
     FROM file JOIN folder ON folder.id = file.folder WHERE ${isGone}`,
    id,
    path,
  );
}

/** Puts the file back. Throws file_exists, folder_exists, file_type_refused. */
export async function restoreFile(
  on: Writing,
  item: TrashItem,
  newPath: Path | undefined,
  extensions: readonly string[],
  context: WriteContext,
): Promise<RestoredItem> {
  const { sql } = on;
  const to = newPath ?? item.path;
  await refuseTakenPath(sql, newPath ? "new_id" : "id", to);
  const { value } = await keptFiles(sql, item.id).next();
  const before = toFile((value as readonly Row[])[0] as Row);
  const file = to === item.path ? before : renamedFile(before, to, extensions, 0);
  const revision = await appendWrite(on, "file.undelete", item.path, newPath ?? null, 1, context);
  const folder = await ensureFolder(sql, newPath ? "new_id" : "id", parentOf(to), { revision, ...context });
  await insertFile(on, { ...file, path: to, revision }, folder.id);
  await removeKept(sql, "file", item.id);
  return { ...item, path: to, revision };
}

/**
 * Puts the folder back with everything below it. Files enter the field index later when they are many. Throws
 * folder_exists, file_exists, path_invalid.
 */
export async function restoreFolder(
  on: Writing,
  item: TrashItem,
  newPath: Path | undefined,
  context: WriteContext,
): Promise<RestoredItem> {
  const { sql, index } = on;
  const { id, path: from, count } = item;
  const to = newPath ?? from;
  await refuseTakenPath(sql, newPath ? "new_id" : "id", to);
  if (to !== from) await refuseTooLong(sql, id, from, to);
  const revision = await appendWrite(on, "folder.undelete", from, newPath ?? null, count, context);
  await ensureFolder(sql, newPath ? "new_id" : "id", parentOf(to), { revision, ...context });
  await insertFolders(sql, [id, from, to, parentOf(to), revision]);
  for await (const rows of keptFiles(sql, id)) {
    const files = rows.map(toFile).map((file) => ({ ...file, path: rebase(file.path, from, to), revision }));
    const folders = await sql.rowsAll(
      "SELECT id FROM folder WHERE path = ?1",
      files.map(({ path }) => [parentOf(path)]),
      ["text"],
    );
    await allSettled(files.map((file, i) => insertFileRow(sql, file, folders[i]?.[0]?.[0] as number, missing.all)));
  }
  await notePlacesMade(sql, revision, to);
  if (count <= restoredGroup) await indexUnindexed(index, fileTable);
  await removeKept(sql, "file", id);
  await sql.run("DELETE FROM trash_folder WHERE item = ?1", id);
  return { ...item, path: to, revision };
}

/** The files of an item, with what they said. */
const keptFiles = (sql: Sql, item: number): AsyncGenerator<readonly Row[]> => keptThings(sql, "file", unchanging, item);

type KeptRow = readonly [
  folder: Path,
  name: string,
  uuid: string,
  createdAt: number,
  uploader: string | null,
  sentName: string | null,
  givenName: string | null,
  ...version: Row,
];

function toFile(row: Row): File {
  const [folder, name, uuid, createdAt, uploader, sentName, givenName, ...version] = row as KeptRow;
  const place = { path: joinPath(folder, name), uuid, createdAt, uploader, sentName, givenName, revision: 0 };
  return fileIn(place, toVersion(version));
}

/** Level by level: a folder has the number of the one above it. */
async function insertFolders(sql: Sql, values: [number, Path, Path, Path, number]): Promise<void> {
  const path = movedSql("kept.path");
  const level = `INSERT INTO folder (path, parent, created_at, modified_at, revision)
    SELECT ${path}, above.id, kept.created_at, kept.modified_at, ?5
    FROM trash_folder AS kept
      JOIN folder AS above ON above.path = CASE WHEN kept.path = ?2 THEN ?4 ELSE ${movedSql("kept.parent")} END
    WHERE kept.item = ?1 AND NOT EXISTS (SELECT 1 FROM folder WHERE path = ${path})`;
  while ((await sql.run(level, ...values)) > 0);
}

/** Throws path_invalid when a path would exceed a limit. */
async function refuseTooLong(sql: Sql, item: number, from: Path, to: Path): Promise<void> {
  const rows = await sql.rows(
    `SELECT path, (SELECT name FROM trash_file WHERE item = ?1 AND folder = trash_folder.path
       ORDER BY octet_length(name) DESC LIMIT 1)
     FROM trash_folder WHERE item = ?1`,
    item,
  );
  for (const [path, name] of rows as [Path, string | null][]) {
    rebase((name === null ? path : `${path}/${name}`) as Path, from, to);
  }
}
