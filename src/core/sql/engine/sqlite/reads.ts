import { isProblem } from "../../../problem.ts";
import { eventColumns, toEvent } from "../../event.ts";
import type { Indexed, IndexedTable } from "../../index/table.ts";
import { type Cache, keyAlone, type NounSet, type Point, type PointRead } from "../../noun.ts";
import { ReadCache } from "../../read-cache.ts";
import { numberIn } from "../../sql.ts";
import { type PointReads, pointReads } from "../../store.ts";
import type { SqliteLink } from "./link.ts";

/** Items that are read before their bytes are counted. */
const itemsAtOnce = 16;

/**
 * The point reads of the main thread, with a cache that is never stale: `PRAGMA data_version` says, once per turn of
 * the event loop, whether any other connection committed; the event log says what to drop.
 */
export class SqliteReads {
  readonly points: PointReads;
  private readonly link: SqliteLink;
  private readonly cache: ReadCache;
  private isChecked = false;
  private version = -1;
  /** The link's reads when the version was checked. */
  private readsAtCheck = 0;
  private lastSequence: number;

  constructor(nouns: NounSet, link: SqliteLink, cacheBytes: number) {
    this.link = link;
    this.cache = new ReadCache(nouns, cacheBytes);
    this.points = pointReads(nouns, this.cache, (read, cache) => this.pointOf(read, cache));
    this.lastSequence = this.newestSequence();
  }

  get figures(): ReadCache["figures"] {
    return this.cache.figures;
  }

  /** Items by number: from the cache of their noun if it has one. */
  *itemsById<Item extends Indexed>(table: IndexedTable<Item>, ids: Iterable<number>): Iterable<Item[]> {
    const { name, select, toItem } = table;
    const text = `${select} WHERE ${name}.id = ?1`;
    const cache = this.cache.rowsOf(table);
    let items: Item[] = [];
    this.check();
    for (const id of ids) {
      const known = cache?.getById(id);
      const row = known ? undefined : this.link.row(text, id);
      if (known) items.push(known);
      else if (row) items.push(cache ? cache.put(toItem(row)) : toItem(row));
      if (items.length < itemsAtOnce) continue;
      yield items;
      items = [];
      this.check();
    }
    if (items.length > 0) yield items;
  }

  private pointOf<T>(
    { text, values = keyAlone, toValue, isLive }: PointRead<T>,
    cache: Cache<T> | undefined,
  ): Point<T> {
    const read = (key: string): T | undefined => {
      const row = this.link.row(text, ...values(key));
      return row && toValue(row);
    };
    if (!cache) return { cached: read, current: read, all: (keys) => keys.map((key) => read(key)) };
    const find = (key: string, nowSeconds = 0): T | undefined => {
      this.check();
      const known = cache.get(key);
      if (known !== undefined && (!isLive || isLive(known, nowSeconds))) return known;
      const value = read(key);
      if (value === undefined || (isLive && !isLive(value, nowSeconds))) return undefined;
      cache.put(value, key);
      return value;
    };
    return { cached: find, current: find, all: (keys) => keys.map((key) => find(key)) };
  }

  /**
   * What `read` answers on a store that does not change meanwhile: after a commit it reads once more. Undefined when the
   * store has changed again.
   */
  async unchanged<T>(read: () => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; tries < 2; tries++) {
      const version = this.currentVersion();
      const isSame = () => {
        // Without a read since the check, all that is in memory is of that version.
        if (this.link.reads > this.readsAtCheck) this.recheck();
        return this.currentVersion() === version;
      };
      try {
        const value = await read();
        if (isSame()) return value;
      } catch (error) {
        if (isSame()) throw error;
      }
    }
    return undefined;
  }

  /** Changes with every commit of another connection: this one does not write. */
  currentVersion(): number {
    this.check();
    return this.version;
  }

  /** The newest event, of which all that is read now or later knows. */
  currentSequence(): number {
    this.check();
    return this.lastSequence;
  }

  /** Makes the next read check again in this turn: a write of this process has just been acknowledged. */
  recheck = (): void => {
    this.isChecked = false;
  };

  private check(): void {
    if (this.isChecked) return;
    const version = numberIn(this.link.row("PRAGMA data_version"));
    if (version !== this.version) this.forgetChanged();
    // Not before: after a failed check nothing is known, and the next read checks again.
    this.version = version;
    this.readsAtCheck = this.link.reads;
    this.isChecked = true;
    setImmediate(this.recheck);
  }

  private forgetChanged(): void {
    const text = `SELECT ${eventColumns} FROM event WHERE sequence > ?1 ORDER BY sequence`;
    const events = unlessDamaged(() => this.link.rows(text, this.lastSequence));
    // Any row of the table may have changed. Reads of other tables continue.
    if (!events) this.cache.clear();
    for (const event of (events ?? []).map(toEvent)) {
      this.lastSequence = event.sequence;
      this.cache.apply(event);
    }
  }

  private newestSequence(): number {
    const row = unlessDamaged(() => this.link.row("SELECT coalesce(max(sequence), 0) FROM event"));
    return row ? numberIn(row) : 0;
  }
}

/** The result; undefined where the table is damaged. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isProblem(error, "store_damaged")) return undefined;
    throw error;
  }
}
