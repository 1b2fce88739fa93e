import { indexedKeys } from "./index/field.ts";
import type { KeyNumbers } from "./index/key-number.ts";
import { readEntries } from "./noun/entry-row.ts";
import type { ListOptions } from "./noun/list.ts";
import type { Remote, Scanning } from "./noun.ts";
import { type NounScans, nounScans } from "./nouns.ts";
import type { SnapshotSql } from "./sql.ts";
import { verifyStore } from "./verify.ts";

export type ScanOptions = ListOptions & { indexKeys: readonly string[] };

const ownScans = { verifyStore };
const allScans: Readonly<Record<string, (on: Scanning, ...rest: never[]) => unknown>> = { ...nounScans, ...ownScans };

/** Every long read, by name. */
export type Scans = NounScans & Remote<typeof ownScans>;

/** The context of scans on the connection; `entriesById` reads them where it is not given. */
export const scanning = (
  sql: SnapshotSql,
  options: ScanOptions,
  keys: KeyNumbers,
  entriesById: Scanning["entriesById"] = (ids) => readEntries(sql, [...ids]),
): Scanning => ({ sql, isIndexed: indexedKeys(options.indexKeys), keys, options, entriesById });

/** Runs the scan of the name. The caller ensures that the connection reads one snapshot of the store meanwhile. */
export const runScan = (on: Scanning, name: string, rest: readonly unknown[]): unknown =>
  allScans[name]?.(on, ...(rest as never[]));
