/** The writer's thread: every write of this process, the concurrent ones grouped into one transaction. Decision 3. */
import { parentPort, workerData } from "node:worker_threads";
import type { Call } from "../../call.ts";
import { type BlobPlace, openRemover } from "../../noun/blob-remover.ts";
import { Writer } from "../../writes.ts";
import { Sqlite, type SqliteOptions } from "./connection.ts";

export type WriterOptions = SqliteOptions & BlobPlace & { indexKeys: string[]; keepsHistory?: boolean | undefined };

if (parentPort && workerData?.role === "writer") void serve(parentPort, workerData.options as WriterOptions);

/** The maximum number of calls in one transaction: bounds how long the first one waits for the last. */
const maxGroup = 256;

async function serve(port: NonNullable<typeof parentPort>, options: WriterOptions): Promise<void> {
  const removeBytes = await openRemover(options);
  const sqlite = new Sqlite(options, "write");
  const writer = new Writer(sqlite, options.indexKeys, removeBytes, options.keepsHistory);
  let queue: Call[] = [];
  let isRunning = false;

  const drain = async (): Promise<void> => {
    isRunning = true;
    while (queue.length > 0) {
      const calls = queue.splice(0, maxGroup);
      port.postMessage(await writer.run(calls));
      // Receives waiting messages first, so that the next group is as large as possible.
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
