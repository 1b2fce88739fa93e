import { isLost, Postgres, type PostgresOptions, translatePostgresError } from "./connection.ts";
import { SentSql } from "./sent-sql.ts";

/**
 * A connection for short reads, shared by all concurrent callers: their statements are sent in one pipeline. A lost
 * connection is reopened; a read that was lost with it is retried once. Throws busy when the server cannot be reached,
 * store_damaged.
 */
export class PostgresLink extends SentSql {
  private readonly options: PostgresOptions;
  private readonly onFailure: (failure: unknown) => void;
  private current: Postgres | undefined;
  private connecting: Promise<Postgres> | undefined;

  /** `onFailure` receives every error that is thrown. */
  constructor(options: PostgresOptions, onFailure: (failure: unknown) => void = () => undefined) {
    super();
    this.options = options;
    this.onFailure = onFailure;
  }

  async close(): Promise<void> {
    await this.connecting?.catch(() => undefined);
    await this.current?.close();
  }

  protected async send<T>(statement: (postgres: Postgres) => Promise<T>): Promise<T> {
    const first = await this.connected().catch(this.refuse);
    try {
      return await statement(first);
    } catch (error) {
      if (!isLost(error)) this.refuse(error);
      first.isLost = true;
      void first.close();
    }
    return statement(await this.connected().catch(this.refuse)).catch(this.refuse);
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
