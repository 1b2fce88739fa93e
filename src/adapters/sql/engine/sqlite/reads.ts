import { nameOf, type Path, parentOf, type Slug } from "../../../../domain/path.ts";
import { Problem } from "../../../../domain/problem.ts";
import type { Session } from "../../../../domain/session.ts";
import type { Token } from "../../../../domain/token.ts";
import { entryByIdSql, findEntrySql, type StoredEntry, toEntry } from "../../noun/entry.ts";
import { eventColumns, toEvent } from "../../noun/event.ts";
import { findFileSql, type StoredFile, toFile } from "../../noun/file-row.ts";
import { findFolderSql, type StoredFolder, toFolder } from "../../noun/folder.ts";
import { findSessionSql, isLive, toSession } from "../../noun/session.ts";
import { findTokenSql, toToken } from "../../noun/token.ts";
import { ReadCache } from "../../read-cache.ts";
import type { PointReads } from "../../store.ts";
import type { SqliteLink } from "./link.ts";

/**
 * The point reads of the main thread, with a cache that is never stale: `PRAGMA data_version` says, once a turn of the
 * event loop, whether any other connection committed; the event log says what to drop.
 */
export class SqliteReads implements PointReads {
  private readonly link: SqliteLink;
  private readonly cache: ReadCache;
  private isChecked = false;
  private version = -1;
  private lastSequence: number;

  constructor(link: SqliteLink, cacheBytes: number) {
    this.link = link;
    this.cache = new ReadCache(cacheBytes);
    this.lastSequence = this.newestSequence();
  }

  findEntry(slug: Slug): StoredEntry | undefined {
    this.check();
    const cached = this.cache.entries.get(slug);
    if (cached) return cached;
    const row = this.link.row(findEntrySql, slug);
    return row && this.cache.entries.put(toEntry(row));
  }

  *entriesById(ids: ReadonlySet<number>): Iterable<StoredEntry> {
    for (const id of ids) {
      const entry = this.entryById(id);
      if (entry) yield entry;
    }
  }

  private entryById(id: number): StoredEntry | undefined {
    this.check();
    const cached = this.cache.entries.getById(id);
    if (cached) return cached;
    const row = this.link.row(entryByIdSql, id);
    return row && this.cache.entries.put(toEntry(row));
  }

  findFolder(path: Path): StoredFolder | undefined {
    const row = this.link.row(findFolderSql, path);
    return row && toFolder(row);
  }

  findFile(path: Path): StoredFile | undefined {
    this.check();
    const cached = this.cache.files.get(path);
    if (cached) return cached;
    const row = this.link.row(findFileSql, parentOf(path), nameOf(path));
    return row && this.cache.files.put(toFile(row));
  }

  findToken(hash: string): Token | undefined {
    this.check();
    const cached = this.cache.tokens.get(hash);
    if (cached) return cached;
    const row = this.link.row(findTokenSql, hash);
    if (!row) return undefined;
    const token = toToken(row);
    this.cache.tokens.set(hash, token);
    return token;
  }

  findSession(id: string, nowSeconds: number): Session | undefined {
    this.check();
    const cached = this.cache.getSession(id, nowSeconds);
    if (cached) return cached;
    const row = this.link.row(findSessionSql, id);
    const session = row && toSession(row);
    if (!session || !isLive(session, nowSeconds)) return undefined;
    this.cache.putSession(session);
    return session;
  }

  /** Makes the next read look again in this turn: a write of this process has just been acknowledged. */
  recheck = (): void => {
    this.isChecked = false;
  };

  private check(): void {
    if (this.isChecked) return;
    const version = this.link.row("PRAGMA data_version")?.[0] as number;
    if (version !== this.version) this.forgetChanged();
    // Not before: of a look that failed nothing is known, and the next read looks again.
    this.version = version;
    this.isChecked = true;
    setImmediate(this.recheck);
  }

  private forgetChanged(): void {
    const text = `SELECT ${eventColumns} FROM event WHERE sequence > ?1 ORDER BY sequence`;
    const events = unlessDamaged(() => this.link.rows(text, this.lastSequence));
    // What changed is not known: all of it may have. Reads of other tables go on.
    if (!events) this.cache.clear();
    for (const event of (events ?? []).map(toEvent)) {
      this.lastSequence = event.sequence;
      this.cache.apply(event);
    }
  }

  private newestSequence(): number {
    const row = unlessDamaged(() => this.link.row("SELECT coalesce(max(sequence), 0) FROM event"));
    return (row?.[0] as number) ?? 0;
  }
}

/** What is read; undefined where the table is damaged. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem && error.code === "store_damaged") return undefined;
    throw error;
  }
}
