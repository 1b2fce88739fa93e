import { LRUCache } from "lru-cache";

/** Values by name within a budget of bytes; evicts the least recently used. */
export class ByteCache<V extends object> {
  private readonly cache: LRUCache<string, V>;
  private readonly maxBytes: number;
  private readonly bytesOf: (value: V) => number;

  constructor(maxBytes: number, bytesOf: (value: V) => number) {
    this.maxBytes = maxBytes;
    this.bytesOf = bytesOf;
    // The library takes neither a budget nor a size of 0.
    this.cache = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: (value: V) => Math.max(1, bytesOf(value)),
    });
  }

  get(name: string): V | undefined {
    return this.cache.get(name);
  }

  /** Caches the value under its name; skips one larger than an eighth of the budget. */
  put(name: string, value: V): void {
    if (this.bytesOf(value) <= this.maxBytes / 8) this.cache.set(name, value);
    else this.cache.delete(name);
  }
}

export const lengthOf = ({ length }: Uint8Array): number => length;
