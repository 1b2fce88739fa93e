import { randomUUID } from "node:crypto";
import type { WriteContext } from "../core/event.ts";
import { childPath, joinPath, nameOf, type Path, parentOf } from "../core/path.ts";
import { bytesAreMissing, isBlobKept } from "../core/sql/blob.ts";
import { appendWrite } from "../core/sql/event.ts";
import { removeFieldRows, replaceFieldRows } from "../core/sql/index/field-row.ts";
import { noun, type Writing } from "../core/sql/noun.ts";
import { overheadBytes, RowCache } from "../core/sql/row-cache.ts";
import { isTwice, pastNewestEvent, rowTable } from "../core/sql/rows.ts";
import { numberOf, type Sql } from "../core/sql/sql.ts";
import type { Deletion } from "../trash/trash.ts";
import { fileVersion, restoredFile } from "../version/version.ts";
import { findVersion, noteVersion } from "../version/version-store.ts";
import type { FileTarget } from "./file.ts";
import {
  type ConflictPolicy,
  existingFile,
  type File,
  type FileInput,
  type FileStore,
  type FolderContent,
  isSentAs,
  renamedFile,
  uploadedFile,
} from "./file.ts";
import type { Deleted } from "./folder.ts";
import { ensureFolder, findFolder, refuseTakenPath } from "./folder-rows.ts";
import { listFiles, listFilesQuickly } from "./list-store.ts";
import { FileLoader } from "./load-store.ts";
import { changedFile, type MetaChange, refuseOthersFile } from "./meta.ts";
import { numberedName } from "./name.ts";
import { problem } from "./problems.ts";
import { fileRule } from "./row-rules.ts";
import {
  fileTable,
  findFile,
  findFileSql,
  findSentFile,
  fromFiles,
  insertFile,
  objectOf,
  ownerOf,
  ownFileColumns,
  pathOfFile,
  type StoredFile,
  toFile,
  updateFile,
} from "./rows.ts";

/** Some 8,000 files. */
const fileCacheBytes = 5 * 1024 * 1024;

export const fileNoun = noun({
  writes: { putFile, moveFile, copyFile, changeFile, deleteFile, restoreFileState },
  scans: { listFiles },
  quick: { listFiles: listFilesQuickly },
  index: fileTable,
  point: {
    text: findFileSql,
    values: (path: string) => [parentOf(path as Path), nameOf(path as Path)],
    toValue: toFile,
    cache: () =>
      new RowCache<StoredFile>(fileCacheBytes, {
        pathOf: ({ path }) => path,
        bytesOf: ({ meta, description }) => overheadBytes + 2 * (meta.length + description.length),
        changedBy: ["file", "folder"],
      }),
  },
  rows: [
    rowTable(fileRule, "folder, name", {
      select: `SELECT ${ownFileColumns}
      FROM file JOIN folder ON folder.id = file.folder ORDER BY folder.path, file.name`,
      loader: (sql) => {
        const loader = new FileLoader(sql);
        return async (rows) => () => loader.add(rows.map((row) => toFile([0, ...row, 0, 0, 0])));
      },
      refusals: [
        ["there is no such folder", "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM folder WHERE path = ?1)", "folder"],
        bytesAreMissing,
        [
          isTwice,
          "SELECT 1 FROM file JOIN folder ON folder.id = file.folder WHERE folder.path = ?1 AND file.name = ?2",
          "folder",
          "name",
        ],
      ],
    }),
  ],
  relations: [
    {
      query: `SELECT ${pathOfFile} FROM file JOIN folder AS above ON above.id = file.folder
        JOIN blob ON blob.hash = file.blob WHERE blob.size <> file.size`,
      says: (path) => `The file ${path} has another size than its bytes`,
    },
    pastNewestEvent("file", `${pathOfFile} FROM file JOIN folder AS above ON above.id = file.folder`),
  ],
  port: ({ sql, point, writes, scansFor }): FileStore => ({
    find: (path, reader = "management") => (reader === "delivery" ? point.cached(path) : point.current(path)),
    findAll: (paths, reader) => point.all(paths, reader),
    list: (query, address, access, asker, chain) => scansFor(asker).listFiles(query, address, access, chain),
    content: (folder) => folderContent(sql, folder),
    pathsOf: (hash) => pathsOfBlob(sql, hash),
    put: writes.putFile,
    move: writes.moveFile,
    copy: writes.copyFile,
    change: writes.changeFile,
    delete: writes.deleteFile,
    restore: writes.restoreFileState,
    count: () => countFiles(sql),
  }),
});

