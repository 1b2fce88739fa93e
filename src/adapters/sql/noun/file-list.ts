import {
  type Arrival,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  depthRange,
  hasPattern,
  resumePath,
} from "../../../domain/collection.ts";
import { fileItem } from "../../../domain/file.ts";
import { type FolderKey, folderFields, formatFolder, type UploadsPlace } from "../../../domain/folder.ts";
import { nameOf, type Path, parentOf } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import type { Reading } from "../noun.ts";
import { type Row, type SnapshotSql, type Sql, type Value, withinSql } from "../sql.ts";
import { fileColumns, fromFiles, toFile } from "./file-row.ts";
import { findFolder, folderColumns, type StoredFolder, toFolder } from "./folder-row.ts";
import { answerWith, batchSize, type Candidates, quickItems } from "./list.ts";

/**
 * Collections of files and of folders. No field of a file is indexed: a filter reads every file in scope. A token that
 * may read files may read all of them, so there is one cursor scope.
 */

const scope = "uploads";

/** What is read: the SQL after FROM with its values, and the conversion of a row into an item. */
type Source = {
  select: string;
  where: string;
  order: string;
  arrival: Arrival;
  values: Value[];
  toItem: (row: Row) => CollectionItem;
};

/** Answers a collection of files. Throws folder_not_found. */
export async function listFiles(
  { sql, options }: Reading,
  query: CollectionQuery,
  place: UploadsPlace,
  nowSeconds: number,
): Promise<CollectionAnswer> {
  const folder = await existing(sql, query.path);
  return answerWith(query, scope, candidatesOf(sql, fileSource(folder, query, place)), options, nowSeconds);
}

/** Answers a collection of folders. Throws folder_not_found. */
export async function listFolders(
  { sql, options }: Reading,
  query: CollectionQuery,
  key: FolderKey,
  place: UploadsPlace,
  nowSeconds: number,
): Promise<CollectionAnswer> {
  const folder = await existing(sql, query.path);
  const source = folderSource(folder, query, key, place);
  return answerWith(query, scope, candidatesOf(sql, source), options, nowSeconds);
}

/** True when the folder is small enough to be listed on the main thread. Throws folder_not_found. */
export async function isQuick(sql: Sql, table: "file" | "folder", query: CollectionQuery): Promise<boolean> {
  if (hasPattern(query) || isDeep(query)) return false;
  const { id } = await existing(sql, query.path);
  const column = table === "file" ? "folder" : "parent";
  const row = await sql.row(
    `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${column} = ?1 LIMIT ?2) AS found`,
    id,
    quickItems + 1,
  );
  return (row?.[0] as number) <= quickItems;
}

async function existing(sql: Sql, path: Path): Promise<StoredFolder> {
  const folder = await findFolder(sql, path);
  if (!folder) throw problem("folder_not_found", { argument: "path", path });
  return folder;
}

const isDeep = (query: CollectionQuery): boolean => depthRange(query).max > 1;

function fileSource(folder: StoredFolder, query: CollectionQuery, place: UploadsPlace): Source {
  const toItem = (row: Row) => fileItem(toFile(row), place);
  const select = `${fileColumns} ${fromFiles}`;
  if (isDeep(query)) {
    const where = withinSql("folder.path", folder.path);
    // No index has the order of paths: it mixes the names and folders of one level.
    return { select, where, order: "file.id", arrival: "any", values: [folder.path], toItem };
  }
  const resume = resumePath(query, scope);
  const after = resume !== undefined && parentOf(resume) === folder.path ? nameOf(resume) : "";
  const where = "file.folder = ?1 AND file.name > ?2";
  return { select, where, order: "file.name", arrival: arrivalByPath(query), values: [folder.id, after], toItem };
}

/** How items that are read in path order arrive. */
const arrivalByPath = ({ order }: CollectionQuery): Arrival => (order.length === 0 ? "ordered" : "any");

function folderSource(folder: StoredFolder, query: CollectionQuery, key: FolderKey, place: UploadsPlace): Source {
  const isWide = isDeep(query) || depthRange(query).min === 0;
  return {
    select: `${folderColumns} FROM folder`,
    where: `${isWide ? withinSql("path", folder.path) : "parent = ?1"} AND path > ?2`,
    order: "path",
    arrival: arrivalByPath(query),
    values: [isWide ? folder.path : folder.id, resumePath(query, scope) ?? ""],
    toItem: (row) => {
      const found = toFolder(row);
      return { ...found, json: formatFolder(found, key, place), size: 0, serviceKeys: folderFields };
    },
  };
}

function candidatesOf(sql: Sql, { select, where, order, values, arrival, toItem }: Source): Candidates {
  const text = `SELECT ${select} WHERE ${where} ORDER BY ${order}`;
  const batches = hasBatches(sql) ? sql.batches(text, values, batchSize) : asBatch(sql.rows(text, ...values));
  return { batches: toItems(batches, toItem), arrival };
}

async function* toItems(
  batches: Iterable<Row[]> | AsyncIterable<Row[]>,
  toItem: (row: Row) => CollectionItem,
): AsyncIterable<CollectionItem[]> {
  for await (const rows of batches) yield rows.map(toItem);
}

const hasBatches = (sql: Sql): sql is SnapshotSql => "batches" in sql;

async function* asBatch(rows: Row[] | Promise<Row[]>): AsyncIterable<Row[]> {
  yield await rows;
}
