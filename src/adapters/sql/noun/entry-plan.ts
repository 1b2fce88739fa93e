import { type Access, readerOf } from "../../../domain/access.ts";
import {
  type Arrival,
  type CollectionAnswer,
  type CollectionQuery,
  depthRange,
  pageStart,
} from "../../../domain/collection.ts";
import { isDepthOnly } from "../../../domain/find.ts";
import { rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import { once } from "../../../lib/once.ts";
import { countEntries, countMatches } from "../index/count.ts";
import { isDueSql, listingsOf } from "../index/listing.ts";
import { narrow } from "../index/narrow.ts";
import { inScopeSql, isInScope, isSubtree, parentsIn, partsOf, type Scope } from "../index/scope.ts";
import type { Reading } from "../noun.ts";
import { isBelowSql } from "../sql.ts";
import { isListedSql, isReadableSql } from "./entry-access.ts";
import { entryItem, mayHave, toItems } from "./entry-item.ts";
import type { StoredEntry } from "./entry-row.ts";
import { textConditions } from "./entry-text.ts";
import { GaveUp, Walk } from "./entry-walk.ts";
import { answerWith, type Candidates, quickItems } from "./list.ts";

/** How a collection of entries is read: by its conditions, in the order of an index, or by a count. Decision 36. */

/** What an answer may read. */
export type Budget = {
  /** Candidates that conditions leave. */
  narrowed: number;
  /** Entries that a walk reads. */
  looks: number;
  /** Entries that a walk reads for conditions that few satisfy. */
  patience: number;
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
  patience: 32,
  parents: quickItems,
  bytes: 512 * 1024,
  counts: false,
  skips: 20_000,
};

const maxWalked = 20_000;
export const thorough: Budget = {
  narrowed: maxWalked,
  looks: maxWalked,
  patience: maxWalked,
  parents: 20_000,
  bytes: Number.POSITIVE_INFINITY,
  counts: true,
  skips: Number.POSITIVE_INFINITY,
};
/** With more candidates than this a scan of everything is faster. */
const last: Budget = { ...thorough, narrowed: 200_000, looks: 0, counts: false };

/**
 * The budgets of an answer at any cost, to be tried in turn. With c of N entries left by the conditions, a walk reads
 * about N / c for each item of the page, and the conditions read c: they meet where c is the root of the items times N.
 */
export function budgets(query: CollectionQuery, { entries }: Frame): Budget[] {
  const narrowed = Math.ceil(Math.sqrt(expectedOf(query) * entries));
  return [{ ...thorough, narrowed: Math.min(Math.max(narrowed, quickItems), maxWalked) }, last];
}

/** What every way of reading a collection needs to know first. */
export type Frame = {
  scope: Scope;
  /** About how many entries the store has, or more. */
  entries: number;
  /** The parents in scope; undefined when they are too many. */
  parents: readonly number[] | undefined;
  /**
   * Entries that the index does not have, or not where a reader now finds them: those with more fields than are
   * indexed, those that are due and still indexed as scheduled, and the entry at the path itself, which is in no scope
   * below it.
   */
  extras: readonly StoredEntry[];
};

/**
 * The frame; undefined when there are more parents or extras than the budget has. Throws entry_not_found when the
 * caller can see neither the entry nor anything below it. The root always exists.
 */
export async function frameOf(
  on: Reading,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<Frame | undefined> {
  const { path } = query;
  const depth = depthRange(query);
  const scope = { path, depth, listings: listingsOf(access, query.filter) };
  const row = await on.sql.row(frameSql(scope, access), path, access.nowSeconds);
  const [entries, parent, exists, hasPartial, hasDue] = row as (number | null)[];
  if (!exists) throw problem("entry_not_found", { id: path });
  const parents = isSubtree(scope)
    ? await parentsIn(on.sql, scope, budget.parents)
    : [parent].filter((id) => typeof id === "number");
  const mayHaveExtras = hasPartial || hasDue || depth.min === 0;
  const extras = mayHaveExtras ? await readExtras(on, scope, query, access, budget) : [];
  return extras && { scope, parents, extras, entries: entries ?? 0 };
}

/** One statement, because on a server each is a round trip. ?1 is the path, ?2 the time. */
function frameSql(scope: Scope, access: Access): string {
  const any = (rest: string) => `(SELECT count(*) FROM (SELECT 1 FROM entry WHERE ${rest} LIMIT 1) AS found)`;
  const exists =
    scope.path === rootPath
      ? "1"
      : `CASE WHEN ${any(`slug = ?1 AND ${isReadableSql(access)}`)} = 1 THEN 1
           ELSE ${any(`${isBelowSql("slug", "?1")} AND ${isListedSql(access)}`)} END`;
  return `SELECT (SELECT max(id) FROM entry), (SELECT id FROM parent WHERE path = ?1), ${exists},
    ${any(`index_partial = 1 AND ${inScopeSql(scope)}`)}, ${access.reads === "public" ? any(isDueSql("?2")) : "0"}
    WHERE CAST(?2 AS BIGINT) IS NOT NULL`;
}

async function readExtras(
  on: Reading,
  scope: Scope,
  query: CollectionQuery,
  access: Access,
  budget: Budget,
): Promise<StoredEntry[] | undefined> {
  const { sql } = on;
  const { path, depth } = scope;
  const limit = budget.parents + 1;
  const [partial, due, own] = await Promise.all([
    sql.rows(`SELECT id FROM entry WHERE index_partial = 1 AND ${inScopeSql(scope)} LIMIT ?2`, path, limit),
    access.reads === "public" ? sql.rows(dueSql, access.nowSeconds, limit) : [],
    depth.min === 0 && path !== rootPath ? sql.rows("SELECT id FROM entry WHERE slug = ?1", path) : [],
  ]);
  const ids = new Set([...partial, ...due, ...own].map(([id]) => id as number));
  if (ids.size >= limit) return undefined;
  const extras = await readListed(on, ids, query, access, budget.bytes);
  return extras?.filter(({ slug }) => isInScope(slug, scope));
}

const dueSql = `SELECT id FROM entry WHERE ${isDueSql("?1")} LIMIT ?2`;

/** Entries by number that the collection may have; undefined when they hold more than `maxBytes` in all. */
async function readListed(
  on: Reading,
  ids: Iterable<number>,
  query: CollectionQuery,
  access: Access,
  maxBytes: number,
): Promise<StoredEntry[] | undefined> {
  const entries: StoredEntry[] = [];
  let bytes = 0;
  for await (const entry of on.entriesById(ids, readerOf(access))) {
    bytes += entry.data.length;
    if (bytes > maxBytes) return undefined;
    // The search and the read are two snapshots of the store: an entry that moved out of scope in between is no
    // candidate any more.
    if (mayHave(query, access, entry)) entries.push(entry);
  }
  return entries;
}

/** One attempt to answer a query within a budget. */
export class EntryPlan {
  private readonly on: Reading;
  private readonly query: CollectionQuery;
  private readonly access: Access;
  private readonly frame: Frame;
  private readonly budget: Budget;
  /** True when the scope is the children of one path, and has few. */
  private readonly isSmall = once(() => this.hasFew());
  /** What was done, told when it is done. */
  private plan = () => "";

  constructor(on: Reading, query: CollectionQuery, access: Access, frame: Frame, budget: Budget) {
    this.on = on;
    this.query = query;
    this.access = access;
    this.frame = frame;
    this.budget = budget;
  }

  /** The answer; undefined when it needs more than the budget has. Throws as answerCollection does. */
  async answer(watch?: () => void): Promise<CollectionAnswer | undefined> {
    try {
      const candidates = await this.candidates();
      const { query, access, on } = this;
      if (!candidates) return undefined;
      const reader = readerOf(access);
      const answer = await answerWith(query, reader, candidates, on.options, access.nowSeconds, watch);
      return { ...answer, plan: this.plan() };
    } catch (error) {
      if (error instanceof GaveUp) return undefined;
      throw error;
    }
  }

  private async candidates(): Promise<Candidates | undefined> {
    const { query } = this;
    const isCount = query.returns === "count";
    const total = isCount || query.wantsTotal ? await this.total() : undefined;
    if (isCount && total !== undefined) {
      this.plan = () => "count by index";
      return { batches: [], arrival: "any", total };
    }
    const narrowed = await narrow(this.on, this.frame.scope, query.filter, this.budget.narrowed);
    if (narrowed) return this.those(narrowed);
    // What must be counted one by one is read as a whole, where that is little.
    const isWhole = total === undefined && (isCount || query.wantsTotal);
    return isWhole && !(await this.isSmall()) ? undefined : this.inOrder(total, isWhole);
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
    this.plan = () => `conditions by index, ${ids.size + extras.length} entries read`;
    const entries = await readListed(this.on, ids, this.query, this.access, this.budget.bytes);
    return entries && { batches: [[...extras, ...entries].map(entryItem)], arrival: "any" };
  }

  /** The candidates in the query's order; undefined when the answer needs all of them. */
  private async inOrder(total: number | undefined, isWhole: boolean): Promise<Candidates | undefined> {
    const { query, access, budget, frame } = this;
    const arrival = arrivalOf(query);
    if (arrival === "any") return undefined;
    const start = isWhole ? undefined : pageStart(query, readerOf(access));
    const skip = !isWhole && isAll(query) && !start && arrival === "ordered" ? Math.min(query.offset, budget.skips) : 0;
    const expected = arrival === "reversed" ? 1 : expectedOf(query) - (start ? query.offset : skip);
    if (budget.looks < expected && !(await this.isSmall())) return undefined;
    const isReversed = arrival === "reversed";
    // Given up early: a walk that meets few matches holds up others, and for texts a scan is faster, which looks for
    // them in the database.
    const patience = textConditions(query, 1).sql.length > 0 ? quick.patience : budget.patience;
    const maxLooks = isWhole || isAll(query) ? budget.looks : Math.min(budget.looks, Math.max(expected * 8, patience));
    const walk = new Walk(this.on, {
      ...frame,
      order: query.order,
      reader: readerOf(access),
      isReversed,
      start,
      expected,
      skip,
      maxLooks,
      maxBytes: budget.bytes,
    });
    this.plan = () => `order by index (${walk.indexName}), ${walk.looked} entries read`;
    const batches = walk.batches();
    // Before the answer begins: it counts what was left out.
    const first = await batches.next();
    return { batches: toItems(withFirst(first, batches), query, access), arrival, skipped: walk.skipped, total };
  }

  private async hasFew(): Promise<boolean> {
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
