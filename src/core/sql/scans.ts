import { verifyStore } from "../../backup/verify-store.ts";
import { type NounScans, nounScans } from "../../nouns.ts";
import { indexedKeys } from "./index/field.ts";
import type { KeyNumbers } from "./index/key-number.ts";
import { readItems } from "./index/table.ts";
import type { ListOptions, ListSql } from "./list/options.ts";
import type { ItemsById, Reading, Remote, Scanning } from "./noun.ts";
import type { SnapshotSql } from "./sql.ts";

export type ScanOptions = ListOptions & { indexKeys: readonly string[] };

const ownScans = { verifyStore };
const allScans: Readonly<Record<string, (on: Scanning, ...rest: never[]) => unknown>> = { ...nounScans, ...ownScans };

/** Every long read, by name. */
export type Scans = NounScans & Remote<typeof ownScans>;

/** The context of reads of a few rows. */
export const reading = (sql: ListSql, options: ScanOptions, keys: KeyNumbers, itemsById: ItemsById): Reading => ({
  sql,
  lists: sql,
  isIndexed: indexedKeys(options.indexKeys),
  keys,
  options,
  itemsById,
});

/** The context of scans on the connection. */
export const scanning = (
  sql: SnapshotSql & ListSql,
  options: ScanOptions,
  keys: KeyNumbers,
  isStopped: () => boolean = () => false,
): Scanning => ({
  ...reading(sql, options, keys, (table, ids) => readItems(sql, table, [...ids])),
  sql,
  isStopped,
});

/** Runs the scan of the name. The caller ensures that the connection reads one snapshot of the store meanwhile. */
export const runScan = (on: Scanning, name: string, rest: readonly unknown[]): unknown =>
  allScans[name]?.(on, ...(rest as never[]));
