/** The reader's thread: scans that no index serves, off the thread that answers requests. */
import { parentPort, workerData } from "node:worker_threads";
import { type Call, postReply, type Reply, toReply } from "../../call.ts";
import { KeyNumbers } from "../../index/key-number.ts";
import type { NounSet } from "../../noun.ts";
import { runScan, type ScanOptions, type Scans, scanning } from "../../scans.ts";
import type { Operations } from "../../sql.ts";
import { Stops } from "../stops.ts";
import { danglingRows, fileFaults, Sqlite, type SqliteOptions, translateSqliteError } from "./connection.ts";

export type ReaderOptions = SqliteOptions & ScanOptions;
export type SqliteScans = Scans & { fileFaults: () => Promise<string[]>; danglingRows: () => Promise<string[]> };

/** Answers the calls of the thread that started this one; does nothing on any other thread. */
export function serveScans(nouns: NounSet): void {
  if (parentPort && workerData?.role === "reader") serve(nouns, parentPort, workerData.options, workerData.stops);
}

function serve(
  nouns: NounSet,
  port: NonNullable<typeof parentPort>,
  options: ReaderOptions,
  shared: SharedArrayBuffer,
): void {
  const sqlite = new Sqlite(options, "read");
  const keys = new KeyNumbers();
  const stops = new Stops(shared);
  const own: Operations = {
    fileFaults: () => fileFaults(options, "integrity_check"),
    danglingRows: () => danglingRows(sqlite),
  };
  let last: Promise<void> = Promise.resolve();

  const answer = async (call: Call): Promise<void> => postReply(port, await run(call));
  const run = async ({ id, name, args }: Call): Promise<Reply> => {
    try {
      sqlite.exec("BEGIN");
      const on = scanning(nouns, sqlite, options, keys, () => stops.isStopped(id));
      return { id, value: await (own[name]?.() ?? runScan(on, name, args)) };
    } catch (error) {
      return toReply(id, translateSqliteError(error));
    } finally {
      // An error can have ended the transaction: damage does.
      sqlite.rollback();
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
