import { randomInt, randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { FaultList } from "../../../fault-list.ts";
import { caused, problem } from "../../../problem.ts";
import { isDamage, storeDamaged } from "../../damage.ts";
import { type ListSql, rowsPerWatch } from "../../list/options.ts";
import { migrationsAfter, type OnMigration } from "../../migration.ts";
import { numberIn, type Row, type RowsWrite, type SnapshotSql, type Value, type WriteSql } from "../../sql.ts";
import { maxStatements, type Parts, writeSql } from "../../sql-text.ts";

export type SqliteOptions = { folder: string; busyTimeoutMs: number };

/** A batch of rows ends at this many characters: larger ones outlive the young generation and cost full collections. */
const batchLength = 512 * 1024;

/** Of a number by which rows are drawn; odd, and so small that the product with the number of a row is a whole number. */
const multiplier = 2 * randomInt(2 ** 29, 2 ** 30) + 1;

const parts: Parts = {
  join_in_order: "CROSS JOIN",
  row_by_id: (words) => {
    const [table, id] = words.split(" ");
    return `CROSS JOIN ${table} ON ${table}.id = ${id}`;
  },
  // Its joins are written in their order.
  analyze: "SELECT 1",
  numbers_of: (list) => `json_each(${list})`,
  json_text: (column) => `json_quote(${column})`,
  // The rows that are counted are drawn by number: by none that a client knows, who could keep only those that are not.
  watch: (id) => `(((${id} * ${multiplier}) >> 16) % ${rowsPerWatch} OR octavo_watch())`,
  // The watch does it.
  limit_time: (most) => most,
  new_uuid: "random_uuid()",
  new_secret: "lower(hex(randomblob(32)))",
  number_key: "INTEGER PRIMARY KEY",
  integer: "INTEGER",
  real: "REAL",
  text: "TEXT",
  strict: "STRICT",
  strict_by_key: "STRICT, WITHOUT ROWID",
  count_rows: (words) => countRows(words.split(" ") as [string, string, string]),
  // One process has the file.
  refuse_writers_before: "",
};

/** A row for each pair of values, changed with each row of the table. */
function countRows([table, a, b]: [string, string, string]): string {
  const counts = `${table}_count`;
  const more = `INSERT INTO ${counts} VALUES (NEW.${a}, NEW.${b}, 1) ON CONFLICT DO UPDATE SET count = count + 1;`;
  const isOld = `${a} = OLD.${a} AND ${b} = OLD.${b}`;
  const less = `UPDATE ${counts} SET count = count - 1 WHERE ${isOld}; DELETE FROM ${counts} WHERE ${isOld} AND count = 0;`;
  return `
    CREATE TABLE ${counts} (
      ${a} INTEGER NOT NULL, ${b} INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (${a}, ${b})
    ) STRICT, WITHOUT ROWID;
    INSERT INTO ${counts} SELECT ${a}, ${b}, count(*) FROM ${table} GROUP BY ${a}, ${b};
    CREATE TRIGGER ${counts}_made AFTER INSERT ON ${table} BEGIN ${more} END;
    CREATE TRIGGER ${counts}_gone AFTER DELETE ON ${table} BEGIN ${less} END;
    CREATE TRIGGER ${counts}_moved AFTER UPDATE OF ${a}, ${b} ON ${table}
      WHEN OLD.${a} <> NEW.${a} OR OLD.${b} <> NEW.${b} BEGIN ${less} ${more} END`;
}

/**
 * The text as SQLite gets it; its parameters are those of the texts. From 3.47 on SQLite reads the value of a parameter that
 * is a LIMIT for its plan, and prepares the statement anew each time that it is bound: an expression it leaves alone.
 */
export function written(text: string): string {
  const own = text.includes("{") ? writeSql(text, parts, (number) => `?${number}`) : text;
  return own.replace(/\bLIMIT (\?\d+)/g, "LIMIT CAST($1 AS INTEGER)");
}

/** Between two attempts to get the write lock. */
const retryMs = 1;
const sleeping = new Int32Array(new SharedArrayBuffer(4));

/** Another connection has the lock: SQLITE_BUSY, with its extended codes. */
const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;

/** One connection to the store's file, with its prepared statements. Every method is synchronous. */
export class Sqlite implements SnapshotSql, WriteSql, ListSql {
  readonly isServer = false;
  private readonly database: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  /** Called for some of the rows that a watched statement looks at. */
  private onRow: (() => void) | undefined;
  /** Whether the last transaction got the lock. */
  private hasBegun = false;
  private readonly busyTimeoutMs: number;

  /** Opens `octavo.db` in the folder. `readOnly` connections cannot create it. */
  constructor(options: SqliteOptions, mode: "write" | "read") {
    if (mode === "write") {
      makeFolder(resolve(options.folder));
      createPrivately(databaseFile(options.folder));
    }
    this.busyTimeoutMs = options.busyTimeoutMs;
    // The timeout must be set before journal_mode: several processes that open at once would fail on that line.
    this.database = new DatabaseSync(databaseFile(options.folder), {
      timeout: options.busyTimeoutMs,
      readOnly: mode === "read",
    });
    try {
      this.prepareConnection(mode);
    } catch (error) {
      // A full disk: until it is collected, the open file would keep the disk busy.
      this.database.close();
      throw error;
    }
  }

  private prepareConnection(mode: "write" | "read"): void {
    // A checkpoint every 4 MB (SQLite's default) would copy the same index pages again and again.
    if (mode === "write") {
      this.database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8000");
    }
    this.database.function("random_uuid", () => randomUUID());
    this.database.function("octavo_watch", () => {
      this.onRow?.();
      return 1;
    });
    this.database.exec("PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000");
  }

  rows(text: string, ...values: Value[]): Row[] {
    return this.prepared(text).all(...values) as unknown as Row[];
  }

  rowsWatched(watch: () => void, text: string, ...values: Value[]): Row[] {
    this.onRow = watch;
    try {
      return this.rows(text, ...values);
    } finally {
      this.onRow = undefined;
    }
  }

  row(text: string, ...values: Value[]): Row | undefined {
    return this.prepared(text).get(...values) as unknown as Row | undefined;
  }

  rowsAll(text: string, sets: readonly Value[][]): Row[][] {
    const statement = this.prepared(text);
    return sets.map((values) => statement.all(...values) as unknown as Row[]);
  }

  run(text: string, ...values: Value[]): number {
    return Number(this.prepared(text).run(...values).changes);
  }

  runAll(write: string | RowsWrite, sets: readonly Value[][]): void {
    const statement = this.prepared(typeof write === "string" ? write : write.text);
    for (const values of sets) statement.run(...values);
  }

  *batches(text: string, values: readonly Value[], size: number): Iterable<Row[]> {
    // Prepared anew: a cached statement could be started twice when two scans with one text run at the same time.
    const statement = this.database.prepare(written(text));
    statement.setReturnArrays(true);
    let batch: Row[] = [];
    let length = 0;
    for (const row of statement.iterate(...values) as Iterable<unknown>) {
      batch.push(row as Row);
      for (const value of row as Row) if (typeof value === "string") length += value.length;
      if (batch.length < size && length < batchLength) continue;
      yield batch;
      batch = [];
      length = 0;
    }
    if (batch.length > 0) yield batch;
  }

  /**
   * Waits for the lock in short sleeps. SQLite's own become as long as 100 ms, so that a process that writes without end
   * would always be first.
   */
  begin(): void {
    this.hasBegun = false;
    const deadline = performance.now() + this.busyTimeoutMs;
    this.exec("PRAGMA busy_timeout = 0");
    try {
      while (!this.hasBegun) this.hasBegun = this.tryBegin(performance.now() < deadline);
    } finally {
      this.exec(`PRAGMA busy_timeout = ${this.busyTimeoutMs}`);
    }
  }

  private tryBegin(mayWait: boolean): boolean {
    try {
      this.exec("BEGIN IMMEDIATE");
      return true;
    } catch (error) {
      if (!mayWait || !isBusy(error)) throw error;
      Atomics.wait(sleeping, 0, 0, retryMs);
      return false;
    }
  }

  commit(): void {
    this.exec("COMMIT");
  }

  rollback(): void {
    // An error inside a transaction can make SQLite roll all of it back (a full disk does).
    if (this.database.isTransaction) this.exec("ROLLBACK");
  }

  later(write: RowsWrite, sets: readonly Value[][]): void {
    this.runAll(write, sets);
  }

  /** Does nothing: there is one write transaction at a time. */
  lockShared(): void {}
  lockTexts(): void {}

  settled(table: string): number {
    return numberIn(this.row(`SELECT coalesce(max(id), 0) FROM ${table}`));
  }

  numbers(table: string, count: number): number[] {
    const last = this.settled(table);
    return Array.from({ length: count }, (_, n) => last + 1 + n);
  }

  /** No transaction is repeated: a busy failure follows a full wait for the lock, and no connection can be lost. */
  remedy(): "divide" | "refuse" {
    return this.hasBegun ? "divide" : "refuse";
  }

  translate(error: unknown): unknown {
    return translateSqliteError(error);
  }

  /** Runs statements without results. */
  exec(text: string): void {
    this.database.exec(written(text));
  }

  close(): void {
    this.statements.clear();
    this.database.close();
  }

  private prepared(text: string): StatementSync {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.database.prepare(written(text));
      statement.setReturnArrays(true);
      // The first one that was prepared: lists of common shapes are prepared again.
      if (this.statements.size >= maxStatements) this.statements.delete(this.statements.keys().next().value as string);
      this.statements.set(text, statement);
    }
    return statement;
  }
}

