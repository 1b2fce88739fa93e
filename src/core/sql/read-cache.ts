import { eachNoun, type NounReads } from "../../nouns.ts";
import type { Event } from "../event.ts";
import type { Indexed, IndexedTable } from "./index/table.ts";
import type { Cache } from "./noun.ts";
import { RowCache } from "./row-cache.ts";

type CacheOf<Read> = Read extends { cache(bytes: number): infer C } ? C : undefined;
type Caches = { readonly [K in keyof NounReads]: CacheOf<NounReads[K]> };

/** The caches of the nouns that have one. The owner must pass it every event. */
export class ReadCache {
  readonly of: Caches;
  private readonly all: readonly Cache<unknown>[];
  private readonly byTable: ReadonlyMap<string, unknown>;

  /** `entryBytes` is the budget for entries. */
  constructor(entryBytes: number) {
    const made = eachNoun.map(([name, { point }]) => [name, point?.cache?.(entryBytes)] as const);
    this.of = Object.fromEntries(made) as Caches;
    this.all = made.flatMap(([, cache]) => (cache ? [cache] : []));
    const caches: Readonly<Record<string, Cache<unknown> | undefined>> = this.of;
    this.byTable = new Map(eachNoun.flatMap(([name, { index }]) => (index ? [[index.name, caches[name]]] : [])));
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
