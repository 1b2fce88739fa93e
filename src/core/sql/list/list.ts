import { memo } from "../../lib/memo.ts";
import { Candidate, compileMembership } from "../../list/candidate.ts";
import { isDepthOnly } from "../../list/find.ts";
import {
  type Arrival,
  answerCollection,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  pageStart,
} from "../../list/list.ts";
import { compareRanks, type Rank, type SortValue } from "../../list/order.ts";
import { TimeBudget } from "../../list/regexp.ts";
import { cutMark, indexValue } from "../index/field.ts";
import type { Indexed } from "../index/table.ts";
import type { Row } from "../sql.ts";
import { rowsPerWatch } from "./options.ts";
import { orderTerms, sortValueOf } from "./order.ts";
import type { Effort, Source } from "./source.ts";
import {
  byCondition,
  countOf,
  type Listed,
  negationCount,
  type OrderTerm,
  type Statement,
  unordered,
} from "./statement.ts";
import { type FilterTest, filterTest } from "./test.ts";
import { gramsOfQuery, itemsWithGrams, longestBesideWalk } from "./text.ts";
import { bestDriver, byConditions, GaveUp, type Paging, readPage, unlessGaveUp } from "./way.ts";
import { arrivalOf, needed, skipsOf } from "./window.ts";

/** How a list is answered: by one statement, after one that chooses its shape. Decision 67. */

/** Answers a collection; undefined when it needs more than the effort. Throws as answerCollection does. */
export async function answer<Item extends Indexed>(
  source: Source<Item>,
  query: CollectionQuery,
  effort: Effort,
): Promise<CollectionAnswer | undefined> {
  const filter = await filterTest(source, query.filter, source.nowSeconds);
  return unlessGaveUp(new List(source, query, effort, filter).answer());
}

type FoundItems = { batches: AsyncIterable<CollectionItem[]>; arrival: Arrival; skipped?: number; plan: () => string };

class List<Item extends Indexed> {
  private readonly source: Source<Item>;
  private readonly query: CollectionQuery;
  private readonly effort: Effort;
  private readonly filter: FilterTest;
  private readonly paging: Paging;
  /** True when SQL decides what matches. */
  private readonly isExact: boolean;
  /** The rows of the items, for their sort values. */
  private readonly known = new Map<CollectionItem, Row>();
  private order: readonly OrderTerm[] = [];
  private bytes = 0;
  /** Items that were read, for `octavo explain`. */
  private read: number;

  constructor(source: Source<Item>, query: CollectionQuery, effort: Effort, filter: FilterTest) {
    this.source = source;
    this.query = query;
    this.effort = effort;
    this.read = source.extras.length;
    this.filter = filter;
    const { lists, head } = source;
    this.paging = { lists, head, query, effort, run: (statement, most) => this.run(statement, most) };
    this.isExact = !source.isTested && filter.isExact && isDepthOnly({ ...query.find, depth: [] });
  }

  async answer(): Promise<CollectionAnswer | undefined> {
    const { query, isExact } = this;
    // Facets are counted from the items themselves, and these are counted along.
    const isCount = query.returns === "count" && !query.facets;
    const wantsTotal = isCount || (query.wantsTotal && !query.facets);
    const total = wantsTotal && isExact ? await this.total() : undefined;
    if (wantsTotal && isExact && total === undefined) return undefined;
    if (isCount && total !== undefined)
      return this.form({ batches: none(), arrival: "any", plan: () => "count by index" }, total);
    const found = await this.found(query.facets !== undefined || (wantsTotal && !isExact));
    return found && this.form(found, total);
  }

  private async form(found: FoundItems, total: number | undefined): Promise<CollectionAnswer> {
    const { source, query, isExact } = this;
    const { options, nowSeconds } = source;
    const answered = await answerCollection(query, source.scope, found.batches, {
      arrival: found.arrival,
      ...(found.skipped && { skipped: found.skipped }),
      ...(total !== undefined && { total }),
      isExact,
      valuesOf: this.valuesOf,
      pageBytes: options.pageBytes,
      regexpBudgetMs: options.regexpBudgetMs,
      random: Math.random,
      nowSeconds,
    });
    return { ...answered, plan: found.plan(), isEmpty: this.read === 0 && !total };
  }

