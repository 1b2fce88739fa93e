import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { readChunks } from "../../src/core/bytes/disk/read-chunks.ts";
import { temporaryFolder } from "../harness.ts";

test("reading a truncated file fails at its end, and only this read fails", async () => {
  const file = join(temporaryFolder(), "cut");
  writeFileSync(file, Buffer.alloc(256 * 1024));
  const handle = await open(file);
  const reads: Promise<unknown>[] = [];
  const read = (...args: Parameters<FileHandle["read"]>) => {
    const reading = handle.read(...args);
    reads.push(reading);
    return reading;
  };
  const watched = { read, close: () => handle.close() } as FileHandle;
  const chunks = readChunks(watched, 256 * 1024 + 1);
  assert.equal((await chunks.next()).value?.length, 256 * 1024);
  // The reader is slow: reading ahead fails before the chunk is requested. Unhandled, that would end the process.
  await Promise.all(reads);
  await setImmediate();
  await assert.rejects(chunks.next(), /shorter than it should be/);
  assert.equal(reads.length, 2);
});
