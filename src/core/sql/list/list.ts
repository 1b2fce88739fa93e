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
import { Bound } from "./bound.ts";
import { rowsPerWatch } from "./options.ts";
import { orderTerms, sortValueOf } from "./order.ts";
import type { Effort, Source } from "./source.ts";
import {
  amongTied,
  byCondition,
  countOf,
  everyRow,
  type FieldTerm,
  inOrder,
  isDriver,
  type Listed,
  negationCount,
  type OrderTerm,
  rowCountSql,
  type Statement,
  tiesSql,
  type Window,
} from "./statement.ts";
import { type FilterTest, filterTest, type RowTest } from "./test.ts";
import { gramsOfQuery, itemsWithGrams, longestBesideWalk } from "./text.ts";
import { arrivalOf, needed, skipsOf } from "./window.ts";

/** How a list is answered: by one statement, after one that chooses its shape. Decision 67. */

/** A condition with fewer rows is read and sorted; see `isCertain`. */
const mostMet = 2000;
/** Of a condition so many rows are counted first: with fewer it is the shortest way whatever the order. */
const fewMet = 64;

/** A walk that is longer than mostCertain times what is wanted, and than so many rows, is compared with the conditions. */
const leastTried = 128;

/**
 * How many times the rows of a walk a condition may have: its rows are counted, while a walk is longer than guessed where
 * the matches are far down in the order.
 */
const mostCertain = 8;

/** Answers a collection; undefined when it needs more than the effort. Throws as answerCollection does. */
export async function answer<Item extends Indexed>(
  source: Source<Item>,
  query: CollectionQuery,
  effort: Effort,
): Promise<CollectionAnswer | undefined> {
  const filter = await filterTest(source, query.filter, source.nowSeconds);
  return new List(source, query, effort, filter).answer();
}

/** Stops reading candidates that are too many. */
class GaveUp extends Error {}

type FoundItems = { batches: AsyncIterable<CollectionItem[]>; arrival: Arrival; skipped?: number; plan: () => string };

type Driver = { test: RowTest; met: number };

