/** The scanner's thread: lists that no index serves, off the thread that answers requests. */
import { parentPort, workerData } from "node:worker_threads";
import { type Call, postReply, type Reply, toReply } from "../../call.ts";
import type { ScanOptions, Scans } from "../../scans.ts";
import { Stops } from "../stops.ts";
import type { PostgresOptions } from "./connection.ts";
import { PostgresScans } from "./reader.ts";

export type ScannerOptions = PostgresOptions & ScanOptions & { maxConnections: number };

if (parentPort && workerData?.role === "scanner") serve(parentPort, workerData.options, workerData.stops);

function serve(port: NonNullable<typeof parentPort>, options: ScannerOptions, shared: SharedArrayBuffer): void {
  const scans = new PostgresScans(options, options.maxConnections, options);
  const stops = new Stops(shared);

  const answer = async (call: Call): Promise<void> => postReply(port, await run(call));
  const run = async ({ id, name, args }: Call): Promise<Reply> => {
    try {
      return { id, value: await scans.run(name as keyof Scans, args as never, () => stops.isStopped(id)) };
    } catch (error) {
      return toReply(id, error);
    }
  };

  port.on("message", (message: Call[] | "close") => {
    if (message === "close") return void scans.close().then(() => port.close());
    for (const call of message) void answer(call);
  });
}
