import type { PageStart } from "../../../domain/collection.ts";
import type { Condition } from "../../../domain/filter.ts";
import type { SortKey, SortValue } from "../../../domain/order.ts";
import { compareText } from "../../../domain/path.ts";
import type { TableReading } from "../noun.ts";
import type { Value } from "../sql.ts";
import { countRows, countValues } from "./count.ts";
import { type FieldPlace, fieldKind, toPlace } from "./field.ts";
import { type BoundTest, GaveUp, jump, Merge, type Sieve } from "./merge.ts";
import { compareSpots, type IndexOrder, indexOrder, isSameValue, isWhole, type Spot, startOfValue } from "./order.ts";
import { isSubtree, type Parent, partsOf, type Scope } from "./scope.ts";
import { spansOf } from "./span.ts";
import { type Indexed, sortByPath } from "./table.ts";

/** Items in the order of a query, read from an index: a page costs what it holds, whatever the collection holds. */

export type WalkOptions<Item extends Indexed> = {
  scope: Scope;
  /** Undefined when they are too many. */
  parents: readonly Parent[] | undefined;
  order: readonly SortKey[];
  /** From the end of the order. */
  isReversed: boolean;
  /** Items before it need not be read. */
  start: PageStart | undefined;
  /** Items that the index does not have, or has at another place. */
  extras: readonly Item[];
  /** How many items are expected to be enough. */
  expected: number;
  /** How many rows of an index are read at first. */
  page: number;
  /** How many items of the start may be left out without being read: all match, and are no part of the answer. */
  skip: number;
  /** How many rows of an index may be tested for a page of items. */
  maxTested: number;
  /** How many items may be read. */
  maxLooks: number;
  /** How many bytes of data they may have. */
  maxBytes: number;
  /** Conditions that every match satisfies: those on the field of the order bound the walk. */
  conditions: readonly Condition[];
  /** About how many rows the table has. */
  size: number;
  /**
   * The items that may match, besides the extras; absent where these are not known. Not from the end of the order, and
   * not from a start.
   */
  sieve: Sieve | undefined;
};

/** True for the items that are wanted. */
type Keeps<Item> = (item: Item) => boolean;

/** How many items are read together: at first, when nothing is known of their size, and at most. */
const firstSize = 32;
const maxSize = 500;
/** Larger batches outlive the young generation, and cost full collections. */
const batchBytes = 512 * 1024;
/** Items of one value that have more are not held to be sorted. */
const maxGroupBytes = 16 * 1024 * 1024;

/**
 * The number of items of one value up to which their paths are sorted. Items of more are met in the order of paths, one
 * in size / group: reading a path takes a sixth of reading an item, so both cost the same at the root of
 * 6 × items × size.
 */
const groupFor = ({ expected, size }: Pick<WalkOptions<never>, "expected" | "size">): number =>
  Math.min(20_000, Math.max(1000, Math.ceil(Math.sqrt(6 * expected * size))));

/** The same where the database sorts, or tests whether the next path has the value: that takes a third of the first. */
const sortedFor = ({ expected, size }: Pick<WalkOptions<never>, "expected" | "size">): number =>
  Math.min(20_000, Math.max(500, Math.ceil(Math.sqrt((expected * size) / 3))));

/** Fewer items are skipped one by one. */
const fewSkipped = 100;

export class Walk<Item extends Indexed> {
  /** Items left out at the start; complete once the first batch was read. */
  skipped = 0;
  /** Items read, and the bytes of their data. */
  looked = 0;
  private bytes = 0;
  /** The index walked first. Keys are the client's: what is not plain ASCII is left out. */
  indexName = "";
  private readonly on: TableReading<Item>;
  private readonly options: WalkOptions<Item>;
  private readonly excluded: ReadonlySet<number>;
  private batchSize: number;
  private isSkipping: boolean;

  constructor(on: TableReading<Item>, options: WalkOptions<Item>) {
    this.on = on;
    this.options = options;
    this.excluded = new Set(options.extras.map(({ id }) => id));
    this.isSkipping = options.skip > 0;
    this.batchSize = Math.min(firstSize, Math.max(1, options.expected));
  }

  /**
   * The items in batches, none of which sorts after one of a later batch (before, when reversed). Throws GaveUp past
   * `maxLooks`, or when there is no index with the order.
   */
  async *batches(): AsyncGenerator<Item[]> {
    const { order, start } = this.options;
    yield* this.level(order, start, () => true);
  }

