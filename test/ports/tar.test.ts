import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { TarWriter } from "../../src/backup/tar/backup.ts";
import { temporaryFolder } from "../harness.ts";
import { smallDisk } from "../small-disk.ts";

/** Backups as tar files, where the whole command would be too slow or would hide the detail. */

const MiB = 1024 * 1024;
const folder = temporaryFolder();
const disk = smallDisk(1);

test("a written member is not kept in memory", { timeout: 120_000 }, async () => {
  const thread = new Worker(new URL("./tar-memory.ts", import.meta.url), { workerData: join(folder, "many.tar") });
  const [memberBytes] = (await once(thread, "message")) as [number];
  assert.ok(memberBytes < 100, `${memberBytes} bytes a member`);
});

test("on a full disk a backup fails with the disk's error and leaves nothing", {
  timeout: 60_000,
  skip: disk.skip,
}, async () => {
  const writer = await TarWriter.create(join(disk.folder, "full.tar"), 1);
  const member = async function* () {
    for (let n = 0; n < 40; n++) yield Buffer.alloc(MiB / 10);
  };
  await assert.rejects(writer.add("blobs/a", 4 * MiB, member()), { code: "ENOSPC" });
  await assert.rejects(writer.add("blobs/b", 6, Buffer.from("octavo")), { code: "ENOSPC" });
  await writer.discard();
  assert.deepEqual(readdirSync(disk.folder), []);
});

test("a backup with unreadable bytes fails with the reason and leaves nothing", async () => {
  const beside = join(folder, "cut");
  mkdirSync(beside);
  const writer = await TarWriter.create(join(beside, "cut.tar"), 1);
  const member = async function* () {
    yield Buffer.alloc(MiB);
    throw new Error("the bucket does not answer");
  };
  const reason = { message: "the bucket does not answer" };
  await assert.rejects(writer.add("blobs/a", 2 * MiB, member()), reason);
  await assert.rejects(writer.add("blobs/b", 6, Buffer.from("octavo")), reason);
  await writer.discard();
  assert.deepEqual(readdirSync(beside), []);
});

test("a backup touches no other file in its folder", async () => {
  const beside = join(folder, "beside");
  mkdirSync(beside);
  const names = ["octavo.tar.list", "octavo.tar.partial.list"];
  for (const name of names) writeFileSync(join(beside, name), "somebody's");
  const writer = await TarWriter.create(join(beside, "octavo.tar"), 1);
  assert.deepEqual(readdirSync(beside).sort(), [...names, "octavo.tar.partial"].sort());
  await writer.finish();
  assert.deepEqual(readdirSync(beside).sort(), [...names, "octavo.tar"].sort());
  for (const name of names) assert.equal(readFileSync(join(beside, name), "utf8"), "somebody's");
});
