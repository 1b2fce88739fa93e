import type { WriteContext } from "../../../domain/event.ts";
import { type Deleted, existingFolder, type Folder, refuseInside, refuseTaken } from "../../../domain/folder.ts";
import { type Path, parentOf, rebase, rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { isWithinSql, type Row, renameWithin, type Sql } from "../sql.ts";
import { unreferenceBlobs } from "./blob.ts";
import { appendWrite } from "./event.ts";
import { findFile, ownFileColumns } from "./file-row.ts";

export const folderColumns = "id, path, created_at, modified_at, revision";

/** A folder with the number of its row. */
export type StoredFolder = Folder & { readonly id: number };

export function toFolder(row: Row): StoredFolder {
  const [id, path, createdAt, modifiedAt, revision] = row as [number, Path, number, number, number];
  return { id, path, createdAt, modifiedAt, revision };
}

export const findFolderSql = `SELECT ${folderColumns} FROM folder WHERE path = ?1`;

export async function findFolder(sql: Sql, path: Path): Promise<StoredFolder | undefined> {
  const row = await sql.row(findFolderSql, path);
  return row && toFolder(row);
}

const isFolderWithin = isWithinSql("path", "?1");
/** The numbers of the folder ?1 and of all below it. */
const idsWithin = `SELECT id FROM folder WHERE ${isFolderWithin}`;

export async function createFolder(sql: Sql, path: Path, context: WriteContext, ifMatch?: string): Promise<Folder> {
  await refuseTakenPath(sql, "path", path);
  if (ifMatch !== undefined) throw problem("folder_not_found", { argument: "path", path });
  const revision = await appendWrite(sql, "folder.create", path, null, 1, context);
  return ensureFolder(sql, "path", path, { revision, nowSeconds: context.nowSeconds });
}

export async function moveFolder(
  sql: Sql,
  path: Path,
  newPath: Path,
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<Folder> {
  const folder = existingFolder(await findFolder(sql, path), path, ifMatch) as StoredFolder;
  if (path === newPath) return folder;
  refuseInside(path, newPath);
  await refuseTakenPath(sql, "new_path", newPath);
  await refuseTooDeep(sql, path, newPath);
  const revision = await appendWrite(sql, "folder.move", path, newPath, await countWithin(sql, path), context);
  const stamp = { revision, nowSeconds: context.nowSeconds };
  const parent = await ensureFolder(sql, "new_path", parentOf(newPath), stamp);
  await renameWithin(sql, "folder", "path", path, newPath, revision);
  await sql.run("UPDATE folder SET parent = ?1 WHERE id = ?2", parent.id, folder.id);
  return { ...folder, path: newPath, revision };
}

export async function copyFolder(
  sql: Sql,
  path: Path,
  newPath: Path,
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<Folder> {
  const folder = existingFolder(await findFolder(sql, path), path, ifMatch);
  if (path === newPath) return folder;
  refuseInside(path, newPath);
  await refuseTakenPath(sql, "new_path", newPath);
  await refuseTooDeep(sql, path, newPath);
  const revision = await appendWrite(sql, "folder.copy", path, newPath, await countWithin(sql, path), context);
  const stamp = { revision, nowSeconds: context.nowSeconds };
  const rows = await sql.rows(`SELECT id, path FROM folder WHERE ${isFolderWithin} ORDER BY path`, path);
  // Parents come before their children in path order, so each is made once.
  for (const [id, from] of rows as [number, Path][]) {
    const copy = await ensureFolder(sql, "new_path", rebase(from, path, newPath), stamp);
    await copyFiles(sql, id, copy.id, stamp);
  }
  return (await findFolder(sql, newPath)) as Folder;
}

async function copyFiles(sql: Sql, from: number, to: number, stamp: Stamp): Promise<void> {
  await sql.run(
    `INSERT INTO file (${ownFileColumns})
     SELECT ?2, name, title, description, type, blob, size, uploaded_at, width, height, is_color, meta, ?3, ?3, ?4
     FROM file WHERE folder = ?1`,
    from,
    to,
    stamp.nowSeconds,
    stamp.revision,
  );
}

export async function deleteFolder(
  sql: Sql,
  path: Path,
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<Deleted> {
  existingFolder(await findFolder(sql, path), path, ifMatch);
  const revision = await appendWrite(sql, "folder.delete", path, null, await countWithin(sql, path), context);
  await unreferenceBlobs(sql, `SELECT blob FROM file WHERE folder IN (${idsWithin})`, path, context.nowSeconds);
  await sql.run(`DELETE FROM file WHERE folder IN (${idsWithin})`, path);
  // One statement: the reference of a folder to the one above is checked at its end.
  await sql.run(`DELETE FROM folder WHERE ${isFolderWithin}`, path);
  return { revision };
}

type Stamp = { revision: number; nowSeconds: number };

/** The folder, made with those above it when missing. Throws file_exists where a file has one of the paths. */
export async function ensureFolder(sql: Sql, argument: string, path: Path, stamp: Stamp): Promise<StoredFolder> {
  const existing = await findFolder(sql, path);
  if (existing) return existing;
  if (await findFile(sql, path)) throw problem("file_exists", { argument, path });
  const parent = await ensureFolder(sql, argument, parentOf(path), stamp);
  const row = await sql.row(
    `INSERT INTO folder (path, parent, created_at, modified_at, revision) VALUES (?1, ?2, ?3, ?3, ?4)
     RETURNING ${folderColumns}`,
    path,
    parent.id,
    stamp.nowSeconds,
    stamp.revision,
  );
  return toFolder(row as Row);
}

/** Throws folder_exists, file_exists. */
export async function refuseTakenPath(sql: Sql, argument: string, path: Path): Promise<void> {
  refuseTaken(argument, path, { folder: await findFolder(sql, path), file: await findFile(sql, path) });
}

/** Throws path_invalid when something inside would end past a limit. Of each folder only the longest name matters. */
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

/** Folders and files from the path down. */
async function countWithin(sql: Sql, path: Path): Promise<number> {
  const row = await sql.row(
    `SELECT (SELECT count(*) FROM folder WHERE ${isFolderWithin}) +
       (SELECT count(*) FROM file WHERE folder IN (${idsWithin}))`,
    path,
  );
  return row?.[0] as number;
}

export async function countFolders(sql: Sql): Promise<number> {
  return ((await sql.row("SELECT count(*) FROM folder WHERE path <> ?1", rootPath))?.[0] as number) ?? 0;
}
