import pg from "pg";
import {
  beginSnapshot,
  connectionConfig,
  isLost,
  Postgres,
  type PostgresOptions,
  translatePostgresError,
} from "./connection.ts";

/**
 * Each row finds those of the next table by an index, in the order in which a list joins them, and what an index has in order
 * is read in it: the server knows nothing of how many rows pass a test, and would read all of them and sort the few that it
 * expects. Where there is no other way it still reads a whole table, and sorts. Decision 67.
 */
const off = ["hashjoin", "mergejoin", "seqscan", "bitmapscan", "sort"];
const asWritten = off.map((way) => `-c enable_${way}=off`).join(" ");

/** A pool of connections for reads of several statements, each read in a transaction on one snapshot of the store. */
export class PostgresSnapshots {
  private readonly pool: pg.Pool;
  private readonly connections = new WeakMap<pg.PoolClient, Postgres>();

  constructor(options: PostgresOptions, maxConnections: number) {
    this.pool = new pg.Pool({
      ...connectionConfig(options, asWritten),
      max: maxConnections,
      idleTimeoutMillis: 30_000,
    });
    // The end of an idle connection needs no report: the next read opens another.
    this.pool.on("error", () => undefined);
  }

  /**
   * Reads on one snapshot; `first` is SQL whose only value is read with it. A read that is lost with its connection is
   * retried once. Throws busy when the server cannot be reached, store_damaged, and what `work` throws.
   */
  async read<T>(work: (sql: Postgres, first: Promise<number>) => Promise<T>, first = "SELECT 0"): Promise<T> {
    return retried(() => this.once(work, first));
  }

  /** The same without a transaction: each statement reads a snapshot of its own. */
  async readApart<T>(work: (sql: Postgres) => Promise<T>): Promise<T> {
    return retried(() => this.onceApart(work));
  }

  /** The number of reads that wait for a connection. */
  get waiting(): number {
    return this.pool.waitingCount;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async once<T>(work: (sql: Postgres, first: Promise<number>) => Promise<T>, first: string): Promise<T> {
    const client = await this.pool.connect();
    const postgres = this.connectionOf(client);
    // Not awaited: the first statement of the work follows it in the pipeline, and fails if it fails.
    const begun = postgres.execForValue(`${beginSnapshot}; ${first}`);
    begun.catch(() => undefined);
    try {
      return await work(postgres, begun);
    } finally {
      void begun
        .then(() => postgres.exec("COMMIT"))
        .then(
          () => client.release(),
          () => client.release(true),
        );
    }
  }

  private async onceApart<T>(work: (sql: Postgres) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const postgres = this.connectionOf(client);
    try {
      return await work(postgres);
    } finally {
      client.release(postgres.isLost);
    }
  }

  private connectionOf(client: pg.PoolClient): Postgres {
    const known = this.connections.get(client);
    if (known) return known;
    const postgres = new Postgres(client as unknown as pg.Client);
    this.connections.set(client, postgres);
    return postgres;
  }
}

async function retried<T>(once: () => Promise<T>): Promise<T> {
  try {
    return await once();
  } catch (error) {
    if (!isLost(error)) throw translatePostgresError(error);
  }
  return once().catch((error: unknown) => {
    throw translatePostgresError(error);
  });
}
