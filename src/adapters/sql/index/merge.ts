import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import type { TableReading } from "../noun.ts";
import type { ReadSql, Row, Value } from "../sql.ts";
import {
  compareSpots,
  endOfValue,
  type IndexOrder,
  isSameValue,
  isWhole,
  type RowTest,
  type Spot,
  startOfValue,
} from "./order.ts";
import { placesFrom } from "./table.ts";

/** Merges the parts of an index into one order. */

/**
 * The items that have one value: all of them, unless there are too many to be sorted at once, or the test finds them.
 * `isWhole`: the index has the whole value of each, neither cut nor rounded.
 */
export type Group = { place: Spot; items: number[]; isWhole: boolean; isLarge: boolean; test?: BoundTest };

/** More was read than may be, or no index has the order. */
export class GaveUp extends Error {}

/** Which items of an index count. */
export type Sieve = {
  /** Those that were not met yet: the merge removes each that it meets, and ends when none is left. */
  unmet: Set<number>;
  /** How many rows of the index may be read to meet them; in a few parts, of each, for as many as are read at once. */
  maxRows: number;
};

/** How the items of a test are found in an order: in its rows, of which so many may be read for a page, or by sorting. */
export type BoundTest = RowTest & { maxRows: number; isSorted?: boolean };

/** A jump goes to the start of its value: past more items of one value it is not worth it. */
const maxJumped = 1000;
const maxPage = 500;
/** More rows are not kept in memory. */
const mostKept = 100;
/** So many parts of an index are tested by a statement for each. */
const fewParts = 8;
/** With so many items of one value read, the others need not be where a test finds those that are wanted. */
const probedItems = 128;

/** One part: the rows read of it that were not taken yet, and where its next page starts. */
type Part = { values: Value[]; after: Spot; unread: number; isEnd: boolean; page: number };
type Pending = Spot & { part: Part | undefined };

export type MergeOptions = {
  isDescending: boolean;
  /** Where to start: a spot before the first row. */
  from: Spot;
  /** Where to end: a spot that is not before the last row. Absent: at the end of the order. */
  to: Spot | undefined;
  /** Items that are not read from the index, with their spots. */
  extras: readonly Spot[];
  /** The items that these extras are, and those without a spot. */
  excluded: ReadonlySet<number>;
  /** Absent: every item counts. Only with `isExact` orders in which an item has one row. */
  sieve: Sieve | undefined;
  /** Absent: every item counts. Not with a sieve. */
  test: BoundTest | undefined;
  /** How many rows are expected to be enough. */
  expected: number;
  /** A group with more items is large. */
  maxGroup: number;
  /** For the `test` of groups. Absent: none is made. */
  ties?: Ties;
};

/** How the items of one value may be found in the order that follows. */
type Ties = {
  /** How many of its rows may be read for a page. */
  maxRows: number;
  /** So many items of a part are sorted, if they may be: there are no further keys, and none are skipped. */
  maxSorted: number;
  maySort(): boolean;
};

/** The rows of all parts of an index, in its order. */
export class Merge {
  private readonly on: Pick<TableReading, "sql" | "known">;
  private readonly order: IndexOrder;
  private readonly options: MergeOptions;
  private readonly parts: Part[];
  private readonly text: string;
  /** Whether the database tests for the items of the sieve. */
  private readonly isSieved: boolean;
  private pending: Pending[];
  private at = 0;
  /** Parts of which every row read was taken, and that may have more. */
  private dry: Part[];

  constructor(
    on: Pick<TableReading, "sql" | "known">,
    order: IndexOrder,
    parts: readonly Value[][],
    options: MergeOptions,
  ) {
    this.on = on;
    this.order = order;
    this.options = options;
    this.text = order.text(options.isDescending);
    this.isSieved = options.sieve !== undefined && parts.length <= fewParts;
    // Few rows are of the items of a sieve.
    const expected = options.sieve && !this.isSieved ? maxPage : options.expected;
    const page = Math.min(maxPage, Math.ceil(expected / Math.max(1, parts.length / 4)) + 1);
    this.parts = parts.map((values) => ({ values, after: options.from, unread: 0, isEnd: false, page }));
    this.dry = [...this.parts];
    const isAhead = (spot: Spot) => this.compare(spot, options.from) >= 0;
    this.pending = options.extras.filter(isAhead).map((spot) => ({ ...spot, part: undefined }));
    this.pending.sort(this.compare);
  }

