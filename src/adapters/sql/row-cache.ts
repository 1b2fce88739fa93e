/** How a cache sees the rows of one noun: the path they are found by, and roughly what holding one takes. */
export type RowShape<T> = { pathOf: (row: T) => string; bytesOf: (row: T) => number };

/** Rows that were read, the oldest going first past the byte budget. Who keeps it must drop what changes. */
export class RowCache<T extends { readonly id: number }> {
  private readonly byPath = new Map<string, T>();
  private readonly byId = new Map<number, T>();
  private bytes = 0;
  private readonly maxBytes: number;
  private readonly shape: RowShape<T>;

  constructor(maxBytes: number, shape: RowShape<T>) {
    this.maxBytes = maxBytes;
    this.shape = shape;
  }

  get(path: string): T | undefined {
    return this.byPath.get(path);
  }

  getById(id: number): T | undefined {
    return this.byId.get(id);
  }

  put(row: T): T {
    const path = this.shape.pathOf(row);
    this.drop(this.byPath.get(path));
    this.drop(this.byId.get(row.id));
    this.byPath.set(path, row);
    this.byId.set(row.id, row);
    this.bytes += this.shape.bytesOf(row);
    for (const oldest of this.byPath.values()) {
      if (this.bytes <= this.maxBytes) break;
      this.drop(oldest);
    }
    return row;
  }

  forget(path: string): void {
    this.drop(this.byPath.get(path));
  }

  /** Forgets what is at the path and all below it. */
  forgetWithin(path: string): void {
    this.forget(path);
    const prefix = `${path}/`;
    for (const [key, row] of this.byPath) if (key.startsWith(prefix)) this.drop(row);
  }

  private drop(row: T | undefined): void {
    if (!row) return;
    this.byPath.delete(this.shape.pathOf(row));
    this.byId.delete(row.id);
    this.bytes -= this.shape.bytesOf(row);
  }
}
