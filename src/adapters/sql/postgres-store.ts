import { Problem, problem } from "../../domain/problem.ts";
import { StoreError } from "../../domain/store-error.ts";
import { type BlobPlace, openRemover } from "./blob-remover.ts";
import { Damage, isDamage, type OnDamage, storeDamaged } from "./damage.ts";
import { clockFacts } from "./event.ts";
import { settleIndexKeys } from "./index-keys.ts";
import type { ListOptions } from "./list.ts";
import { type NewStoreOptions, refuseNew } from "./new-store.ts";
import {
  beginSnapshot,
  isReadOnly,
  lostConnection,
  migrate,
  Postgres,
  type PostgresOptions,
  PostgresWriter,
  refuse,
} from "./postgres.ts";
import { PostgresFeed } from "./postgres-feed.ts";
import { PostgresLink } from "./postgres-link.ts";
import { PostgresReads } from "./postgres-reads.ts";
import { PostgresScans } from "./postgres-scans.ts";
import { ReadCache } from "./read-cache.ts";
import { type Caller, inTransaction } from "./sql.ts";
import { type Lists, SqlStore } from "./store.ts";
import { type Call, toError } from "./thread.ts";
import { maxGroup, Writer, type Writes } from "./writes.ts";

export type PostgresStoreOptions = PostgresOptions &
  ListOptions &
  NewStoreOptions &
  BlobPlace & {
    /** A replica that answers the collections of delivery tokens; empty for none. */
    readUrl: string;
    /** Connections for collections, beside three that are always there. */
    maxConnections: number;
    /** Keys the field index is to hold; absent: those it holds. */
    indexKeys: readonly string[] | undefined;
    cacheBytes: number;
    maxPendingWrites: number;
  };

/** The store of many nodes: a PostgreSQL database. Created, migrated or its field index rebuilt when that is due. */
export async function openPostgresStore(options: PostgresStoreOptions, onDamage?: OnDamage): Promise<SqlStore> {
  const indexKeys = await prepare(options);
  const damage = new Damage(undefined, onDamage);
  const link = new PostgresLink(options, damage.note);
  const cache = new ReadCache(options.cacheBytes);
  const feed = new PostgresFeed(
    link,
    options,
    (event) => cache.apply(event),
    () => cache.clear(),
  );
  const scanOptions = { ...options, indexKeys };
  // What a replica meets is its own damage: its reads fall back to the primary.
  const scansOf = (url: string, onFailure: (failure: unknown) => void) =>
    new PostgresScans({ ...options, url }, options.maxConnections, scanOptions, onFailure);
  const scans = scansOf(options.url, damage.note);
  const replica = options.readUrl ? scansOf(options.readUrl, () => undefined) : scans;
  const connection = new PostgresWriter(options);
  const writer = new WriteQueue(
    new Writer(connection, indexKeys, await openRemover(options)),
    feed,
    options.maxPendingWrites,
    damage.note,
  );
  await feed.start();
  return new SqlStore({
    sql: link,
    points: new PostgresReads(link, cache, feed),
    lists: listsOf(scans, replica),
    writer,
    reader: scans,
    signingKey: (await link.row("SELECT value FROM store_state WHERE name = 'signing_key'"))?.[0] as string,
    size: async () => (await link.row("SELECT pg_database_size(current_database())"))?.[0] as number,
    faults: async () => [],
    damage,
    check: async () => undefined,
    checkedAt: () => undefined,
    clock: (nowSeconds) => clockFacts(link, nowSeconds),
    refuseUnready: () => refuseReadOnly(link),
    snapshot: (work) => inSnapshot(options, work),
    transaction: async (work) => {
      damage.refuse();
      const own = new PostgresWriter(options);
      return inTransaction(own, () => work(own)).finally(() => own.close());
    },
    alone: (name, work) => alone(options, name, work),
    close: async () => {
      await writer.close();
      await feed.close();
      await connection.close();
      if (replica !== scans) await replica.close();
      await scans.close();
      await link.close();
    },
  });
}

/**
 * Only what a delivery token lists may be a replica's, which lags behind. A replica that is gone, or
 * breaks a read off to keep up, costs nobody an answer.
 */
function listsOf(scans: PostgresScans, replica: PostgresScans): Lists {
  const isReplicas = (error: unknown) => error instanceof Problem && ["busy", "store_damaged"].includes(error.code);
  return {
    entries: async (query, access) => {
      if (access.reads === "public" && replica !== scans) {
        try {
          return await replica.call("listEntries", query, access);
        } catch (error) {
          if (!isReplicas(error)) throw error;
        }
      }
      return scans.call("listEntries", query, access);
    },
    files: (...args) => scans.call("listFiles", ...args),
    folders: (...args) => scans.call("listFolders", ...args),
  };
}

