import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BlobFolder, blobFile } from "../../src/adapters/disk/blob-folder.ts";
import { type Disk, nodeDisk } from "../../src/adapters/disk/disk.ts";
import { Staging } from "../../src/adapters/disk/staging.ts";
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
    throw Object.assign(new Error("no links here"), { code: "EPERM" });
  },
};
blobStoreSuite("disk without hard links", () => openFolder(withoutLinks));

test("what a process that is gone left in the staging folder is removed, what others are writing stays", async () => {
  const staging = new Staging(join(temporaryFolder(), "tmp"));
  mkdirSync(staging.folder);
  const machine = hostname().replace(/[^\w]/g, "_");
  const names = [`${machine}-999999999-a`, `${machine}-${process.pid}-b`, `${machine}-1-c`, "elsewhere-999999999-d"];
  for (const name of names) writeFileSync(join(staging.folder, name), "");
  await staging.tidy(Date.now());
  assert.deepEqual(readdirSync(staging.folder).sort(), names.slice(1).sort());
  // A clock that was ahead: what is being written has a time of now.
  utimesSync(join(staging.folder, "elsewhere-999999999-d"), 9e9, 9e9);
  await staging.tidy(Date.now());
  assert.deepEqual(readdirSync(staging.folder).sort(), names.slice(1, 3).sort());
  await staging.tidy(Date.now() + 25 * 3600 * 1000);
  assert.deepEqual(readdirSync(staging.folder), []);
  assert.ok(existsSync(staging.folder));
});
