import { type Access, readerOf } from "../../../domain/access.ts";
import {
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  depthRange,
  hasPattern,
  resumePath,
} from "../../../domain/collection.ts";
import { type Entry, formatEntry, isListed, isReadable, serviceFields } from "../../../domain/entry.ts";
import { isWithin, type Path, rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { narrow, type Scope } from "../index/narrow.ts";
import { isChildSql } from "../index/parent.ts";
import type { Quick, Scanning } from "../noun.ts";
import { isWithinSql, type Row, type SnapshotSql, type Sql, type Value } from "../sql.ts";
import { entryColumns, findEntrySql, type StoredEntry, toEntry } from "./entry-row.ts";
import { answerWith, batchSize, type Candidates, type ListOptions, quickItems } from "./list.ts";

/** Maximum size of the data in an answer of the main thread. */
const quickBytes = 512 * 1024;
/** With more candidates than this a scan of everything is faster. */
const narrowedEntries = 200_000;

/** Answers a collection if it reads only a few entries, otherwise undefined. Throws as list does. */
export async function listQuickly(
  { sql, isIndexed, options, entriesById }: Quick,
  query: CollectionQuery,
  access: Access,
): Promise<CollectionAnswer | undefined> {
  if (hasPattern(query)) return undefined;
  const scope = scopeOf(query);
  const ids = (await narrow(sql, scope, query.filter, isIndexed, quickItems)) ?? (await fewChildren(sql, scope));
  if (!ids) return undefined;
  await refuseMissing(sql, query, access);
  const candidates = await candidatesById(sql, query, access, entriesById(ids), quickBytes);
  return candidates && answer(query, access, candidates, options);
}

/** Answers a collection at any cost. Throws entry_not_found. */
export async function listEntries(
  { sql, isIndexed, options }: Scanning,
  query: CollectionQuery,
  access: Access,
): Promise<CollectionAnswer> {
  await refuseMissing(sql, query, access);
  const ids = await narrow(sql, scopeOf(query), query.filter, isIndexed, narrowedEntries);
  const found = ids && readById(sql, [...ids]);
  const candidates = found && (await candidatesById(sql, query, access, found, Number.POSITIVE_INFINITY));
  return answer(query, access, candidates ?? scan(sql, query, access), options);
}

function answer(
  query: CollectionQuery,
  access: Access,
  candidates: Candidates,
  options: ListOptions,
): Promise<CollectionAnswer> {
  return answerWith(query, readerOf(access), candidates, options, access.nowSeconds);
}

function scopeOf(query: CollectionQuery): Scope {
  return { path: query.path, isSubtree: depthRange(query).max > 1 };
}

/** All children of the path, if they are few. */
async function fewChildren(sql: Sql, { path, isSubtree }: Scope): Promise<Set<number> | undefined> {
  if (isSubtree) return undefined;
  const rows = await sql.rows(`SELECT id FROM entry WHERE ${isChildSql} LIMIT ?2`, path, quickItems + 1);
  return rows.length > quickItems ? undefined : new Set(rows.map((row) => row[0] as number));
}

/**
 * Entries by number, or undefined when they hold more than `maxBytes` in all. Includes the entry itself when the depth
 * reaches 0: no scope below it has it.
 */
async function candidatesById(
  sql: Sql,
  query: CollectionQuery,
  access: Access,
  found: ReturnType<Quick["entriesById"]>,
  maxBytes: number,
): Promise<Candidates | undefined> {
  const items: CollectionItem[] = [];
  let bytes = 0;
  const add = (entry: StoredEntry | undefined) => {
    bytes += entry?.data.length ?? 0;
    // The search and the read are two snapshots of the store: an entry that moved out of scope in between is no
    // candidate any more.
    if (entry && isWithin(entry.slug, query.path) && isListed(entry, access)) items.push(entryItem(entry));
  };
  if (depthRange(query).min === 0 && query.path !== rootPath) {
    const row = await sql.row(findEntrySql, query.path);
    add(row && toEntry(row));
  }
  for await (const entry of found) {
    add(entry);
    if (bytes > maxBytes) return undefined;
  }
  return { batches: [items], arrival: "any" };
}

/** Reads this many at a time, by one of two statements that stay prepared: unused parameters repeat the last number. */
async function* readById(sql: Sql, ids: readonly number[]): AsyncIterable<StoredEntry> {
  const size = ids.length <= 16 ? 16 : batchSize;
  const places = Array.from({ length: size }, (_, i) => `?${i + 1}`).join(", ");
  const text = `SELECT ${entryColumns} FROM entry WHERE id IN (${places})`;
  for (let from = 0; from < ids.length; from += size) {
    const batch = ids.slice(from, from + size);
    const last = batch.at(-1) as number;
    const values = Array.from({ length: size }, (_, i) => batch[i] ?? last);
    yield* (await sql.rows(text, ...values)).map(toEntry);
  }
}

/** Every entry in scope, in id order, from where the page before ended. */
function scan(sql: SnapshotSql, query: CollectionQuery, access: Access): Candidates {
  const { min, max } = depthRange(query);
  const values: Value[] = [query.path, access.nowSeconds];
  const conditions = [reach(query.path, max <= 1 && min > 0), isListedSql(access)];
  const resume = resumePath(query, readerOf(access));
  if (resume !== undefined) {
    conditions.push("slug > ?3");
    values.push(resume);
  }
  const text = `SELECT ${entryColumns} FROM entry WHERE ${conditions.join(" AND ")} ORDER BY slug`;
  return {
    batches: toItems(sql.batches(text, values, batchSize), access),
    arrival: query.order.length === 0 ? "ordered" : "any",
  };
}

/** SQL for the scope of a scan; ?1 is the path. */
function reach(path: Path, isDirect: boolean): string {
  if (isDirect) return isChildSql;
  return path === rootPath ? "CAST(?1 AS TEXT) IS NOT NULL" : isWithinSql("slug", "?1");
}

/**
 * SQL for isListed; ?2 is the time of the access, present for every caller so that all texts have the same parameters.
 */
const isListedSql = ({ reads }: Access): string => listedSql[reads];
const anything = "CAST(?2 AS BIGINT) IS NOT NULL";
const listedSql: Record<Access["reads"], string> = {
  nothing: "CAST(?2 AS BIGINT) IS NULL",
  public: "visibility = 'visible' AND published_at <= ?2",
  preview: anything,
  management: anything,
};

async function* toItems(
  batches: Iterable<Row[]> | AsyncIterable<Row[]>,
  access: Access,
): AsyncIterable<CollectionItem[]> {
  for await (const rows of batches) {
    yield rows
      .map(toEntry)
      .filter((entry) => isListed(entry, access))
      .map(entryItem);
  }
}

/**
 * An entry as an item of the collection's rules: one item for each entry object, so that a cached entry is parsed once.
 */
function entryItem(entry: Entry): CollectionItem {
  let item = items.get(entry);
  if (!item) {
    item = {
      path: entry.slug,
      json: formatEntry(entry),
      modifiedAt: entry.modifiedAt,
      createdAt: entry.createdAt,
      size: Buffer.byteLength(entry.data),
      serviceKeys: serviceFields,
    };
    items.set(entry, item);
  }
  return item;
}

const items = new WeakMap<Entry, CollectionItem>();

/** Throws entry_not_found when the caller can see neither the entry nor anything below it. The root always exists. */
async function refuseMissing(sql: Sql, { path }: CollectionQuery, access: Access): Promise<void> {
  if (path === rootPath) return;
  const own = await sql.row(findEntrySql, path);
  if (own && isReadable(toEntry(own), access)) return;
  const below = await sql.row(
    `SELECT 1 FROM entry WHERE slug >= ?1 || '/' AND slug < ?1 || '0' AND ${isListedSql(access)} LIMIT 1`,
    path,
    access.nowSeconds,
  );
  if (!below) throw problem("entry_not_found", { id: path });
}
