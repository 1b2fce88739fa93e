/** The writer's thread: every write of this process, the concurrent ones grouped into one transaction. DESIGN.md §2. */
import { parentPort, workerData } from "node:worker_threads";
import { Problem } from "../../domain/problem.ts";
import { removeBlobFile } from "../disk/blob-folder.ts";
import type { BucketOptions } from "../s3/bucket.ts";
import { keepBlob, type RemoveBytes, sweepBlob } from "./blob.ts";
import * as entry from "./entry.ts";
import type { FieldIndex } from "./entry-field.ts";
import { pruneEvents, saveEventPosition } from "./event.ts";
import { indexedKeys } from "./field-index.ts";
import * as file from "./file.ts";
import * as folder from "./folder.ts";
import * as registry from "./registry.ts";
import { Sqlite, type SqliteOptions, translateSqliteError } from "./sqlite.ts";
import { type Call, type Reply, toReply } from "./thread.ts";
import * as token from "./token.ts";

export type WriterOptions = SqliteOptions & BlobPlace & { indexKeys: string[] };

/** Where the sweep removes bytes: in a folder, or in the bucket if there is one. */
export type BlobPlace = { blobFolder: string; blobBucket?: BucketOptions | undefined };

type Rest<F> = F extends (sql: never, ...rest: infer R) => unknown ? R : never;
type IndexRest<F> = F extends (sql: never, index: never, ...rest: infer R) => unknown ? R : never;

/** Every write, by name. */
export function writes(sqlite: Sqlite, index: FieldIndex, removeBytes: RemoveBytes) {
  return {
    createEntry: (...rest: IndexRest<typeof entry.createEntry>) => entry.createEntry(sqlite, index, ...rest),
    updateEntry: (...rest: IndexRest<typeof entry.updateEntry>) => entry.updateEntry(sqlite, index, ...rest),
    moveEntry: (...rest: IndexRest<typeof entry.moveEntry>) => entry.moveEntry(sqlite, index, ...rest),
    copyEntry: (...rest: IndexRest<typeof entry.copyEntry>) => entry.copyEntry(sqlite, index, ...rest),
    deleteEntry: (...rest: IndexRest<typeof entry.deleteEntry>) => entry.deleteEntry(sqlite, index, ...rest),
    createFolder: (...rest: Rest<typeof folder.createFolder>) => folder.createFolder(sqlite, ...rest),
    moveFolder: (...rest: Rest<typeof folder.moveFolder>) => folder.moveFolder(sqlite, ...rest),
    copyFolder: (...rest: Rest<typeof folder.copyFolder>) => folder.copyFolder(sqlite, ...rest),
    deleteFolder: (...rest: Rest<typeof folder.deleteFolder>) => folder.deleteFolder(sqlite, ...rest),
    putFile: (...rest: Rest<typeof file.putFile>) => file.putFile(sqlite, ...rest),
    moveFile: (...rest: Rest<typeof file.moveFile>) => file.moveFile(sqlite, ...rest),
    copyFile: (...rest: Rest<typeof file.copyFile>) => file.copyFile(sqlite, ...rest),
    changeFile: (...rest: Rest<typeof file.changeFile>) => file.changeFile(sqlite, ...rest),
    deleteFile: (...rest: Rest<typeof file.deleteFile>) => file.deleteFile(sqlite, ...rest),
    keepBlob: (...rest: Rest<typeof keepBlob>) => keepBlob(sqlite, ...rest),
    sweepBlob: (hash: string, beforeSeconds: number) => sweepBlob(sqlite, hash, beforeSeconds, removeBytes),
    putRegistryItem: (...rest: Rest<typeof registry.putRegistryItem>) => registry.putRegistryItem(sqlite, ...rest),
    deleteRegistryItem: (...rest: Rest<typeof registry.deleteRegistryItem>) =>
      registry.deleteRegistryItem(sqlite, ...rest),
    createToken: (...rest: Rest<typeof token.createTokenRow>) => token.createTokenRow(sqlite, ...rest),
    updateToken: (...rest: Rest<typeof token.updateToken>) => token.updateToken(sqlite, ...rest),
    rotateToken: (...rest: Rest<typeof token.rotateTokenRow>) => token.rotateTokenRow(sqlite, ...rest),
    revokeToken: (...rest: Rest<typeof token.revokeToken>) => token.revokeToken(sqlite, ...rest),
    countCall: (...rest: Rest<typeof token.countCall>) => token.countCall(sqlite, ...rest),
    addCalls: (...rest: Rest<typeof token.addCalls>) => token.addCalls(sqlite, ...rest),
    saveEventPosition: (...rest: Rest<typeof saveEventPosition>) => saveEventPosition(sqlite, ...rest),
    pruneEvents: (...rest: Rest<typeof pruneEvents>) => pruneEvents(sqlite, ...rest),
  };
}

