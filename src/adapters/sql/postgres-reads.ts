import type { Reader } from "../../domain/access.ts";
import type { Path, Slug } from "../../domain/path.ts";
import type { Session } from "../../domain/session.ts";
import type { Token } from "../../domain/token.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { findEntrySql, type StoredEntry, toEntry } from "./entry.ts";
import { findFile, type StoredFile } from "./file-row.ts";
import { findFolder, type StoredFolder } from "./folder.ts";
import type { PostgresFeed } from "./postgres-feed.ts";
import type { ReadCache } from "./read-cache.ts";
import { findSessionSql, isLive, toSession } from "./session.ts";
import type { Sql } from "./sql.ts";
import type { PointReads } from "./store.ts";
import { findTokenSql, toToken } from "./token.ts";

/** Point reads of a node: for delivery, and of tokens and sessions, out of its cache while the feed is fresh (see `PostgresFeed`). */
export class PostgresReads implements PointReads {
  private readonly sql: Sql;
  private readonly cache: ReadCache;
  private readonly feed: PostgresFeed;

  constructor(sql: Sql, cache: ReadCache, feed: PostgresFeed) {
    this.sql = sql;
    this.cache = cache;
    this.feed = feed;
  }

  findEntry(slug: Slug, reader: Reader): MaybePromise<StoredEntry | undefined> {
    const read = async () => {
      const row = await this.sql.row(findEntrySql, slug);
      return row && toEntry(row);
    };
    const known = reader === "delivery" ? this.cache.entries.get(slug) : undefined;
    return this.cached(known, read, (entry) => this.cache.entries.put(entry));
  }

  findFolder(path: Path): Promise<StoredFolder | undefined> {
    return findFolder(this.sql, path);
  }

  findFile(path: Path, reader: Reader): MaybePromise<StoredFile | undefined> {
    const read = () => findFile(this.sql, path);
    const known = reader === "delivery" ? this.cache.files.get(path) : undefined;
    return this.cached(known, read, (file) => this.cache.files.put(file));
  }

  findToken(hash: string): MaybePromise<Token | undefined> {
    const read = async () => {
      const row = await this.sql.row(findTokenSql, hash);
      return row && toToken(row);
    };
    return this.cached(this.cache.tokens.get(hash), read, (token) => this.cache.tokens.set(hash, token));
  }

  findSession(id: string, nowSeconds: number): MaybePromise<Session | undefined> {
    const read = async () => {
      const row = await this.sql.row(findSessionSql, id);
      const session = row && toSession(row);
      return session && isLive(session, nowSeconds) ? session : undefined;
    };
    return this.cached(this.cache.getSession(id, nowSeconds), read, (session) => this.cache.putSession(session));
  }

  private cached<T>(
    known: T | undefined,
    read: () => Promise<T | undefined>,
    keep: (value: T) => unknown,
  ): MaybePromise<T | undefined> {
    return known !== undefined && this.feed.isFresh ? known : this.readAndKeep(read, keep);
  }

  /** Keeps what was read unless an event came meanwhile: it may be what the event changed. */
  private async readAndKeep<T>(
    read: () => Promise<T | undefined>,
    keep: (value: T) => unknown,
  ): Promise<T | undefined> {
    const { generation, isFresh } = this.feed;
    const value = await read();
    if (value !== undefined && isFresh && this.feed.generation === generation) keep(value);
    return value;
  }
}