  /** Undefined when counting takes more than the effort. */
  private async total(): Promise<number | undefined> {
    const { effort, source } = this;
    const listed = this.listed([], false);
    const extras = this.matchingExtras().length;
    const most = source.head.size <= effort.counted ? undefined : effort.counted;
    const negation = negationCount(listed, most);
    const statement = negation ?? countOf(listed, await bestDriver(this.paging, listed), most);
    const [[every = 0, excluded = 0] = []] = (await this.run(statement)) as number[][];
    return most !== undefined && (every === most || excluded === most) ? undefined : every - excluded + extras;
  }

  /** `isWhole`: all candidates are read. */
  private async found(isWhole: boolean): Promise<FoundItems | undefined> {
    const { query, source, isExact, effort } = this;
    const order = await orderTerms(source, query.order);
    const arrival = arrivalOf(query);
    const mayWalk = order !== undefined && arrival !== "any" && !isWhole;
    const ids = isExact ? undefined : await this.textIds(mayWalk);
    if (!mayWalk) return this.unordered(ids);
    const start = pageStart(query, source.scope);
    // A cut value does not say where the page starts: then the domain decides.
    const after = start?.values?.every((value) => value === undefined || indexValue(value) === value)
      ? { path: start.path, values: start.values }
      : undefined;
    if (start && !after && order.length > 0) return this.unordered(ids);
    const listed = { ...this.listed(order, arrival === "reversed"), ...(after && { after }) };
    const hasExtras = source.extras.length > 0;
    const skipped = isExact && !hasExtras && !after && arrival === "ordered" ? skipsOf(query) : 0;
    const most = isExact ? needed(query) - skipped : effort.tested;
    const window = { limit: most, offset: skipped };
    const { rows, by } = ids
      ? { rows: await this.run(byCondition(listed, { ids }, { ...window, limit: ids.length })), by: byText }
      : await readPage(this.paging, listed, window);
    if (isExact && rows.length > effort.items) return undefined;
    if (this.hasCut(rows, order)) return this.unordered(ids);
    const isAll = ids !== undefined || rows.length < most;
    const batches = this.inOrder(rows, order, isAll || isExact, arrival);
    return {
      batches,
      arrival,
      skipped,
      plan: () => `${by}, ${this.read} ${source.table.plural} read`,
    };
  }

  /** Candidates in any order, all of them; undefined when they are more than the effort. */
  private async unordered(ids: readonly number[] | undefined): Promise<FoundItems | undefined> {
    const { source, effort } = this;
    const listed = this.listed([], false);
    const best = ids ? undefined : await bestDriver(this.paging, listed);
    const driver = ids ? { ids } : best && { test: best };
    const rows = await this.run(unordered(listed, driver, ids?.length ?? effort.tested + 1));
    if (rows.length > effort.tested) return undefined;
    const by = ids ? byText : driver ? byConditions : `scan of every ${source.table.name}`;
    const found = this.items(rows, []);
    const extras = this.matchingExtras();
    async function* batches() {
      if (extras.length > 0) yield [...extras];
      yield* found;
    }
    const noun = by.startsWith("scan") ? "" : `${source.table.plural} `;
    return { batches: batches(), arrival: "any", plan: () => `${by}, ${this.read} ${noun}read` };
  }

  private listed(order: readonly OrderTerm[], isReversed: boolean): Listed {
    const { table, within, further } = this.source;
    return { table, scope: within, filter: this.filter, order, isReversed, further };
  }

  /** Numbers of the items whose texts may match; undefined where the text index finds too many, or a walk costs less. */
  private async textIds(mayWalk: boolean): Promise<readonly number[] | undefined> {
    const { query, source, effort } = this;
    const own = query.filter.any.length > 0 ? [] : query.filter.all;
    const longest = mayWalk && effort.isFirst ? longestBesideWalk(needed(query), source.head.size) : undefined;
    const ids = await itemsWithGrams(source, gramsOfQuery(source, own, query.find), effort.texts, longest);
    return ids && [...ids];
  }

