import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
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

/** The disk with a note of each call that changes it or makes it durable, paths told by what is in them. */
function recordingDisk(folder: string, notes: string[], disk: Disk = nodeDisk): Disk {
  const place = (file: unknown): string => {
    const [top = "", ...below] = String(file)
      .slice(folder.length + 1)
      .split("/");
    return below.length === 0
      ? top
      : `${top}/${["shard", "blob"].slice(0, below.length).join("/")}`.replace("tmp/shard", "staged");
  };
  const note = (name: "link" | "rename" | "copyFile" | "mkdir") => ({
    [name]: async (...args: unknown[]) => {
      const result = await (disk[name] as (...args: unknown[]) => Promise<unknown>)(...args);
      notes.push(
        `${name} ${args
          .filter((arg) => typeof arg === "string")
          .map(place)
          .join(" ")}`,
      );
      return result;
    },
  });
  const open: Disk["open"] = async (file, ...args) => {
    const handle = await disk.open(file, ...args);
    for (const name of ["writev", "sync"] as const) {
      const call = handle[name].bind(handle) as (...args: unknown[]) => Promise<never>;
      handle[name] = async (...args: unknown[]) => {
        notes.push(`${name} ${place(file)}`);
        return call(...args);
      };
    }
    return handle;
  };
  return { ...disk, ...note("link"), ...note("rename"), ...note("copyFile"), ...note("mkdir"), open };
}

const copying = ["copyFile staged staged", "sync staged", "rename staged blobs/shard/blob"];
for (const [how, disk, naming, again] of [
  ["hard links", nodeDisk, ["link staged blobs/shard/blob"], []],
  ["copies", withoutLinks, copying, copying],
] as const) {
  test(`with ${how} bytes are durable before they have their name, and the name before the upload goes on`, async () => {
    const folder = temporaryFolder();
    const notes: string[] = [];
    const recording = recordingDisk(folder, notes, disk);
    const staging = new Staging(join(folder, "tmp"), recording);
    const blobs = new BlobFolder(join(folder, "blobs"), staging, 0, recording);
    const store = async () => {
      notes.length = 0;
      const staged = await blobs.stage(Readable.from([Buffer.from("bytes")]), 100);
      assert.equal(notes.at(-1), "sync staged", "staged bytes are durable");
      await blobs.put(staged);
      await staged.discard();
    };
    await store();
    const newFolders = ["mkdir blobs/shard", "sync blobs"];
    assert.deepEqual(notes, [
      "mkdir tmp",
      "writev staged",
      "sync staged",
      ...newFolders,
      ...naming,
      "sync blobs/shard",
    ]);
    await store();
    // Whoever gave it its name may not have come to the end of it.
    assert.deepEqual(notes, ["writev staged", "sync staged", ...again, "sync blobs/shard"]);
    for (const part of ["tmp", "blobs", join("blobs", readdirSync(blobs.folder)[0] as string)]) {
      assert.equal(statSync(join(folder, part)).mode & 0o777, 0o700, `${part} is for its owner alone`);
    }
    await blobs.close();
  });
}

test("what a process that is gone left in the staging folder is removed, what others are writing stays", async () => {
  const staging = new Staging(join(temporaryFolder(), "tmp"));
  mkdirSync(staging.folder);
  const machine = hostname().replace(/[^\w]/g, "_");
  const names = [`${machine}-999999999-a`, `${machine}-${process.pid}-b`, `${machine}-1-c`, "elsewhere-999999999-d"];
  for (const name of names) writeFileSync(join(staging.folder, name), "");
  await staging.tidy(Date.now());
  assert.deepEqual(readdirSync(staging.folder).sort(), names.slice(1).sort());
  await staging.tidy(Date.now() + 25 * 3600 * 1000);
  assert.deepEqual(readdirSync(staging.folder), []);
  assert.ok(existsSync(staging.folder));
});
