/** The reader's thread: scans that no index serves, away from the thread that answers requests. DESIGN.md §2. */
import { parentPort, workerData } from "node:worker_threads";
import type { CollectionQuery } from "../../domain/collection.ts";
import type { Access } from "../../domain/entry.ts";
import type { FolderKey, UploadsPlace } from "../../domain/folder.ts";
import { listSweepable } from "./blob.ts";
import { listEntries } from "./entry-list.ts";
import { indexedKeys } from "./field-index.ts";
import { listFiles, listFolders } from "./file-list.ts";
import type { ListOptions } from "./list.ts";
import { Sqlite, type SqliteOptions, translateSqliteError } from "./sqlite.ts";
import { type Call, type Reply, toReply } from "./thread.ts";
import { verifyStore } from "./verify.ts";

export type ReaderOptions = SqliteOptions & ListOptions & { indexKeys: string[] };

/** Every long read, by name. Each sees one state of the store from its first row to its last. */
export function reads(sqlite: Sqlite, options: ReaderOptions) {
  const isIndexed = indexedKeys(options.indexKeys);
  return {
    listEntries: (query: CollectionQuery, access: Access) => listEntries(sqlite, query, access, isIndexed, options),
    listFiles: (query: CollectionQuery, place: UploadsPlace, nowSeconds: number) =>
      listFiles(sqlite, query, place, options, nowSeconds),
    listFolders: (query: CollectionQuery, key: FolderKey, place: UploadsPlace, nowSeconds: number) =>
      listFolders(sqlite, query, key, place, options, nowSeconds),
    listSweepable: (beforeSeconds: number) => listSweepable(sqlite, beforeSeconds),
    verifyStore: () => verifyStore(sqlite, isIndexed),
  };
}

export type Reads = ReturnType<typeof reads>;

if (parentPort && workerData?.role === "reader") serve(parentPort, workerData.options as ReaderOptions);

function serve(port: NonNullable<typeof parentPort>, options: ReaderOptions): void {
  const sqlite = new Sqlite(options, "read");
  const operations: Record<string, (...args: never[]) => unknown> = reads(sqlite, options);
  let last: Promise<void> = Promise.resolve();

  const answer = async (call: Call): Promise<void> => {
    port.postMessage([await run(call)]);
  };
  const run = async ({ id, name, args }: Call): Promise<Reply> => {
    sqlite.exec("BEGIN");
    try {
      return { id, value: await operations[name]?.(...(args as never[])) };
    } catch (error) {
      return toReply(id, translateSqliteError(error));
    } finally {
      sqlite.exec("COMMIT");
    }
  };

  port.on("message", (message: Call[] | "close") => {
    if (message === "close") {
      sqlite.close();
      port.close();
      return;
    }
    for (const call of message) last = last.then(() => answer(call));
  });
}
