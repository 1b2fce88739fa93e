import { isProblem, problem } from "../../../problem.ts";
import { StoreError } from "../../../store-error.ts";
import { openRemover } from "../../blob-remover.ts";
import { Damage, isDamage, type OnDamage, storeDamaged } from "../../damage.ts";
import { clockFacts } from "../../event.ts";
import type { OnBuilt } from "../../index/build.ts";
import { KeyNumbers } from "../../index/key-number.ts";
import { settleIndexes } from "../../index/keys.ts";
import { NotPresumed } from "../../list/presumed.ts";
import type { OnMigration } from "../../migration.ts";
import { refuseNew } from "../../new-store.ts";
import type { NounSet } from "../../noun.ts";
import { ReadCache } from "../../read-cache.ts";
import { reading, type Scans, verified } from "../../scans.ts";
import { inTransaction, numberOf } from "../../sql.ts";
import { type Database, type StoreCode, type StoreOptions, sqlStore } from "../../store.ts";
import { Writer } from "../../writes.ts";
import { type Quickly, ScanQueue, type ScanRunner, withApart } from "../scan-queue.ts";
import { readerIdleMs, StoreThread } from "../thread.ts";
import { besideMs, serviceMs } from "../write-group.ts";
import { beginSnapshot, codeOf, migrate, Postgres, type PostgresOptions, refuse } from "./connection.ts";
import { type FeedOptions, PostgresFeed } from "./feed.ts";
import { PostgresLink } from "./link.ts";
import { alone, claim } from "./lock.ts";
import { PresumedSnapshot } from "./presumed-snapshot.ts";
import { PostgresReads } from "./reads.ts";
import type { ScannerOptions } from "./scanner.ts";
import { PostgresSnapshots } from "./snapshots.ts";
import { PostgresWriter } from "./write-connection.ts";
import { WriteQueue } from "./writer.ts";

const maxPendingScans = 1000;
/** Connections for scans that check every entry: one client has at most two, so that another one has its turn. */
const maxApart = 3;
/** A statement that builds an index of a whole store may take as long. */
const longStatementMs = 3_600_000;
/** As the reader's of SQLite. */
const maxYoungScannerMib = 16;

export type PostgresStoreOptions = FeedOptions &
  StoreOptions & {
    /** The address of a replica that answers collections for delivery tokens; empty for none. */
    readUrl: string;
    /** Connections for collections, in addition to three that are always open. */
    maxConnections: number;
  };

/**
 * The store shared by many nodes: a PostgreSQL database. Creates or migrates it, or rebuilds its field index, when
 * needed.
 */
