import type { Slug } from "../../domain/path.ts";
import type { StoredEntry } from "./entry.ts";

/** Rough bytes of an entry beside its data: the object, its texts, what others keep by it. */
const overheadBytes = 512;

/** Entries that were read, the oldest going first past the byte budget. Who keeps it must drop what changes. */
export class EntryCache {
  private readonly bySlug = new Map<string, StoredEntry>();
  private readonly byId = new Map<number, StoredEntry>();
  private bytes = 0;
  private readonly maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get(slug: Slug): StoredEntry | undefined {
    return this.bySlug.get(slug);
  }

  getById(id: number): StoredEntry | undefined {
    return this.byId.get(id);
  }

  put(entry: StoredEntry): StoredEntry {
    this.drop(this.bySlug.get(entry.slug));
    this.drop(this.byId.get(entry.id));
    this.bySlug.set(entry.slug, entry);
    this.byId.set(entry.id, entry);
    this.bytes += size(entry);
    for (const oldest of this.bySlug.values()) {
      if (this.bytes <= this.maxBytes) break;
      this.drop(oldest);
    }
    return entry;
  }

  /** Forgets the entry and, where a whole subtree changed, all below it. */
  forget(slug: string, withSubtree: boolean): void {
    this.drop(this.bySlug.get(slug));
    if (!withSubtree) return;
    const prefix = `${slug}/`;
    for (const [key, entry] of this.bySlug) if (key.startsWith(prefix)) this.drop(entry);
  }

  private drop(entry: StoredEntry | undefined): void {
    if (!entry) return;
    this.bySlug.delete(entry.slug);
    this.byId.delete(entry.id);
    this.bytes -= size(entry);
  }
}

// Beside the data its reply is held, and its parsed form when a filter looked into it.
const size = (entry: StoredEntry): number => overheadBytes + 4 * entry.data.length;
