import { LRUCache } from "lru-cache";

/** Bytes by name; evicts the least recently used above the budget. For immutable bytes. */
export class ByteCache {
  private readonly cache: LRUCache<string, Uint8Array>;
  private readonly maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    // The library takes neither a budget nor a size of 0.
    const sizeCalculation = ({ length }: Uint8Array) => Math.max(1, length);
    this.cache = new LRUCache({ maxSize: Math.max(1, maxBytes), sizeCalculation });
  }

  get(name: string): Uint8Array | undefined {
    return this.cache.get(name);
  }

  /** Caches the bytes; skips values larger than an eighth of the budget. */
  put(name: string, bytes: Uint8Array): void {
    if (bytes.length <= this.maxBytes / 8 && !this.cache.has(name)) this.cache.set(name, bytes);
  }
}
