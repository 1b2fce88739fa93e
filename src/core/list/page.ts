import { problem } from "../problem.ts";
import type { Cursor } from "./cursor.ts";
import type { Reference } from "./include.ts";
import type { Rank } from "./order.ts";

/**
 * A possible item of the answer, held until the last candidate was read. `json` is the item as it will be returned,
 * `jsonBytes` its length as UTF-8, `leads` which fields of the query's `include` it has.
 */
export type Held = Rank & {
  json: string;
  jsonBytes: number;
  group: string;
  references?: readonly Reference[];
  leads?: readonly boolean[];
};

/** Which part of the order makes the page: `limit` items after the first `offset`, and at most `pageBytes`. */
export type Window = { offset: number; limit: number; pageBytes: number; heldBytes: number };

const tooMuchHeld = () =>
  problem("filter_too_complex", {
    rule: "too much would have to be held to sort this; ask for a smaller offset or limit, or go on from page to page",
  });

/** The bytes that an item takes in a page. */
export const bytesOf = ({ jsonBytes, references }: Pick<Held, "jsonBytes" | "references">): number =>
  jsonBytes + 1 + (references ? referenceBytes * references.length : 0);

/** Rough bytes of a reference. */
const referenceBytes = 100;

/** The bytes that an item takes while it is held: a projection may be smaller than the values it is sorted by. */
const heldBytesOf = (held: Held): number =>
  held.values.reduce<number>((sum, value) => sum + (value?.length ?? 0), bytesOf(held));

/**
 * The first items of a stream in order, without holding the rest: each time enough are collected they are sorted, those
 * that can no longer be in the page are dropped, and later items must sort before the dropped ones.
 */
export class Page {
  private held: Held[] = [];
  private bytes = 0;
  private bytesAfterTrim = 0;
  private cutoff: Rank | undefined;
  private readonly compare: (a: Rank, b: Rank) => number;
  private readonly window: Window;
  private readonly slack: number;

  /** `isSorted`: the items are in order already, so the first one beyond the page is known at once. */
  constructor(compare: (a: Rank, b: Rank) => number, window: Window, isSorted = false) {
    this.compare = compare;
    this.window = window;
    this.slack = isSorted ? 0 : 1;
  }

  /** True once an item was dropped: there are more items than the page holds. */
  get hasMore(): boolean {
    return this.cutoff !== undefined;
  }

  /** Offers an item; `hold` is called only when it may be in the page. Throws filter_too_complex above `heldBytes`. */
  add(rank: Rank, hold: () => Held): void {
    if (this.cutoff && this.compare(rank, this.cutoff) >= 0) return;
    const held = hold();
    this.held.push(held);
    this.bytes += heldBytesOf(held);
    const { offset, limit, pageBytes } = this.window;
    const most = offset + limit + this.slack * (offset + limit + 64);
    if (this.held.length > most || this.bytes > this.bytesAfterTrim * this.slack + pageBytes) this.trim();
    if (this.bytes > this.window.heldBytes) this.relieve();
  }

  /** The page, in order. */
  items(): Held[] {
    this.trim();
    return this.held.slice(this.window.offset);
  }

  /** Drops at least half, or each further item would cost a whole sort. */
  private relieve(): void {
    this.trim();
    if (this.bytes > this.window.heldBytes / 2) throw tooMuchHeld();
  }

  private trim(): void {
    this.held.sort(this.compare);
    const end = this.end();
    this.cutoff = this.held[end] ?? this.cutoff;
    this.held.length = Math.min(end, this.held.length);
    this.bytes = this.held.reduce((sum, held) => sum + heldBytesOf(held), 0);
    this.bytesAfterTrim = this.bytes;
  }

  /**
   * The first position that cannot be in the page. Later items can only move an item back, so once the items between
   * the offset and an item fill the bytes, they still do afterwards. The first item is never too large.
   */
  private end(): number {
    const { offset, limit, pageBytes } = this.window;
    let bytes = 0;
    for (let i = offset; i < Math.min(offset + limit, this.held.length); i++) {
      bytes += bytesOf(this.held[i] as Held);
      if (bytes > pageBytes && i > offset) return i;
    }
    return offset + limit;
  }
}

/** Items for which it is not known yet whether they sort after a cursor. */
export class Undecided {
  private readonly held: Held[] = [];
  private bytes = 0;
  private readonly heldBytes: number;

  constructor(heldBytes: number) {
    this.heldBytes = heldBytes;
  }

  /** Throws filter_too_complex above `heldBytes`. */
  add(held: Held): void {
    this.held.push(held);
    this.bytes += heldBytesOf(held);
    if (this.bytes > this.heldBytes) throw tooMuchHeld();
  }

  /** The items after the cursor, once every item was read. Throws cursor_invalid when that is still unknown. */
  decide(after: Cursor | undefined): Held[] {
    return this.held.filter((held) => {
      const place = after?.compare(held);
      if (place === undefined) throw problem("cursor_invalid");
      return place > 0;
    });
  }
}

/** `size` items of a stream of unknown length, each with equal probability (Vitter's algorithm R). */
export class Sample {
  private readonly held: Held[] = [];
  private bytes = 0;
  private seen = 0;
  private readonly size: number;
  private readonly heldBytes: number;
  private readonly random: () => number;

  constructor(size: number, heldBytes: number, random: () => number) {
    this.size = size;
    this.heldBytes = heldBytes;
    this.random = random;
  }

  /** Throws filter_too_complex above `heldBytes`. */
  add(hold: () => Held): void {
    const place = this.seen < this.size ? this.seen : Math.floor(this.random() * (this.seen + 1));
    this.seen++;
    if (place >= this.size) return;
    const before = this.held[place];
    const held = hold();
    this.held[place] = held;
    this.bytes += bytesOf(held) - (before ? bytesOf(before) : 0);
    if (this.bytes > this.heldBytes) throw tooMuchHeld();
  }

  items(): Held[] {
    return this.held;
  }
}

/** The items in random order (Fisher and Yates). `random` returns numbers from 0 up to but not including 1. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
  return list;
}

/** The first items of a list that fit in a page; at least one item. */
export function withinBytes(items: readonly Held[], pageBytes: number): Held[] {
  let bytes = 0;
  const end = items.findIndex((held, i) => {
    bytes += bytesOf(held);
    return bytes > pageBytes && i > 0;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}