  /** The groups of items with one value, in order. After a large group the rest of it is skipped. */
  async *groups(): AsyncGenerator<Group> {
    const { to, maxGroup } = this.options;
    let group: Group | undefined;
    for (;;) {
      const next = await this.take();
      const spot = next && to && this.compare(next, to) > 0 ? undefined : next;
      if (spot && group && isSameValue(group.place, spot)) {
        group.items.push(spot.item);
        group.isWhole &&= isWhole(spot);
        const { length } = group.items;
        const test = length === probedItems && group.isWhole ? await this.testOf(spot) : undefined;
        const isLarge = length > maxGroup;
        if (!isLarge && !test) continue;
        yield { ...group, isLarge, test };
        this.skip(group.place);
        group = undefined;
        continue;
      }
      if (group) yield group;
      if (!spot) return;
      group = { place: spot, items: [spot.item], isWhole: isWhole(spot), isLarge: false };
    }
  }

  private async take(): Promise<Spot | undefined> {
    while (this.dry.length > 0) await this.refill();
    const spot = this.pending[this.at++];
    if (spot) this.release(spot);
    return spot;
  }

  private release({ part }: Pending): void {
    if (part && --part.unread === 0 && !part.isEnd) this.dry.push(part);
  }

  /** Throws GaveUp when the sieve needs too many rows. */
  private async refill(): Promise<void> {
    const { dry: parts, isSieved } = this;
    const { excluded, sieve } = this.options;
    const test = sieve && isSieved ? isAmong(sieve) : this.options.test;
    const found = await (test ? this.tested(parts, test) : this.untested(parts));
    this.pending = this.pending.slice(this.at);
    this.at = 0;
    this.dry = [];
    for (const [i, part] of parts.entries()) {
      const rows = (found[i] ?? []).map(toSpot);
      part.isEnd = rows.length < part.page;
      part.after = rows.at(-1) ?? part.after;
      part.page = Math.min(maxPage, part.page * 2);
      if (sieve && !isSieved) sieve.maxRows -= rows.length;
      for (const spot of rows) {
        if (excluded.has(spot.item) || (sieve && !sieve.unmet.delete(spot.item))) continue;
        this.pending.push({ ...spot, part });
        part.unread++;
      }
      if (part.unread === 0 && !part.isEnd) this.dry.push(part);
    }
    if (sieve?.unmet.size === 0) this.end();
    else if (sieve && sieve.maxRows < 0) throw new GaveUp();
    this.pending.sort(this.compare);
  }

  /** The next rows of each part. */
  private untested(parts: readonly Part[]): MaybePromise<Row[][]> {
    const sets = parts.map((part) => [...this.placeOf(part), part.page]);
    return this.keptIfFew(parts, [this.text, sets], () => this.on.sql.rowsAll(this.text, sets, this.order.types));
  }

  /** The next rows of each part that the test accepts. Throws GaveUp when they are too far apart. */
  private tested(parts: readonly Part[], test: BoundTest): MaybePromise<Row[][]> {
    const { sql, items, values, maxRows, isSorted } = test;
    const next = this.order.types.length + 1;
    const at = placesFrom(next);
    if (isSorted && items && this.order.sortText) {
      const sorted = this.order.sortText(this.options.isDescending, items(at));
      const sets = parts.map((part) => [...this.placeOf(part), part.page, ...values]);
      return this.keptIfFew(parts, [sorted, sets], () =>
        Promise.all(sets.map((set) => this.on.sql.rows(sorted, ...set))),
      );
    }
    const last = next + values.length;
    // A semi-join would be free to read all rows before the first. That the order stays is no promise of SQL; both
    // engines keep it.
    const text = `SELECT * FROM (${this.text}) AS met
      WHERE (${sql(`met.${this.order.itemColumn}`, at)}) IS TRUE LIMIT ?${last}`;
    const rowsOf = async (part: Part): Promise<Row[]> => {
      const place = this.placeOf(part);
      const rows = await this.on.sql.rows(text, ...place, maxRows, ...values, part.page);
      if (rows.length < part.page && (await this.on.sql.row(`${this.text} OFFSET ?${next}`, ...place, 1, maxRows)))
        throw new GaveUp();
      return rows;
    };
    const name = [text, values, maxRows, parts.map((part) => [...this.placeOf(part), part.page])];
    return this.keptIfFew(parts, name, () => Promise.all(parts.map(rowsOf)));
  }

  /** Few rows are kept: lists with other conditions, or in another form, begin with the same. */
  private keptIfFew(
    parts: readonly Part[],
    name: readonly unknown[],
    read: () => MaybePromise<Row[][]>,
  ): MaybePromise<Row[][]> {
    const most = parts.reduce((sum, { page }) => sum + page, 0);
    return most <= mostKept ? this.on.known(JSON.stringify(name), read) : read();
  }

