/**
 * A cache of bytes by name; past its budget it evicts the least recently used. For bytes that never change under their
 * name.
 */
export class ByteCache {
  private readonly held = new Map<string, Uint8Array>();
  private bytes = 0;
  private readonly maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get(name: string): Uint8Array | undefined {
    const found = this.held.get(name);
    if (!found) return undefined;
    // A Map keeps insertion order: a key that is deleted and set again is the most recently used.
    this.held.delete(name);
    this.held.set(name, found);
    return found;
  }

  /** Caches the bytes; skips values larger than an eighth of the budget. */
  put(name: string, bytes: Uint8Array): void {
    if (bytes.length > this.maxBytes / 8 || this.held.has(name)) return;
    this.held.set(name, bytes);
    this.bytes += bytes.length;
    for (const [oldest, { length }] of this.held) {
      if (this.bytes <= this.maxBytes) break;
      this.held.delete(oldest);
      this.bytes -= length;
    }
  }
}
