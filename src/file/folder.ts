import type { Access, Reach } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import type { CollectionAnswer, CollectionItem, CollectionQuery } from "../core/list/list.ts";
import type { Asker } from "../core/list/query.ts";
import { encodePath, isWithin, type Path, uploadsUrl } from "../core/path.ts";
import { refuseOtherRevision } from "../core/revision.ts";
import type { Deletion } from "../trash/trash.ts";
import { problem } from "./problems.ts";

/** A folder of the uploads. When a folder above it moves, its path and its revision change. */
export type Folder = Readonly<{ path: Path; createdAt: number; modifiedAt: number; revision: number }>;

/**
 * Where uploads are, for the addresses in replies: `root` is the absolute directory of the uploads tree, `base` the
 * public address of the service without a trailing slash. Contract §5.
 */
export type UploadsAddress = { root: string; base: string };

/** How the dialects name a folder's path: `path` and `full_path`, or `id` and `full_id`. */
export type FolderKey = "path" | "id";

/** The revision after a delete, which has nothing else to return. */
export type Deleted = { revision: number };

/**
 * Where folders are stored. Each write is one transaction and one event, whatever the folder contains; racing writes
 * are serialised. A write that throws has changed nothing. No write involves bytes.
 */
/** Where a folder goes; with `redirected` the references to its files in this reach go along. */
export type FolderTarget = { newPath: Path; redirected?: Reach | undefined };

export interface FolderStore {
  find(path: Path): Folder | undefined | Promise<Folder | undefined>;
  /** The folders below `query.path`, as `key` names them. Throws folder_not_found. */
  list(
    query: CollectionQuery,
    key: FolderKey,
    address: UploadsAddress,
    access: Access,
    asker?: Asker,
  ): Promise<CollectionAnswer>;
  /**
   * Creates the folder and its missing parents. Throws folder_exists, file_exists (also for a parent); with `ifMatch`
   * folder_not_found, since there is no state to match.
   */
  create(path: Path, context: WriteContext): Promise<Folder>;
  /**
   * Moves it with its contents; creates the target's parents. A move onto itself changes nothing. Throws
   * folder_not_found, folder_exists, file_exists, move_into_itself, path_invalid, revision_mismatch.
   */
  move(path: Path, target: FolderTarget, context: WriteContext): Promise<Folder>;
  /** Copies it with its contents; returns the copy. Throws as move does. */
  copy(path: Path, target: Pick<FolderTarget, "newPath">, context: WriteContext): Promise<Folder>;
  /**
   * Moves it with its contents to the trash, or deletes it for good, with the history of the files. Throws
   * folder_not_found, revision_mismatch.
   */
  delete(path: Path, deletion: Deletion, context: WriteContext): Promise<Deleted>;
  /** The number of folders, without the root. */
  count(): Promise<number>;
}

/** `url` and `full_url` of a folder or file, as members of a JSON object. */
export function formatUrls(path: Path, { base }: UploadsAddress): string {
  const slash = path === "" ? "" : "/";
  const url = JSON.stringify(uploadsUrl + slash + path);
  return `"url":${url},"full_url":${JSON.stringify(`${base}/${uploadsUrl}${slash}${encodePath(path)}`)}`;
}

/** The absolute directory or file of a path in the uploads tree. */
export const fullPath = (path: Path, { root }: UploadsAddress): string => (path === "" ? root : `${root}/${path}`);

/** The folder object in a dialect. Contract §5, Folder object. */
export function formatFolder(folder: Folder, key: FolderKey, address: UploadsAddress): string {
  const { path } = folder;
  return `{"${key}":${JSON.stringify(path)},"full_${key}":${JSON.stringify(fullPath(path, address))},${formatUrls(path, address)}}`;
}

/** A folder as an item of a collection. */
export const folderItem = (folder: Folder, key: FolderKey, address: UploadsAddress): CollectionItem => ({
  path: folder.path,
  json: formatFolder(folder, key, address),
  modifiedAt: folder.modifiedAt,
  createdAt: folder.createdAt,
  size: 0,
  serviceKeys: folderFields,
});

/** The keys that formatFolder writes. A folder has no fields of the client, so a search finds no folder. Contract §4. */
export const folderFields: ReadonlySet<string> = new Set(["path", "full_path", "id", "full_id", "url", "full_url"]);

// ---------------------------------------------------------------------------------------------- rules of the writes

/** The folder, if it exists and is in the state that the caller names. Throws folder_not_found, revision_mismatch. */
export function existingFolder(current: Folder | undefined, path: Path, ifMatch: string | undefined): Folder {
  if (!current) throw problem("folder_not_found", { argument: "path", path });
  refuseOtherRevision(ifMatch, current.revision);
  return current;
}

/** Refuses a path that is in use. Throws folder_exists, file_exists, naming the argument that held it. */
export function refuseTaken(
  argument: string,
  path: Path,
  there: { folder: Folder | undefined; file: unknown | undefined },
): void {
  if (there.folder) throw problem("folder_exists", { argument, path });
  if (there.file !== undefined) throw problem("file_exists", { argument, path });
}

/** Refuses a target inside the folder that is moved or copied. Throws move_into_itself. */
export function refuseInside(path: Path, newPath: Path): void {
  if (isWithin(newPath, path)) throw problem("move_into_itself", { id: path, newId: newPath });
}