  /** For a value of many items; undefined where the database cannot tell which they are, or has no use for it. */
  private async testOf(place: Spot): Promise<BoundTest | undefined> {
    const { order, options } = this;
    const { ties } = options;
    if (!ties || !order.isAt || this.parts.length > fewParts) return undefined;
    const parts = this.parts.map(({ values }) => values);
    const name = JSON.stringify([this.text, parts, startOfValue(place, options.isDescending), ties.maxSorted]);
    const { isAtOnePlace, isMany } = await this.on.known(name, () => this.extentOf(place, parts, ties.maxSorted));
    if (!isAtOnePlace || !(isMany || ties.maySort())) return undefined;
    return { ...order.isAt(place), maxRows: ties.maxRows, isSorted: !isMany };
  }

  /** Whether all rows of a value are at one place, and whether a part has more than `most` of them. */
  private async extentOf(place: Spot, parts: readonly Value[][], most: number) {
    const { types, skipText, after } = this.order;
    const spots = (isDescending: boolean, offset: number) => {
      const text = `${skipText(isDescending)} OFFSET ?${types.length + 1}`;
      const from = startOfValue(place, isDescending);
      return parts.map(async (part) => {
        const row = await this.on.sql.row(text, ...part, ...after(from, part), 1, offset);
        return row && isSameValue(toSpot(row), place) ? [toSpot(row)] : [];
      });
    };
    const [ends, past] = await Promise.all([
      Promise.all([...spots(false, 0), ...spots(true, 0)]),
      Promise.all(spots(this.options.isDescending, most)),
    ]);
    // A number may be a text, too, or have more digits than a double.
    return { isAtOnePlace: ends.flat().every(({ text }) => text === place.text), isMany: past.flat().length > 0 };
  }

  private placeOf({ values, after }: Part): Value[] {
    return [...values, ...this.order.after(after, values)];
  }

  /** Reads no more rows. */
  private end(): void {
    for (const part of this.parts) part.isEnd = true;
    this.dry = [];
  }

  private skip(place: Spot): void {
    const end = endOfValue(place, this.options.isDescending);
    for (; this.at < this.pending.length; this.at++) {
      const spot = this.pending[this.at] as Pending;
      if (!isSameValue(spot, place)) break;
      this.release(spot);
    }
    for (const part of this.dry) part.after = end;
  }

  private compare = (a: Spot, b: Spot): number => {
    const compared = compareSpots(a, b);
    return this.options.isDescending ? -compared : compared;
  };
}

const isAmong = ({ unmet, maxRows }: Sieve): BoundTest => ({
  sql: (item, at) => `${item} IN (SELECT value FROM json_each(${at(0)}))`,
  values: [JSON.stringify([...unmet])],
  maxRows,
});

/**
 * Skips `count` rows of an index by the index itself: answers where to go on, at the first row of a value, and how many
 * rows are before that. Undefined where more than one part has rows, or the value has too many.
 */
export async function jump(
  sql: ReadSql,
  order: IndexOrder,
  parts: readonly Value[][],
  isDescending: boolean,
  count: number,
): Promise<{ parts: Value[][]; from: Spot; skipped: number } | undefined> {
  const text = order.text(isDescending);
  const start = order.start(isDescending);
  const firstOf = (part: readonly Value[]) => [...part, ...order.after(start, part), 1];
  const isFilled = parts.length === 1 ? [[1]] : await sql.rowsAll(text, parts.map(firstOf), order.types);
  const [part, other] = parts.filter((_, i) => (isFilled[i]?.length ?? 0) > 0);
  if (!part || other) return undefined;
  const skip = `${order.skipText(isDescending)} OFFSET ?${order.types.length + 1}`;
  const row = await sql.row(skip, ...firstOf(part), order.isUnique ? count - 1 : count);
  if (!row) return undefined;
  const spot = toSpot(row);
  if (order.isUnique) return { parts: [part], from: spot, skipped: count };
  const from = startOfValue(spot, isDescending);
  const group = await sql.rows(text, ...part, ...order.after(from, part), maxJumped);
  const before = group.findIndex((found) => toSpot(found).item === spot.item);
  return before < 0 ? undefined : { parts: [part], from, skipped: count - before };
}

const toSpot = ([kind, number, text, item]: Row): Spot => ({
  kind: kind as number,
  number: number as number,
  text: text as string,
  item: item as number,
});
