import {
  type Arrival,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  hasPattern,
  pageStart,
} from "../../../domain/collection.ts";
import { isDepthOnly } from "../../../domain/find.ts";
import { isWithin } from "../../../domain/path.ts";
import { once } from "../../../lib/once.ts";
import { countMatches, countRows } from "../index/count.ts";
import { GaveUp, type Sieve } from "../index/merge.ts";
import { type NarrowBudget, type Narrowed, narrow } from "../index/narrow.ts";
import { inScopeSql, isSubtree, type Parent, partsOf, type Scope } from "../index/scope.ts";
import type { Indexed } from "../index/table.ts";
import { pendingItems } from "../index/text.ts";
import { Walk } from "../index/walk.ts";
import type { TableReading } from "../noun.ts";
import { answerWith, type Candidates, quickItems } from "./list.ts";

/** How a collection is read: by its conditions, in the order of an index, or by a count. Decision 36. */

/** What an answer may read. */
export type Budget = NarrowBudget & {
  /** Numbers of items that conditions leave, for a walk that reads no others; and rows of an index that it reads. */
  sieved: { items: number; rows: number };
  /** Items that a walk reads. */
  looks: number;
  /** Items that a walk reads for conditions that few satisfy. */
  patience: number;
  /** Parents of a subtree, and items that the index does not have. */
  parents: number;
  /** Data of candidates, in bytes. */
  bytes: number;
  /** Rows of a table whose index is counted, where the scope may have as many. */
  counted: number;
  /** Items that an index skips. */
  skips: number;
};

/** On the thread that answers requests. */
const quick: Budget = {
  narrowed: quickItems,
  sieved: { items: 1000, rows: 6000 },
  texts: { length: 25_000, share: 1 / 8, rows: 2000 },
  looks: quickItems,
  patience: 32,
  parents: quickItems,
  bytes: 512 * 1024,
  counted: 20_000,
  skips: 20_000,
};

const maxWalked = 20_000;
const thorough: Budget = {
  narrowed: maxWalked,
  sieved: { items: maxWalked, rows: 1_000_000 },
  texts: { length: 200_000, share: 1, rows: maxWalked },
  looks: maxWalked,
  patience: maxWalked,
  parents: 20_000,
  bytes: Number.POSITIVE_INFINITY,
  counted: Number.POSITIVE_INFINITY,
  skips: Number.POSITIVE_INFINITY,
};
/** With more candidates than this a scan of everything is faster. */
const last: Budget = { ...thorough, narrowed: 200_000, sieved: { items: 0, rows: 0 }, looks: 0, counted: 0 };

/**
 * The budgets of an answer at any cost, to be tried in turn. With c of N entries left by the conditions, a walk reads
 * about N / c for each item of the page, and the conditions read c: they meet where c is the root of the items times N.
 */
function budgets(query: CollectionQuery, { size }: Pick<Frame, "size">): Budget[] {
  const narrowed = Math.ceil(Math.sqrt(expectedOf(query) * size));
  return [{ ...thorough, narrowed: Math.min(Math.max(narrowed, quickItems), maxWalked) }, last];
}

/** What every way of reading a collection needs to know first. */
export type Frame<Item extends Indexed = Indexed> = {
  scope: Scope;
  /** About how many rows the table has, or more. */
  size: number;
  /** The parents in scope; undefined when they are too many. */
  parents: readonly Parent[] | undefined;
  /**
   * Items that the index does not have, or not where a reader now finds them: those with more fields than are indexed,
   * entries that are due and still indexed as scheduled, and the item at the path itself, which is in no scope below
   * it.
   */
  extras: readonly Item[];
};

/** The rows of a table, as the caller of a collection may see them. */
export type Source<Item extends Indexed> = TableReading<Item> & {
  /** Identifies what the caller may read: cursors are bound to it. */
  scope: string;
  nowSeconds: number;
  /** True when a scan looks for matches of the query in the database. Absent: it never does. */
  isScanFast?(query: CollectionQuery): boolean;
  /** Those of these items whose texts may match, by the database, which is faster than parsing each. */
  withTexts?(query: CollectionQuery, ids: readonly number[]): Promise<number[]>;
  /** Throws once the answer may not go on: see watchOf. Absent: it reads only a few rows. */
  watch?: () => void;
  isVisible(item: Item): boolean;
  toCollectionItem(item: Item): CollectionItem;
};

/** Items by number that the collection may have; undefined when they hold more than `maxBytes` in all. */
export async function readVisible<Item extends Indexed>(
  source: Source<Item>,
  query: CollectionQuery,
  ids: Iterable<number>,
  maxBytes: number,
): Promise<Item[] | undefined> {
  const items: Item[] = [];
  let bytes = 0;
  for await (const some of source.itemsById(source.table, ids)) {
    bytes += some.reduce((sum, item) => sum + source.table.bytesOf(item), 0);
    if (bytes > maxBytes) return undefined;
    // The search and the read are two snapshots of the store: an item that moved out of scope in between is no
    // candidate any more.
    items.push(...some.filter((item) => isCandidate(source, query, item)));
  }
  return items;
}

