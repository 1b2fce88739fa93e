/** Bytes by name, those not asked for longest going first past the budget. For what never changes under its name. */
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
    // A Map keeps the order of setting: what is set anew is the youngest.
    this.held.delete(name);
    this.held.set(name, found);
    return found;
  }

  /** Keeps the bytes; of what is larger than an eighth of the budget nothing is kept. */
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
