import { type Access, readerOf } from "../../../domain/access.ts";
import {
  type Arrival,
  type CollectionAnswer,
  type CollectionQuery,
  depthRange,
  pageStart,
} from "../../../domain/collection.ts";
import { isListed } from "../../../domain/entry.ts";
import { isDepthOnly } from "../../../domain/find.ts";
import { isWithin, rootPath } from "../../../domain/path.ts";
import { countEntries, countMatches } from "../index/count.ts";
import { listing, listingsOf } from "../index/listing.ts";
import { narrow } from "../index/narrow.ts";
import { inScopeSql, isInScope, isSubtree, parentsIn, partsOf, type Scope } from "../index/scope.ts";
import type { Scanning } from "../noun.ts";
import type { Sql } from "../sql.ts";
import { entryItem, toItems } from "./entry-item.ts";
import type { StoredEntry } from "./entry-row.ts";
import { GaveUp, Walk } from "./entry-walk.ts";
import { answerWith, type Candidates, quickItems } from "./list.ts";

/** How a collection of entries is read: by its conditions, in the order of an index, or by a count. Decision 36. */

/** What an answer may read. */
export type Budget = {
  /** Candidates that conditions leave. */
  narrowed: number;
  /** Entries that a walk reads. */
  looks: number;
  /** Parents of a subtree, and entries that the index does not have. */
  parents: number;
  /** Data of candidates, in bytes. */
  bytes: number;
  /** True to count a collection of any size by an index. */
  counts: boolean;
  /** Entries that an index skips. */
  skips: number;
};

/** On the thread that answers requests. */
export const quick: Budget = {
  narrowed: quickItems,
  looks: quickItems,
  parents: quickItems,
  bytes: 512 * 1024,
  counts: false,
  skips: 20_000,
};

const maxWalked = 20_000;
const first: Budget = {
  narrowed: maxWalked,
  looks: maxWalked,
  parents: 20_000,
  bytes: Number.POSITIVE_INFINITY,
  counts: true,
  skips: Number.POSITIVE_INFINITY,
};
/** With more candidates than this a scan of everything is faster. */
const second: Budget = { ...first, narrowed: 200_000, looks: 0, counts: false };

/**
 * The budgets of an answer at any cost, to be tried in turn. With c of N entries left by the conditions, a walk reads
 * about N / c for each item of the page, and the conditions read c: they meet where c is the root of the items times N.
 */
export async function budgets(sql: Sql, query: CollectionQuery): Promise<[Budget, Budget]> {
  const newest = (await sql.row("SELECT max(id) FROM entry"))?.[0] as number | null;
  const narrowed = Math.ceil(Math.sqrt(expectedOf(query) * (newest ?? 0)));
  return [{ ...first, narrowed: Math.min(Math.max(narrowed, quickItems), maxWalked) }, second];
}

/** What every way of reading a collection needs to know first. */
type Frame = {
  scope: Scope;
  /** The parents in scope; undefined when they are too many. */
  parents: readonly number[] | undefined;
  /**
   * Entries that the index does not have, or not where a reader now finds them: those with more fields than are
   * indexed, those that are due and still indexed as scheduled, and the entry at the path itself, which is in no scope
   * below it.
   */
  extras: readonly StoredEntry[];
};

