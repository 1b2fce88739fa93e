import { existsSync, rmSync } from "node:fs";
import { isProblem } from "../../../problem.ts";
import { StoreError } from "../../../store-error.ts";
import { Damage, isDamage, type OnDamage, storeDamaged } from "../../damage.ts";
import type { OnBuilt } from "../../index/build.ts";
import { KeyNumbers } from "../../index/key-number.ts";
import { settleIndexes } from "../../index/keys.ts";
import type { OnMigration } from "../../migration.ts";
import { isMissing, refuseNew } from "../../new-store.ts";
import type { ItemsById, NounSet } from "../../noun.ts";
import { reading, verified } from "../../scans.ts";
import { inTransaction } from "../../sql.ts";
import { type Database, type StoreCode, type StoreOptions, sqlStore } from "../../store.ts";
import type { DoneWrites } from "../../writes.ts";
import { type Quickly, ScanQueue, withApart } from "../scan-queue.ts";
import { readerIdleMs, StoreThread } from "../thread.ts";
import { SqliteCheck } from "./check.ts";
import {
  databaseBytes,
  databaseFile,
  fileFaults,
  migrate,
  ownSqliteAdvice,
  Sqlite,
  type SqliteOptions,
  translateSqliteError,
} from "./connection.ts";
import { SqliteLink } from "./link.ts";
import { alone } from "./lock.ts";
import type { ReaderOptions, SqliteScans } from "./reader.ts";
import { SqliteReaders } from "./readers.ts";
import { SqliteReads } from "./reads.ts";
import type { WriterOptions } from "./writer.ts";

export type SqliteStoreOptions = SqliteOptions & StoreOptions;
type Settled = SqliteStoreOptions & { indexKeys: string[] };

const maxPendingReads = 1000;
/** A scan of one client must not hold up those of all others. */
const readerCount = 2;
/** Of the connection that loads a whole store: pages that it has to drop and read again are written twice, too. */
const loadCacheKib = 128 * 1024;
/**
 * The rows of a scan are garbage at once: a small young generation is collected while it is in the processor's cache.
 */
const maxYoungReaderMib = 16;

/**
 * The store of one machine: a SQLite file, a writer thread, a reader thread, point reads on the main thread. Creates or
 * migrates it, or rebuilds its field index, when needed.
 */
export async function openSqlite(
  code: StoreCode,
  options: SqliteStoreOptions,
  onDamage?: OnDamage,
  onBuilt?: OnBuilt,
  onMigration?: OnMigration,
): Promise<Database> {
  const { nouns, threads } = code;
  const settled: Settled = { ...options, indexKeys: await prepare(nouns, options, onBuilt, onMigration) };
  const damage = new Damage(noteFile(options), onDamage);
  const check = new SqliteCheck(options.folder, damage);
  const link = new SqliteLink(settled, damage.note);
  const reads = new SqliteReads(nouns, link, settled.cacheBytes);
  const thread = <O>(role: string, threadOptions: O) => ({ role, options: threadOptions });
  const writer = new StoreThread<DoneWrites>(threads["sqlite-writer"], {
    workerData: thread<WriterOptions>("writer", settled),
    maxPending: settled.maxPendingWrites,
    loses: "outcome",
    onReply: reads.recheck,
    onFailure: damage.note,
  });
  const readersOf = (count: number) =>
    Array.from(
      { length: count },
      () =>
        new StoreThread<SqliteScans>(threads["sqlite-reader"], {
          workerData: thread<ReaderOptions>("reader", settled),
          maxPending: maxPendingReads,
          loses: "nothing",
          maxYoungMib: maxYoungReaderMib,
          idleMs: readerIdleMs,
          onFailure: damage.note,
        }),
    );
  const readers = readersOf(readerCount);
  const apart = readersOf(readerCount);
  const [reader] = readers as [StoreThread<SqliteScans>];
  const itemsById: ItemsById = (table, ids) => reads.itemsById(table, ids);
  const on = reading(nouns, link, settled, new KeyNumbers(), itemsById);
  const quickly: Quickly = (read) => reads.unchanged(() => read(on));
  const scans = new ScanQueue(nouns, quickly, withApart(nouns, new SqliteReaders(readers), new SqliteReaders(apart)));
  const checkFile = async () => {
    const faults = await reader.call("fileFaults");
    if (faults.length > 0) damage.found(faults);
    else damage.clear();
    return [...faults, ...(await reader.call("danglingRows").catch(unlessUnreadable))];
  };
  return sqlStore(code, {
    sql: link,
    points: reads.points,
    writer,
    reader: scans,
    signingKey: link.row("SELECT value FROM store_state WHERE name = 'signing_key'")?.[0] as string,
    version: () => reads.currentVersion(),
    figures: () => ({ ...writer.writeFigures, ...reads.figures, scansWaiting: scans.waiting }),
    sequence: () => reads.currentSequence(),
    look: reads.recheck,
    size: () => databaseBytes(settled.folder),
    // On two readers; the last one waits for the check of the file.
    verify: () => [checkFile(), verified(scans, ["rows"]), verified(scans, ["indexes"])],
    damage,
    check: () => check.run(),
    checkedAt: () => check.endedAt,
    clock: (nowSeconds) => check.clock(nowSeconds),
    refuseUnready: () => undefined,
    snapshot: (work) => withConnection(settled, "read", (own) => inSnapshot(own, work)),
    transaction: async (work) => {
      damage.refuse();
      return withConnection(settled, "write", (own) => {
        own.exec(`PRAGMA cache_size = -${loadCacheKib}`);
        return inTransaction(own, () => work(own));
      });
    },
    alone: (name, work) => alone(settled.folder, name, work),
    // Other processes of the store find out in their transaction.
    claim: async () => async () => undefined,
    close: async () => {
      await writer.close();
      await Promise.all([check, ...readers, ...apart].map((each) => each.close()));
      link.close();
      mergeLog(settled);
    },
  });
}

