import type { ListSql } from "../../list/options.ts";
import type { Row, RowsWrite, SnapshotSql, Value } from "../../sql.ts";
import { Sqlite, type SqliteOptions, translateSqliteError } from "./connection.ts";

/** The main thread's connection, for short reads. Throws busy when the file cannot be read, store_damaged. */
export class SqliteLink implements SnapshotSql, ListSql {
  readonly isServer = false;
  private readonly sqlite: Sqlite;
  private readonly onFailure: (failure: unknown) => void;
  /** How many reads began. */
  reads = 0;

  /** `onFailure` receives every error that is thrown. */
  constructor(options: SqliteOptions, onFailure: (failure: unknown) => void = () => undefined) {
    this.sqlite = new Sqlite(options, "read");
    this.onFailure = onFailure;
  }

  rows(text: string, ...values: Value[]): Row[] {
    return this.attempt(() => this.sqlite.rows(text, ...values));
  }

  rowsWatched(watch: () => void, text: string, ...values: Value[]): Row[] {
    return this.attempt(() => this.sqlite.rowsWatched(watch, text, ...values));
  }

  row(text: string, ...values: Value[]): Row | undefined {
    return this.attempt(() => this.sqlite.row(text, ...values));
  }

  rowsAll(text: string, sets: readonly Value[][]): Row[][] {
    return this.attempt(() => this.sqlite.rowsAll(text, sets));
  }

  run(text: string, ...values: Value[]): number {
    return this.attempt(() => this.sqlite.run(text, ...values));
  }

  runAll(write: string | RowsWrite, sets: readonly Value[][]): void {
    this.attempt(() => this.sqlite.runAll(write, sets));
  }

  *batches(text: string, values: readonly Value[], size: number): Iterable<Row[]> {
    this.reads++;
    try {
      yield* this.sqlite.batches(text, values, size);
    } catch (error) {
      throw this.failed(error);
    }
  }

  close(): void {
    this.sqlite.close();
  }

  private attempt<T>(work: () => T): T {
    this.reads++;
    try {
      return work();
    } catch (error) {
      throw this.failed(error);
    }
  }

  private failed(error: unknown): unknown {
    const failure = translateSqliteError(error);
    this.onFailure(failure);
    return failure;
  }
}
