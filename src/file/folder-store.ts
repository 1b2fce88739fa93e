import type { WriteContext } from "../core/event.ts";
import { type Path, parentOf, rebase, rootPath } from "../core/path.ts";
import { appendWrite } from "../core/sql/event.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { namesOf, pastNewestEvent, rowTable } from "../core/sql/rows.ts";
import { isWithinSql, numberOf, renameWithin, type Sql } from "../core/sql/sql.ts";
import type { Deletion } from "../trash/trash.ts";
import type { FolderTarget } from "./folder.ts";
import { type Deleted, existingFolder, type Folder, type FolderStore, refuseInside } from "./folder.ts";
import {
  ensureFolder,
  findFolder,
  findFolderSql,
  refuseTakenPath,
  type Stamp,
  type StoredFolder,
  toFolder,
} from "./folder-rows.ts";
import { listFolders, listFoldersQuickly } from "./list-store.ts";
import { notePlacesGone, notePlacesMade, notePlacesMoved } from "./noted-store.ts";
import { problem } from "./problems.ts";
import { fileRule, folderRule } from "./row-rules.ts";
import { pathOfFile } from "./rows.ts";

const names = namesOf(folderRule);

export const folderNoun = noun({
  writes: { createFolder, moveFolder, copyFolder, deleteFolder },
  scans: { listFolders },
  quick: { listFolders: listFoldersQuickly },
  point: { text: findFolderSql, toValue: toFolder },
  rows: [
    rowTable(folderRule, "path", {
      // ?1 is the parent's path; the root comes first and has none.
      insert: `INSERT INTO folder (parent, ${names.join(", ")})
      VALUES ((SELECT id FROM folder WHERE path = ?1), ${names.map((_, i) => `?${i + 2}`).join(", ")})`,
      valuesOf: (row) => [
        row.path === rootPath ? null : parentOf(row.path as Path),
        ...names.map((column) => row[column] ?? null),
      ],
      isFilled: "EXISTS (SELECT 1 FROM folder WHERE path <> '')",
    }),
  ],
  relations: [
    {
      query: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM folder WHERE path = '')",
      says: () => "There is no root folder",
    },
    {
      query: `SELECT folder.path FROM folder LEFT JOIN folder AS above ON above.id = folder.parent
        WHERE (folder.path = '') <> (folder.parent IS NULL)
           OR folder.path <> '' AND (above.path IS NULL
             OR substr(folder.path, CASE WHEN above.path = '' THEN 1 ELSE length(above.path) + 2 END) LIKE '%/%'
             OR above.path <> '' AND substr(folder.path, 1, length(above.path) + 1) <> above.path || '/')`,
      says: (path) => `The folder ${path} has another parent than that of its path, or its parent is missing`,
    },
    {
      query: `SELECT below.path FROM folder AS below JOIN file ON file.folder = below.parent
        JOIN folder AS above ON above.id = below.parent WHERE below.path = ${pathOfFile}`,
      says: (path) => `The path ${path} is that of a folder and of a file`,
    },
    pastNewestEvent("folder", "path FROM folder"),
  ],
  port: ({ sql, point, writes, scansFor }): FolderStore => ({
    find: (path) => point.current(path),
    list: (query, key, address, access, asker) => scansFor(asker).listFolders(query, key, address, access),
    create: writes.createFolder,
    move: writes.moveFolder,
    copy: writes.copyFolder,
    delete: writes.deleteFolder,
    count: () => countFolders(sql),
  }),
});

const isFolderWithin = isWithinSql("path", "?1");
/** The numbers of the folder ?1 and of all below it. */
const idsWithin = `SELECT id FROM folder WHERE ${isFolderWithin}`;

async function createFolder(on: Writing, path: Path, context: WriteContext): Promise<Folder> {
  const { sql } = on;
  await refuseTakenPath(sql, "path", path);
  if (context.ifMatch !== undefined) throw problem("folder_not_found", { argument: "path", path });
  const revision = await appendWrite(on, "folder.create", path, null, 1, context);
  return ensureFolder(sql, "path", path, { revision, nowSeconds: context.nowSeconds });
}

async function moveFolder(
  on: Writing,
  path: Path,
  { newPath, redirected }: FolderTarget,
  context: WriteContext,
): Promise<Folder> {
  const { sql } = on;
  const folder = existingFolder(await findFolder(sql, path), path, context.ifMatch) as StoredFolder;
  if (path === newPath) return folder;
  refuseInside(path, newPath);
  await refuseTakenPath(sql, "new_path", newPath);
  await refuseTooDeep(sql, path, newPath);
  const revision = await appendWrite(on, "folder.move", path, newPath, await countWithin(sql, path), context);
  await notePlacesMoved(sql, revision, path, newPath);
  const stamp = { revision, nowSeconds: context.nowSeconds };
  const parent = await ensureFolder(sql, "new_path", parentOf(newPath), stamp);
  await renameWithin(sql, "folder", "path", path, newPath, revision);
  await sql.run("UPDATE folder SET parent = ?1 WHERE id = ?2", parent.id, folder.id);
  await on.links.redirectReferences(on, { kind: "file", path, isSubtree: true }, newPath, redirected, context);
  return { ...folder, path: newPath, revision };
}