/** The names of the direct children; undefined when the folder does not exist. */
async function folderContent(sql: Sql, path: Path): Promise<FolderContent | undefined> {
  const folder = await findFolder(sql, path);
  if (!folder) return undefined;
  const folders = await sql.rows("SELECT path FROM folder WHERE parent = ?1", folder.id);
  const files = await sql.rows("SELECT name, blob FROM file WHERE folder = ?1", folder.id);
  return {
    folders: folders.map(([below]) => nameOf(below as Path)),
    files: (files as [string, string][]).map(([name, hash]) => ({ name, hash })),
  };
}

async function pathsOfBlob(sql: Sql, hash: string): Promise<Path[]> {
  const rows = await sql.rows(`SELECT folder.path, file.name ${fromFiles} WHERE file.blob = ?1`, hash);
  return (rows as [Path, string][]).map(([folder, name]) => joinPath(folder, name));
}

async function putFile(on: Writing, parent: Path, input: FileInput, context: WriteContext): Promise<File | null> {
  const { sql } = on;
  const { ifMatch } = context;
  if (!(await isBlobKept(sql, input.hash, input.generation))) return null;
  const { path, current, policy } = await targetOf(sql, childPath("file", parent, input.name), input);
  if (ifMatch !== undefined) existingFile(current, path, ifMatch);
  if (await findFolder(sql, path)) throw problem("folder_exists", { argument: "file", path });
  if (current && policy === "fail") throw problem("file_exists", { argument: "file", path });
  const revision = await appendWrite(on, "file.upload", path, null, 1, context);
  const stamp = { revision, nowSeconds: context.nowSeconds, uuid: randomUUID(), actor: context.actor };
  const file = uploadedFile(current, path, input, stamp);
  if (current) await saveFile(on, current, file, context);
  else await insertFile(on, file, (await ensureFolder(sql, "folder", parent, stamp)).id);
  return file;
}

type UploadTarget = { path: Path; current: StoredFile | undefined; policy: ConflictPolicy };

/** Where an upload goes that gets the path `wanted`, and what is there. Contract §5, Uploads. */
async function targetOf(sql: Sql, wanted: Path, input: FileInput): Promise<UploadTarget> {
  const { onConflict, onOther = onConflict, sentName, givenName } = input;
  const there = await findFile(sql, wanted);
  const isSame = there !== undefined && (givenName !== undefined || isSentAs(there, sentName));
  const isFound = isSame || givenName !== undefined || sentName === undefined;
  const same = isFound ? there : await findSentFile(sql, parentOf(wanted), sentName);
  const policy = there && !same ? onOther : onConflict;
  if (policy === "suffix") return { path: await freePath(sql, "file", wanted), current: undefined, policy };
  const current = same ?? there;
  return { path: current?.path ?? wanted, current, policy };
}

async function moveFile(
  on: Writing,
  path: Path,
  { newPath, extensions, redirected }: FileTarget,
  context: WriteContext,
): Promise<File> {
  const { sql, index } = on;
  const file = existingFile(await findFile(sql, path), path, context.ifMatch) as StoredFile;
  if (path === newPath) return file;
  await refuseTakenPath(sql, "new_path", newPath);
  const moved = renamedFile(file, newPath, extensions, 0);
  const revision = await appendWrite(on, "file.move", path, newPath, 1, context);
  const folder = await ensureFolder(sql, "new_path", parentOf(newPath), { revision, nowSeconds: context.nowSeconds });
  const before = { owner: ownerOf(file), data: objectOf(file) };
  const after = { owner: { item: file.id, parent: folder.id }, data: objectOf(moved) };
  const lacking = await replaceFieldRows(index, fileTable, before, after);
  await sql.run(
    "UPDATE file SET folder = ?1, name = ?2, type = ?3, revision = ?4, index_partial = ?5 WHERE id = ?6",
    folder.id,
    nameOf(newPath),
    moved.type,
    revision,
    lacking,
    file.id,
  );
  await on.links.redirectReferences(on, { kind: "file", path, isSubtree: false }, newPath, redirected, context);
  return { ...moved, revision };
}

