import { indexedKeys } from "./index/field.ts";
import type { KeyNumbers } from "./index/key-number.ts";
import { chainsIn } from "./index/layer.ts";
import { readItems } from "./index/table.ts";
import type { ListOptions, ListSql } from "./list/options.ts";
import type { ItemsById, NounSet, Reading, Scanning } from "./noun.ts";
import type { Caller, SnapshotSql } from "./sql.ts";

export type ScanOptions = ListOptions & { indexKeys: readonly string[] };

/** The parts of a verification, which take about the same time. */
export type VerifyPart = "rows" | "indexes";

/** Sentences about faults of these parts, by the scan of the nouns that reads all rows. */
export const verified = (scans: Caller<Scans>, parts: readonly VerifyPart[]): Promise<string[]> =>
  scans.call("verifyStore", parts) as Promise<string[]>;

/** Every long read, by name. */
export type Scans = Record<string, (...rest: unknown[]) => Promise<unknown>>;

/** The context of reads of a few rows. */
export const reading = (
  { links }: NounSet,
  sql: ListSql,
  options: ScanOptions,
  keys: KeyNumbers,
  itemsById: ItemsById,
): Reading => ({
  links,
  sql,
  lists: sql,
  isIndexed: indexedKeys(options.indexKeys),
  keys,
  options: { ...options, chains: chainsIn(options.indexKeys) },
  itemsById,
});

/** The context of scans on the connection. */
export const scanning = (
  nouns: NounSet,
  sql: SnapshotSql & ListSql,
  options: ScanOptions,
  keys: KeyNumbers,
  isStopped: () => boolean = () => false,
): Scanning => ({
  ...reading(nouns, sql, options, keys, (table, ids) => readItems(sql, table, [...ids])),
  sql,
  nouns,
  isStopped,
});

/** Runs the scan of the name. The caller ensures that the connection reads one snapshot of the store meanwhile. */
export const runScan = (on: Scanning, name: string, rest: readonly unknown[]): unknown =>
  on.nouns.scans[name]?.(on, ...rest);
