import assert from "node:assert/strict";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ChangedBlob } from "../../src/core/bytes/blob.ts";
import { BlobFolder, blobFile } from "../../src/core/bytes/disk/blob-folder.ts";
import { isMarked } from "../../src/core/bytes/disk/blob-mark.ts";
import { tightenDataFolder } from "../../src/core/bytes/disk/data-folder.ts";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import { Staging } from "../../src/core/bytes/disk/staging.ts";
import { temporaryFolder } from "../harness.ts";
import { blobStoreSuite, type OpenBlobs } from "./blob-store.suite.ts";

async function openFolder(disk: Disk, cacheBytes = 0): Promise<OpenBlobs> {
  const folder = temporaryFolder();
  const staging = new Staging(join(folder, "tmp"), disk);
  const blobs = new BlobFolder(join(folder, "blobs"), staging, cacheBytes, disk);
  return {
    blobs,
    leftOver: async () => readdirSync(staging.folder).length,
    damage: async (hash, how) => {
      const file = blobFile(blobs.folder, hash);
      if (how === "remove") return rmSync(file);
      chmodSync(file, 0o644);
      if (how === "cut") truncateSync(file, 3);
      else writeFileSync(file, "x".repeat(20));
    },
  };
}

blobStoreSuite("disk", () => openFolder(nodeDisk));
blobStoreSuite("disk with a cache", () => openFolder(nodeDisk, 8 * 1024 * 1024));

const withoutLinks: Disk = {
  ...nodeDisk,
  link: async () => {
    throw Object.assign(new Error("no hard links"), { code: "EPERM" });
  },
};
blobStoreSuite("disk without hard links", () => openFolder(withoutLinks));

/** A blob folder, its reports, and a blob of 300 KB in it: too large to be hashed on each read. */
async function openLarge() {
  const folder = temporaryFolder();
  const staging = new Staging(join(folder, "tmp"));
  const repaired: string[] = [];
  const firstFault = Promise.withResolvers<unknown>();
  const blobs = new BlobFolder(join(folder, "blobs"), staging, 0, nodeDisk, {
    onRepaired: async (hash) => void repaired.push(hash),
    onFault: firstFault.resolve,
  });
  const put = async () => {
    const staged = await blobs.stage([Buffer.alloc(300_000, "large ")] as never, 1e9);
    await blobs.put(staged);
    await staged.discard();
    return staged;
  };
  const { hash, size } = await put();
  return { blobs, put, repaired, fault: firstFault.promise, hash, size, file: blobFile(blobs.folder, hash) };
}

function editInPlace(file: string): void {
  const handle = openSync(file, "r+");
  writeSync(handle, "8 bytes.", 1000);
  closeSync(handle);
}

test("a blob changed in place is detected by the next read and not served until it is repaired", async () => {
  const { blobs, put, repaired, fault, hash, size, file } = await openLarge();
  const drain = async () => {
    for await (const _ of (await blobs.open(hash, size)) as AsyncIterable<Uint8Array>);
  };
  await drain();
  editInPlace(file);
  // The first reader may still get the changed bytes: a read does not wait until a large file is hashed.
  await drain();
  assert.ok((await fault) instanceof ChangedBlob);
  await assert.rejects(drain, ChangedBlob);
  await assert.rejects(async () => blobs.open(hash, size, { start: 0, end: 9 }), ChangedBlob);
  assert.deepEqual(repaired, []);
  await put();
  assert.deepEqual(repaired, [hash]);
  await drain();
});

test("a read restores the missing mark of an intact blob, and another put changes nothing", async () => {
  const { blobs, put, repaired, hash, size, file } = await openLarge();
  const before = statSync(file);
  assert.ok(isMarked(before));
  utimesSync(file, 1000, 1000);
  assert.ok(!isMarked(statSync(file)));
  for await (const _ of (await blobs.open(hash, size)) as AsyncIterable<Uint8Array>);
  while (!isMarked(statSync(file))) await new Promise(setImmediate);
  await put();
  assert.equal(statSync(file).ino, before.ino);
  assert.deepEqual(repaired, []);
});

test("blob folders are private and links readable, whatever the umask", async (t) => {
  const before = process.umask();
  t.after(() => process.umask(before));
  for (const umask of [0o000, 0o077]) {
    process.umask(umask);
    const { blobs, file } = await openLarge();
    const modes = [file, join(file, ".."), blobs.folder, join(blobs.folder, "../tmp")];
    assert.deepEqual(
      modes.map((name) => (statSync(name).mode & 0o777).toString(8)),
      ["444", "700", "700", "700"],
    );
  }
});

test("a mode that cannot be changed is reported and kept, and so is that of a folder with other contents", async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const disk: Disk = {
    ...nodeDisk,
    chmod: async () => {
      throw Object.assign(new Error("not yours"), { code: "EPERM" });
    },
  };
  const is = `${folder} has the mode 0755, and 0711 is enough;`;
  assert.deepEqual(await tightenDataFolder(folder, false, disk), [`${is} this user may not change it`]);
  writeFileSync(join(folder, "octavo.db"), "");
  writeFileSync(join(folder, "notes.txt"), "somebody's");
  chmodSync(join(folder, "octavo.db"), 0o644);
  assert.deepEqual(await tightenDataFolder(folder, false), [
    `${is} it holds more than the store and is left as it is`,
    `${join(folder, "octavo.db")} had the mode 0644; it is 0600 now`,
  ]);
  const modes = ["", "octavo.db", "notes.txt"].map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  assert.deepEqual(modes, ["755", "600", "644"]);
  assert.deepEqual(await tightenDataFolder(join(folder, "missing"), false), []);
});

test("staged files of dead processes are removed, those of running ones stay", async () => {
  const staging = new Staging(join(temporaryFolder(), "tmp"));
  mkdirSync(staging.folder);
  const machine = hostname().replace(/[^\w]/g, "_");
  const names = [`${machine}-999999999-a`, `${machine}-${process.pid}-b`, `${machine}-1-c`, "elsewhere-999999999-d"];
  for (const name of names) writeFileSync(join(staging.folder, name), "");
  await staging.tidy(Date.now());
  assert.deepEqual(readdirSync(staging.folder).sort(), names.slice(1).sort());
  // A clock that was ahead: files being written have the current time.
  utimesSync(join(staging.folder, "elsewhere-999999999-d"), 9e9, 9e9);
  await staging.tidy(Date.now());
  assert.deepEqual(readdirSync(staging.folder).sort(), names.slice(1, 3).sort());
  await staging.tidy(Date.now() + 25 * 3600 * 1000);
  assert.deepEqual(readdirSync(staging.folder), []);
  assert.ok(existsSync(staging.folder));
});
