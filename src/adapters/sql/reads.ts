import type { Event } from "../../domain/event.ts";
import { nameOf, type Path, parentOf, type Slug } from "../../domain/path.ts";
import type { Token } from "../../domain/token.ts";
import { entryByIdSql, findEntrySql, type StoredEntry, toEntry } from "./entry.ts";
import { toEvent } from "./event.ts";
import { findFileSql, type StoredFile, toFile } from "./file-row.ts";
import { findFolderSql, type StoredFolder, toFolder } from "./folder.ts";
import { RowCache, type RowShape } from "./row-cache.ts";
import type { Sqlite } from "./sqlite.ts";
import { findTokenSql, toToken } from "./token.ts";

/** Rough bytes of a row beside its JSON: the object, its texts, what others keep by it. */
const overheadBytes = 512;
// Beside the data its reply is held, and its parsed form when a filter looked into it.
const entryShape: RowShape<StoredEntry> = {
  pathOf: ({ slug }) => slug,
  bytesOf: ({ data }) => overheadBytes + 4 * data.length,
};
const fileShape: RowShape<StoredFile> = {
  pathOf: ({ path }) => path,
  bytesOf: ({ meta, description }) => overheadBytes + 2 * (meta.length + description.length),
};
/** Some 8,000 files. */
const fileCacheBytes = 5 * 1024 * 1024;

/**
 * The point reads of the main thread, with a cache of entries, files and tokens that is never stale: `PRAGMA
 * data_version` says, once a turn of the event loop, whether any other connection committed; the event log says what to
 * drop.
 */
export class PointReads {
  private readonly sqlite: Sqlite;
  private readonly entries: RowCache<StoredEntry>;
  private readonly files = new RowCache<StoredFile>(fileCacheBytes, fileShape);
  private readonly tokens = new Map<string, Token>();
  private isChecked = false;
  private version = -1;
  private lastSequence: number;

  constructor(sqlite: Sqlite, cacheBytes: number) {
    this.sqlite = sqlite;
    this.entries = new RowCache(cacheBytes, entryShape);
    this.lastSequence = this.newestSequence();
  }

  findEntry(slug: Slug): StoredEntry | undefined {
    this.check();
    const cached = this.entries.get(slug);
    if (cached) return cached;
    const row = this.sqlite.row(findEntrySql, slug);
    return row && this.entries.put(toEntry(row));
  }

  entryById(id: number): StoredEntry | undefined {
    this.check();
    const cached = this.entries.getById(id);
    if (cached) return cached;
    const row = this.sqlite.row(entryByIdSql, id);
    return row && this.entries.put(toEntry(row));
  }

  findFolder(path: Path): StoredFolder | undefined {
    const row = this.sqlite.row(findFolderSql, path);
    return row && toFolder(row);
  }

  findFile(path: Path): StoredFile | undefined {
    this.check();
    const cached = this.files.get(path);
    if (cached) return cached;
    const row = this.sqlite.row(findFileSql, parentOf(path), nameOf(path));
    return row && this.files.put(toFile(row));
  }

  findToken(hash: string): Token | undefined {
    this.check();
    const cached = this.tokens.get(hash);
    if (cached) return cached;
    const row = this.sqlite.row(findTokenSql, hash);
    if (!row) return undefined;
    const token = toToken(row);
    this.tokens.set(hash, token);
    return token;
  }

  /** Makes the next read look again in this turn: a write of this process has just been acknowledged. */
  recheck = (): void => {
    this.isChecked = false;
  };

  private check(): void {
    if (this.isChecked) return;
    this.isChecked = true;
    setImmediate(this.recheck);
    const version = this.sqlite.row("PRAGMA data_version")?.[0] as number;
    if (version === this.version) return;
    this.version = version;
    const events = this.sqlite.rows(
      "SELECT sequence, at, kind, subject, target, count, actor FROM event WHERE sequence > ?1 ORDER BY sequence",
      this.lastSequence,
    );
    for (const row of events) this.apply(toEvent(row));
  }

  private apply({ sequence, kind, subject, target }: Event): void {
    this.lastSequence = sequence;
    const [noun, verb] = kind.split(".");
    if (noun === "token") this.tokens.clear();
    const hasSubtree = noun !== "file" && (verb === "move" || verb === "delete");
    const cache = noun === "entry" ? this.entries : noun === "file" || noun === "folder" ? this.files : undefined;
    for (const path of target === null ? [subject] : [subject, target]) {
      if (hasSubtree) cache?.forgetWithin(path);
      else cache?.forget(path);
    }
  }

  private newestSequence(): number {
    return (this.sqlite.row("SELECT coalesce(max(sequence), 0) FROM event")?.[0] as number) ?? 0;
  }
}
