import { KeyNumbers } from "../../index/key-number.ts";
import type { NounSet } from "../../noun.ts";
import { runScan, type ScanOptions, scanning } from "../../scans.ts";
import type { Postgres, PostgresOptions } from "./connection.ts";
import { PostgresSnapshots } from "./snapshots.ts";

/** Long reads, each on one snapshot of the store. */
export class PostgresScans {
  private readonly nouns: NounSet;
  private readonly snapshots: PostgresSnapshots;
  private readonly options: ScanOptions;
  private readonly keys = new KeyNumbers();

  constructor(nouns: NounSet, postgres: PostgresOptions, maxConnections: number, options: ScanOptions) {
    this.nouns = nouns;
    this.options = options;
    this.snapshots = new PostgresSnapshots(postgres, maxConnections);
  }

  /** Throws busy when the server cannot be reached, store_damaged, and what the scan throws. */
  run(name: string, args: readonly unknown[], isStopped: () => boolean): Promise<unknown> {
    const { nouns, options, keys } = this;
    return this.snapshots.read(async (sql: Postgres) =>
      runScan(scanning(nouns, sql, options, keys, isStopped), name, args),
    );
  }

  close(): Promise<void> {
    return this.snapshots.close();
  }
}
