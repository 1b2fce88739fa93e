import type { MaybePromise } from "../../lib/maybe-promise.ts";

/**
 * The value of this name as it was last read, while the store has not changed since; otherwise what `read` answers. It
 * must depend on the store alone, not on the time. Undefined is not kept.
 */
export type Known = <T>(name: string, read: () => MaybePromise<T>) => MaybePromise<T>;

/** Where nothing is kept. */
export const readAlways: Known = (_name, read) => read();

/** Clients choose the names: bounds keep a flood of them from filling the memory. */
const maxFacts = 1000;
const maxNameLength = 1000;

/** What was read of one version of the store, by name. See Known. */
export class Facts {
  private version = Number.NEGATIVE_INFINITY;
  private readonly values = new Map<string, unknown>();

  /** The facts of this version, for reads that see no other. */
  of(version: number): Known {
    return async <T>(name: string, read: () => MaybePromise<T>) => {
      const known = this.find<T>(version, name);
      if (known !== undefined) return known;
      const value = await read();
      this.keep(version, name, value);
      return value;
    };
  }

  /** Undefined when it was not read of this version. */
  find<T>(version: number, name: string): T | undefined {
    return version === this.version ? (this.values.get(name) as T | undefined) : undefined;
  }

  /** Forgets what was read of an older version; ignores what was read of an older one. */
  keep(version: number, name: string, value: unknown): void {
    if (version < this.version || value === undefined || name.length > maxNameLength) return;
    if (version > this.version || this.values.size >= maxFacts) this.values.clear();
    this.version = version;
    this.values.set(name, value);
  }
}