async function copyFolder(
  on: Writing,
  path: Path,
  { newPath }: Pick<FolderTarget, "newPath">,
  context: WriteContext,
): Promise<Folder> {
  const { sql } = on;
  const folder = existingFolder(await findFolder(sql, path), path, context.ifMatch);
  if (path === newPath) return folder;
  refuseInside(path, newPath);
  await refuseTakenPath(sql, "new_path", newPath);
  await refuseTooDeep(sql, path, newPath);
  const revision = await appendWrite(on, "folder.copy", path, newPath, await countWithin(sql, path), context);
  const stamp = { revision, nowSeconds: context.nowSeconds };
  const rows = await sql.rows(`SELECT id, path FROM folder WHERE ${isFolderWithin} ORDER BY path`, path);
  // Parents precede their children in path order, so each is created once.
  for (const [id, from] of rows as [number, Path][]) {
    const copy = await ensureFolder(sql, "new_path", rebase(from, path, newPath), stamp);
    await copyFiles(sql, id, copy.id, stamp);
    await on.links.copyFolderTexts(sql, id, copy.id, revision);
  }
  await notePlacesMade(sql, revision, newPath);
  return (await findFolder(sql, newPath)) as Folder;
}

const fileColumns = [...namesOf(fileRule), "index_partial"];
/** What a copy of a file does not have from its source. */
const newInCopy: Readonly<Record<string, string>> = {
  folder: "?2",
  uuid: "{new_uuid}",
  created_at: "?3",
  modified_at: "?3",
  revision: "?4",
  content_revision: "?4",
  uploader: "NULL",
  sent_name: "NULL",
  given_name: "NULL",
};

async function copyFiles(sql: Sql, from: number, to: number, stamp: Stamp): Promise<void> {
  await sql.run(
    `INSERT INTO file (${fileColumns.join(", ")})
     SELECT ${fileColumns.map((column) => newInCopy[column] ?? column).join(", ")} FROM file WHERE folder = ?1`,
    from,
    to,
    stamp.nowSeconds,
    stamp.revision,
  );
  // No indexed field of a copy differs from that of its source.
  await sql.run(
    `INSERT INTO file_field (folder, key, value, file)
     SELECT ?2, field.key, field.value, copy.id
     FROM file_field AS field JOIN file AS original ON original.id = field.file
       JOIN file AS copy ON copy.folder = ?2 AND copy.name = original.name
     WHERE field.folder = ?1`,
    from,
    to,
  );
}

async function deleteFolder(
  on: Writing,
  path: Path,
  { to, restricted }: Deletion,
  context: WriteContext,
): Promise<Deleted> {
  const { sql } = on;
  existingFolder(await findFolder(sql, path), path, context.ifMatch);
  await on.links.refuseReferred(on, { kind: "file", path, isSubtree: true }, restricted);
  const count = await countWithin(sql, path);
  const revision = await appendWrite(on, "folder.delete", path, null, count, context);
  await notePlacesGone(sql, revision, path);
  await on.links.trashFolder(sql, { noun: "folder", id: revision, path, count, to }, context);
  await sql.run(`DELETE FROM file_field WHERE folder IN (${idsWithin})`, path);
  await sql.run(`DELETE FROM file WHERE folder IN (${idsWithin})`, path);
  // One statement: the foreign key from a folder to its parent is checked at the end of the statement.
  await sql.run(`DELETE FROM folder WHERE ${isFolderWithin}`, path);
  return { revision };
}

/** Throws path_invalid when a path inside would exceed a limit. For each folder only the longest name matters. */
async function refuseTooDeep(sql: Sql, path: Path, newPath: Path): Promise<void> {
  const rows = await sql.rows(
    `SELECT path, (SELECT name FROM file WHERE folder = folder.id ORDER BY octet_length(name) DESC LIMIT 1)
     FROM folder WHERE ${isFolderWithin}`,
    path,
  );
  for (const [from, name] of rows as [Path, string | null][]) {
    rebase((name === null ? from : `${from}/${name}`) as Path, path, newPath);
  }
}

/** Folders and files at and below the path. */
async function countWithin(sql: Sql, path: Path): Promise<number> {
  return numberOf(
    sql,
    `SELECT (SELECT count(*) FROM folder WHERE ${isFolderWithin}) +
       (SELECT count(*) FROM file WHERE folder IN (${idsWithin}))`,
    path,
  );
}

async function countFolders(sql: Sql): Promise<number> {
  return numberOf(sql, "SELECT count(*) FROM folder WHERE path <> ?1", rootPath);
}
