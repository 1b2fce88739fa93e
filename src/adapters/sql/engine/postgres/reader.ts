import pg from "pg";
import { problem } from "../../../../domain/problem.ts";
import { KeyNumbers } from "../../index/key-number.ts";
import { runScan, type ScanOptions, type Scans, scanning } from "../../scans.ts";
import type { Caller } from "../../sql.ts";
import {
  beginSnapshot,
  connectionConfig,
  isLost,
  Postgres,
  type PostgresOptions,
  translatePostgresError,
} from "./connection.ts";

const maxWaiting = 1000;

/** Long reads on a pool of connections, each read in a transaction on one snapshot of the store. */
export class PostgresScans implements Caller<Scans> {
  private readonly pool: pg.Pool;
  private readonly options: ScanOptions;
  private readonly onFailure: (failure: unknown) => void;
  private readonly keys = new KeyNumbers();
  private readonly connections = new WeakMap<pg.PoolClient, Postgres>();

  /** `onFailure` receives every error that is thrown. */
  constructor(
    postgres: PostgresOptions,
    maxConnections: number,
    options: ScanOptions,
    onFailure: (failure: unknown) => void,
  ) {
    this.options = options;
    this.onFailure = onFailure;
    this.pool = new pg.Pool({ ...connectionConfig(postgres), max: maxConnections, idleTimeoutMillis: 30_000 });
    // The end of an idle connection needs no report: the next read opens another.
    this.pool.on("error", () => undefined);
  }

  async call<K extends keyof Scans & string>(
    name: K,
    ...args: Parameters<Scans[K]>
  ): Promise<Awaited<ReturnType<Scans[K]>>> {
    if (this.pool.waitingCount >= maxWaiting) {
      throw problem("busy", { reason: "too many requests are waiting for the database" });
    }
    try {
      return await this.once(name, args);
    } catch (error) {
      if (!isLost(error)) this.refuse(error);
    }
    return this.once(name, args).catch(this.refuse);
  }

  private refuse = (error: unknown): never => {
    const failure = translatePostgresError(error);
    this.onFailure(failure);
    throw failure;
  };

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async once<K extends keyof Scans & string>(
    name: K,
    args: Parameters<Scans[K]>,
  ): Promise<Awaited<ReturnType<Scans[K]>>> {
    const client = await this.pool.connect();
    const postgres = this.connectionOf(client);
    // Not awaited: the first statement follows it in the pipeline, and fails if it fails.
    const begun = postgres.exec(beginSnapshot).catch(() => undefined);
    try {
      return (await runScan(scanning(postgres, this.options, this.keys), name, args)) as Awaited<ReturnType<Scans[K]>>;
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
