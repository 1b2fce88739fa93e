/**
 * The baseline for uploads, `raw-pipe.ts FOLDER COMMITS`: node:http that pipes each body to a file, without form parsing,
 * hash, type detection or rules. Prints its URL. Before it replies it makes the same things durable as the service
 * (core/bytes/disk/{staging,blob-folder}.ts, upload/upload.ts), in the same order:
 *  1. fsync of the new file with the bytes                              as Staging.write
 *  2. a commit, shared by concurrent uploads                            as the ledger's row of the blob (keep)
 *  3. a hard link to one of 256 folders, fsync of that folder           as BlobFolder.put
 *  4. a second commit, shared, too                                      as the row of the file and its event (put)
 * A commit is one append and one fdatasync of a log, like SQLite's in WAL mode with synchronous FULL, except checkpoints,
 * one per 32 MB. COMMITS 1 omits the first commit, as a service with one row to write would.
 */
import { createWriteStream, mkdirSync } from "node:fs";
import { link, open, unlink } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const [folder = "", commits = "2"] = process.argv.slice(2);
const shard = (n: number): string => join(folder, (n % 256).toString(16).padStart(2, "0"));
for (let n = 0; n < 256; n++) mkdirSync(shard(n), { recursive: true });
const log = await open(join(folder, "log"), "a");
const rowBytes = 512;
let count = 0;

async function take(request: IncomingMessage): Promise<void> {
  const n = count++;
  const staged = join(folder, `staged-${n}`);
  await pipeline(request, createWriteStream(staged, { flush: true, highWaterMark: 256 * 1024 }));
  if (commits === "2") await commit();
  await link(staged, join(shard(n), String(n)));
  await syncFolder(shard(n));
  await commit();
  // The service does this after the reply, too.
  void unlink(staged);
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path);
  await handle.sync();
  await handle.close();
}

let waiting: (() => void)[] = [];
let isCommitting = false;

function commit(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isCommitting) void commitAll();
  });
}

async function commitAll(): Promise<void> {
  isCommitting = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await log.appendFile(Buffer.alloc(rowBytes * group.length, "x"));
    await log.datasync();
    for (const resolve of group) resolve();
  }
  isCommitting = false;
}

const server = createServer((request, response) => {
  take(request).then(
    () => response.writeHead(201, ["Content-Length", "2"]).end("{}"),
    (error: Error) => response.destroy(error),
  );
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