export async function openPostgres(
  code: StoreCode,
  options: PostgresStoreOptions,
  onDamage?: OnDamage,
  onBuilt?: OnBuilt,
  onMigration?: OnMigration,
): Promise<Database> {
  const { nouns, threads } = code;
  const indexKeys = await prepare(nouns, options, onBuilt, onMigration);
  const damage = new Damage(undefined, onDamage);
  const link = new PostgresLink(options, damage.note);
  const cache = new ReadCache(nouns, options.cacheBytes);
  const feed = new PostgresFeed(
    link,
    options,
    (event) => cache.apply(event),
    () => cache.clear(),
  );
  const { url, statementMs, connectMs, maxConnections, pageBytes, regexpBudgetMs, scanBudgetMs, maxCheckMs } = options;
  const scanConnections = Math.ceil(maxConnections / 2);
  const scanOptions = { url, statementMs, connectMs, pageBytes, regexpBudgetMs, scanBudgetMs, maxCheckMs, indexKeys };
  // Damage on a replica is its own: its reads fall back to the primary.
  const scannerOf = (url: string, onFailure: (failure: unknown) => void, maxConnections = scanConnections) =>
    new StoreThread<Scans>(threads["postgres-scanner"], {
      workerData: { role: "scanner", options: { ...scanOptions, maxConnections, url } satisfies ScannerOptions },
      maxPending: maxPendingScans,
      loses: "nothing",
      maxYoungMib: maxYoungScannerMib,
      idleMs: readerIdleMs,
      onFailure,
    });
  const scanner = scannerOf(options.url, damage.note);
  // For half of a verification, which is limited by this process. Starts when it is needed.
  const verifier = scannerOf(options.url, damage.note, 1);
  // For scans that check every entry. Starts when it is needed.
  const apart = scannerOf(options.url, damage.note, maxApart);
  const replica = options.readUrl ? scannerOf(options.readUrl, () => undefined) : scanner;
  const connection = new PostgresWriter(options);
  const writer = new WriteQueue(
    nouns,
    new Writer(nouns, connection, indexKeys, await openRemover(options), options),
    feed,
    options.maxPendingWrites,
    damage.note,
    options.givesWay ? besideMs : serviceMs,
  );
  await feed.start();
  const quickConnections = Math.floor(maxConnections / 2);
  const snapshots = new PostgresSnapshots(options, Math.max(1, quickConnections));
  const reads = new PostgresReads(nouns, link, cache, feed);
  const keys = new KeyNumbers();
  const last = { sizes: new Map<string, number>(), layered: new Map<string, boolean>() };
  const presuming: Quickly = (read) =>
    snapshots.readApart((postgres) => {
      const sql = new PresumedSnapshot(postgres, last);
      const itemsById = reads.itemsIn(sql, () => sql.newest);
      return sql.checked(() => read({ ...reading(nouns, sql, scanOptions, keys, itemsById), presumed: sql }));
    });
  const quickly: Quickly = async (read) => {
    try {
      return await presuming(read);
    } catch (error) {
      if (!(error instanceof NotPresumed)) throw error;
    }
    return snapshots.read((sql, newest) => {
      const itemsById = reads.itemsIn(sql, () => newest);
      return read(reading(nouns, sql, scanOptions, keys, itemsById));
    }, "SELECT coalesce(max(sequence), 0) FROM event");
  };
  const usual = replica === scanner ? onThread(scanner) : replicaFirst(nouns, replica, scanner);
  const scans = new ScanQueue(nouns, quickly, withApart(nouns, usual, onThread(apart)));
  return sqlStore(code, {
    sql: link,
    points: reads.points,
    writer,
    reader: scans,
    signingKey: (await link.row("SELECT value FROM store_state WHERE name = 'signing_key'"))?.[0] as string,
    // What another node wrote since the last poll is not known yet.
    version: () => (feed.isFresh ? feed.generation : undefined),
    figures: () => ({
      ...writer.writeFigures,
      ...cache.figures,
      scansWaiting: scans.waiting,
      connectionsWaitedFor: [...new Set([scanner, replica])]
        .map(({ load }) => Math.max(0, load - scanConnections))
        .reduce((sum, waiting) => sum + waiting, snapshots.waiting),
    }),
    sequence: () => feed.sequence,
    // Of a server that does not answer, nothing is known.
    look: () => feed.look().catch(() => undefined),
    ...(replica === scanner ? {} : { isReplicated: replicated(replica) }),
    size: () => numberOf(link, "SELECT pg_database_size(current_database())"),
    verify: () =>
      maxConnections > 1
        ? [verified(scanner, ["rows"]), verified(verifier, ["indexes"])]
        : [verified(scanner, ["rows", "indexes"])],
    damage,
    check: async () => undefined,
    checkedAt: () => undefined,
    clock: (nowSeconds) => clockFacts(link, nowSeconds),
    refuseUnready: () => refuseReadOnly(link),
    snapshot: (work) => inSnapshot(options, work),
    transaction: async (work) => {
      damage.refuse();
      const own = new PostgresWriter({ ...options, statementMs: longStatementMs });
      return inTransaction(own, () => work(own)).finally(() => own.close());
    },
    alone: (name, work) => alone(options, name, work),
    claim: (name) => claim(link, name),
    close: async () => {
      await writer.close();
      await feed.close();
      await connection.close();
      if (replica !== scanner) await replica.close();
      await Promise.all([scanner, verifier, apart].map((each) => each.close()));
      await snapshots.close();
      await link.close();
    },
  });
}

