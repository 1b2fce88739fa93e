import type { Event } from "../event.ts";
import type { Indexed, IndexedTable } from "./index/table.ts";
import type { Cache, NounSet } from "./noun.ts";
import { RowCache } from "./row-cache.ts";

/** The caches of the nouns that have one. The owner must pass it every event. */
export class ReadCache {
  /** By the name of the noun. */
  readonly of: Readonly<Record<string, Cache<unknown> | undefined>>;
  private readonly all: readonly Cache<unknown>[];
  private readonly byTable: ReadonlyMap<string, unknown>;

  /** `entryBytes` is the budget for entries. */
  constructor({ each }: NounSet, entryBytes: number) {
    const made = each.map(([name, { point }]) => [name, point?.cache?.(entryBytes)] as const);
    this.of = Object.fromEntries(made);
    this.all = made.flatMap(([, cache]) => (cache ? [cache] : []));
    this.byTable = new Map(each.flatMap(([name, { index }]) => (index ? [[index.name, this.of[name]]] : [])));
  }

  /** The cache of the noun with this table; undefined when it has none. */
  rowsOf<Item extends Indexed>({ name }: IndexedTable<Item>): RowCache<Item> | undefined {
    const cache = this.byTable.get(name);
    return cache instanceof RowCache ? cache : undefined;
  }

  /** What the caches of rows did since the start. */
  get figures(): { cacheHits: number; cacheMisses: number } {
    const rows = this.all.filter((cache) => cache instanceof RowCache);
    const sumOf = (name: "hits" | "misses") => rows.reduce((sum, cache) => sum + cache[name], 0);
    return { cacheHits: sumOf("hits"), cacheMisses: sumOf("misses") };
  }

  /** Drops what the event changed. */
  apply(event: Event): void {
    for (const cache of this.all) cache.apply(event);
  }

  clear(): void {
    for (const cache of this.all) cache.clear();
  }
}
