/** The scanner's thread: lists that no index serves, off the thread that answers requests. */
import { parentPort, workerData } from "node:worker_threads";
import { type Call, postReply, type Reply, toReply } from "../../call.ts";
import type { NounSet } from "../../noun.ts";
import type { ScanOptions } from "../../scans.ts";
import { Stops } from "../stops.ts";
import type { PostgresOptions } from "./connection.ts";
import { PostgresScans } from "./reader.ts";

export type ScannerOptions = PostgresOptions & ScanOptions & { maxConnections: number };

/** Answers the calls of the thread that started this one; does nothing on any other thread. */
export function serveScans(nouns: NounSet): void {
  if (parentPort && workerData?.role === "scanner") serve(nouns, parentPort, workerData.options, workerData.stops);
}

function serve(
  nouns: NounSet,
  port: NonNullable<typeof parentPort>,
  options: ScannerOptions,
  shared: SharedArrayBuffer,
): void {
  const scans = new PostgresScans(nouns, options, options.maxConnections, options);
  const stops = new Stops(shared);

  const answer = async (call: Call): Promise<void> => postReply(port, await run(call));
  const run = async ({ id, name, args }: Call): Promise<Reply> => {
    try {
      return { id, value: await scans.run(name, args, () => stops.isStopped(id)) };
    } catch (error) {
      return toReply(id, error);
    }
  };

  port.on("message", (message: Call[] | "close") => {
    if (message === "close") return void scans.close().then(() => port.close());
    for (const call of message) void answer(call);
  });
}
