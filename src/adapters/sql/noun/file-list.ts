import { type Access, readerOf } from "../../../domain/access.ts";
import { type CollectionAnswer, type CollectionQuery, depthRange } from "../../../domain/collection.ts";
import { fileItem } from "../../../domain/file.ts";
import { type FolderKey, folderItem, type UploadsPlace } from "../../../domain/folder.ts";
import { rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { inScopeSql, isSubtree, parentsIn, type Scope } from "../index/scope.ts";
import type { Indexed, IndexedTable } from "../index/table.ts";
import type { Reading, Scanning, TableReading } from "../noun.ts";
import { isWithinSql, type SnapshotSql } from "../sql.ts";
import { fileTable, type StoredFile } from "./file-row.ts";
import { folderTable, type StoredFolder } from "./folder-row.ts";
import { batchSize, type Candidates, watchOf } from "./list.ts";
import { answerAtAnyCost, answerQuickly, type Budget, type Frame, readVisible, type Source } from "./plan.ts";

/** Collections of files and of folders. */

type Answer = Promise<CollectionAnswer>;
type QuickAnswer = Promise<CollectionAnswer | undefined>;

/** Answers a collection of files. Throws folder_not_found. */
export const listFiles = (on: Scanning, query: CollectionQuery, place: UploadsPlace, access: Access): Answer =>
  listAll(on, filesOf(on, place, access), query, access);

/** Answers a collection of files if it reads only a few, otherwise undefined. Throws as listFiles does. */
export const listFilesQuickly = (
  on: Reading,
  query: CollectionQuery,
  place: UploadsPlace,
  access: Access,
): QuickAnswer => listFew(filesOf(on, place, access), query);

/** Answers a collection of folders. Throws folder_not_found. */
export const listFolders = (
  on: Scanning,
  query: CollectionQuery,
  key: FolderKey,
  place: UploadsPlace,
  access: Access,
): Answer => listAll(on, foldersOf(on, key, place, access), query, access);

/** Answers a collection of folders if it reads only a few, otherwise undefined. Throws as listFolders does. */
export const listFoldersQuickly = (
  on: Reading,
  query: CollectionQuery,
  key: FolderKey,
  place: UploadsPlace,
  access: Access,
): QuickAnswer => listFew(foldersOf(on, key, place, access), query);

/** Whoever may read files may read all of them. */
const forAll = (access: Access) => ({
  scope: "uploads",
  nowSeconds: access.nowSeconds,
  isVisible: () => true,
});

const filesOf = (on: Reading, place: UploadsPlace, access: Access): Source<StoredFile> => ({
  ...on,
  ...forAll(access),
  table: fileTable,
  toCollectionItem: (file) => fileItem(file, place),
});

const foldersOf = (on: Reading, key: FolderKey, place: UploadsPlace, access: Access): Source<StoredFolder> => ({
  ...on,
  ...forAll(access),
  table: folderTable,
  toCollectionItem: (folder) => folderItem(folder, key, place),
});

const listFew = <Item extends Indexed>(source: Source<Item>, query: CollectionQuery): QuickAnswer =>
  answerQuickly(source, query, (budget) => frameOf(source, query, budget));

function listAll<Item extends Indexed>(
  on: Scanning,
  unwatched: Source<Item>,
  query: CollectionQuery,
  access: Access,
): Answer {
  const source = { ...unwatched, watch: watchOf(on.options, on.isStopped, readerOf(access)) };
  return answerAtAnyCost(
    source,
    query,
    (budget) => frameOf(source, query, budget),
    () => scan(on.sql, source, query),
  );
}

/** The frame; undefined when there are more folders or extras than the budget has. Throws folder_not_found. */
async function frameOf<Item extends Indexed>(
  source: Source<Item>,
  query: CollectionQuery,
  budget: Budget,
): Promise<Frame<Item> | undefined> {
  const { sql, table } = source;
  const { path } = query;
  const scope = { path, depth: depthRange(query) };
  const row = await source.known(`${table.name} ${isSubtree(scope)} ${path}`, () =>
    sql.row(
      `SELECT (SELECT max(id) FROM ${table.name}), (SELECT id FROM folder WHERE path = ?1)
         ${table.fields ? `, (SELECT count(*) FROM (${partialSql(source, scope)} LIMIT 1) AS found)` : ""}`,
      path,
    ),
  );
  const [size, id, hasPartial] = row as (number | null)[];
  if (typeof id !== "number") throw problem("folder_not_found", { argument: "path", path });
  const partial = hasPartial ? await sql.rows(`${partialSql(source, scope)} LIMIT ?2`, path, budget.parents + 1) : [];
  if (partial.length > budget.parents) return undefined;
  const ids = [...partial.map(([partialId]) => partialId as number), ...(hasOwn(table, scope) ? [id] : [])];
  const extras = ids.length > 0 ? await readVisible(source, query, ids, budget.bytes) : [];
  const parents = isSubtree(scope) ? await parentsIn(source, scope, budget.parents) : [{ id, path }];
  return extras && { scope, size: size ?? 0, parents, extras };
}

/** The items that the field index does not have in full; ?1 is the path. */
const partialSql = ({ table }: TableReading, scope: Scope): string =>
  `SELECT id FROM ${table.name} WHERE index_partial > 0 AND ${inScopeSql(table, scope)}`;

/** Every item in scope. */
function scan<Item extends Indexed>(sql: SnapshotSql, source: Source<Item>, query: CollectionQuery): Candidates {
  const { table, toCollectionItem } = source;
  const scope = { path: query.path, depth: depthRange(query) };
  const where = hasOwn(table, scope) ? isWithinSql(table.path, "?1") : inScopeSql(table, scope);
  const batches = sql.batches(`${table.select} WHERE ${where}`, [query.path], batchSize);
  async function* toItems() {
    for await (const rows of batches) yield rows.map((row) => toCollectionItem(table.toItem(row)));
  }
  return { batches: toItems(), arrival: "any" };
}

/** True when the item at the path itself may be in the collection. The root is in none. */
const hasOwn = ({ name }: IndexedTable, { path, depth }: Scope): boolean =>
  name === "folder" && depth.min === 0 && path !== rootPath;
