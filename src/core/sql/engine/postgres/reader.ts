import { KeyNumbers } from "../../index/key-number.ts";
import { runScan, type ScanOptions, type Scans, scanning } from "../../scans.ts";
import type { Postgres, PostgresOptions } from "./connection.ts";
import { PostgresSnapshots } from "./snapshots.ts";

/** Long reads, each on one snapshot of the store. */
export class PostgresScans {
  private readonly snapshots: PostgresSnapshots;
  private readonly options: ScanOptions;
  private readonly keys = new KeyNumbers();

  constructor(postgres: PostgresOptions, maxConnections: number, options: ScanOptions) {
    this.options = options;
    this.snapshots = new PostgresSnapshots(postgres, maxConnections);
  }

  /** Throws busy when the server cannot be reached, store_damaged, and what the scan throws. */
  async run<K extends keyof Scans & string>(
    name: K,
    args: Parameters<Scans[K]>,
    isStopped: () => boolean,
  ): Promise<Awaited<ReturnType<Scans[K]>>> {
    const scan = async (sql: Postgres) => runScan(scanning(sql, this.options, this.keys, isStopped), name, args);
    return (await this.snapshots.read(scan)) as Awaited<ReturnType<Scans[K]>>;
  }

  close(): Promise<void> {
    return this.snapshots.close();
  }
}