  /** The items that `keeps` accepts, and the test if there is one, in the order of the sort keys, then of paths. */
  private async *level(
    order: readonly SortKey[],
    start: PageStart | undefined,
    keeps: Keeps<Item>,
    test?: BoundTest,
  ): AsyncGenerator<Item[]> {
    const { scope, isReversed, sieve } = this.options;
    const [key, ...rest] = order;
    const index = await indexOrder(this.on, scope, key);
    if (!index) throw new GaveUp();
    this.indexName ||= index.name.replace(/[^\w.-]/g, "?");
    const isLacking = (item: Item) => index.placeOf(item) === undefined && keeps(item);
    const lacking = () => this.level(rest, startWithin(start, undefined, rest), isLacking, test);
    // Values without an order are last either way, so reversed they are first.
    if (isReversed && !index.isTotal && (await this.mayLack(index))) yield* lacking();
    const isPastValues = key !== undefined && start !== undefined && start.value === undefined;
    if (!isPastValues) yield* this.values(index, order, start, keeps, test);
    // What the index did not have has no value.
    if (sieve) return yield* this.load([...sieve.unmet, ...this.extrasWithout(index)], keeps);
    if (!isReversed && !index.isTotal && (await this.mayLack(index))) yield* lacking();
  }

  /** Those that have a place in the index. */
  private async *values(
    index: IndexOrder<Item>,
    order: readonly SortKey[],
    start: PageStart | undefined,
    keeps: Keeps<Item>,
    test: BoundTest | undefined,
  ): AsyncGenerator<Item[]> {
    const { extras, page, isReversed } = this.options;
    const [key] = order;
    if (!index.isExact) this.isSkipping = false;
    const isDescending = (key?.isDescending ?? false) !== isReversed;
    const spots = extras.flatMap((item): Spot[] => {
      const place = index.placeOf(item);
      return place && keeps(item) ? [{ ...place, item: item.id }] : [];
    });
    const { excluded } = this;
    const { sieve } = this.options;
    const maxGroup = sieve ? Number.POSITIVE_INFINITY : groupFor(this.options);
    // Rows of all parts are one part of the order of the paths of a subtree.
    const hasTies = key && !sieve && !test && !isSubtree(this.options.scope);
    const maySort = () => order.length === 1 && !this.isSkipping && this.on.table.isWholePath;
    const ties = hasTies ? { maxRows: this.options.maxTested, maxSorted: sortedFor(this.options), maySort } : undefined;
    const jumped = await this.jump(index, isDescending);
    const ways = jumped ? [{ ...jumped, to: undefined }] : this.waysOf(index, key, start, isDescending);
    for (const { parts, from, to } of ways) {
      const options = { isDescending, from, to, extras: spots, excluded, sieve, test, expected: page, maxGroup, ties };
      yield* this.along(new Merge(this.on, index, parts, options), index, order, start, keeps);
    }
  }

  /** The items of the merge. */
  private async *along(
    merge: Merge,
    index: IndexOrder<Item>,
    [key, ...rest]: readonly SortKey[],
    start: PageStart | undefined,
    keeps: Keeps<Item>,
  ): AsyncGenerator<Item[]> {
    let ids: number[] = [];
    for await (const { place, items, isWhole, isLarge, test } of merge.groups()) {
      if (key && (isLarge || test)) {
        // Values that the index has cut or rounded may differ: then nothing but the values themselves has their order.
        if (!isWhole) throw new GaveUp();
        yield* this.load(ids, keeps);
        ids = [];
        const hasValue = (item: Item) => isAt(index, item, place) && keeps(item);
        yield* this.level(rest, startWithin(start, place, rest), hasValue, test);
      } else if (this.isSkipping && items.length <= this.options.skip - this.skipped) {
        this.skipped += items.length;
      } else if (key && rest.length === 0 && items.length > this.batchSize && isWhole && this.on.table.isWholePath) {
        yield* this.load(ids, keeps);
        ids = [];
        yield* this.tied(items, startWithin(start, place, rest), keeps);
      } else {
        this.isSkipping = false;
        ids.push(...items);
        if (ids.length < this.batchSize) continue;
        yield* this.load(ids, keeps);
        ids = [];
        this.grow();
      }
    }
    yield* this.load(ids, keeps);
  }

  /** Items of one value in the order of their paths, which are read first: a page needs few of the items themselves. */
  private async *tied(
    items: readonly number[],
    start: PageStart | undefined,
    keeps: Keeps<Item>,
  ): AsyncGenerator<Item[]> {
    const { skip, isReversed } = this.options;
    const sorted = await sortByPath(this.on.sql, this.on.table, items);
    if (isReversed) sorted.reverse();
    const from = start ? sorted.findIndex(({ path }) => compareText(path, start.path) >= 0) : 0;
    const ids = from < 0 ? [] : sorted.slice(from).map(({ id }) => id);
    const skipped = this.isSkipping ? Math.min(ids.length, skip - this.skipped) : 0;
    this.skipped += skipped;
    this.isSkipping = false;
    for (let at = skipped; at < ids.length; ) {
      const some = ids.slice(at, at + this.batchSize);
      at += some.length;
      yield* this.load(some, keeps);
      this.grow();
    }
  }

  private extrasWithout(index: IndexOrder<Item>): number[] {
    return this.options.extras.filter((item) => index.placeOf(item) === undefined).map(({ id }) => id);
  }

