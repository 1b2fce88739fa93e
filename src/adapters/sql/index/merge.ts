import type { Row, Sql, Value } from "../sql.ts";
import { compareSpots, endOfValue, type IndexOrder, isSameValue, type Spot, startOfValue } from "./order.ts";

/** Merges the parts of an index into one order. */

/** The entries that have one value: all of them, unless there are too many to be sorted at once. */
export type Group = { place: Spot; entries: number[]; isLarge: boolean };

/** A group with more entries is large. */
const maxGroup = 1000;
const maxPage = 500;

/** One part: the rows read of it that were not taken yet, and where its next page starts. */
type Part = { values: Value[]; after: Spot; unread: number; isEnd: boolean; page: number };
type Pending = Spot & { part: Part | undefined };

export type MergeOptions = {
  isDescending: boolean;
  /** Where to start: a spot before the first row. */
  from: Spot;
  /** Entries that are not read from the index, with their spots. */
  extras: readonly Spot[];
  /** The entries that these extras are, and those without a spot. */
  excluded: ReadonlySet<number>;
  /** How many rows are expected to be enough. */
  expected: number;
};

/** The rows of all parts of an index, in its order. */
export class Merge {
  private readonly sql: Sql;
  private readonly order: IndexOrder;
  private readonly options: MergeOptions;
  private readonly parts: Part[];
  private readonly text: string;
  private pending: Pending[];
  private at = 0;
  /** Parts of which every row read was taken, and that may have more. */
  private dry: Part[];

  constructor(sql: Sql, order: IndexOrder, parts: readonly Value[][], options: MergeOptions) {
    this.sql = sql;
    this.order = order;
    this.options = options;
    this.text = order.text(options.isDescending);
    const page = Math.min(maxPage, Math.ceil(options.expected / Math.max(1, parts.length / 4)) + 1);
    this.parts = parts.map((values) => ({ values, after: options.from, unread: 0, isEnd: false, page }));
    this.dry = [...this.parts];
    const isAhead = (spot: Spot) => this.compare(spot, options.from) >= 0;
    this.pending = options.extras.filter(isAhead).map((spot) => ({ ...spot, part: undefined }));
    this.pending.sort(this.compare);
  }

  /** The groups of entries with one value, in order. After a large group the rest of it is skipped. */
  async *groups(): AsyncGenerator<Group> {
    let group: Group | undefined;
    for (;;) {
      const spot = await this.take();
      if (spot && group && isSameValue(group.place, spot)) {
        group.entries.push(spot.entry);
        if (group.entries.length <= maxGroup) continue;
        yield { ...group, isLarge: true };
        this.skip(group.place);
        group = undefined;
        continue;
      }
      if (group) yield group;
      if (!spot) return;
      group = { place: spot, entries: [spot.entry], isLarge: false };
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

  private async refill(): Promise<void> {
    const { order, options, dry: parts } = this;
    const sets = parts.map(({ values, after, page }) => [...values, ...order.valuesOf(after), page]);
    const found = await this.sql.rowsAll(this.text, sets, order.types);
    this.pending = this.pending.slice(this.at);
    this.at = 0;
    this.dry = [];
    for (const [i, part] of parts.entries()) {
      const rows = (found[i] ?? []).map(toSpot);
      part.isEnd = rows.length < part.page;
      part.after = rows.at(-1) ?? part.after;
      part.page = Math.min(maxPage, part.page * 2);
      for (const spot of rows) {
        if (options.excluded.has(spot.entry)) continue;
        this.pending.push({ ...spot, part });
        part.unread++;
      }
      if (part.unread === 0 && !part.isEnd) this.dry.push(part);
    }
    this.pending.sort(this.compare);
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
  sql: Sql,
  order: IndexOrder,
  parts: readonly Value[][],
  isDescending: boolean,
  count: number,
): Promise<{ parts: Value[][]; from: Spot; skipped: number } | undefined> {
  const text = order.text(isDescending);
  const start = order.valuesOf(order.start(isDescending));
  const isFilled = await sql.rowsAll(
    text,
    parts.map((part) => [...part, ...start, 1]),
    order.types,
  );
  const [part, other] = parts.filter((_, i) => (isFilled[i]?.length ?? 0) > 0);
  if (!part || other) return undefined;
  const skip = `${text} OFFSET ?${order.types.length + 1}`;
  const row = await sql.row(skip, ...part, ...start, 1, order.isUnique ? count - 1 : count);
  if (!row) return undefined;
  const spot = toSpot(row);
  if (order.isUnique) return { parts: [part], from: spot, skipped: count };
  const from = startOfValue(spot, isDescending);
  const group = await sql.rows(text, ...part, ...order.valuesOf(from), maxGroup);
  const before = group.findIndex((found) => toSpot(found).entry === spot.entry);
  return before < 0 ? undefined : { parts: [part], from, skipped: count - before };
}

const toSpot = ([kind, number, text, entry]: Row): Spot => ({
  kind: kind as number,
  number: number as number,
  text: text as string,
  entry: entry as number,
});