/**
 * What is left in the write-ahead log goes into the database file, which is then the whole store. SQLite does it when the
 * last connection closes, if that one may write: a reading one closes after the writer's. Where other processes have the
 * file open, the last of them does it.
 */
function mergeLog(options: SqliteOptions): void {
  if (!existsSync(`${databaseFile(options.folder)}-wal`)) return;
  try {
    new Sqlite(options, "write").close();
  } catch {
    // A full disk, or a folder that is read-only by now: the log stays, and nothing is lost.
  }
}

/** Where damage is recorded, beside SQLite's own files. */
const noteFile = ({ folder }: SqliteOptions): string => `${databaseFile(folder)}-damaged`;

/** The result of SQLite's own check for a file that is too damaged to be opened as a store. */
export function faultsOfFile(options: SqliteOptions): string[] {
  const faults = fileFaults(options, "integrity_check");
  const damage = new Damage(noteFile(options));
  if (faults.length > 0) damage.found(faults);
  damage.close();
  return faults;
}

/** For the rows of a damaged file: the damage itself is reported already. */
function unlessUnreadable(error: unknown): string[] {
  if (isProblem(error, "store_damaged")) return [];
  throw error;
}

/** Migrates the file; answers which keys its index holds. Throws StoreError, store_damaged. */
async function prepare(
  { indexedTables }: NounSet,
  options: SqliteStoreOptions,
  onBuilt?: OnBuilt,
  onMigration?: OnMigration,
): Promise<string[]> {
  const advice = ownSqliteAdvice();
  if (advice !== undefined) throw new StoreError(advice);
  if (isMissing(databaseFile(options.folder))) {
    const missing = `there is no octavo.db in ${options.folder}`;
    refuseNew(
      options,
      missing,
      "put the file back, name the right folder with --data, or the database with postgres_url",
    );
    // The recorded damage was that of another file.
    rmSync(noteFile(options), { force: true });
  }
  try {
    return await withConnection(options, "write", (sqlite) => {
      migrate(sqlite, onMigration);
      return settleIndexes(sqlite, indexedTables, options, onBuilt);
    });
  } catch (error) {
    throw isDamage(error) ? storeDamaged(error) : error;
  }
}

async function withConnection<T>(
  options: SqliteOptions,
  mode: "write" | "read",
  work: (sqlite: Sqlite) => Promise<T>,
): Promise<T> {
  const sqlite = new Sqlite(options, mode);
  try {
    return await work(sqlite);
  } finally {
    sqlite.close();
  }
}

/** Closing the connection ends the transaction. */
async function inSnapshot<T>(sqlite: Sqlite, work: (sqlite: Sqlite) => Promise<T>): Promise<T> {
  try {
    sqlite.exec("BEGIN");
    return await work(sqlite);
  } catch (error) {
    throw translateSqliteError(error);
  }
}
