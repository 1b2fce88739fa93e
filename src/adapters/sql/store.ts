import type { Reader } from "../../domain/access.ts";
import type { RowStore } from "../../domain/backup.ts";
import type { BlobLedger } from "../../domain/blob.ts";
import type { ClockFacts } from "../../domain/clock.ts";
import type { Entry, EntryStore } from "../../domain/entry.ts";
import type { EventStore } from "../../domain/event.ts";
import type { File, FileStore } from "../../domain/file.ts";
import type { Folder, FolderStore } from "../../domain/folder.ts";
import type { Path, Slug } from "../../domain/path.ts";
import type { RegistryStore } from "../../domain/registry.ts";
import type { Session, SessionStore } from "../../domain/session.ts";
import type { Token, TokenStore } from "../../domain/token.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { rowStore } from "./backup.ts";
import { findBlob, listBlobs, sizeOfBlobs } from "./blob.ts";
import { CallCounter } from "./call-counter.ts";
import { type Damage, unlessDamaged } from "./damage.ts";
import { countEntries } from "./entry.ts";
import { listChildren } from "./entry-tree.ts";
import { eventBounds, eventPosition, listEvents, listEventsBefore } from "./event.ts";
import { countFiles, folderContent, pathsOfBlob } from "./file.ts";
import { countFolders } from "./folder.ts";
import { LastSeen } from "./last-seen.ts";
import { listRegistry, listRegistryBelow } from "./registry.ts";
import type { Scans } from "./scans.ts";
import { listSessions } from "./session.ts";
import type { Caller, SnapshotSql, Sql } from "./sql.ts";
import { getToken, listTokens } from "./token.ts";
import type { Writes } from "./writes.ts";

/** Reads of one thing. */
export interface PointReads {
  findEntry(slug: Slug, reader: Reader): MaybePromise<Entry | undefined>;
  findFolder(path: Path): MaybePromise<Folder | undefined>;
  findFile(path: Path, reader: Reader): MaybePromise<File | undefined>;
  findToken(hash: string): MaybePromise<Token | undefined>;
  findSession(id: string, nowSeconds: number): MaybePromise<Session | undefined>;
}

/** Collections, each answered where it costs the others least. */
export type Lists = {
  entries: EntryStore["list"];
  files: FileStore["list"];
  folders: FolderStore["list"];
};

