import { type Path, parentOf } from "../core/path.ts";
import type { IndexedTable } from "../core/sql/index/table.ts";
import { namesOf } from "../core/sql/rows.ts";
import type { Row, Sql } from "../core/sql/sql.ts";
import { type Folder, refuseTaken } from "./folder.ts";
import { problem } from "./problems.ts";
import { folderRule } from "./row-rules.ts";
import { findFile } from "./rows.ts";

/** Conversions between a folder and its row. */

const folderColumns = ["id", ...namesOf(folderRule)].join(", ");

/** A folder with the number of its row. */
export type StoredFolder = Folder & { readonly id: number };

export function toFolder(row: Row): StoredFolder {
  const [id, path, createdAt, modifiedAt, revision] = row as [number, Path, number, number, number];
  return { id, path, createdAt, modifiedAt, revision };
}

/** How collections of folders are read: they have no fields of clients, so no field index. */
export const folderTable: IndexedTable<StoredFolder> = {
  name: "folder",
  plural: "folders",
  part: ["parent"],
  parents: "folder",
  path: "folder.path",
  childPath: "path",
  times: new Set(),
  columns: new Map(),
  joined: "",
  select: `SELECT ${folderColumns}, parent FROM folder`,
  toItem: toFolder,
  pathOf: ({ path }) => path,
};

export const findFolderSql = `SELECT ${folderColumns} FROM folder WHERE path = ?1`;

export async function findFolder(sql: Sql, path: Path): Promise<StoredFolder | undefined> {
  const row = await sql.row(findFolderSql, path);
  return row && toFolder(row);
}

export type Stamp = { revision: number; nowSeconds: number };

/** The folder; creates it and its missing parents. Throws file_exists where a file has one of the paths. */
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
