import { type Access, reachedBelow, reaches, readerOf } from "../../../domain/access.ts";
import { type CollectionAnswer, type CollectionQuery, depthRange } from "../../../domain/collection.ts";
import { fileItem } from "../../../domain/file.ts";
import { type FolderKey, folderItem, type UploadsPlace } from "../../../domain/folder.ts";
import { nameOf, type Path, parentOf, rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { inScopeSql, isSubtree, parentsIn, type Scope } from "../index/scope.ts";
import type { Indexed, IndexedTable } from "../index/table.ts";
import type { Reading, Scanning, TableReading } from "../noun.ts";
import { isWithinSql, type ReadSql, type SnapshotSql, type Value, withinAny } from "../sql.ts";
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
): QuickAnswer => listFew(filesOf(on, place, access), query, access);

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
): QuickAnswer => listFew(foldersOf(on, key, place, access), query, access);

/** Whoever may read files may read all of them, within the paths of its access. */
const sourceFor = <Item extends Indexed>(on: Reading, table: IndexedTable<Item>, access: Access) => ({
  ...on,
  table,
  scope: access.paths ? `uploads ${JSON.stringify(access.paths)}` : "uploads",
  nowSeconds: access.nowSeconds,
  isVisible: (item: Item) => reaches(access, table.pathOf(item)),
});

const filesOf = (on: Reading, place: UploadsPlace, access: Access): Source<StoredFile> => ({
  ...sourceFor(on, fileTable, access),
  toCollectionItem: (file) => fileItem(file, place),
});

const foldersOf = (on: Reading, key: FolderKey, place: UploadsPlace, access: Access): Source<StoredFolder> => ({
  ...sourceFor(on, folderTable, access),
  toCollectionItem: (folder) => folderItem(folder, key, place),
});

const listFew = <Item extends Indexed>(source: Source<Item>, query: CollectionQuery, access: Access): QuickAnswer =>
  answerQuickly(source, query, (budget) => frameOf(source, query, access, budget));

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
    (budget) => frameOf(source, query, access, budget),
    () => scan(on.sql, source, query, access),
  );
}

/** The frame; undefined when there are more folders or extras than the budget has. Throws folder_not_found. */
async function frameOf<Item extends Indexed>(
  source: Source<Item>,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<Frame<Item> | undefined> {
  const { sql, table } = source;
  const { path } = query;
  const some = reachedBelow(access, path);
  if (some) return refuseEmpty(sql, path, some);
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

/**
 * Of a folder with a caller's paths below it only those are read, which takes no frame. Throws folder_not_found when the
 * caller can see nothing there.
 */
async function refuseEmpty(sql: ReadSql, path: Path, paths: readonly Path[]): Promise<undefined> {
  if (path === rootPath) return undefined;
  for (const table of [folderTable, fileTable]) {
    const seen = reachedSql(table, paths, 1);
    if (await sql.row(`${table.select} WHERE ${seen.sql} LIMIT 1`, ...seen.values)) return undefined;
  }
  throw problem("folder_not_found", { argument: "path", path });
}

/** SQL for the files or folders at and below the paths, each of which may be that of a file. */
function reachedSql(
  { isWholePath }: Pick<IndexedTable, "isWholePath">,
  paths: readonly Path[] | null,
  first: number,
): { sql: string; values: Value[] } {
  const within = withinAny(isWholePath ? "path" : "folder.path", paths, first);
  if (isWholePath || !paths) return within;
  const named = paths.map((_, i) => {
    const folder = first + paths.length + 2 * i;
    return ` OR (folder.path = ?${folder} AND name = ?${folder + 1})`;
  });
  const values = paths.flatMap((path) => [parentOf(path), nameOf(path)]);
  return { sql: `(${within.sql}${named.join("")})`, values: [...within.values, ...values] };
}

/** The items that the field index does not have in full; ?1 is the path. */
const partialSql = ({ table }: TableReading, scope: Scope): string =>
  `SELECT id FROM ${table.name} WHERE index_partial > 0 AND ${inScopeSql(table, scope)}`;

/** Every item in scope. */
function scan<Item extends Indexed>(
  sql: SnapshotSql,
  source: Source<Item>,
  query: CollectionQuery,
  access: Access,
): Candidates {
  const { table, toCollectionItem } = source;
  const scope = { path: query.path, depth: depthRange(query) };
  const where = hasOwn(table, scope) ? isWithinSql(table.path, "?1") : inScopeSql(table, scope);
  const seen = reachedSql(table, reachedBelow(access, query.path), 2);
  const text = `${table.select} WHERE ${where} AND ${seen.sql}`;
  const batches = sql.batches(text, [query.path, ...seen.values], batchSize);
  async function* toItems() {
    for await (const rows of batches) yield rows.map((row) => toCollectionItem(table.toItem(row)));
  }
  return { batches: toItems(), arrival: "any" };
}

/** True when the item at the path itself may be in the collection. The root is in none. */
const hasOwn = ({ name }: IndexedTable, { path, depth }: Scope): boolean =>
  name === "folder" && depth.min === 0 && path !== rootPath;
