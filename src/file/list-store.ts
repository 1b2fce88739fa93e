import { type Access, reachedBelow, reaches, readerOf } from "../core/access/access.ts";
import { type CollectionAnswer, type CollectionQuery, depthRange, hasPattern } from "../core/list/list.ts";
import { isWithin, nameOf, type Path, parentOf, rootPath } from "../core/path.ts";
import { type Indexed, type IndexedTable, missing } from "../core/sql/index/table.ts";
import { Bound } from "../core/sql/list/bound.ts";
import { answer } from "../core/sql/list/list.ts";
import { depthOfKeys } from "../core/sql/list/order.ts";
import { answerScan, batchSize, type Candidates } from "../core/sql/list/scan.ts";
import { inScopeSql, type Scope } from "../core/sql/list/scope.ts";
import { type Effort, quick, readHead, type Source, thorough, watchOf } from "../core/sql/list/source.ts";
import type { ItemsById, Reading, Scanning } from "../core/sql/noun.ts";
import { isWithinSql, type Row, type Value, withinAny } from "../core/sql/sql.ts";
import { fileItem } from "./file.ts";
import { type FolderKey, folderItem, type UploadsAddress } from "./folder.ts";
import { folderTable, type StoredFolder } from "./folder-rows.ts";
import { isTranslatable } from "./meta.ts";
import { problem } from "./problems.ts";
import { fileTable, type StoredFile } from "./rows.ts";

/** Collections of files and of folders. */

type Answer = Promise<CollectionAnswer>;
type QuickAnswer = Promise<CollectionAnswer | undefined>;

/** Answers a collection of files, as they are in the first locale of the chain. Throws folder_not_found. */
export const listFiles = (
  on: Scanning,
  query: CollectionQuery,
  address: UploadsAddress,
  access: Access,
  chain?: readonly string[],
): Answer => listAll(on, filesOf(address, chain), query, access);

/** Answers a collection of files if it reads only a few, otherwise undefined. Throws as listFiles does. */
export const listFilesQuickly = (
  on: Reading,
  query: CollectionQuery,
  address: UploadsAddress,
  access: Access,
  chain?: readonly string[],
): QuickAnswer => listFew(on, filesOf(address, chain), query, access);

/** Answers a collection of folders. Throws folder_not_found. */
export const listFolders = (
  on: Scanning,
  query: CollectionQuery,
  key: FolderKey,
  address: UploadsAddress,
  access: Access,
): Answer => listAll(on, foldersOf(key, address), query, access);

/** Answers a collection of folders if it reads only a few, otherwise undefined. Throws as listFolders does. */
export const listFoldersQuickly = (
  on: Reading,
  query: CollectionQuery,
  key: FolderKey,
  address: UploadsAddress,
  access: Access,
): QuickAnswer => listFew(on, foldersOf(key, address), query, access);

type Kind<Item extends Indexed> = Pick<Source<Item>, "table" | "toCollectionItem"> & {
  /** Of files in a locale. */
  chain?: readonly string[] | undefined;
};

const filesOf = (address: UploadsAddress, chain: readonly string[] | undefined): Kind<StoredFile> => ({
  chain,
  table: fileTable,
  toCollectionItem: (file) => fileItem(file, address),
});

const foldersOf = (key: FolderKey, address: UploadsAddress): Kind<StoredFolder> => ({
  table: folderTable,
  toCollectionItem: (folder) => folderItem(folder, key, address),
});

async function listFew<Item extends Indexed>(
  on: Reading,
  kind: Kind<Item>,
  query: CollectionQuery,
  access: Access,
): QuickAnswer {
  // A pattern can use up its whole time on few items.
  if (hasPattern(query)) return undefined;
  const source = await sourceOf(on, kind, query, access, quick);
  return source && answer(source, query, quick);
}

async function listAll<Item extends Indexed>(
  on: Scanning,
  kind: Kind<Item>,
  query: CollectionQuery,
  access: Access,
): Answer {
  const watch = await watchOf(on, readerOf(access));
  const source = await sourceOf(on, kind, query, access, thorough);
  const answered = source && (await answer({ ...source, watch }, query, thorough));
  return (
    answered ??
    answerScan(
      query,
      scopeOf(access, kind),
      scan(on, kind, query, access),
      { ...on, ...access, watch },
      kind.table.name,
    )
  );
}

/** What a cursor is bound to. Whoever may read files may read all of them, within the paths of its access. */
const scopeOf = ({ paths }: Access, { chain }: Pick<Kind<never>, "chain">): string =>
  [paths ? `uploads ${JSON.stringify(paths)}` : "uploads", ...(chain ? ["in", ...chain] : [])].join(" ");

/** The table for files in a locale: what they may say there is in no index. */
const inLocale = <Item extends Indexed>({ fields, ...table }: IndexedTable<Item>): IndexedTable<Item> => ({
  ...table,
  ...(fields && {
    fields: {
      ...fields,
      isIndexed: (key, isAllowed) => !isTranslatable(key) && fields.isIndexed(key, isAllowed),
    },
  }),
});

/** The items as they are in the locale. */
async function inChain<Item>(
  { sql, links }: Pick<Reading, "sql" | "links">,
  items: Item[],
  { chain }: Pick<Kind<never>, "chain">,
) {
  if (!chain) return items;
  return (await links.filesInLocale(sql, items as unknown as StoredFile[], chain)) as unknown as Item[];
}