/** What an engine brings. */
export type Engine = {
  /** Short reads. */
  sql: Sql;
  points: PointReads;
  lists: Lists;
  writer: Caller<Writes>;
  reader: Caller<Scans>;
  /** Lets the work read one state of the store, on a connection of its own. */
  snapshot<T>(work: (sql: SnapshotSql) => Promise<T>): Promise<T>;
  /** Lets the work write, on a connection of its own: all of it is committed, or, when it throws, nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** What signs addresses where the settings name no key. */
  signingKey: string;
  /** Bytes of the database. */
  size(): MaybePromise<number>;
  /** Sentences about what is wrong with the database itself, below its rows. */
  faults(): Promise<string[]>;
  damage: Damage;
  /** Looks at the whole database beside the work; `damage` knows what it found. Does nothing where there is no such look. */
  check(): Promise<void>;
  /** When the last such look ended, in Unix seconds; 0 for never, undefined where there is none. */
  checkedAt(): number | undefined;
  /** What the store's times say of a clock that says `nowSeconds`. */
  clock(nowSeconds: number): Promise<ClockFacts>;
  /** Throws the problem that keeps the database from taking writes. */
  refuseUnready(): MaybePromise<void>;
  /**
   * Does the work unless another process of this store is at work of this name; answers whether it did. What it lost on
   * the way (its connection, say) ends in a rejection.
   */
  alone(name: string, work: () => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
};

/** The store: a port for each noun, made of an engine. */
export class SqlStore {
  readonly entries: EntryStore;
  readonly folders: FolderStore;
  readonly files: FileStore;
  readonly ledger: BlobLedger;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly registry: RegistryStore;
  readonly events: EventStore;
  readonly rows: RowStore;
  readonly signingKey: string;
  private readonly engine: Engine;
  private readonly calls: CallCounter;
  private readonly lastSeen: LastSeen;

  constructor(bare: Engine) {
    const engine = { ...bare, writer: unlessDamaged(bare.writer, bare.damage) };
    this.engine = engine;
    this.signingKey = engine.signingKey;
    this.calls = new CallCounter(engine.writer);
    this.lastSeen = new LastSeen(engine.writer);
    this.entries = entryStore(engine);
    this.folders = folderStore(engine);
    this.files = fileStore(engine);
    this.ledger = blobLedger(engine);
    this.tokens = tokenStore(engine, this.calls);
    this.sessions = sessionStore(engine, this.lastSeen);
    this.registry = registryStore(engine);
    this.events = eventStore(engine);
    this.rows = rowStore(engine);
  }

  /** Reads everything and answers sentences about what is wrong. */
  async verify(): Promise<string[]> {
    return [...(await this.engine.faults()), ...(await this.engine.reader.call("verifyStore"))];
  }

  size(): MaybePromise<number> {
    return this.engine.size();
  }

  /** What the store's times say of a clock that says `nowSeconds`. */
  clock(nowSeconds: number): Promise<ClockFacts> {
    return this.engine.clock(nowSeconds);
  }

  /** Sentences about damage of the database that is known; while there are any, writes are refused: store_damaged. */
  get damage(): readonly string[] {
    return this.engine.damage.faults;
  }

  /** Looks at the whole database beside the work, for `damage`. Rejects when the look cannot be taken. */
  check(): Promise<void> {
    return this.engine.check();
  }

  /** When the last such look ended, in Unix seconds; 0 for never, undefined where there is none. */
  get checkedAt(): number | undefined {
    return this.engine.checkedAt();
  }

  /** Throws the problem that keeps the database from taking writes: store_damaged, busy. */
  async refuseUnready(): Promise<void> {
    this.engine.damage.refuse();
    await this.engine.refuseUnready();
  }

  alone(name: string, work: () => Promise<void>): Promise<boolean> {
    return this.engine.alone(name, work);
  }

  /** Writes what is still counted in memory, waits for what is under way, lets go of the database. */
  async close(): Promise<void> {
    // What cannot be written now is lost with the process: a count of calls on tokens without a limit, a last use.
    await this.calls.close().catch(() => undefined);
    await this.lastSeen.close().catch(() => undefined);
    this.engine.damage.close();
    await this.engine.close();
  }
}

function entryStore({ sql, points, lists, writer }: Engine): EntryStore {
  return {
    find: (slug, reader = "management") => points.findEntry(slug, reader),
    list: lists.entries,
    children: (...args) => listChildren(sql, ...args),
    create: (...args) => writer.call("createEntry", ...args),
    update: (...args) => writer.call("updateEntry", ...args),
    move: (...args) => writer.call("moveEntry", ...args),
    copy: (...args) => writer.call("copyEntry", ...args),
    delete: (...args) => writer.call("deleteEntry", ...args),
    count: () => countEntries(sql),
  };
}

function folderStore({ sql, points, lists, writer }: Engine): FolderStore {
  return {
    find: (path) => points.findFolder(path),
    list: lists.folders,
    create: (...args) => writer.call("createFolder", ...args),
    move: (...args) => writer.call("moveFolder", ...args),
    copy: (...args) => writer.call("copyFolder", ...args),
    delete: (...args) => writer.call("deleteFolder", ...args),
    count: () => countFolders(sql),
  };
}

function fileStore({ sql, points, lists, writer }: Engine): FileStore {
  return {
    find: (path, reader = "management") => points.findFile(path, reader),
    list: lists.files,
    content: (folder) => folderContent(sql, folder),
    pathsOf: (hash) => pathsOfBlob(sql, hash),
    put: (...args) => writer.call("putFile", ...args),
    move: (...args) => writer.call("moveFile", ...args),
    copy: (...args) => writer.call("copyFile", ...args),
    change: (...args) => writer.call("changeFile", ...args),
    delete: (...args) => writer.call("deleteFile", ...args),
    count: () => countFiles(sql),
  };
}

function blobLedger({ sql, writer, reader }: Engine): BlobLedger {
  return {
    keep: (...args) => writer.call("keepBlob", ...args),
    drop: async (hash, keptSeconds) => void (await writer.call("sweepBlob", hash, keptSeconds + 1)),
    find: (hash) => findBlob(sql, hash),
    list: (after, limit) => listBlobs(sql, after, limit),
    size: () => sizeOfBlobs(sql),
    restartGrace: async (nowSeconds) => {
      const hashes = await reader.call("listAhead", nowSeconds);
      for (const hash of hashes) await writer.call("restartGrace", hash, nowSeconds);
      return hashes.length;
    },
    sweep: async (beforeSeconds) => {
      const hashes = await reader.call("listSweepable", beforeSeconds);
      let swept = 0;
      // One by one: each is a short transaction, and other writes come in between.
      for (const hash of hashes) if (await writer.call("sweepBlob", hash, beforeSeconds)) swept++;
      return swept;
    },
  };
}

function tokenStore({ sql, points, writer }: Engine, calls: CallCounter): TokenStore {
  return {
    findByHash: (hash) => points.findToken(hash),
    countCall: (counted, nowSeconds) => calls.count(counted, nowSeconds),
    list: async () => {
      await calls.flush();
      return listTokens(sql);
    },
    get: (id) => getToken(sql, id),
    create: (...args) => writer.call("createToken", ...args),
    update: async (...args) => {
      await calls.flush();
      return writer.call("updateToken", ...args);
    },
    rotate: (...args) => writer.call("rotateToken", ...args),
    revoke: (...args) => writer.call("revokeToken", ...args),
  };
}

function sessionStore({ sql, points, writer }: Engine, lastSeen: LastSeen): SessionStore {
  return {
    find: (id, nowSeconds) => points.findSession(id, nowSeconds),
    see: (session, nowSeconds) => lastSeen.see(session, nowSeconds),
    list: async (...args) => {
      await lastSeen.flush();
      return listSessions(sql, ...args);
    },
    start: (...args) => writer.call("startSession", ...args),
    prolong: (...args) => writer.call("prolongSession", ...args),
    end: (...args) => writer.call("endSession", ...args),
    prune: (nowSeconds) => writer.call("pruneSessions", nowSeconds),
  };
}

function registryStore({ sql, writer }: Engine): RegistryStore {
  return {
    listBelow: (key) => listRegistryBelow(sql, key),
    list: () => listRegistry(sql),
    put: (...args) => writer.call("putRegistryItem", ...args),
    delete: (...args) => writer.call("deleteRegistryItem", ...args),
  };
}

function eventStore({ sql, writer }: Engine): EventStore {
  return {
    list: (since, limit) => listEvents(sql, since, limit),
    listBefore: (before, limit) => listEventsBefore(sql, before, limit),
    bounds: () => eventBounds(sql),
    position: (follower) => eventPosition(sql, follower),
    savePosition: (...args) => writer.call("saveEventPosition", ...args),
    prune: (...args) => writer.call("pruneEvents", ...args),
  };
}