export type Writes = ReturnType<typeof writes>;

/** Runs calls, each in a savepoint of one transaction; nobody hears a reply before the COMMIT. */
export class Writer {
  private readonly sqlite: Sqlite;
  private readonly index: FieldIndex;
  private readonly operations: Record<string, (...args: never[]) => unknown>;

  constructor(sqlite: Sqlite, indexKeys: string[], removeBytes: RemoveBytes) {
    this.sqlite = sqlite;
    this.index = { isIndexed: indexedKeys(indexKeys), keyIds: new Map() };
    this.operations = writes(sqlite, this.index, removeBytes);
  }

  /** One reply for each call, in order. A call that is refused leaves the others alone. */
  async run(calls: readonly Call[]): Promise<Reply[]> {
    const failed = (error: unknown) => calls.map(({ id }) => toReply(id, translateSqliteError(error)));
    try {
      this.sqlite.exec("BEGIN IMMEDIATE");
    } catch (error) {
      return failed(error);
    }
    try {
      return await this.inTransaction(calls);
    } catch (error) {
      if (calls.length === 1) return failed(error);
    }
    // Something unforeseen undid the whole group: alone, the innocent calls still succeed and the guilty one is known.
    const replies: Reply[] = [];
    for (const call of calls) replies.push(...(await this.run([call])));
    return replies;
  }

  private async inTransaction(calls: readonly Call[]): Promise<Reply[]> {
    const { sqlite } = this;
    try {
      const replies: Reply[] = [];
      for (const call of calls) replies.push(await this.inSavepoint(call));
      sqlite.exec("COMMIT");
      return replies;
    } catch (error) {
      this.index.keyIds.clear();
      if (sqlite.isInTransaction) sqlite.exec("ROLLBACK");
      throw error;
    }
  }

  private async inSavepoint({ id, name, args }: Call): Promise<Reply> {
    const { sqlite } = this;
    sqlite.run("SAVEPOINT one");
    try {
      const value = await this.operations[name]?.(...(args as never[]));
      sqlite.run("RELEASE one");
      return { id, value };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.index.keyIds.clear();
      sqlite.run("ROLLBACK TO one");
      sqlite.run("RELEASE one");
      return toReply(id, error);
    }
  }
}

/** The most calls in one transaction: a bound on how long the first one waits for the last. */
const maxGroup = 256;

if (parentPort && workerData?.role === "writer") void serve(parentPort, workerData.options as WriterOptions);

/**
 * A bucket is asked from this thread, under the write lock, so once and for a short time only: what could not be
 * removed stays for the next sweep, and writes wait for seconds at most.
 */
async function remover({ blobFolder, blobBucket }: BlobPlace): Promise<RemoveBytes> {
  if (!blobBucket) return (hash) => removeBlobFile(blobFolder, hash);
  const [{ Bucket }, { removeBlobObject }] = await Promise.all([
    import("../s3/bucket.ts"),
    import("../s3/blob-bucket.ts"),
  ]);
  const bucket = new Bucket({ ...blobBucket, timeoutMs: removalMs, tries: 1 });
  return (hash) => removeBlobObject(bucket, hash);
}

const removalMs = 3000;

async function serve(port: NonNullable<typeof parentPort>, options: WriterOptions): Promise<void> {
  const removeBytes = await remover(options);
  const sqlite = new Sqlite(options, "write");
  const writer = new Writer(sqlite, options.indexKeys, removeBytes);
  let queue: Call[] = [];
  let isRunning = false;

  const drain = async (): Promise<void> => {
    isRunning = true;
    while (queue.length > 0) {
      const calls = queue.splice(0, maxGroup);
      port.postMessage(await writer.run(calls));
      // Lets messages in that came meanwhile, so that the next group is as large as it can be.
      await new Promise((resolve) => setImmediate(resolve));
    }
    isRunning = false;
  };

  port.on("message", (message: Call[] | "close") => {
    if (message === "close") {
      sqlite.close();
      port.close();
      return;
    }
    queue = queue.concat(message);
    if (!isRunning) void drain();
  });
}
