import { setImmediate } from "node:timers/promises";
import type pg from "pg";
import { problem } from "../../../problem.ts";
import { firstColumn, type RowsWrite, unawaited, type Value, type WriteSql } from "../../sql.ts";
import {
  channel,
  codeOf,
  columnsOf,
  conflicts,
  isLost,
  lockNumber,
  lostConnection,
  Postgres,
  type PostgresOptions,
  translatePostgresError,
} from "./connection.ts";
import { SentSql } from "./sent-sql.ts";

/** Held shared by transactions that write some paths, and alone by every other. */
const treeLock = lockNumber;
const sharedLock = lockNumber + 2;
const textLock = lockNumber + 3;
/** Before the hash of a path, in the locks of two numbers. Paths with the same hash wait for each other. */
const pathLock = lockNumber;

/** Takes the locks of paths in the order of their hashes, in which every node takes them. */
const lockPaths = `SELECT count(pg_advisory_xact_lock(?1::int, hash)) FROM
  (SELECT DISTINCT hashtext(path) AS hash FROM unnest(?2::text[]) AS path ORDER BY hash) AS sorted`;

/** The transactions of other connections that have the lock of the tree, as one text. */
const otherWriters = `(SELECT coalesce(string_agg(virtualtransaction, ' '), '') FROM pg_locks
  WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = 0 AND objid = ?1 AND objsubid = 1 AND granted AND pid <> pg_backend_pid())`;

/** The last row of a table at some time, and the writers that may have had uncommitted rows before it. */
type Mark = { last: number; writers: ReadonlySet<string> };

/** A statement in a transaction that an earlier one has failed: in_failed_sql_transaction. */
const inFailed = "25P02";

/**
 * The connection for all writes of this node, opened when it is needed. Locks are taken in one order: that of the tree,
 * those of the paths, that of what is shared. So no two nodes wait for each other. Decision 42.
 */
export class PostgresWriter extends SentSql implements WriteSql {
  private readonly options: PostgresOptions;
  private connection: Postgres | undefined;
  private isCommitting = false;
  /** True when what is shared is locked: by its own lock, or with everything. */
  private hasShared = false;
  /** The same for the text index. */
  private hasTexts = false;
  /** By table. */
  private readonly marks = new Map<string, Mark>();
  /** Locks that are not granted yet. A failure meanwhile is that of waiting for them. */
  private locksWaiting = 0;
  /** What was given to `later` and is not sent yet, by statement. */
  private readonly collected = new Map<string, { write: RowsWrite; sets: Value[][] }>();
  /** The failure that made the statements after it fail. */
  private failure: unknown;

  constructor(options: PostgresOptions) {
    super();
    this.options = options;
  }

  /** Sends BEGIN and the locks ahead of the first statement, without a round trip of their own. */
  async begin(paths?: readonly string[]): Promise<void> {
    this.isCommitting = false;
    this.failure = undefined;
    this.locksWaiting = 0;
    this.collected.clear();
    if (this.connection?.isLost) await this.close();
    this.connection ??= await Postgres.connect(this.options);
    unawaited(this.send((open) => open.exec("BEGIN")));
    this.hasShared = paths === undefined;
    this.hasTexts = paths === undefined;
    if (paths) {
      this.lock("SELECT pg_advisory_xact_lock_shared(?1)", treeLock);
      const sets = paths.map((path) => [path]);
      if (sets.length > 0) this.lock(lockPaths, pathLock, ...columnsOf(sets, ["text"]));
    } else this.lock("SELECT pg_advisory_xact_lock(?1)", treeLock);
  }

  lockShared(): void {
    if (this.hasShared) return;
    this.hasShared = true;
    this.lock("SELECT pg_advisory_xact_lock(?1)", sharedLock);
  }

  lockTexts(): void {
    if (this.hasTexts) return;
    this.hasTexts = true;
    this.lock("SELECT pg_advisory_xact_lock(?1)", textLock);
  }

  /**
   * The last row; while others write, what was the last row in an earlier call whose writers have all ended since. A
   * writer has the lock of the tree before it gets numbers, so none that began later has a lower one.
   */
  async settled(table: string): Promise<number> {
    const [row] = await this.rows(`SELECT (SELECT coalesce(max(id), 0) FROM ${table}), ${otherWriters}`, treeLock);
    const [last, writers] = row as unknown as [number, string];
    const now: Mark = { last, writers: new Set(writers.split(" ").filter(Boolean)) };
    if (now.writers.size === 0) return last;
    const before = this.marks.get(table);
    const isOver = before?.writers.isDisjointFrom(now.writers) ?? false;
    if (isOver || !before) this.marks.set(table, now);
    return isOver ? (before as Mark).last : 0;
  }

  later(write: RowsWrite, sets: readonly Value[][]): void {
    const known = this.collected.get(write.text);
    if (known) known.sets.push(...sets);
    else if (sets.length > 0) this.collected.set(write.text, { write, sets: [...sets] });
  }

  /** Of the sequence of the table's numbers. */
  async numbers(table: string, count: number): Promise<number[]> {
    const next = "SELECT nextval(pg_get_serial_sequence(?1, 'id')) FROM generate_series(1, ?2::int)";
    return firstColumn(await this.rows(next, table, count));
  }

  async commit(): Promise<void> {
    const { open } = this;
    this.isCommitting = true;
    unawaited(this.run("SELECT pg_notify(?1, '')", channel));
    const done: pg.QueryResult = await open.client.query("COMMIT");
    // The COMMIT of a transaction in which a statement failed is a ROLLBACK, without an error.
    if (done.command === "COMMIT") return;
    this.isCommitting = false;
    throw await this.firstFailure(lostConnection());
  }

  async rollback(): Promise<void> {
    try {
      if (!this.connection?.isLost) await this.connection?.exec("ROLLBACK");
    } catch {
      // Then the connection is unusable, and closing it rolls the transaction back.
      await this.close();
    }
  }

  remedy(error: unknown): "repeat" | "divide" | "refuse" {
    if (this.isCommitting) return "refuse";
    if (isLost(error) || conflicts.has(codeOf(error))) return "repeat";
    return this.connection && this.locksWaiting === 0 ? "divide" : "refuse";
  }

  translate(error: unknown): unknown {
    if (!this.isCommitting || !isLost(error)) return translatePostgresError(error);
    const unknown = problem("outcome_unknown");
    unknown.cause = error;
    return unknown;
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    await connection?.close();
  }

  private lock(text: string, ...values: Value[]): void {
    this.locksWaiting++;
    unawaited(this.rows(text, ...values).then(() => this.locksWaiting--));
  }

  /** Sends what was collected. */
  private flush(): void {
    const statements = [...this.collected.values()];
    this.collected.clear();
    for (const { write, sets } of statements) unawaited(this.runAll(write, sets));
  }

  /**
   * Sends at once, after what was collected. A statement that fails because an earlier one did rejects with the failure
   * of that one.
   */
  protected async send<T>(statement: (postgres: Postgres) => Promise<T>): Promise<T> {
    try {
      this.flush();
      return await statement(this.open);
    } catch (error) {
      if (codeOf(error) === inFailed) throw await this.firstFailure(error);
      this.failure = error;
      throw error;
    }
  }

  /**
   * The failure that made this one. Its reply came before, but who waits for several statements learns of it some promises
   * later: within this turn of the event loop.
   */
  private async firstFailure(error: unknown): Promise<unknown> {
    if (!this.failure) await setImmediate();
    return this.failure ?? error;
  }

  private get open(): Postgres {
    if (!this.connection) throw lostConnection();
    return this.connection;
  }
}
