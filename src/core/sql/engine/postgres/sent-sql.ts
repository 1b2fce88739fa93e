import type { Row, RowsWrite, Sql, Value, ValueType } from "../../sql.ts";
import type { Postgres } from "./connection.ts";

/** The statements of `Sql`, each sent on a connection that is chosen for it. */
export abstract class SentSql implements Sql {
  rows(text: string, ...values: Value[]): Promise<Row[]> {
    return this.send((postgres) => postgres.rows(text, ...values));
  }

  row(text: string, ...values: Value[]): Promise<Row | undefined> {
    return this.send((postgres) => postgres.row(text, ...values));
  }

  rowsAll(text: string, sets: readonly Value[][], types: readonly ValueType[]): Promise<Row[][]> {
    return this.send((postgres) => postgres.rowsAll(text, sets, types));
  }

  run(text: string, ...values: Value[]): Promise<number> {
    return this.send((postgres) => postgres.run(text, ...values));
  }

  runAll(write: string | RowsWrite, sets: readonly Value[][]): Promise<void> {
    return this.send((postgres) => postgres.runAll(write, sets));
  }

  /** Calls `statement` with a connection; a second time, with another one, only where the first was lost. */
  protected abstract send<T>(statement: (postgres: Postgres) => Promise<T>): Promise<T>;
}
