import pg from "pg";
import { KeyNumbers } from "../../index/key-number.ts";
import { runScan, type ScanOptions, type Scans, scanning } from "../../scans.ts";
import {
  beginSnapshot,
  connectionConfig,
  isLost,
  Postgres,
  type PostgresOptions,
  translatePostgresError,
} from "./connection.ts";

type Answer<K extends keyof Scans> = Promise<Awaited<ReturnType<Scans[K]>>>;

/** Long reads on a pool of connections, each read in a transaction on one snapshot of the store. */
export class PostgresScans {
  private readonly pool: pg.Pool;
  private readonly options: ScanOptions;
  private readonly keys = new KeyNumbers();
  private readonly connections = new WeakMap<pg.PoolClient, Postgres>();

  constructor(postgres: PostgresOptions, maxConnections: number, options: ScanOptions) {
    this.options = options;
    this.pool = new pg.Pool({ ...connectionConfig(postgres), max: maxConnections, idleTimeoutMillis: 30_000 });
    // The end of an idle connection needs no report: the next read opens another.
    this.pool.on("error", () => undefined);
  }

  /** Throws busy when the server cannot be reached, store_damaged, and what the scan throws. */
  async run<K extends keyof Scans & string>(name: K, args: Parameters<Scans[K]>, isStopped: () => boolean): Answer<K> {
    try {
      return await this.once(name, args, isStopped);
    } catch (error) {
      if (!isLost(error)) throw translatePostgresError(error);
    }
    return this.once(name, args, isStopped).catch((error: unknown) => {
      throw translatePostgresError(error);
    });
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async once<K extends keyof Scans & string>(
    name: K,
    args: Parameters<Scans[K]>,
    isStopped: () => boolean,
  ): Answer<K> {
    const client = await this.pool.connect();
    const postgres = this.connectionOf(client);
    // Not awaited: the first statement follows it in the pipeline, and fails if it fails.
    const begun = postgres.exec(beginSnapshot).catch(() => undefined);
    const on = scanning(postgres, this.options, this.keys, isStopped);
    try {
      return (await runScan(on, name, args)) as Awaited<ReturnType<Scans[K]>>;
    } finally {
      void begun
        .then(() => postgres.exec("COMMIT"))
        .then(
          () => client.release(),
          () => client.release(true),
        );
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