/** The frame; undefined when there are more extras than the budget has. */
export async function frameOf(
  on: Scanning,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<Frame | undefined> {
  const { sql } = on;
  const { path } = query;
  const depth = depthRange(query);
  const scope = { path, depth, listings: listingsOf(access, query.filter) };
  const limit = budget.parents + 1;
  const [parents, partial, due, own] = await Promise.all([
    parentsIn(sql, scope, budget.parents),
    sql.rows(`SELECT id FROM entry WHERE index_partial = 1 AND ${inScopeSql(scope)} LIMIT ?2`, path, limit),
    access.reads === "public" ? sql.rows(dueSql, access.nowSeconds, limit) : [],
    depth.min === 0 && path !== rootPath ? sql.rows("SELECT id FROM entry WHERE slug = ?1", path) : [],
  ]);
  const ids = new Set([...partial, ...due, ...own].map(([id]) => id as number));
  if (ids.size >= limit) return undefined;
  const extras = ids.size === 0 ? [] : await readListed(on, ids, query, access, budget.bytes);
  return extras && { scope, parents, extras: extras.filter(({ slug }) => isInScope(slug, scope)) };
}

const dueSql = `SELECT id FROM entry WHERE listing = ${listing.scheduled} AND published_at <= ?1 LIMIT ?2`;

/** Entries by number that the collection may have; undefined when they hold more than `maxBytes` in all. */
async function readListed(
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

/** One attempt to answer a query within a budget. */
export class EntryPlan {
  private readonly on: Scanning;
  private readonly query: CollectionQuery;
  private readonly access: Access;
  private readonly frame: Frame;
  private readonly budget: Budget;

  constructor(on: Scanning, query: CollectionQuery, access: Access, frame: Frame, budget: Budget) {
    this.on = on;
    this.query = query;
    this.access = access;
    this.frame = frame;
    this.budget = budget;
  }

  /** The answer; undefined when it needs more than the budget has. Throws as answerCollection does. */
  async answer(): Promise<CollectionAnswer | undefined> {
    try {
      const candidates = await this.candidates();
      const { query, access, on } = this;
      return candidates && (await answerWith(query, readerOf(access), candidates, on.options, access.nowSeconds));
    } catch (error) {
      if (error instanceof GaveUp) return undefined;
      throw error;
    }
  }

  private async candidates(): Promise<Candidates | undefined> {
    const { query } = this;
    const isCount = query.returns === "count";
    const total = isCount || query.wantsTotal ? await this.total() : undefined;
    if (isCount && total !== undefined) return { batches: [], arrival: "any", total };
    const narrowed = await narrow(this.on, this.frame.scope, query.filter, this.budget.narrowed);
    if (narrowed) return this.those(narrowed);
    const isTotalKnown = total !== undefined || !query.wantsTotal;
    return isCount || !isTotalKnown ? undefined : this.inOrder(total);
  }

  /** How many entries match, by indexes alone; undefined where they do not tell. */
  private async total(): Promise<number | undefined> {
    const { scope, parents, extras } = this.frame;
    const { filter, find } = this.query;
    const [condition, ...more] = filter.all;
    if (!parents || extras.length > 0 || filter.any.length > 0 || more.length > 0 || !isDepthOnly(find))
      return undefined;
    if (!this.budget.counts && !(await this.isSmall())) return undefined;
    const parts = partsOf(scope, parents);
    return condition ? countMatches(this.on, parts, condition) : countEntries(this.on.sql, parts);
  }

  private async those(ids: Set<number>): Promise<Candidates | undefined> {
    const { extras } = this.frame;
    for (const { id } of extras) ids.delete(id);
    const entries = await readListed(this.on, ids, this.query, this.access, this.budget.bytes);
    return entries && { batches: [[...extras, ...entries].map(entryItem)], arrival: "any" };
  }

  /** The candidates in the query's order; undefined when the answer needs all of them. */
  private async inOrder(total: number | undefined): Promise<Candidates | undefined> {
    const { query, access, budget, frame } = this;
    const arrival = arrivalOf(query);
    if (arrival === "any") return undefined;
    const start = pageStart(query, readerOf(access));
    const skip = isAll(query) && !start && arrival === "ordered" ? Math.min(query.offset, budget.skips) : 0;
    const expected = arrival === "reversed" ? 1 : expectedOf(query) - (start ? query.offset : skip);
    if (budget.looks < expected && !(await this.isSmall())) return undefined;
    const isReversed = arrival === "reversed";
    const maxLooks = budget.looks;
    const walk = new Walk(this.on, { ...frame, order: query.order, isReversed, start, expected, skip, maxLooks });
    const batches = walk.batches();
    // Before the answer begins: it counts what was left out.
    const first = await batches.next();
    return { batches: toItems(withFirst(first, batches), query, access), arrival, skipped: walk.skipped, total };
  }

  /** True when the scope is the children of one path, and has few. */
  private async isSmall(): Promise<boolean> {
    const { scope } = this.frame;
    const few = this.budget.looks;
    if (isSubtree(scope) || few === 0) return false;
    const text = `SELECT id FROM entry WHERE ${inScopeSql(scope)} LIMIT ?2`;
    return (await this.on.sql.rows(text, scope.path, few + 1)).length <= few;
  }
}

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

/** How the answer can be read: "any" when it needs every match. */
function arrivalOf({ returns, isLimited, offset }: CollectionQuery): Arrival {
  if (returns === "last" && !isLimited) return offset === 0 ? "reversed" : "any";
  if ((returns === "random" || returns === "shuffle") && !isLimited) return "any";
  return "ordered";
}

/** True when every entry in scope matches. */
const isAll = ({ filter, find }: CollectionQuery): boolean =>
  filter.all.length + filter.any.length === 0 && isDepthOnly(find);

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
