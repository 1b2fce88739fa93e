import type { Row, Sql, Value, ValueType } from "../../sql.ts";
import { isLost, Postgres, type PostgresOptions, translatePostgresError } from "./connection.ts";

/**
 * A connection for short reads, shared by all concurrent callers: their statements are sent in one pipeline. A lost
 * connection is reopened; a read that was lost with it is retried once. Throws busy when the server cannot be reached,
 * store_damaged.
 */
export class PostgresLink implements Sql {
  private readonly options: PostgresOptions;
  private readonly onFailure: (failure: unknown) => void;
  private current: Postgres | undefined;
  private connecting: Promise<Postgres> | undefined;

  /** `onFailure` receives every error that is thrown. */
  constructor(options: PostgresOptions, onFailure: (failure: unknown) => void = () => undefined) {
    this.options = options;
    this.onFailure = onFailure;
  }

  rows(text: string, ...values: Value[]): Promise<Row[]> {
    return this.ask((postgres) => postgres.rows(text, ...values));
  }

  row(text: string, ...values: Value[]): Promise<Row | undefined> {
    return this.ask((postgres) => postgres.row(text, ...values));
  }

  rowsAll(text: string, sets: readonly Value[][], types: readonly ValueType[]): Promise<Row[][]> {
    return this.ask((postgres) => postgres.rowsAll(text, sets, types));
  }

  run(text: string, ...values: Value[]): Promise<number> {
    return this.ask((postgres) => postgres.run(text, ...values));
  }

  runAll(text: string, sets: readonly Value[][], types?: readonly ValueType[]): Promise<void> {
    return this.ask((postgres) => postgres.runAll(text, sets, types));
  }

  async close(): Promise<void> {
    await this.connecting?.catch(() => undefined);
    await this.current?.close();
  }

  private async ask<T>(question: (postgres: Postgres) => Promise<T>): Promise<T> {
    const first = await this.connected().catch(this.refuse);
    try {
      return await question(first);
    } catch (error) {
      if (!isLost(error)) this.refuse(error);
      first.isLost = true;
      void first.close();
    }
    return question(await this.connected().catch(this.refuse)).catch(this.refuse);
  }

  private refuse = (error: unknown): never => {
    const failure = translatePostgresError(error);
    this.onFailure(failure);
    throw failure;
  };

  private connected(): Promise<Postgres> {
    if (this.current && !this.current.isLost) return Promise.resolve(this.current);
    this.connecting ??= this.connect();
    return this.connecting;
  }

  private async connect(): Promise<Postgres> {
    try {
      this.current = await Postgres.connect(this.options);
      return this.current;
    } finally {
      this.connecting = undefined;
    }
  }
}