/**
 * Creates a missing file with mode 0600, since SQLite would create it with 0644. The WAL and the shared memory get the
 * mode of the database. An existing file is never opened here: closing it would release the locks that other connections
 * of this process hold on it (fcntl locks belong to the process).
 */
export function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Creates a folder and its parents. One by one: Node's recursive mkdir loops forever where a parent refuses (/proc).
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o711 });
  } catch (error) {
    // Another process that starts at the same moment may have created it.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

export const databaseFile = (folder: string): string => join(folder, "octavo.db");

/**
 * What to do about a SQLite that can damage a file in which two connections write and checkpoint at once: a log that is
 * begun anew at that moment loses commits (sqlite.org/wal.html, The WAL-Reset Bug). Undefined for one without the fault:
 * 3.51.3 or newer, or 3.44.6 and 3.50.7, which have the repair. Decision 70.
 */
export function sqliteAdvice(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const repairedAt = major === 3 ? { 44: 6, 50: 7, 51: 3 }[minor] : undefined;
  const isSound = repairedAt === undefined ? major > 3 || minor > 51 : patch >= repairedAt;
  return isSound ? undefined : `SQLite ${version} can damage the database: start Octavo with Node 24.16 or newer`;
}

/** The same for the SQLite of this process; touches no file. */
export function ownSqliteAdvice(): string | undefined {
  const memory = new DatabaseSync(":memory:");
  const { version } = memory.prepare("SELECT sqlite_version() AS version").get() as { version: string };
  memory.close();
  return sqliteAdvice(version);
}

/** The size of the database on the disk, with the write-ahead log (WAL). */
export function databaseBytes(folder: string): number {
  const file = databaseFile(folder);
  return statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

/** Migrates the file to the newest schema, under the write lock, so that processes that start at once do it once. */
export function migrate(sqlite: Sqlite, onMigration?: OnMigration): void {
  sqlite.begin();
  try {
    const version = numberIn(sqlite.row("PRAGMA user_version"));
    const texts = migrationsAfter(version);
    for (const [i, text] of texts.entries()) {
      if (version > 0) onMigration?.(i, texts.length);
      sqlite.exec(text);
    }
    sqlite.exec(`PRAGMA user_version = ${version + texts.length}`);
    sqlite.commit();
  } catch (error) {
    sqlite.rollback();
    throw error;
  }
}

/**
 * Sentences about what is wrong with the structure of the file. Reads all of it, on a connection of its own:
 * `quick_check` takes a few seconds a gigabyte, `integrity_check` several times as long, since it also compares each
 * index with its table.
 */
export function fileFaults(options: SqliteOptions, check: "quick_check" | "integrity_check"): string[] {
  const faults = new FaultList();
  try {
    for (const line of checkLines(options, check)) faults.add(`The database file: ${line}`);
  } catch (error) {
    if (!isDamage(error)) throw error;
    faults.add(`The database file: ${(error as Error).message}`);
  }
  return faults.all();
}

/** Yields them one by one: findings made before the check fails are reported. */
function* checkLines(options: SqliteOptions, check: string): Iterable<string> {
  const sqlite = new Sqlite(options, "read");
  try {
    for (const [[text]] of sqlite.batches(`PRAGMA ${check}`, [], 1) as Iterable<[[string]]>) {
      for (const line of text.split("\n")) if (line !== "ok" && line !== "" && !line.startsWith("***")) yield line;
    }
  } finally {
    sqlite.close();
  }
}

/** Sentences about rows with dangling references. */
export function danglingRows(sqlite: Sqlite): string[] {
  const faults = new FaultList();
  for (const [table] of sqlite.rows("PRAGMA foreign_key_check")) faults.add(`A row of ${table} refers to nothing`);
  return faults.all();
}

const outOfReach =
  /SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)|database is locked|database or disk is full|disk I\/O error|readonly database/;

/** The primary result codes of SQLite. */
const [readOnly, full] = [8, 13];

/** Failures of SQLite that time or an operator can fix, as `busy` or `storage_full`, damage as `store_damaged`; every other as it is. */
export function translateSqliteError(error: unknown): unknown {
  if (isDamage(error)) return storeDamaged(error);
  if (!(error instanceof Error) || !outOfReach.test(`${(error as { errstr?: string }).errstr} ${error.message}`))
    return error;
  const { errcode = 0 } = error as { errcode?: number };
  const code = errcode & 0xff;
  if (code === full) return caused(problem("storage_full", { reason: "the disk of the data folder is full" }), error);
  const reason = code === readOnly ? "the database is read-only" : "the store cannot take it";
  return caused(problem("busy", { reason }), error);
}
