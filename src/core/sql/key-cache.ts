import { type Event, type EventNoun, kindFacts } from "../event.ts";
import type { Cache } from "./noun.ts";

/**
 * A cache of values by a key that is not a path. `changedBy` names the noun whose events have the key as their subject;
 * any event of one of `clearedBy` clears the cache. So does exceeding `max` values.
 */
export class KeyCache<T> implements Cache<T> {
  private readonly values = new Map<string, T>();
  private readonly options: { changedBy?: EventNoun; clearedBy: readonly EventNoun[]; max: number };

  constructor(options: KeyCache<T>["options"]) {
    this.options = options;
  }

  get(key: string): T | undefined {
    return this.values.get(key);
  }

  put(value: T, key: string): void {
    if (this.values.size >= this.options.max) this.values.clear();
    this.values.set(key, value);
  }

  apply({ kind, subject }: Event): void {
    const noun = kindFacts(kind)?.noun;
    if (noun === undefined) return;
    if (this.options.clearedBy.includes(noun)) this.clear();
    else if (noun === this.options.changedBy) this.values.delete(subject);
  }

  clear(): void {
    this.values.clear();
  }
}
