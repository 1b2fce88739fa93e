import type { Row, SnapshotSql, Value } from "./sql.ts";
import { Sqlite, type SqliteOptions, translateSqliteError } from "./sqlite.ts";

/** The main thread's connection, for short reads. Throws busy when the file is out of reach. */
export class SqliteLink implements SnapshotSql {
  private readonly sqlite: Sqlite;

  constructor(options: SqliteOptions) {
    this.sqlite = new Sqlite(options, "read");
  }

  rows(text: string, ...values: Value[]): Row[] {
    return attempt(() => this.sqlite.rows(text, ...values));
  }

  row(text: string, ...values: Value[]): Row | undefined {
    return attempt(() => this.sqlite.row(text, ...values));
  }

  run(text: string, ...values: Value[]): number {
    return attempt(() => this.sqlite.run(text, ...values));
  }

  runAll(text: string, sets: readonly Value[][]): void {
    attempt(() => this.sqlite.runAll(text, sets));
  }

  *batches(text: string, values: readonly Value[], size: number): Iterable<Row[]> {
    try {
      yield* this.sqlite.batches(text, values, size);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  close(): void {
    this.sqlite.close();
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateSqliteError(error);
  }
}
