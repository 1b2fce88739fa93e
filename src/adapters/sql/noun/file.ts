import type { WriteContext } from "../../../domain/event.ts";
import {
  existingFile,
  type File,
  type FileInput,
  type FolderContent,
  renamedFile,
  uploadedFile,
} from "../../../domain/file.ts";
import { changedFile, type MetaChange } from "../../../domain/file-meta.ts";
import { numberedName } from "../../../domain/file-name.ts";
import type { Deleted } from "../../../domain/folder.ts";
import { childPath, joinPath, nameOf, type Path, parentOf } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import type { Sql } from "../sql.ts";
import { isBlobKept, unreferenceBlobs } from "./blob.ts";
import { appendWrite } from "./event.ts";
import { findFile, fromFiles, insertFile, type StoredFile, updateFile } from "./file-row.ts";
import { ensureFolder, findFolder, refuseTakenPath } from "./folder.ts";

/** The directly lying names; undefined when there is no such folder. */
export async function folderContent(sql: Sql, path: Path): Promise<FolderContent | undefined> {
  const folder = await findFolder(sql, path);
  if (!folder) return undefined;
  const folders = await sql.rows("SELECT path FROM folder WHERE parent = ?1", folder.id);
  const files = await sql.rows("SELECT name, blob FROM file WHERE folder = ?1", folder.id);
  return {
    folders: folders.map(([below]) => nameOf(below as Path)),
    files: files.map(([name, hash]) => ({ name: name as string, hash: hash as string })),
  };
}

export async function pathsOfBlob(sql: Sql, hash: string): Promise<Path[]> {
  const rows = await sql.rows(`SELECT folder.path, file.name ${fromFiles} WHERE file.blob = ?1`, hash);
  return rows.map(([folder, name]) => joinPath(folder as Path, name as string));
}

export async function putFile(
  sql: Sql,
  input: FileInput,
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<File | undefined> {
  if (!(await isBlobKept(sql, input.hash, input.generation))) return undefined;
  const wanted = childPath("file", input.folder, input.name);
  const path = input.onConflict === "suffix" ? await freePath(sql, "file", wanted) : wanted;
  const current = await findFile(sql, path);
  if (ifMatch !== undefined) existingFile(current, path, ifMatch);
  if (await findFolder(sql, path)) throw problem("folder_exists", { argument: "file", path });
  if (current && input.onConflict === "fail") throw problem("file_exists", { argument: "file", path });
  const revision = await appendWrite(sql, "file.upload", path, null, 1, context);
  const stamp = { revision, nowSeconds: context.nowSeconds };
  const file = uploadedFile(current, path, input, stamp);
  if (current) await updateFile(sql, current, file, context);
  else await insertFile(sql, file, (await ensureFolder(sql, "folder", input.folder, stamp)).id);
  return file;
}

export async function moveFile(
  sql: Sql,
  path: Path,
  newPath: Path,
  extensions: readonly string[],
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<File> {
  const file = existingFile(await findFile(sql, path), path, ifMatch) as StoredFile;
  if (path === newPath) return file;
  await refuseTakenPath(sql, "new_path", newPath);
  const moved = renamedFile(file, newPath, extensions, 0);
  const revision = await appendWrite(sql, "file.move", path, newPath, 1, context);
  const folder = await ensureFolder(sql, "new_path", parentOf(newPath), { revision, nowSeconds: context.nowSeconds });
  await sql.run(
    "UPDATE file SET folder = ?1, name = ?2, type = ?3, revision = ?4 WHERE id = ?5",
    folder.id,
    nameOf(newPath),
    moved.type,
    revision,
    file.id,
  );
  return { ...moved, revision };
}

export async function copyFile(
  sql: Sql,
  path: Path,
  newPath: Path,
  extensions: readonly string[],
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<File> {
  const file = existingFile(await findFile(sql, path), path, ifMatch);
  const free = await freePath(sql, "new_path", newPath);
  const copied = renamedFile(file, free, extensions, 0);
  const { nowSeconds } = context;
  const revision = await appendWrite(sql, "file.copy", path, free, 1, context);
  const folder = await ensureFolder(sql, "new_path", parentOf(free), { revision, nowSeconds });
  const copy = { ...copied, revision, createdAt: nowSeconds, modifiedAt: nowSeconds };
  await insertFile(sql, copy, folder.id);
  return copy;
}

export async function changeFile(
  sql: Sql,
  path: Path,
  change: MetaChange,
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<File> {
  const file = existingFile(await findFile(sql, path), path, ifMatch) as StoredFile;
  const changed = changedFile(file, change, { revision: 0, nowSeconds: context.nowSeconds });
  const revision = await appendWrite(sql, "file.update", path, null, 1, context);
  await updateFile(sql, file, { ...changed, revision }, context);
  return { ...changed, revision };
}

export async function deleteFile(
  sql: Sql,
  path: Path,
  ifMatch: string | undefined,
  context: WriteContext,
): Promise<Deleted> {
  const file = existingFile(await findFile(sql, path), path, ifMatch) as StoredFile;
  const revision = await appendWrite(sql, "file.delete", path, null, 1, context);
  await unreferenceBlobs(sql, "?1", file.hash, context.nowSeconds);
  await sql.run("DELETE FROM file WHERE id = ?1", file.id);
  return { revision };
}

/**
 * The path, or one with a number that neither a file nor a folder has: `cover-1.jpg`. The search doubles, then halves:
 * of numbers without gaps it finds the first free one. Throws path_invalid. Contract §5.
 */
async function freePath(sql: Sql, argument: string, path: Path): Promise<Path> {
  const numbered = (number: number) => childPath(argument, parentOf(path), numberedName(nameOf(path), number));
  const isTaken = async (candidate: Path) =>
    ((await findFile(sql, candidate)) ?? (await findFolder(sql, candidate))) !== undefined;
  if (!(await isTaken(path))) return path;
  let taken = 0;
  let free = 1;
  while (await isTaken(numbered(free))) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(numbered(middle))) taken = middle;
    else free = middle;
  }
  return numbered(free);
}

export async function countFiles(sql: Sql): Promise<number> {
  return ((await sql.row("SELECT count(*) FROM file"))?.[0] as number) ?? 0;
}