/** Undefined when there are more extras than the effort. Throws folder_not_found. */
async function sourceOf<Item extends Indexed>(
  on: Reading,
  kind: Kind<Item>,
  query: CollectionQuery,
  access: Access,
  effort: Effort,
): Promise<Source<Item> | undefined> {
  const { table } = kind;
  const { path } = query;
  const within: Scope = { path, depth: query.find.depth, paths: reachedBelow(access, path) };
  const lacking = missing.from(depthOfKeys({ ...on, table }, query));
  const isPartial = table.fields && lacking > 1 ? `index_partial > 0 AND index_partial <= ${lacking}` : undefined;
  const partialSql = (b: Bound) =>
    `SELECT id FROM ${table.name} WHERE ${isPartial} AND ${inScopeSql(b, table, within, table.name)}`;
  const headSql = (b: Bound) => [
    `(SELECT max(id) FROM ${table.name})`,
    `(SELECT id FROM folder WHERE path = ${b.text(path)})`,
    isPartial ? `(SELECT count(*) FROM (${partialSql(b)} LIMIT 1) AS found)` : "0",
    kind.chain ? on.links.anyFileTexts() : "0",
  ];
  const toFound = (row: Row) => {
    const [size, own, partial, texts] = row as (number | null)[];
    if (!within.paths && own === null) throw problem("folder_not_found", { argument: "path", path });
    return { size: size ?? 0, isPlain: !partial && !texts, own, partial, texts };
  };
  const presumed = within.paths || hasOwn(table, query) ? undefined : { own: null, partial: 0, texts: 0 };
  const head = await readHead(on, table, headSql, toFound, presumed);
  const { own, partial: hasPartial, texts } = head;
  const itemsById: ItemsById = async function* (table, ids) {
    for await (const some of on.itemsById(table, ids)) yield await inChain(on, some, kind);
  };
  const read = texts ? { ...on, ...kind, table: inLocale(table), itemsById } : { ...on, ...kind };
  if (within.paths) await refuseEmpty(on, path, within.paths);
  const p = new Bound();
  const partial = hasPartial ? await on.sql.rows(`${partialSql(p)} LIMIT ${effort.extras + 1}`, ...p.values) : [];
  if (partial.length > effort.extras) return undefined;
  const ids = partial.map(([id]) => id as number);
  if (hasOwn(table, query) && typeof own === "number") ids.push(own);
  const extras: Item[] = [];
  for await (const some of read.itemsById(table, ids))
    extras.push(...some.filter((item) => isWithin(table.pathOf(item), path) && reaches(access, table.pathOf(item))));
  const further = hasPartial ? [() => `NOT (${isPartial})`] : [];
  const { nowSeconds } = access;
  return { ...read, scope: scopeOf(access, kind), nowSeconds, within, further, extras, head };
}

/** Throws folder_not_found when the caller can see nothing at and below its paths. */
async function refuseEmpty({ sql }: Reading, path: Path, paths: readonly Path[]): Promise<void> {
  if (path === rootPath) return;
  for (const table of [folderTable, fileTable]) {
    const seen = reachedSql(table, paths, 1);
    if (await sql.row(`${table.select} WHERE ${seen.sql} LIMIT 1`, ...seen.values)) return;
  }
  throw problem("folder_not_found", { argument: "path", path });
}

/** SQL for the files or folders at and below the paths, each of which may be that of a file. */
function reachedSql(
  { name }: Pick<IndexedTable, "name">,
  paths: readonly Path[] | null,
  first: number,
): { sql: string; values: Value[] } {
  const within = withinAny("folder.path", paths, first);
  if (name === "folder" || !paths) return within;
  const named = paths.map((_, i) => {
    const folder = first + paths.length + 2 * i;
    return ` OR (folder.path = ?${folder} AND name = ?${folder + 1})`;
  });
  const values = paths.flatMap((path) => [parentOf(path), nameOf(path)]);
  return { sql: `(${within.sql}${named.join("")})`, values: [...within.values, ...values] };
}

/** The files below a folder, some at a time, as they are in the first locale of the chain. Throws folder_not_found. */
export async function* filesIn(
  on: Scanning,
  query: Pick<CollectionQuery, "path">,
  access: Access,
  chain: readonly string[] | undefined,
): AsyncGenerator<StoredFile[]> {
  const { path } = query;
  const paths = reachedBelow(access, path);
  if (paths) await refuseEmpty(on, path, paths);
  else if (!(await on.sql.row("SELECT 1 FROM folder WHERE path = ?1", path)) && path !== rootPath)
    throw problem("folder_not_found", { argument: "path", path });
  yield* itemsIn(on, { table: fileTable, chain }, path, access);
}

/** Every item in scope. */
function scan<Item extends Indexed>(
  on: Scanning,
  kind: Kind<Item>,
  { path }: CollectionQuery,
  access: Access,
): Candidates {
  async function* toItems() {
    for await (const items of itemsIn(on, kind, path, access)) yield items.map(kind.toCollectionItem);
  }
  return { batches: toItems(), arrival: "any" };
}

async function* itemsIn<Item extends Indexed>(
  { sql, links }: Scanning,
  { table, chain }: Pick<Kind<Item>, "table" | "chain">,
  path: Path,
  access: Access,
): AsyncGenerator<Item[]> {
  const seen = reachedSql(table, reachedBelow(access, path), 2);
  const within = path === rootPath ? "CAST(?1 AS TEXT) IS NOT NULL" : isWithinSql("folder.path", "?1");
  const own = table.name === "folder" ? "folder.path <> ''" : "1 = 1";
  const text = `${table.select} WHERE ${within} AND ${own} AND ${seen.sql}`;
  for await (const rows of sql.batches(text, [path, ...seen.values], batchSize))
    yield await inChain({ sql, links }, rows.map(table.toItem), { chain });
}

/** True when the item at the path itself may be in the collection. The root is in none. */
const hasOwn = ({ name }: IndexedTable, query: CollectionQuery): boolean =>
  name === "folder" && depthRange(query).min === 0 && query.path !== rootPath;