  /** Gives up after about that many rows of an index. */
  private async run({ text, values }: Statement, most = this.effort.walked): Promise<readonly Row[]> {
    let count = 0;
    const onRows = () => {
      count += rowsPerWatch;
      if (count > most) throw new GaveUp();
      if (count % rowsBetweenLooks === 0) this.source.watch?.();
    };
    return this.source.lists.rowsWatched(onRows, text, ...values);
  }

  /** True when a sort value is cut: what has the same cut value has no order among itself. */
  private hasCut(rows: readonly Row[], order: readonly OrderTerm[]): boolean {
    const isField = order.map((term) => "keyIds" in term);
    return rows.some((row) => isField.some((is, i) => is && (row[i + 1] as string | null)?.endsWith(cutMark)));
  }

  /** The items of the rows, a few at a time, in their order. */
  private async *items(rows: readonly Row[], order: readonly OrderTerm[]): AsyncGenerator<CollectionItem[]> {
    const { source } = this;
    this.order = order;
    for (let at = 0; at < rows.length; at += itemsAtOnce) {
      source.watch?.();
      const some = rows.slice(at, at + itemsAtOnce);
      const stored = new Map<number, Item>();
      const ids = some.map(([id]) => id as number);
      for await (const each of source.itemsById(source.table, ids)) for (const item of each) stored.set(item.id, item);
      const found: CollectionItem[] = [];
      for (const row of some) {
        const own = stored.get(row[0] as number);
        if (!own) continue;
        const item = source.toCollectionItem(own);
        if (order.length > 0) this.known.set(item, row);
        this.bytes += item.size;
        found.push(item);
      }
      this.read += found.length;
      if (this.bytes > this.effort.bytes) throw new GaveUp();
      yield found;
    }
  }

  private readonly valuesOf = (item: CollectionItem): readonly SortValue[] | undefined => {
    const row = this.known.get(item);
    return row && this.order.map((term, i) => sortValueOf(term, row[i + 1] ?? null));
  };

  /** The items in order, and the extras among them. `isAll`: there are no others. */
  private async *inOrder(
    rows: readonly Row[],
    order: readonly OrderTerm[],
    isAll: boolean,
    arrival: Arrival,
  ): AsyncGenerator<CollectionItem[]> {
    const compare = compareRanks(this.query.order);
    const sign = arrival === "reversed" ? -1 : 1;
    const rankOf = (item: CollectionItem) => new Candidate(item, this.valuesOf).rank(this.query.order);
    const left = this.matchingExtras()
      .map((item) => ({ item, rank: rankOf(item) }))
      .sort((a, b) => sign * compare(a.rank, b.rank));
    for await (const items of this.items(rows, order)) {
      yield left.length === 0 ? items : items.flatMap((item) => [...leftBefore(rankOf(item)), item]);
    }
    if (!isAll) throw new GaveUp();
    if (left.length > 0) yield left.map(({ item }) => item);

    function leftBefore(rank: Rank): CollectionItem[] {
      const end = left.findIndex((extra) => sign * compare(extra.rank, rank) > 0);
      return left.splice(0, end < 0 ? left.length : end).map(({ item }) => item);
    }
  }

  private readonly matchingExtras = memo((): CollectionItem[] => {
    const { source, query } = this;
    const context = { budget: new TimeBudget(source.options.regexpBudgetMs), nowSeconds: source.nowSeconds };
    const isMatch = compileMembership(query, context);
    return source.extras.map(source.toCollectionItem).filter((item) => isMatch(new Candidate(item)));
  });
}

/** A look at the clock takes as long as some rows. A multiple of rowsPerWatch. */
const rowsBetweenLooks = 256;

/** Items that are read at once: their sizes are not known. A page of 30 is one round trip to a server. */
const itemsAtOnce = 32;

const byText = "text by index";

async function* none(): AsyncGenerator<CollectionItem[]> {}
