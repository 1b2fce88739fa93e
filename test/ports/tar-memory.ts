import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { TarWriter } from "../../src/backup/tar/backup.ts";

/**
 * Measures the heap bytes that a written member leaves, in a thread without the test runner, which keeps a record for
 * each promise until the event loop turns. Posts the bytes per member.
 */

const windowMembers = 4000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function heapBytes(): Promise<number> {
  collect();
  await delay(20);
  collect();
  return process.memoryUsage().heapUsed;
}

const writer = await TarWriter.create(workerData as string, 1);
const grown: number[] = [];
for (let window = 0; window < 4; window++) {
  const before = await heapBytes();
  for (let n = 0; n < windowMembers; n++) await writer.add(`blobs/${n}`, 6, Buffer.from("octavo"));
  grown.push(((await heapBytes()) - before) / windowMembers);
}
await writer.discard();
// The minimum: a leak of members shows in every window, allocations of the runtime in one.
parentPort?.postMessage(Math.min(...grown));
