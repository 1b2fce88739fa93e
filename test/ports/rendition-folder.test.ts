import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import { RenditionFolder } from "../../src/image/rendition-folder-store.ts";
import { temporaryFolder } from "../harness.ts";
import { orLong } from "../long.ts";

/** The rendition folder on a failing disk. */

const folder = temporaryFolder();
const newFolder = () => mkdtempSync(join(folder, "renditions-"));
const key = (n: number) => n.toString(16).padStart(40, "0");

const hashed = (n: number) => createHash("sha1").update(String(n)).digest("hex");

function drawn(size: number): string {
  const file = join(mkdtempSync(join(folder, "drawn-")), "file");
  writeFileSync(file, Buffer.alloc(size));
  return file;
}

/** A disk whose calls of this name fail while `code` is set. */
function failing(name: keyof Disk): { disk: Disk; fail: { code: string | undefined } } {
  const fail: { code: string | undefined } = { code: undefined };
  const call = nodeDisk[name] as (...args: unknown[]) => Promise<unknown>;
  const refusing = async (...args: unknown[]) => {
    if (fail.code) throw Object.assign(new Error("on purpose"), { code: fail.code });
    return call(...args);
  };
  return { disk: { ...nodeDisk, [name]: refusing }, fail };
}

test("a failed first scan of the folder is busy, and the next request retries it", async () => {
  const { disk, fail } = failing("readdir");
  const renditions = new RenditionFolder({ folder: newFolder(), maxBytes: 1e6, disk }, 0);
  fail.code = "EMFILE";
  await assert.rejects(async () => renditions.find(key(1), "png"), { code: "busy" });
  fail.code = undefined;
  assert.equal(await renditions.find(key(1), "png"), undefined);
  await renditions.put(key(1), "png", drawn(10), 10);
  assert.deepEqual(await renditions.find(key(1), "png"), { key: key(1), format: "png", size: 10 });
});

test("images of an earlier run count towards the budget before the first request", async () => {
  const kept = newFolder();
  const before = new RenditionFolder({ folder: kept, maxBytes: 1e6 }, 0);
  for (const n of [1, 2, 3]) await before.put(key(n), "webp", drawn(100), 100);
  assert.deepEqual(await new RenditionFolder({ folder: kept, maxBytes: 1e6 }, 0).usage(), { count: 3, bytes: 300 });
});

test("an image that is larger than the whole budget is kept until the next one: who drew it is about to read it", async () => {
  const kept = newFolder();
  const renditions = new RenditionFolder({ folder: kept, maxBytes: 100 }, 0);
  const large = await renditions.put(key(1), "png", drawn(200), 200);
  assert.deepEqual(await renditions.usage(), { count: 1, bytes: 200 });
  assert.equal((await Array.fromAsync((await renditions.open(large)) as AsyncIterable<Uint8Array>))[0]?.length, 200);
  await renditions.put(key(2), "png", drawn(50), 50);
  assert.deepEqual(globSync("*/*", { cwd: kept }), [join("00", `${key(2)}.png`)]);
});

for (const [name, code] of [
  ["rename", "EROFS"],
  ["mkdir", "ENOSPC"],
  ["readdir", "EMFILE"],
] as const) {
  test(`an image that cannot be cached is refused, and its file is removed (${name}: ${code})`, async () => {
    const { disk, fail } = failing(name);
    const renditions = new RenditionFolder({ folder: newFolder(), maxBytes: 1e6, disk }, 0);
    const file = drawn(100);
    fail.code = code;
    await assert.rejects(renditions.put(key(1), "png", file, 100), {
      code: code === "ENOSPC" ? "storage_full" : "busy",
    });
    assert.equal(existsSync(file), false);
    fail.code = undefined;
    assert.equal(await renditions.find(key(1), "png"), undefined);
  });
}

/** The folder on a separate mount: no file can be renamed into it. */
const mounted = (folder: string): Disk => ({
  ...nodeDisk,
  rename: async (from, to) => {
    await nodeDisk.lstat(dirname(String(to)));
    if (!String(from).startsWith(folder)) throw Object.assign(new Error("on purpose"), { code: "EXDEV" });
    return nodeDisk.rename(from, to);
  },
});

test("a folder on its own mount caches images and leaves nothing else there", async () => {
  const kept = newFolder();
  const renditions = new RenditionFolder({ folder: kept, maxBytes: 1e6, disk: mounted(kept) }, 0);
  const file = drawn(100);
  const made = await renditions.put(key(1), "png", file, 100);
  assert.equal((await Array.fromAsync((await renditions.open(made)) as AsyncIterable<Uint8Array>))[0]?.length, 100);
  assert.equal(existsSync(file), false);
  assert.deepEqual(globSync("*/*", { cwd: kept }), [join("00", `${key(1)}.png`)]);
});

test("an image that does not fit on its own mount leaves nothing on either file system", async () => {
  const kept = newFolder();
  const copyFile = async (_: unknown, to: unknown) => {
    writeFileSync(String(to), "half");
    throw Object.assign(new Error("on purpose"), { code: "ENOSPC" });
  };
  const renditions = new RenditionFolder({ folder: kept, maxBytes: 1e6, disk: { ...mounted(kept), copyFile } }, 0);
  const file = drawn(100);
  await assert.rejects(renditions.put(key(1), "png", file, 100), { code: "storage_full" });
  assert.equal(existsSync(file), false);
  assert.deepEqual(globSync("*/*", { cwd: kept }), []);
});

/** Measuring the folder reads all of it. Not a multiple of the processes, so that each of them was the last. */
const looks = orLong(31, 10);
/** The budget takes 200; by all processes in turn, then by one. */
const [byAll, byOne] = [orLong(500, 900), orLong(150, 300)];
test("processes that share a folder use at most nine eighths of the budget together", async (t) => {
  const [maxBytes, size, processes] = [100_000, 500, 3];
  const kept = newFolder();
  const share = () => new RenditionFolder({ folder: kept, maxBytes, processes }, 0);
  const all = Array.from({ length: processes }, share);
  const bytes = () => globSync("*/*", { cwd: kept }).reduce((sum, name) => sum + statSync(join(kept, name)).size, 0);
  let [least, most] = [maxBytes, 0];
  const turn = async (n: number, renditions: RenditionFolder) => {
    const made = await renditions.put(hashed(n), "png", drawn(size), size);
    // A due scan has ended by then.
    await renditions.usage();
    assert.deepEqual(await renditions.find(made.key, "png"), made);
    if (n % looks === 0 && n >= 300) [least, most] = [Math.min(least, bytes()), Math.max(most, bytes())];
  };
  for (let n = 0; n < byAll; n++) await turn(n, all[(n * 7) % processes] as RenditionFolder);
  // Each rescans a large folder, and one of them draws everything.
  const [one] = Array.from({ length: processes }, share) as [RenditionFolder];
  for (let n = byAll; n < byAll + byOne; n++) await turn(n, one);
  t.diagnostic(`from ${least} to ${most} bytes`);
  assert.ok(least >= maxBytes * 0.95, `${least} bytes at least`);
  assert.ok(most <= (maxBytes * 9) / 8 + size, `${most} bytes at most`);
});

test("recently used images survive a rescan of the folder", async () => {
  const renditions = new RenditionFolder({ folder: newFolder(), maxBytes: 10_000, processes: 2 }, 0);
  await renditions.put(key(0), "png", drawn(500), 500);
  for (let n = 1; n < 60; n++) {
    await renditions.put(key(n), "png", drawn(500), 500);
    await renditions.usage();
    assert.notEqual(await renditions.find(key(0), "png"), undefined, `after ${n}`);
  }
});
