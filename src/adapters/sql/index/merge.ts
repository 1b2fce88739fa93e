import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import type { TableReading } from "../noun.ts";
import type { ReadSql, Row, Value } from "../sql.ts";
import { compareSpots, endOfValue, type IndexOrder, isSameValue, isWhole, type Spot, startOfValue } from "./order.ts";

/** Merges the parts of an index into one order. */

/**
 * The items that have one value: all of them, unless there are too many to be sorted at once. `isWhole`: the index has
 * the whole value of each, neither cut nor rounded.
 */
export type Group = { place: Spot; items: number[]; isWhole: boolean; isLarge: boolean };

/** More was read than may be, or no index has the order. */
export class GaveUp extends Error {}

/** Which items of an index count. */
export type Sieve = {
  /** Those that were not met yet: the merge removes each that it meets, and ends when none is left. */
  unmet: Set<number>;
  /** How many rows of the index may be read to meet them; in a few parts, of each, for as many as are read at once. */
  maxRows: number;
};

/** A jump goes to the start of its value: past more items of one value it is not worth it. */
const maxJumped = 1000;
const maxPage = 500;
/** More rows are not kept in memory. */
const mostKept = 100;
/** In so many parts of an index the database finds the items of a sieve, by a statement for each. */
const fewParts = 8;

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
  /** How many rows are expected to be enough. */
  expected: number;
  /** A group with more items is large. */
  maxGroup: number;
};

/** The rows of all parts of an index, in its order. */
export class Merge {
  private readonly on: Pick<TableReading, "sql" | "known">;
  private readonly order: IndexOrder;
  private readonly options: MergeOptions;
  private readonly parts: Part[];
  private readonly text: string;
  /** Whether the database finds the items of the sieve. */
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
        if (group.items.length <= maxGroup) continue;
        yield { ...group, isLarge: true };
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
    const found = await (sieve && isSieved ? this.sieved(parts, sieve) : this.unsieved(parts));
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

  /** The next rows of each part. Few are kept: lists with other conditions, or in another form, begin with the same. */
  private unsieved(parts: readonly Part[]): MaybePromise<Row[][]> {
    const sets = parts.map((part) => [...this.placeOf(part), part.page]);
    const read = () => this.on.sql.rowsAll(this.text, sets, this.order.types);
    const most = parts.reduce((sum, { page }) => sum + page, 0);
    return most <= mostKept ? this.on.known(JSON.stringify([this.text, sets]), read) : read();
  }

  /** The next rows of each part that are of items in the sieve. Throws GaveUp when they are too far apart. */
  private sieved(parts: readonly Part[], { unmet, maxRows }: Sieve): Promise<Row[][]> {
    const ids = JSON.stringify([...unmet]);
    const next = this.order.types.length + 1;
    // The database drops the others: most of the time of a row is its way here. A semi-join would be free to read all
    // rows before the first. That the order stays is no promise of SQL; both engines keep it.
    const text = `SELECT * FROM (${this.text}) AS met
      WHERE (${this.order.itemColumn} IN (SELECT value FROM json_each(?${next}))) IS TRUE LIMIT ?${next + 1}`;
    const rowsOf = async (part: Part): Promise<Row[]> => {
      const place = this.placeOf(part);
      const rows = await this.on.sql.rows(text, ...place, maxRows, ids, part.page);
      if (rows.length < part.page && (await this.on.sql.row(`${this.text} OFFSET ?${next}`, ...place, 1, maxRows)))
        throw new GaveUp();
      return rows;
    };
    return Promise.all(parts.map(rowsOf));
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