/**
 * Sends scans whose answer may lag behind the writes to the replica. When the replica is gone, or cancels a read to
 * keep up, the primary answers.
 */
function replicaFirst({ laggingScans }: NounSet, replica: StoreThread<Scans>, primary: StoreThread<Scans>): ScanRunner {
  const isReplicas = (error: unknown) =>
    (["busy", "storage_full", "store_damaged"] as const).some((code) => isProblem(error, code));
  const isOwn = (name: string, args: readonly unknown[]) => laggingScans[name]?.(...args) ?? false;
  const onPrimary = onThread(primary);
  return {
    isOwn,
    callFor: (asker, name, args) => {
      if (!isOwn(name, args)) return onPrimary.callFor(asker, name, args);
      return replica.callUntil(asker?.signal, name, args).catch((error: unknown) => {
        if (!isReplicas(error) || asker?.signal.aborted) throw error;
        return onPrimary.callFor(asker, name, args);
      });
    },
  };
}

/** Whether the replica has an event; one that does not answer is not asked for anything else, either. */
function replicated(replica: StoreThread<Scans>): (sequence: number) => Promise<boolean> {
  let newest = 0;
  return async (sequence) => {
    if (newest < sequence) newest = Number(await replica.call("newestEvent").catch(() => sequence));
    return newest >= sequence;
  };
}

const onThread = (thread: StoreThread<Scans>): ScanRunner => ({
  callFor: (asker, name, args) => thread.callUntil(asker?.signal, name, args),
});

/** Throws busy while the server accepts no writes. */
async function refuseReadOnly(link: PostgresLink): Promise<void> {
  const row = await link.row("SELECT current_setting('transaction_read_only')");
  if (row?.[0] !== "off") throw problem("busy", { reason: "the database server is read-only" });
}

/** Migrates the database; answers which keys its index holds. Throws StoreError, store_damaged. */
async function prepare(
  nouns: NounSet,
  options: PostgresStoreOptions,
  onBuilt?: OnBuilt,
  onMigration?: OnMigration,
): Promise<string[]> {
  try {
    return await migrateAndSettle(nouns, options, onBuilt, onMigration);
  } catch (error) {
    if (isDamage(error)) throw storeDamaged(error);
    const reason = unusable[codeOf(error)];
    if (reason === undefined) throw error;
    throw new StoreError(`PostgreSQL cannot be used: ${reason}; check postgres_url`, { cause: error });
  }
}

/** What keeps a schema from being laid out, by SQLSTATE. */
const unusable: Readonly<Record<string, string>> = {
  "25006": "the server is read-only",
  "42501": "the role may not create tables, so it must become the owner of the database",
  "42P07": "the database has tables of another program",
  // A table schema_version of theirs, without our column or with a text in it.
  "42703": "the database has tables of another program",
  "42804": "the database has tables of another program",
};

async function migrateAndSettle(
  { indexedTables }: NounSet,
  options: PostgresStoreOptions,
  onBuilt?: OnBuilt,
  onMigration?: OnMigration,
): Promise<string[]> {
  const postgres = await Postgres.connect(options).catch((error: NodeJS.ErrnoException) => {
    // When no address of a host name answers, the error has a code and no message.
    const reason = error.message || error.code;
    throw new StoreError(`PostgreSQL cannot be used: ${reason}; check postgres_url`, { cause: error });
  });
  try {
    await migrate(
      postgres,
      () => refuseNew(options, "the PostgreSQL database is empty", "name the right one with postgres_url"),
      onMigration,
    );
  } finally {
    await postgres.close();
  }
  const writer = new PostgresWriter({ ...options, statementMs: longStatementMs });
  try {
    return await settleIndexes(writer, indexedTables, options, onBuilt);
  } finally {
    await writer.close();
  }
}

/** Closing the connection ends the transaction. */
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