const isCandidate = <Item extends Indexed>(source: Source<Item>, query: CollectionQuery, item: Item): boolean =>
  isWithin(source.table.pathOf(item), query.path) && source.isVisible(item);

/** So few candidates are parsed without asking the database first. */
const fewToParse = 32;

/** One attempt to answer a query within a budget. */
class Plan<Item extends Indexed> {
  private readonly source: Source<Item>;
  private readonly query: CollectionQuery;
  private readonly frame: Frame<Item>;
  private readonly budget: Budget;
  /** True when the scope is the children of one path, and has few. */
  private readonly isSmall = once(() => this.hasFew());
  /** What was done, told when it is done. */
  private plan = () => "";

  constructor(source: Source<Item>, query: CollectionQuery, frame: Frame<Item>, budget: Budget) {
    this.source = source;
    this.query = query;
    this.frame = frame;
    this.budget = budget;
  }

  /** The answer; undefined when it needs more than the budget has. Throws as answerCollection does. */
  async answer(): Promise<CollectionAnswer | undefined> {
    try {
      const candidates = await this.candidates();
      return candidates && { ...(await answerFrom(this.source, this.query, candidates)), plan: this.plan() };
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
    // What must be counted one by one is read as a whole, where that is little.
    const isWhole = total === undefined && (isCount || query.wantsTotal);
    const most = Math.max(this.budget.narrowed, isWhole ? 0 : this.mostSieved());
    const narrowed = await narrow(this.source, this.frame.scope, query, { ...this.budget, narrowed: most });
    const sieve = narrowed && !isWhole ? this.sieveOf(narrowed) : undefined;
    if (sieve) return this.inOrder(total, isWhole, sieve);
    const isFew = narrowed && (narrowed.isByText || narrowed.ids.size <= this.budget.narrowed);
    const those = isFew ? await this.those(narrowed) : undefined;
    if (those || (isFew && !narrowed.isByText)) return those;
    return isWhole && !(await this.isSmall()) ? undefined : this.inOrder(total, isWhole);
  }

  /**
   * For how many items, left by the conditions, a walk that reads these alone may cost less than one that reads those
   * of all rows. The first reads their numbers and about items × N / c rows of the index, the second about as many
   * items, and one item costs 25 times a row: they meet at 5 times the root of items × N.
   */
  private mostSieved(): number {
    const { query, budget, source, frame } = this;
    if (arrivalOf(query) !== "ordered" || pageStart(query, source.scope)) return 0;
    // Such a condition bounds the walk, so that it meets little else.
    if (query.filter.all.some(({ key }) => key === query.order[0]?.key)) return 0;
    return Math.min(budget.sieved.items, Math.ceil(5 * Math.sqrt(expectedOf(query) * frame.size)));
  }

  /** Undefined where reading the items themselves costs less. */
  private sieveOf({ ids, isByText }: Narrowed): Sieve | undefined {
    const { frame, query, budget } = this;
    if (isByText || ids.size <= quickItems || ids.size > this.mostSieved()) return undefined;
    // Twice as dear as reading them, where the order and the conditions are related.
    const maxRows = Math.min(budget.sieved.rows, 40 * ids.size);
    if ((expectedOf(query) * frame.size) / ids.size > maxRows) return undefined;
    return { unmet: withoutExtras(ids, frame), maxRows };
  }

  /** How many entries match, by indexes alone; undefined where they do not tell. */
  private async total(): Promise<number | undefined> {
    const { scope, parents, extras } = this.frame;
    const { filter, find } = this.query;
    const [condition, ...more] = filter.all;
    if (!parents || extras.length > 0 || filter.any.length > 0 || more.length > 0 || !isDepthOnly(find))
      return undefined;
    if (this.frame.size > this.budget.counted && !(await this.isSmall())) return undefined;
    const parts = partsOf(scope, parents);
    const name = JSON.stringify(["count", this.source.table.name, parts, condition]);
    return this.source.known(name, () =>
      condition ? countMatches(this.source, parts, condition) : countRows(this.source, parts),
    );
  }

  private async those({ ids, isByText }: Narrowed): Promise<Candidates | undefined> {
    const { extras } = this.frame;
    const rest = withoutExtras(ids, this.frame);
    const likely =
      isByText && rest.size > fewToParse ? await this.source.withTexts?.(this.query, [...rest]) : undefined;
    // Besides those that are pending, which a search must read.
    if (isByText && (likely?.length ?? rest.size) > this.budget.narrowed + 2 * pendingItems) return undefined;
    const items = await readVisible(this.source, this.query, likely ?? rest, this.budget.bytes);
    // The text index has what the caller may not list, too, and must not tell how much of it matches.
    const read = extras.length + (isByText ? (items?.length ?? 0) : rest.size);
    const by = isByText ? "text by index" : "conditions by index";
    this.plan = () => `${by}, ${read} ${this.source.table.plural} read`;
    return items && { batches: [[...extras, ...items].map(this.source.toCollectionItem)], arrival: "any" };
  }

  /**
   * The candidates in the query's order, those of the sieve if there is one; undefined when the answer needs all of
   * them.
   */
  private async inOrder(total: number | undefined, isWhole: boolean, sieve?: Sieve): Promise<Candidates | undefined> {
    const { source, query, budget, frame } = this;
    const arrival = arrivalOf(query);
    if (arrival === "any") return undefined;
    const start = isWhole ? undefined : pageStart(query, source.scope);
    const skip =
      !isWhole && isAll(query) && !start && arrival === "ordered" ? Math.min(offsetOf(query), budget.skips) : 0;
    const expected = arrival === "reversed" ? 1 : expectedOf(query) - (start ? offsetOf(query) : skip);
    if (budget.looks < expected && !(await this.isSmall())) return undefined;
    const isReversed = arrival === "reversed";
    // Given up early: a walk that meets few matches holds up others, and may be slower than a scan.
    const patience = source.isScanFast?.(query) ? quick.patience : budget.patience;
    const maxLooks = isWhole || isAll(query) ? budget.looks : Math.min(budget.looks, Math.max(expected * 8, patience));
    const walk = new Walk(source, {
      ...frame,
      order: query.order,
      isReversed,
      start,
      expected,
      // Of rows that conditions may exclude, or that share a value, more are read at once: on a server each page is a
      // round trip.
      page: isAll(query) || sieve ? (query.order.length > 0 ? 2 : 1) * expected : 4 * expected,
      sieve,
      skip,
      maxTested: budget.sieved.rows,
      maxLooks,
      maxBytes: budget.bytes,
      // With or_where a match need not satisfy the others; a sieve holds for the whole order.
      conditions: query.filter.any.length > 0 || sieve ? [] : query.filter.all,
    });
    const by = sieve ? "conditions and order by index" : "order by index";
    this.plan = () => `${by} (${walk.indexName}), ${walk.looked} ${source.table.plural} read`;
    const batches = walk.batches();
    // Before the answer begins: it counts what was left out.
    const first = await batches.next();
    return { batches: this.toItems(withFirst(first, batches)), arrival, skipped: walk.skipped, total };
  }

  private async *toItems(batches: AsyncIterable<Item[]>): AsyncGenerator<CollectionItem[]> {
    const { source, query } = this;
    for await (const items of batches) {
      yield items.filter((item) => isCandidate(source, query, item)).map(source.toCollectionItem);
    }
  }

  private async hasFew(): Promise<boolean> {
    const { scope } = this.frame;
    const few = this.budget.looks;
    if (isSubtree(scope) || few === 0) return false;
    const { sql, table } = this.source;
    const text = `SELECT id FROM ${table.name} WHERE ${inScopeSql(table, scope)} LIMIT ?2`;
    return (await sql.rows(text, scope.path, few + 1)).length <= few;
  }
}

/** Answers a collection if it reads only a few rows, otherwise undefined. Throws as answerCollection and frameOf do. */
export async function answerQuickly<Item extends Indexed>(
  source: Source<Item>,
  query: CollectionQuery,
  frameOf: FrameOf<Item>,
): Promise<CollectionAnswer | undefined> {
  if (hasPattern(query)) return undefined;
  const frame = await frameOf(quick);
  return frame && new Plan(source, query, frame, quick).answer();
}

/**
 * Answers a collection at any cost: from the few that its conditions leave, else in the order of an index, else from
 * the many that its conditions leave, else by a scan. Throws as answerCollection and frameOf do.
 */
export async function answerAtAnyCost<Item extends Indexed>(
  source: Source<Item>,
  query: CollectionQuery,
  frameOf: FrameOf<Item>,
  scan: () => Candidates,
): Promise<CollectionAnswer> {
  const frame = await frameOf(thorough);
  for (const budget of frame ? budgets(query, frame) : []) {
    const answer = frame && (await new Plan(source, query, frame, budget).answer());
    if (answer) return answer;
  }
  return { ...(await answerFrom(source, query, scan())), plan: `scan of every ${source.table.name}` };
}

/** Undefined when the frame needs more than the budget has. */
type FrameOf<Item extends Indexed> = (budget: Budget) => Promise<Frame<Item> | undefined>;

const answerFrom = <Item extends Indexed>(
  { scope, options, nowSeconds, watch }: Source<Item>,
  query: CollectionQuery,
  candidates: Candidates,
): Promise<CollectionAnswer> => answerWith(query, scope, candidates, options, nowSeconds, watch);

/** A set of its own: what conditions found may be kept for the next answer. */
function withoutExtras(ids: ReadonlySet<number>, { extras }: Frame): Set<number> {
  const rest = new Set(ids);
  for (const { id } of extras) rest.delete(id);
  return rest;
}

/** How many matches come before the answer's first; a count and "exists" are of all of them. */
const offsetOf = ({ offset, returns }: CollectionQuery): number =>
  returns === "count" || returns === "exists" ? 0 : offset;

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

/** True when every item in scope matches. */
const isAll = ({ filter, find }: CollectionQuery): boolean =>
  filter.all.length + filter.any.length === 0 && isDepthOnly(find);

async function* withFirst<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
