import type { Event } from "../../domain/event.ts";
import type { Cache } from "./noun.ts";
import { eachNoun, type NounReads } from "./nouns.ts";

type CacheOf<Read> = Read extends { cache(bytes: number): infer C } ? C : undefined;
type Caches = { readonly [K in keyof NounReads]: CacheOf<NounReads[K]> };

/** The caches of the nouns that have one. The owner must pass it every event. */
export class ReadCache {
  readonly of: Caches;
  private readonly all: readonly Cache<unknown>[];

  /** `entryBytes` is the budget for entries. */
  constructor(entryBytes: number) {
    const made = eachNoun.map(([name, { point }]) => [name, point?.cache?.(entryBytes)] as const);
    this.of = Object.fromEntries(made) as Caches;
    this.all = made.flatMap(([, cache]) => (cache ? [cache] : []));
  }

  /** Drops what the event changed. */
  apply(event: Event): void {
    for (const cache of this.all) cache.apply(event);
  }

  clear(): void {
    for (const cache of this.all) cache.clear();
  }
}