async function copyFile(
  on: Writing,
  path: Path,
  { newPath, extensions }: Omit<FileTarget, "redirected">,
  context: WriteContext,
): Promise<File> {
  const { sql } = on;
  const file = existingFile(await findFile(sql, path), path, context.ifMatch);
  const free = await freePath(sql, "new_path", newPath);
  const copied = renamedFile(file, free, extensions, 0);
  const { nowSeconds } = context;
  const revision = await appendWrite(on, "file.copy", path, free, 1, context);
  const folder = await ensureFolder(sql, "new_path", parentOf(free), { revision, nowSeconds });
  const stamp = { revision, contentRevision: revision, createdAt: nowSeconds, modifiedAt: nowSeconds };
  const copy = { ...copied, ...stamp, uuid: randomUUID(), uploader: null, sentName: null, givenName: null };
  await insertFile(on, copy, folder.id);
  await on.links.copyFileTexts(sql, file.uuid, copy.uuid, revision);
  return copy;
}

async function changeFile(on: Writing, path: Path, change: MetaChange, context: WriteContext): Promise<File> {
  const { sql } = on;
  const { chain } = change;
  const file = existingFile(await findFile(sql, path), path, chain ? undefined : context.ifMatch) as StoredFile;
  if (change.reach) {
    refuseOthersFile(file, change, context.actor);
    await on.links.refusePublicUse(on, { kind: "file", path, isSubtree: false }, change.reach, context.nowSeconds);
  }
  if (chain) return on.links.translateFile(on, file, change, chain, context);
  const changed = changedFile(file, change, { revision: 0, nowSeconds: context.nowSeconds });
  const revision = await appendWrite(on, "file.update", path, null, 1, context);
  return saveFile(on, file, { ...changed, revision, contentRevision: revision }, context);
}

async function restoreFileState(
  on: Writing,
  path: Path,
  { revision }: { revision: number },
  context: WriteContext,
): Promise<File> {
  const { sql } = on;
  const file = existingFile(await findFile(sql, path), path, context.ifMatch) as StoredFile;
  const thing = { noun: "file", thing: file.uuid } as const;
  const state = await findVersion(sql, thing, revision, { id: path, since: file.contentRevision });
  const restored = state ? restoredFile(file, state, context.nowSeconds) : file;
  const newest = await appendWrite(on, "file.restore", path, null, 1, context);
  return saveFile(on, file, { ...restored, revision: newest, contentRevision: newest }, context);
}

/** Gives the file new content; keeps the content before it in the history. */
async function saveFile(on: Writing, before: StoredFile, file: File, context: WriteContext): Promise<File> {
  noteVersion(on, { noun: "file", thing: before.uuid }, fileVersion(before), file.revision, context, before.size);
  await updateFile(on, before, file, context);
  return file;
}

async function deleteFile(
  on: Writing,
  path: Path,
  { to, restricted }: Deletion,
  context: WriteContext,
): Promise<Deleted> {
  const { sql, index } = on;
  const file = existingFile(await findFile(sql, path), path, context.ifMatch) as StoredFile;
  await on.links.refuseReferred(on, { kind: "file", path, isSubtree: false }, restricted);
  const revision = await appendWrite(on, "file.delete", path, null, 1, context);
  await on.links.trashFile(sql, { noun: "file", id: revision, path, count: 1, to }, file, context);
  await removeFieldRows(index, fileTable, ownerOf(file), objectOf(file));
  await sql.run("DELETE FROM file WHERE id = ?1", file.id);
  return { revision };
}

/**
 * The path, or one with a number that neither a file nor a folder uses: `cover-1.jpg`. The search doubles, then halves:
 * among numbers without gaps it finds the first free one. Throws path_invalid. Contract §5.
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

async function countFiles(sql: Sql): Promise<number> {
  return numberOf(sql, "SELECT count(*) FROM file");
}