  private grow(): void {
    this.batchSize = Math.min(this.batchSize * 2, this.sizeFor(batchBytes));
  }

  /** The parts of the index with its bounds, for each span that the conditions on its field leave. */
  private waysOf(
    index: IndexOrder<Item>,
    key: SortKey | undefined,
    start: PageStart | undefined,
    isDescending: boolean,
  ) {
    const parts = this.partsOf(index);
    const from = spotOf(index, key, start, isDescending);
    // By the field that was named: a field of the client may have the name of a stored time.
    const isOnField = (condition: Condition) => key?.source === "field" && condition.key === key.key;
    const spans = index.spanKinds.length > 0 ? spansOf(this.options.conditions.filter(isOnField)) : undefined;
    if (!spans) return [{ parts, from, to: undefined }];
    const sign = isDescending ? -1 : 1;
    const later = (a: Spot, b: Spot) => (sign * compareSpots(a, b) > 0 ? a : b);
    return (isDescending ? spans.toReversed() : spans)
      .filter(({ kind }) => index.spanKinds.includes(kind))
      .map(({ low, high }) => (isDescending ? { first: high, last: low } : { first: low, last: high }))
      .filter(({ last }) => sign * compareSpots(from, last) <= 0)
      .map(({ first, last }) => ({ parts, from: later(from, first), to: last }));
  }

  /** Skips most of the offset by the index, where the offset is long and the index can. */
  private async jump(index: IndexOrder<Item>, isDescending: boolean) {
    const { skip, extras } = this.options;
    if (!this.isSkipping || skip < fewSkipped || extras.length > 0) return undefined;
    const found = await jump(this.on.sql, index, this.partsOf(index), isDescending, skip);
    this.skipped += found?.skipped ?? 0;
    return found;
  }

  /** The items as one batch: none of them may be missing when the domain sorts it. */
  private async *load(ids: readonly number[], keeps: Keeps<Item>): AsyncGenerator<Item[]> {
    const { table } = this.on;
    // What follows is counted by its reader.
    this.isSkipping = false;
    if (this.looked + ids.length > this.options.maxLooks) throw new GaveUp();
    const batch: Item[] = [];
    const startBytes = this.bytes;
    for (let from = 0; from < ids.length; ) {
      const some = ids.slice(from, from + this.sizeFor(batchBytes));
      from += some.length;
      for await (const items of this.on.itemsById(table, some)) {
        for (const item of items) {
          this.bytes += table.bytesOf(item);
          if (keeps(item)) batch.push(item);
        }
      }
      this.looked += some.length;
      if (this.bytes > this.options.maxBytes || this.bytes - startBytes > maxGroupBytes) throw new GaveUp();
    }
    if (batch.length > 0) yield batch;
  }

  /** How many items have about so many bytes, as far as is known. */
  private sizeFor(bytes: number): number {
    if (this.looked === 0) return firstSize;
    return Math.max(1, Math.min(maxSize, Math.floor((bytes * this.looked) / Math.max(1, this.bytes))));
  }

  private partsOf(index: IndexOrder): Value[][] {
    const parts = index.parts(this.options.parents);
    if (!parts) throw new GaveUp();
    return parts;
  }

  /** False when every item in scope has a place. */
  private async mayLack(index: IndexOrder<Item>): Promise<boolean> {
    this.isSkipping = false;
    if (this.options.extras.length > 0) return true;
    const parts = partsOf(this.options.scope, this.options.parents ?? []);
    const all = await countRows(this.on, parts);
    return (await countValues(this.on, parts, index.name)) < all;
  }
}

/** Where a page starts among the items at a place (undefined: those without one), if it starts among them. */
function startWithin(
  start: PageStart | undefined,
  place: FieldPlace | undefined,
  rest: readonly SortKey[],
): PageStart | undefined {
  if (!start || rest.length > 0) return undefined;
  const started = placeOfStart(start.value);
  const isHere = started && place ? isSameValue(started, place) : started === place;
  return isHere ? { path: start.path, value: undefined } : undefined;
}

/** The spot before which no item of the page is. */
function spotOf(
  index: IndexOrder,
  key: SortKey | undefined,
  start: PageStart | undefined,
  isDescending: boolean,
): Spot {
  if (!start) return index.start(isDescending);
  if (!key) return { kind: fieldKind.text, number: 0, text: start.path, item: 0 };
  const place = placeOfStart(start.value);
  return place ? startOfValue(place, isDescending) : index.start(isDescending);
}

function placeOfStart(value: SortValue): FieldPlace | undefined {
  if (value === undefined) return undefined;
  return toPlace(typeof value === "object" ? value.near : value);
}

/** True for an item at the place. Throws GaveUp for one whose value the index has cut or rounded. */
function isAt<Item extends Indexed>(index: IndexOrder<Item>, item: Item, place: Spot): boolean {
  const own = index.placeOf(item);
  if (!own || !isSameValue(own, place)) return false;
  if (!isWhole(own)) throw new GaveUp();
  return true;
}