class List<Item extends Indexed> {
  private readonly source: Source<Item>;
  private readonly query: CollectionQuery;
  private readonly effort: Effort;
  private readonly filter: FilterTest;
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
    this.isExact = filter.isExact && isDepthOnly({ ...query.find, depth: [] });
  }

  async answer(): Promise<CollectionAnswer | undefined> {
    try {
      return await this.answerWithin();
    } catch (error) {
      if (error instanceof GaveUp) return undefined;
      throw error;
    }
  }

  private async answerWithin(): Promise<CollectionAnswer | undefined> {
    const { query, isExact } = this;
    const isCount = query.returns === "count";
    const wantsTotal = isCount || query.wantsTotal;
    const total = wantsTotal && isExact ? await this.total() : undefined;
    if (wantsTotal && isExact && total === undefined) return undefined;
    if (isCount && total !== undefined)
      return this.form({ batches: none(), arrival: "any", plan: () => "count by index" }, total);
    const found = await this.found(wantsTotal && !isExact);
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
    const statement = negation ?? countOf(listed, await this.bestDriver(), most);
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
      ? {
          rows: await this.run(byCondition(listed, { ids }, { ...window, limit: ids.length })),
          by: byText,
        }
      : await this.page(listed, window);
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

  /** The rows of a window in order, and how they were found. */
  private async page(listed: Listed, window: Window): Promise<{ rows: readonly Row[]; by: string }> {
    const { hasLateral, stopsWalks } = this.source.lists;
    const [first, second] = listed.order;
    const field = first && "keyId" in first ? first : undefined;
    const drivers = this.mayDrive(field) ? this.drivers() : [];
    const mayTie = field && !second && !listed.isReversed;
    // With fewer rows than the page has a walk would not end before the last one.
    const few = stopsWalks ? Math.min(Math.max(fewMet, needed(this.query)), mostMet) : mostMet;
    const { driver, tied } = await this.probe(drivers, few, mayTie ? { ...listed, field } : undefined);
    const byDriver = async (test: RowTest) => ({
      rows: await this.run(byCondition(listed, { test }, window)),
      by: byConditions,
    });
    if (driver && this.isCertain(driver.met, few)) return byDriver(driver.test);
    const by = `order by index (${this.indexName()})`;
    // Those with the first value of the order, when they are many and fill the window.
    const among =
      field && tied !== undefined && (await this.walked(amongTied(listed, field, tied, hasLateral, window)));
    if (among && among.length === window.limit)
      return { rows: among.map(([id]) => [id as number, tied as string]), by };
    const walk = inOrder(listed, hasLateral, window);
    if (driver && few < mostMet) {
      const rows = await this.attempt(walk, Math.max(mostCertain * needed(this.query), leastTried));
      if (rows) return { rows, by };
      const { driver } = (await this.probe(drivers, mostMet)) as { driver: Driver };
      if (this.isCertain(driver.met, mostMet)) return byDriver(driver.test);
    }
    const rows = await this.walked(walk);
    if (rows) return { rows, by };
    const best = await this.bestDriver();
    return best ? byDriver(best) : { rows: await this.run(walk), by };
  }

  /** Undefined where a walk meets too few matches and may be replaced by another way. */
  private async walked(statement: Statement): Promise<readonly Row[] | undefined> {
    return this.effort.walked > mostWalked ? this.attempt(statement, mostWalked) : this.run(statement);
  }

  /** Undefined after that many rows. */
  private async attempt(statement: Statement, most: number): Promise<readonly Row[] | undefined> {
    return this.run(statement, Math.min(most, this.effort.walked)).catch((error: unknown) => {
      if (error instanceof GaveUp) return undefined;
      throw error;
    });
  }

  /** Candidates in any order, all of them; undefined when they are more than the effort. */
  private async unordered(ids: readonly number[] | undefined): Promise<FoundItems | undefined> {
    const { source, effort } = this;
    const listed = this.listed([], false);
    const driver = ids ? undefined : await this.bestDriver();
    const statement = ids
      ? byCondition(listed, { ids }, undefined)
      : driver
        ? byCondition(listed, { test: driver }, { limit: effort.tested + 1, offset: 0 })
        : everyRow(listed, effort.tested + 1);
    const rows = await this.run(statement);
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

  /** False where a walk in the order reads nothing but matches. */
  private mayDrive(first: FieldTerm | undefined): boolean {
    const [only, ...more] = this.filter.all;
    return !(first && only?.field?.keyId === first.keyId && more.length === 0);
  }

  /** Conditions that each match meets, whose rows the index has. */
  private drivers(): RowTest[] {
    return this.filter.any ? [] : this.filter.all.filter(isDriver);
  }

  /** True when reading the rows of a condition, of which so many were counted at most, takes less than reading in the order. */
  private isCertain(met: number, counted: number): boolean {
    // Of N rows c meet the condition: the condition reads c, and a walk about wanted × N / c rows.
    const walked = (needed(this.query) * this.source.head.size) / met;
    return met < counted && met < mostCertain * walked;
  }

  /** More items with the first value of the order, t, are not sorted by path: paths are walked, about wanted × N / t. */
  private manyTied(): number {
    return Math.ceil(Math.min(Math.max(leastTied, Math.sqrt(needed(this.query) * this.source.head.size)), mostTied));
  }

  /** The condition that the fewest rows meet: where there is one, it is not counted. */
  private async bestDriver(): Promise<RowTest | undefined> {
    const drivers = this.drivers();
    if (drivers.length < 2) return drivers[0];
    const { driver } = await this.probe(drivers, fewMet);
    return (driver && driver.met < fewMet ? driver : (await this.probe(drivers, mostMet)).driver)?.test;
  }

  /**
   * The condition that the fewest rows meet, of which at most `most` are counted; and the first value of the order of
   * `ordered`, where many have it and it is not cut.
   */
  private async probe(
    drivers: readonly RowTest[],
    most: number,
    ordered?: Listed & { field: FieldTerm },
  ): Promise<{ driver?: Driver; tied?: string }> {
    if (drivers.length === 0 && !ordered) return {};
    const b = new Bound();
    const listed = this.listed([], false);
    const counts = drivers.map((test) => rowCountSql(b, listed, test, most));
    const many = this.manyTied();
    const from = ordered ? ` FROM (${tiesSql(b, ordered, ordered.field, many + 1)}) AS ties` : "";
    const text = `SELECT ${[...counts, ...(ordered ? ["ties.value", "ties.tied"] : [])].join(", ")}${from}`;
    const [row = []] = await this.run({ text, values: b.values });
    const found = drivers.map((test, i) => ({ test, met: row[i] as number }));
    const [value, tied] = row.slice(drivers.length) as [string | null, number];
    const isTied = ordered && value !== null && tied > many && !value.endsWith(cutMark);
    return {
      ...(found.length > 0 && { driver: found.reduce((least, each) => (each.met < least.met ? each : least)) }),
      ...(isTied && { tied: value }),
    };
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
    const isField = order.map((term) => "keyId" in term);
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

  private indexName(): string {
    return this.query.order.map(({ source, key }) => (source === "field" ? key : source)).join(", ") || "path";
  }
}

/** A look at the clock takes as long as some rows. A multiple of rowsPerWatch. */
const rowsBetweenLooks = 256;

/** So few items are sorted in any case, and so many are counted at most. */
const [leastTied, mostTied] = [500, 20_000];

/** A walk on another thread that meets so few matches is given up for the rows of a condition, if there is one. */
const mostWalked = 50_000;

/** Items that are read at once: their sizes are not known. A page of 30 is one round trip to a server. */
const itemsAtOnce = 32;

const byText = "text by index";
const byConditions = "conditions by index";

async function* none(): AsyncGenerator<CollectionItem[]> {}