/** Throws busy while the server takes no writes. */
async function refuseReadOnly(link: PostgresLink): Promise<void> {
  const row = await link.row("SELECT current_setting('transaction_read_only')");
  if (row?.[0] !== "off") throw problem("busy", { reason: "the database server is read-only" });
}

/** Brings the database up to date; answers which keys its index holds. Throws StoreError, store_damaged. */
async function prepare(options: PostgresStoreOptions): Promise<string[]> {
  try {
    return await migrateAndSettle(options);
  } catch (error) {
    if (isDamage(error)) throw storeDamaged(error);
    if (!isReadOnly(error)) throw error;
    throw new StoreError("PostgreSQL cannot be used: the server is read-only; check postgres_url", { cause: error });
  }
}

async function migrateAndSettle(options: PostgresStoreOptions): Promise<string[]> {
  const postgres = await Postgres.connect(options).catch((error: NodeJS.ErrnoException) => {
    // Of a name with two addresses neither of which answers there is a code alone.
    const reason = error.message || error.code;
    throw new StoreError(`PostgreSQL cannot be used: ${reason}; check postgres_url`, { cause: error });
  });
  try {
    await migrate(postgres, () =>
      refuseNew(options, "the PostgreSQL database is empty", "name the right one with postgres_url"),
    );
  } finally {
    await postgres.close();
  }
  const writer = new PostgresWriter(options);
  try {
    return await settleIndexKeys(writer, options.indexKeys);
  } finally {
    await writer.close();
  }
}

/** The end of the connection is the end of the transaction. */
async function inSnapshot<T>(options: PostgresOptions, work: (sql: Postgres) => Promise<T>): Promise<T> {
  const postgres = await Postgres.connect(options).catch(refuse);
  try {
    await postgres.exec(beginSnapshot);
    return await work(postgres);
  } catch (error) {
    refuse(error);
  } finally {
    await postgres.close();
  }
}

/** Holds a lock of the name on a connection of its own while the work goes on; a node that dies lets go of it. */
async function alone(options: PostgresOptions, name: string, work: () => Promise<void>): Promise<boolean> {
  const postgres = await Postgres.connect(options).catch(refuse);
  try {
    const [isOurs] = (await postgres.row("SELECT pg_try_advisory_lock(hashtextextended(?1, 0))::int", name)) ?? [0];
    if (isOurs === 1) await work();
    // Then somebody else may have had it meanwhile.
    if (postgres.isLost) refuse(lostConnection());
    return isOurs === 1;
  } finally {
    await postgres.close();
  }
}

type Waiting = { call: Call; resolve: (value: never) => void; reject: (error: unknown) => void };

/** The writes of this node: those that wait together share a transaction. Each is known to this node's reads after it. */
class WriteQueue implements Caller<Writes> {
  private readonly writer: Writer;
  private readonly feed: PostgresFeed;
  private readonly maxPending: number;
  private readonly onFailure: (failure: unknown) => void;
  private queue: Waiting[] = [];
  private pending = 0;
  private running: Promise<void> | undefined;

  constructor(writer: Writer, feed: PostgresFeed, maxPending: number, onFailure: (failure: unknown) => void) {
    this.writer = writer;
    this.feed = feed;
    this.maxPending = maxPending;
    this.onFailure = onFailure;
  }

  call<K extends keyof Writes & string>(
    name: K,
    ...args: Parameters<Writes[K]>
  ): Promise<Awaited<ReturnType<Writes[K]>>> {
    if (this.pending >= this.maxPending) {
      return Promise.reject(problem("busy", { reason: "too many requests are waiting for the store" }));
    }
    this.pending++;
    return new Promise((resolve, reject) => {
      this.queue.push({ call: { id: 0, name, args }, resolve, reject });
      this.running ??= this.drain();
    });
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.running;
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      // Those of the same turn of the event loop, and those that came while the last group was written.
      await new Promise((resolve) => setImmediate(resolve));
      await this.write(this.queue.splice(0, maxGroup));
    }
    this.running = undefined;
  }

  private async write(group: Waiting[]): Promise<void> {
    const replies = await this.writer.run(group.map(({ call }) => call));
    // A look that fails leaves nothing that could be answered with: the next reads ask the database.
    await this.feed.look().catch(() => undefined);
    this.pending -= group.length;
    for (const [i, { resolve, reject }] of group.entries()) {
      const reply = replies[i];
      if (reply && "value" in reply) {
        resolve(reply.value as never);
        continue;
      }
      const failure = reply ? toError(reply) : new Error("a write without a reply");
      this.onFailure(failure);
      reject(failure);
    }
  }
}
