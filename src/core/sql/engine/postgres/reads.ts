import type { Reader } from "../../../access/access.ts";
import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import { type Indexed, type IndexedTable, readItems } from "../../index/table.ts";
import { type Cache, type ItemsById, keyAlone, type NounSet, type Point, type PointRead } from "../../noun.ts";
import type { ReadCache } from "../../read-cache.ts";
import type { ReadSql, Sql } from "../../sql.ts";
import { type PointReads, pointReads } from "../../store.ts";
import type { PostgresFeed } from "./feed.ts";

/**
 * Reads of a node: point reads from its cache while the feed is fresh (see `PostgresFeed`), unless the current value is
 * requested; items in a snapshot from the cache where it is of the same moment.
 */
export class PostgresReads {
  readonly points: PointReads;
  private readonly sql: Sql;
  private readonly cache: ReadCache;
  private readonly feed: PostgresFeed;

  constructor(nouns: NounSet, sql: Sql, cache: ReadCache, feed: PostgresFeed) {
    this.sql = sql;
    this.cache = cache;
    this.feed = feed;
    this.points = pointReads(nouns, cache, (read, own) => this.pointOf(read, own));
  }

  /** Items as in a snapshot whose newest event is that which `newestOf` answers. */
  itemsIn(sql: ReadSql, newestOf: () => MaybePromise<number | undefined>): ItemsById {
    return (table, ids) => this.itemsById(sql, newestOf, table, ids);
  }

  private async *itemsById<Item extends Indexed>(
    sql: ReadSql,
    newestOf: () => MaybePromise<number | undefined>,
    table: IndexedTable<Item>,
    ids: Iterable<number>,
  ): AsyncIterable<Item[]> {
    const cache = this.cache.rowsOf(table);
    const sequence = await newestOf();
    const isSame = () => this.feed.isFresh && this.feed.sequence === sequence;
    const known: Item[] = [];
    const missing: number[] = [];
    const isKnown = isSame();
    for (const id of ids) {
      const item = isKnown ? cache?.getById(id) : undefined;
      if (item) known.push(item);
      else missing.push(id);
    }
    if (known.length > 0) yield known;
    if (missing.length === 0) return;
    for await (const items of readItems(sql, table, missing)) {
      const newest = await newestOf();
      yield cache && isSame() && newest === sequence ? items.map((item) => cache.put(item)) : items;
    }
  }

  private pointOf<T>(
    { text, values = keyAlone, toValue, isLive }: PointRead<T>,
    cache: Cache<T> | undefined,
  ): Point<T> {
    const { feed } = this;
    const read = async (key: string, nowSeconds = 0): Promise<T | undefined> => {
      const row = await this.sql.row(text, ...values(key));
      const value = row && toValue(row);
      return value !== undefined && (!isLive || isLive(value, nowSeconds)) ? value : undefined;
    };
    const readAll = (keys: readonly string[]) => this.readAll({ text, values, toValue }, keys);
    if (!cache) return { cached: read, current: read, all: readAll };
    const current = (key: string, nowSeconds?: number) => this.readAndKeep(read, cache, key, nowSeconds);
    const cached = (key: string, nowSeconds = 0): MaybePromise<T | undefined> => {
      const known = cache.get(key);
      const isKnown = known !== undefined && (!isLive || isLive(known, nowSeconds));
      return isKnown && feed.isFresh ? known : current(key, nowSeconds);
    };
    const all = async (keys: readonly string[], reader: Reader) => {
      const known = reader === "delivery" && feed.isFresh ? keys.map((key) => cache.get(key)) : [];
      const missing = keys.filter((_, i) => known[i] === undefined);
      const { generation } = feed;
      const found = missing.length === 0 ? [] : await readAll(missing);
      if (feed.isFresh && feed.generation === generation)
        for (const [i, value] of found.entries()) if (value !== undefined) cache.put(value, missing[i] as string);
      let next = 0;
      return keys.map((_, i) => known[i] ?? found[next++]);
    };
    return { cached, current, all };
  }

  private async readAll<T>(
    { text, values = keyAlone, toValue }: PointRead<T>,
    keys: readonly string[],
  ): Promise<(T | undefined)[]> {
    const sets = keys.map(values);
    const found = await this.sql.rowsAll(text, sets, sets[0]?.map(() => "text") ?? []);
    return found.map(([row]) => row && toValue(row));
  }

  /** Caches what was read unless an event was received during the read: the event may have changed it. */
  private async readAndKeep<T>(
    read: (key: string, nowSeconds?: number) => Promise<T | undefined>,
    cache: Cache<T>,
    key: string,
    nowSeconds?: number,
  ): Promise<T | undefined> {
    const { generation, isFresh } = this.feed;
    const value = await read(key, nowSeconds);
    if (value !== undefined && isFresh && this.feed.generation === generation) cache.put(value, key);
    return value;
  }
}
