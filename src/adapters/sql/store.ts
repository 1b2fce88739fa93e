import type { BlobLedger } from "../../domain/blob.ts";
import type { CollectionAnswer, CollectionQuery } from "../../domain/collection.ts";
import type { Access, EntryStore } from "../../domain/entry.ts";
import type { EventStore } from "../../domain/event.ts";
import type { FileStore } from "../../domain/file.ts";
import type { FolderStore } from "../../domain/folder.ts";
import type { RegistryStore } from "../../domain/registry.ts";
import type { CountedToken, Token, TokenStore } from "../../domain/token.ts";
import { siblingFile } from "../../lib/sibling.ts";
import { findBlob, listBlobs, sizeOfBlobs } from "./blob.ts";
import { countEntries } from "./entry.ts";
import { listQuickly } from "./entry-list.ts";
import { listChildren } from "./entry-tree.ts";
import { eventBounds, eventPosition, listEvents, listEventsBefore } from "./event.ts";
import { indexedKeys } from "./field-index.ts";
import { countFiles, folderContent } from "./file.ts";
import { isQuick, listFiles, listFolders } from "./file-list.ts";
import { countFolders } from "./folder.ts";
import { settleIndexKeys } from "./index-keys.ts";
import type { ListOptions } from "./list.ts";
import type { ReaderOptions, Reads } from "./reader.ts";
import { PointReads } from "./reads.ts";
import { listRegistry, listRegistryBelow } from "./registry.ts";
import { migrate, Sqlite, type SqliteOptions } from "./sqlite.ts";
import { StoreThread } from "./thread.ts";
import { getToken, listTokens } from "./token.ts";
import type { WriterOptions, Writes } from "./writer.ts";

export type SqliteStoreOptions = SqliteOptions &
  ListOptions & {
    /** Keys the field index is to hold; absent: those it holds. */
    indexKeys: readonly string[] | undefined;
    cacheBytes: number;
    /** Where the sweep removes bytes. */
    blobFolder: string;
    maxPendingWrites: number;
  };
type Settled = SqliteStoreOptions & { indexKeys: string[] };

/** How long a call on a token without a limit may stay in memory before it is written. Contract §2. */
const flushMs = 2000;
const maxPendingReads = 1000;

/** The store of one machine: a SQLite file, a writer's thread, a reader's thread, point reads here. */
export class SqliteStore {
  readonly entries: EntryStore;
  readonly folders: FolderStore;
  readonly files: FileStore;
  readonly ledger: BlobLedger;
  readonly tokens: TokenStore;
  readonly registry: RegistryStore;
  readonly events: EventStore;
  /** What signs addresses where the settings name no key. */
  readonly signingKey: string;
  private readonly sqlite: Sqlite;
  private readonly points: PointReads;
  private readonly writer: StoreThread<Writes>;
  private readonly reader: StoreThread<Reads>;
  private readonly calls: CallCounter;

  /** Opens the folder's store; creates it, migrates it or rebuilds its field index when that is due. */
  static async open(options: SqliteStoreOptions): Promise<SqliteStore> {
    return new SqliteStore({ ...options, indexKeys: await prepare(options) });
  }

  private constructor(options: Settled) {
    this.sqlite = new Sqlite(options, "read");
    this.signingKey = this.sqlite.row("SELECT value FROM store_state WHERE name = 'signing_key'")?.[0] as string;
    this.points = new PointReads(this.sqlite, options.cacheBytes);
    const thread = <O>(role: string, threadOptions: O) => ({ role, options: threadOptions });
    this.writer = new StoreThread<Writes>(threadFile("writer"), {
      workerData: thread<WriterOptions>("writer", options),
      maxPending: options.maxPendingWrites,
      onReply: this.points.recheck,
    });
    this.reader = new StoreThread<Reads>(threadFile("reader"), {
      workerData: thread<ReaderOptions>("reader", options),
      maxPending: maxPendingReads,
    });
    this.calls = new CallCounter(this.writer);
    this.entries = this.entryStore(options);
    this.folders = this.folderStore(options);
    this.files = this.fileStore(options);
    this.ledger = this.blobLedger();
    this.tokens = this.tokenStore();
    this.registry = this.registryStore();
    this.events = this.eventStore();
  }

  /** Reads everything and answers sentences about what is wrong. */
  verify(): Promise<string[]> {
    return this.reader.call("verifyStore");
  }

  /** Writes what is still counted in memory, waits for what is under way, closes the file. */
  async close(): Promise<void> {
    await this.calls.close();
    await this.writer.close();
    await this.reader.close();
    this.sqlite.close();
  }

  private entryStore(options: Settled): EntryStore {
    const { sqlite, points, writer, reader } = this;
    const isIndexed = indexedKeys(options.indexKeys);
    const readById = (id: number) => points.entryById(id);
    const list = async (query: CollectionQuery, access: Access): Promise<CollectionAnswer> =>
      (await listQuickly(sqlite, query, access, isIndexed, options, readById)) ??
      (await reader.call("listEntries", query, access));
    return {
      find: (slug) => points.findEntry(slug),
      list,
      children: (...args) => listChildren(sqlite, ...args),
      create: (...args) => writer.call("createEntry", ...args),
      update: (...args) => writer.call("updateEntry", ...args),
      move: (...args) => writer.call("moveEntry", ...args),
      copy: (...args) => writer.call("copyEntry", ...args),
      delete: (...args) => writer.call("deleteEntry", ...args),
      count: () => countEntries(sqlite),
    };
  }

