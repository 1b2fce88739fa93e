import { type Event, type EventNoun, kindFacts, namedBy } from "../event.ts";
import type { Cache } from "./noun.ts";

/**
 * How a cache treats the rows of one noun: the path that identifies them, their rough size, and the nouns whose events
 * change them.
 */
export type RowShape<T> = {
  pathOf: (row: T) => string;
  bytesOf: (row: T) => number;
  changedBy: readonly EventNoun[];
};

/** Rough bytes of a row in addition to its JSON: the object, its texts, values that the collection rules cache with it. */
export const overheadBytes = 512;

/** Rows that were read; above the byte budget it evicts the oldest. */
export class RowCache<T extends { readonly id: number }> implements Cache<T> {
  private readonly byPath = new Map<string, T>();
  private readonly byId = new Map<number, T>();
  /** Point reads that it answered, and those that it could not. */
  hits = 0;
  misses = 0;
  private bytes = 0;
  /** The rows after the last that was dropped to make room. */
  private oldest: MapIterator<T> | undefined;
  private readonly maxBytes: number;
  private readonly shape: RowShape<T>;

  constructor(maxBytes: number, shape: RowShape<T>) {
    this.maxBytes = maxBytes;
    this.shape = shape;
  }

  get(path: string): T | undefined {
    const row = this.byPath.get(path);
    if (row) this.hits++;
    else this.misses++;
    return row;
  }

  getById(id: number): T | undefined {
    return this.byId.get(id);
  }

  put(row: T): T {
    const path = this.shape.pathOf(row);
    this.drop(this.byPath.get(path));
    this.drop(this.byId.get(row.id));
    this.byPath.set(path, row);
    this.byId.set(row.id, row);
    this.bytes += this.shape.bytesOf(row);
    this.dropOldest();
    return row;
  }

  /**
   * Down to `maxBytes`. The walk goes on where the last one stopped: a new one passes the places of all that was dropped
   * before, thousands for each row. It ends when there is room, since it holds the tables that the map has grown out of.
   */
  private dropOldest(): void {
    if (this.bytes <= this.maxBytes) this.oldest = undefined;
    while (this.bytes > this.maxBytes && this.byPath.size > 0) {
      this.oldest ??= this.byPath.values();
      const { value, done } = this.oldest.next();
      if (done) this.oldest = undefined;
      else this.drop(value);
    }
  }

  forget(path: string): void {
    this.drop(this.byPath.get(path));
  }

  /** Drops the path and everything below it. */
  private forgetWithin(path: string): void {
    this.forget(path);
    const prefix = path === "" ? "" : `${path}/`;
    for (const [key, row] of this.byPath) if (key.startsWith(prefix)) this.drop(row);
  }

  apply(event: Event): void {
    const { noun, verb } = kindFacts(event.kind) ?? {};
    if (!noun || !this.shape.changedBy.includes(noun)) return;
    // An item that was deleted or moved alone has no descendants: a scan of all cached rows would be wasted. A restore of
    // a subtree may have changed nothing but one descendant.
    const hasSubtree = verb === "restore" || (event.count > 1 && (verb === "move" || verb === "delete"));
    for (const path of namedBy(event)) {
      if (hasSubtree) this.forgetWithin(path);
      else this.forget(path);
    }
  }

  clear(): void {
    this.byPath.clear();
    this.byId.clear();
    this.bytes = 0;
  }

  private drop(row: T | undefined): void {
    if (!row) return;
    this.byPath.delete(this.shape.pathOf(row));
    this.byId.delete(row.id);
    this.bytes -= this.shape.bytesOf(row);
  }
}
