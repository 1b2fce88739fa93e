import type { Access } from "../../domain/access.ts";
import type { CollectionQuery } from "../../domain/collection.ts";
import type { FolderKey, UploadsPlace } from "../../domain/folder.ts";
import { listAhead, listSweepable } from "./blob.ts";
import { listEntries } from "./entry-list.ts";
import { indexedKeys } from "./field-index.ts";
import { listFiles, listFolders } from "./file-list.ts";
import type { ListOptions } from "./list.ts";
import type { SnapshotSql } from "./sql.ts";
import { verifyStore } from "./verify.ts";

export type ScanOptions = ListOptions & { indexKeys: readonly string[] };

/** Every long read, by name. Each sees one state of the store from its first row to its last. */
export function scans(sql: SnapshotSql, options: ScanOptions) {
  const isIndexed = indexedKeys(options.indexKeys);
  return {
    listEntries: (query: CollectionQuery, access: Access) => listEntries(sql, query, access, isIndexed, options),
    listFiles: (query: CollectionQuery, place: UploadsPlace, nowSeconds: number) =>
      listFiles(sql, query, place, options, nowSeconds),
    listFolders: (query: CollectionQuery, key: FolderKey, place: UploadsPlace, nowSeconds: number) =>
      listFolders(sql, query, key, place, options, nowSeconds),
    listAhead: (nowSeconds: number) => listAhead(sql, nowSeconds),
    listSweepable: (beforeSeconds: number) => listSweepable(sql, beforeSeconds),
    verifyStore: () => verifyStore(sql, isIndexed),
  };
}

export type Scans = ReturnType<typeof scans>;