  private folderStore(options: Settled): FolderStore {
    const { sqlite, points, writer, reader } = this;
    return {
      find: (path) => points.findFolder(path),
      list: async (...args) =>
        (await isQuick(sqlite, "folder", args[0]))
          ? listFolders(sqlite, args[0], args[1], args[2], options, args[3])
          : reader.call("listFolders", ...args),
      create: (...args) => writer.call("createFolder", ...args),
      move: (...args) => writer.call("moveFolder", ...args),
      copy: (...args) => writer.call("copyFolder", ...args),
      delete: (...args) => writer.call("deleteFolder", ...args),
      count: () => countFolders(sqlite),
    };
  }

  private fileStore(options: Settled): FileStore {
    const { sqlite, points, writer, reader } = this;
    return {
      find: (path) => points.findFile(path),
      list: async (...args) =>
        (await isQuick(sqlite, "file", args[0]))
          ? listFiles(sqlite, args[0], args[1], options, args[2])
          : reader.call("listFiles", ...args),
      content: (folder) => folderContent(sqlite, folder),
      put: (...args) => writer.call("putFile", ...args),
      move: (...args) => writer.call("moveFile", ...args),
      copy: (...args) => writer.call("copyFile", ...args),
      change: (...args) => writer.call("changeFile", ...args),
      delete: (...args) => writer.call("deleteFile", ...args),
      count: () => countFiles(sqlite),
    };
  }

  private blobLedger(): BlobLedger {
    const { sqlite, writer, reader } = this;
    return {
      keep: (...args) => writer.call("keepBlob", ...args),
      drop: async (hash) => void (await writer.call("sweepBlob", hash, Number.MAX_SAFE_INTEGER)),
      find: (hash) => findBlob(sqlite, hash),
      list: (after, limit) => listBlobs(sqlite, after, limit),
      size: () => sizeOfBlobs(sqlite),
      sweep: async (beforeSeconds) => {
        const hashes = await reader.call("listSweepable", beforeSeconds);
        let swept = 0;
        // One by one: each is a short transaction, and other writes come in between.
        for (const hash of hashes) if (await writer.call("sweepBlob", hash, beforeSeconds)) swept++;
        return swept;
      },
    };
  }

  private tokenStore(): TokenStore {
    const { sqlite, points, writer, calls } = this;
    return {
      findByHash: (hash) => points.findToken(hash),
      countCall: (counted, nowSeconds) => calls.count(counted, nowSeconds),
      list: async () => {
        await calls.flush();
        return listTokens(sqlite);
      },
      get: (id) => getToken(sqlite, id),
      create: (...args) => writer.call("createToken", ...args),
      update: async (...args) => {
        await calls.flush();
        return writer.call("updateToken", ...args);
      },
      rotate: (...args) => writer.call("rotateToken", ...args),
      revoke: (...args) => writer.call("revokeToken", ...args),
    };
  }

  private registryStore(): RegistryStore {
    const { sqlite, writer } = this;
    return {
      listBelow: (key) => listRegistryBelow(sqlite, key),
      list: () => listRegistry(sqlite),
      put: (...args) => writer.call("putRegistryItem", ...args),
      delete: (...args) => writer.call("deleteRegistryItem", ...args),
    };
  }

  private eventStore(): EventStore {
    const { sqlite, writer } = this;
    return {
      list: (since, limit) => listEvents(sqlite, since, limit),
      listBefore: (before, limit) => listEventsBefore(sqlite, before, limit),
      bounds: () => eventBounds(sqlite),
      position: (follower) => eventPosition(sqlite, follower),
      savePosition: (...args) => writer.call("saveEventPosition", ...args),
      prune: (beforeSeconds) => writer.call("pruneEvents", beforeSeconds),
    };
  }
}

const threadFile = (name: "writer" | "reader"): URL => siblingFile(import.meta.url, name);

/** Brings the file up to date; answers which keys its index holds. */
async function prepare(options: SqliteStoreOptions): Promise<string[]> {
  const sqlite = new Sqlite(options, "write");
  try {
    migrate(sqlite);
    return await settleIndexKeys(sqlite, options.indexKeys);
  } finally {
    sqlite.close();
  }
}

/** Calls on tokens: exact in the store where a limit is set, gathered in memory for the others. */
class CallCounter {
  private readonly writer: StoreThread<Writes>;
  private pending = new Map<string, { id: string; calls: number; at: number }>();
  private readonly timer: NodeJS.Timeout;

  constructor(writer: StoreThread<Writes>) {
    this.writer = writer;
    this.timer = setInterval(() => void this.flush().catch(() => undefined), flushMs);
    this.timer.unref();
  }

  count(counted: readonly CountedToken[], nowSeconds: number): undefined | Promise<void> {
    if (counted.some(({ token }) => token.limitCalls > 0)) return this.writer.call("countCall", counted, nowSeconds);
    for (const { token } of counted) this.remember(token, nowSeconds);
    return undefined;
  }

  async flush(): Promise<void> {
    if (this.pending.size === 0) return;
    const counts = [...this.pending.values()];
    this.pending = new Map();
    try {
      await this.writer.call("addCalls", counts);
    } catch (error) {
      for (const { id, calls, at } of counts) this.add(id, calls, at);
      throw error;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private remember({ id }: Token, nowSeconds: number): void {
    this.add(id, 1, nowSeconds);
  }

  private add(id: string, calls: number, at: number): void {
    const known = this.pending.get(id);
    if (known) {
      known.calls += calls;
      known.at = Math.max(known.at, at);
    } else this.pending.set(id, { id, calls, at });
  }
}
