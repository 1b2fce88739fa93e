import type { Event } from "../../domain/event.ts";
import type { Session } from "../../domain/session.ts";
import type { Token } from "../../domain/token.ts";
import type { StoredEntry } from "./noun/entry.ts";
import type { StoredFile } from "./noun/file-row.ts";
import { isLive } from "./noun/session.ts";
import { RowCache, type RowShape } from "./row-cache.ts";

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

/** Of those whose time is over nobody tells. */
const maxSessions = 10_000;

/** Entries, files, tokens (by their secret's hash) and sessions that were read. Whoever keeps it tells it every event. */
export class ReadCache {
  readonly entries: RowCache<StoredEntry>;
  readonly files = new RowCache<StoredFile>(fileCacheBytes, fileShape);
  readonly tokens = new Map<string, Token>();
  private readonly sessions = new Map<string, Session>();

  constructor(entryBytes: number) {
    this.entries = new RowCache(entryBytes, entryShape);
  }

  /** Forgets what the event changed. */
  apply({ kind, subject, target, count }: Event): void {
    const [noun, verb] = kind.split(".");
    if (noun === "token") this.forgetTokens();
    if (noun === "session") this.sessions.delete(subject);
    const cache = noun === "entry" ? this.entries : noun === "file" || noun === "folder" ? this.files : undefined;
    // Below what went or moved alone there was nothing: a look at every row that is kept would be for nothing.
    const hasSubtree = count > 1 && (verb === "move" || verb === "delete");
    for (const path of target === null ? [subject] : [subject, target]) {
      if (hasSubtree) cache?.forgetWithin(path);
      else cache?.forget(path);
    }
  }

  /** A live session; one that was prolonged since it was read may be missing. */
  getSession(id: string, nowSeconds: number): Session | undefined {
    const session = this.sessions.get(id);
    return session && isLive(session, nowSeconds) ? session : undefined;
  }

  putSession(session: Session): void {
    if (this.sessions.size >= maxSessions) this.sessions.clear();
    this.sessions.set(session.id, session);
  }

  clear(): void {
    this.entries.clear();
    this.files.clear();
    this.forgetTokens();
  }

  /** A token takes its sessions with it. */
  private forgetTokens(): void {
    this.tokens.clear();
    this.sessions.clear();
  }
}
