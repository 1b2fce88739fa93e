import { type Access, readerOf } from "../../../domain/access.ts";
import {
  type Arrival,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  depthRange,
  hasPattern,
  pageStart,
  resumePath,
} from "../../../domain/collection.ts";
import { type Entry, formatEntry, isListed, isReadable, serviceFields } from "../../../domain/entry.ts";
import { isDepthOnly } from "../../../domain/find.ts";
import { isWithin, type Path, rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { countEntries, countMatches } from "../index/count.ts";
import { listing, listingsOf } from "../index/listing.ts";
import { narrow } from "../index/narrow.ts";
import { isChildSql } from "../index/parent.ts";
import { inScopeSql, isInScope, isSubtree, parentsIn, partsOf, type Scope } from "../index/scope.ts";
import type { Scanning } from "../noun.ts";
import { isWithinSql, type Row, type SnapshotSql, type Sql, type Value } from "../sql.ts";
import { entryColumns, findEntrySql, type StoredEntry, toEntry } from "./entry-row.ts";
import { GaveUp, Walk } from "./entry-walk.ts";
import { answerWith, batchSize, type Candidates, type ListOptions, quickItems } from "./list.ts";

/** What an answer may read. */
type Budget = {
  /** Candidates that conditions leave. */
  narrowed: number;
  /** Entries that a walk reads. */
  looks: number;
  /** Data of candidates, in bytes. */
  bytes: number;
  /** True to count a collection of any size by an index. */
  counts: boolean;
  /** Entries that an index skips. */
  skips: number;
};

/** On the thread that answers requests. */
const quick: Budget = { narrowed: quickItems, looks: quickItems, bytes: 512 * 1024, counts: false, skips: 20_000 };
/** With more candidates than this a scan of everything is faster. */
const wide: Budget = {
  narrowed: 200_000,
  looks: 0,
  bytes: Number.POSITIVE_INFINITY,
  counts: false,
  skips: Number.POSITIVE_INFINITY,
};
const maxWalked = 20_000;

/** Answers a collection if it reads only a few entries, otherwise undefined. Throws as list does. */
export async function listQuickly(
  on: Scanning,
  query: CollectionQuery,
  access: Access,
): Promise<CollectionAnswer | undefined> {
  if (hasPattern(query)) return undefined;
  await refuseMissing(on.sql, query, access);
  return answerWithin(on, query, access, quick);
}

/**
 * Answers a collection at any cost: from the few that its conditions leave, else in the order of an index, else from
 * the many that its conditions leave, else by a scan. Throws entry_not_found.
 */
export async function listEntries(on: Scanning, query: CollectionQuery, access: Access): Promise<CollectionAnswer> {
  await refuseMissing(on.sql, query, access);
  return (
    (await answerWithin(on, query, access, await selective(on.sql, query))) ??
    (await answerWithin(on, query, access, wide)) ??
    answer(query, access, scan(on.sql, query, access), on.options)
  );
}

/**
 * The budget for a query whose conditions leave few: with c of N entries left, a walk reads about N / c for each item
 * of the page, and the conditions c. They meet where c is the root of the items times N.
 */
async function selective(sql: Sql, query: CollectionQuery): Promise<Budget> {
  const newest = (await sql.row("SELECT max(id) FROM entry"))?.[0] as number | null;
  const narrowed = Math.ceil(Math.sqrt(expectedOf(query) * (newest ?? 0)));
  return { ...wide, narrowed: Math.min(Math.max(narrowed, quickItems), maxWalked), looks: maxWalked, counts: true };
}

async function answerWithin(
  on: Scanning,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<CollectionAnswer | undefined> {
  const scope = scopeOf(query, access);
  const extras = await findExtras(on, scope, query, access, budget);
  if (!extras) return undefined;
  const mayCount = needsTotal(query) && (budget.counts || (await isSmall(on.sql, scope, budget.looks)));
  const total = mayCount ? await countAll(on, scope, query, extras) : undefined;
  const isKnown = query.returns === "count" && total !== undefined;
  const ids = isKnown ? undefined : await narrow(on, scope, query.filter, budget.narrowed);
  const found = ids
    ? await readCandidates(on, ids, extras, query, access, budget)
    : await walkOrder(on, scope, query, access, extras, total, budget);
  if (!found) return undefined;
  try {
    return await answer(query, access, found, on.options);
  } catch (error) {
    if (error instanceof GaveUp) return undefined;
    throw error;
  }
}

function answer(
  query: CollectionQuery,
  access: Access,
  candidates: Candidates,
  options: ListOptions,
): Promise<CollectionAnswer> {
  return answerWith(query, readerOf(access), candidates, options, access.nowSeconds);
}

const scopeOf = (query: CollectionQuery, access: Access): Scope => ({
  path: query.path,
  depth: depthRange(query),
  listings: listingsOf(access, query.filter),
});

const needsTotal = ({ returns, wantsTotal }: CollectionQuery): boolean => returns === "count" || wantsTotal;

/** How many items the answer is made of, with one more that tells that there are more. */
function expectedOf({ offset, limit, returns }: CollectionQuery): number {
  switch (returns) {
    case "count":
    case "exists":
      return 1;
    case "first":
      return offset + 2;
    case "next":
      return offset + 3;
    default:
      return offset + limit + 1;
  }
}

/**
 * Entries that the index does not have, or not where a reader now finds them: those with more fields than are indexed,
 * those that are due and still indexed as scheduled, and the entry at the path itself, which is in no scope below it.
 * Undefined when there are more than the budget has.
 */
async function findExtras(
  on: Scanning,
  scope: Scope,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<StoredEntry[] | undefined> {
  const { sql } = on;
  const limit = budget.narrowed + 1;
  const [partial, due, own] = await Promise.all([
    sql.rows(`SELECT id FROM entry WHERE index_partial = 1 AND ${inScopeSql(scope)} LIMIT ?2`, scope.path, limit),
    access.reads === "public" ? sql.rows(dueSql, access.nowSeconds, limit) : [],
    scope.depth.min === 0 && query.path !== rootPath
      ? sql.rows("SELECT id FROM entry WHERE slug = ?1", query.path)
      : [],
  ]);
  const ids = new Set([...partial, ...due, ...own].map(([id]) => id as number));
  if (ids.size >= limit) return undefined;
  if (ids.size === 0) return [];
  const found = await collect(on, ids, query, access, budget.bytes);
  return found?.filter(({ slug }) => isInScope(slug, scope));
}

const dueSql = `SELECT id FROM entry WHERE listing = ${listing.scheduled} AND published_at <= ?1 LIMIT ?2`;

/** Entries by number that the collection may have; undefined when they hold more than `maxBytes` in all. */
async function collect(
  on: Scanning,
  ids: Iterable<number>,
  query: CollectionQuery,
  access: Access,
  maxBytes: number,
): Promise<StoredEntry[] | undefined> {
  const entries: StoredEntry[] = [];
  let bytes = 0;
  for await (const entry of on.entriesById(ids)) {
    bytes += entry.data.length;
    if (bytes > maxBytes) return undefined;
    // The search and the read are two snapshots of the store: an entry that moved out of scope in between is no
    // candidate any more.
    if (isWithin(entry.slug, query.path) && isListed(entry, access)) entries.push(entry);
  }
  return entries;
}

async function readCandidates(
  on: Scanning,
  ids: Set<number>,
  extras: readonly StoredEntry[],
  query: CollectionQuery,
  access: Access,
  { bytes }: Budget,
): Promise<Candidates | undefined> {
  const more = new Set(ids);
  for (const { id } of extras) more.delete(id);
  const entries = await collect(on, more, query, access, bytes);
  return entries && { batches: [[...extras, ...entries].map(entryItem)], arrival: "any" };
}

/** The candidates in the query's order; undefined when the answer needs all of them, or more than the budget has. */
async function walkOrder(
  on: Scanning,
  scope: Scope,
  query: CollectionQuery,
  access: Access,
  extras: readonly StoredEntry[],
  total: number | undefined,
  { looks, skips }: Budget,
): Promise<Candidates | undefined> {
  if (query.returns === "count") return total === undefined ? undefined : { batches: [], arrival: "any", total };
  if (query.wantsTotal && total === undefined) return undefined;
  const arrival = arrivalOf(query);
  if (arrival === "any") return undefined;
  const start = pageStart(query, readerOf(access));
  const skip = isAll(query) && !start && arrival === "ordered" ? Math.min(query.offset, skips) : 0;
  const expected = arrival === "reversed" ? 1 : expectedOf(query) - (start ? query.offset : skip);
  if (looks < expected && !(await isSmall(on.sql, scope, looks))) return undefined;
  const walk = new Walk(on, {
    scope,
    order: query.order,
    isReversed: arrival === "reversed",
    start,
    extras,
    expected,
    skip,
    maxLooks: looks,
  });
  const batches = walk.batches();
  // Before the answer begins: it counts what was left out.
  const first = await batches.next().catch(undefinedIfGaveUp);
  if (!first) return undefined;
  return { batches: toItems(withFirst(first, batches), query, access), arrival, skipped: walk.skipped, total };
}

/** How the answer can be read: "any" when it needs every match. */
function arrivalOf({ returns, isLimited, offset }: CollectionQuery): Arrival {
  if (returns === "last" && !isLimited) return offset === 0 ? "reversed" : "any";
  if ((returns === "random" || returns === "shuffle") && !isLimited) return "any";
  return "ordered";
}

/** True when every entry in scope matches. */
const isAll = ({ filter, find }: CollectionQuery): boolean =>
  filter.all.length + filter.any.length === 0 && isDepthOnly(find);

/** How many entries match, by indexes alone; undefined where they do not tell. */
async function countAll(
  on: Scanning,
  scope: Scope,
  { filter, find }: CollectionQuery,
  extras: readonly StoredEntry[],
): Promise<number | undefined> {
  if (extras.length > 0 || filter.any.length > 0 || filter.all.length > 1 || !isDepthOnly(find)) return undefined;
  const parents = await parentsIn(on.sql, scope);
  if (!parents) return undefined;
  const [condition] = filter.all;
  const parts = partsOf(scope, parents);
  return condition ? countMatches(on, parts, condition) : countEntries(on.sql, parts);
}

/** True when the scope is the children of one path, and has few. */
async function isSmall(sql: Sql, scope: Scope, few: number): Promise<boolean> {
  if (isSubtree(scope)) return false;
  const rows = await sql.rows(`SELECT id FROM entry WHERE ${inScopeSql(scope)} LIMIT ?2`, scope.path, few + 1);
  return rows.length <= few;
}

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function undefinedIfGaveUp(error: unknown): undefined {
  if (!(error instanceof GaveUp)) throw error;
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
    batches: toItems(toEntries(sql.batches(text, values, batchSize)), query, access),
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

async function* toEntries(batches: Iterable<Row[]> | AsyncIterable<Row[]>): AsyncGenerator<StoredEntry[]> {
  for await (const rows of batches) yield rows.map(toEntry);
}

async function* toItems(
  batches: AsyncGenerator<StoredEntry[]>,
  query: CollectionQuery,
  access: Access,
): AsyncGenerator<CollectionItem[]> {
  for await (const entries of batches) {
    yield entries.filter((entry) => isWithin(entry.slug, query.path) && isListed(entry, access)).map(entryItem);
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
