import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type Disk, nodeDisk } from "../../src/adapters/disk/disk.ts";
import { RenditionFolder } from "../../src/adapters/disk/rendition-folder.ts";
import { temporaryFolder } from "../harness.ts";

/** Renditions on the disk, where it does not do what it is asked. */

const folder = temporaryFolder();
const newFolder = () => mkdtempSync(join(folder, "renditions-"));
const key = (n: number) => n.toString(16).padStart(40, "0");

function drawn(size: number): string {
  const file = join(mkdtempSync(join(folder, "drawn-")), "file");
  writeFileSync(file, Buffer.alloc(size));
  return file;
}

/** A disk whose calls of this name fail while the code is set. */
function failing(name: keyof Disk): { disk: Disk; fail: { code: string | undefined } } {
  const fail: { code: string | undefined } = { code: undefined };
  const call = nodeDisk[name] as (...args: unknown[]) => Promise<unknown>;
  const refusing = async (...args: unknown[]) => {
    if (fail.code) throw Object.assign(new Error("on purpose"), { code: fail.code });
    return call(...args);
  };
  return { disk: { ...nodeDisk, [name]: refusing }, fail };
}

test("a first look at the folder that fails is busy, and is taken again by the next who asks", async () => {
  const { disk, fail } = failing("readdir");
  const renditions = new RenditionFolder(newFolder(), 1e6, 0, disk);
  fail.code = "EMFILE";
  await assert.rejects(async () => renditions.find(key(1), "png"), { code: "busy" });
  fail.code = undefined;
  assert.equal(await renditions.find(key(1), "png"), undefined);
  await renditions.put(key(1), "png", drawn(10), 10);
  assert.deepEqual(await renditions.find(key(1), "png"), { key: key(1), format: "png", size: 10 });
});

test("what an earlier run has left counts before anybody has asked for an image", async () => {
  const kept = newFolder();
  const before = new RenditionFolder(kept, 1e6, 0);
  for (const n of [1, 2, 3]) await before.put(key(n), "webp", drawn(100), 100);
  assert.deepEqual(await new RenditionFolder(kept, 1e6, 0).usage(), { count: 3, bytes: 300 });
});

for (const [name, code] of [
  ["rename", "EROFS"],
  ["mkdir", "ENOSPC"],
  ["readdir", "EMFILE"],
] as const) {
  test(`an image that cannot be kept is busy, and its file is gone (${name}: ${code})`, async () => {
    const { disk, fail } = failing(name);
    const renditions = new RenditionFolder(newFolder(), 1e6, 0, disk);
    const file = drawn(100);
    fail.code = code;
    await assert.rejects(renditions.put(key(1), "png", file, 100), { code: "busy" });
    assert.equal(existsSync(file), false);
    fail.code = undefined;
    assert.equal(await renditions.find(key(1), "png"), undefined);
  });
}

/** The folder as a mount of its own: nothing is renamed into it. */
const mounted = (folder: string): Disk => ({
  ...nodeDisk,
  rename: async (from, to) => {
    await nodeDisk.lstat(dirname(String(to)));
    if (!String(from).startsWith(folder)) throw Object.assign(new Error("on purpose"), { code: "EXDEV" });
    return nodeDisk.rename(from, to);
  },
});

test("where the folder is a mount of its own images are kept all the same, and nothing is left beside them", async () => {
  const kept = newFolder();
  const renditions = new RenditionFolder(kept, 1e6, 0, mounted(kept));
  const file = drawn(100);
  const made = await renditions.put(key(1), "png", file, 100);
  assert.equal((await renditions.open(made)) !== undefined, true);
  assert.equal(existsSync(file), false);
  assert.deepEqual(globSync("*/*", { cwd: kept }), [join("00", `${key(1)}.png`)]);
});

test("an image for which a mount of its own has no room leaves nothing, neither here nor there", async () => {
  const kept = newFolder();
  const copyFile = async (_: unknown, to: unknown) => {
    writeFileSync(String(to), "half");
    throw Object.assign(new Error("on purpose"), { code: "ENOSPC" });
  };
  const renditions = new RenditionFolder(kept, 1e6, 0, { ...mounted(kept), copyFile });
  const file = drawn(100);
  await assert.rejects(renditions.put(key(1), "png", file, 100), { code: "busy" });
  assert.equal(existsSync(file), false);
  assert.deepEqual(globSync("*/*", { cwd: kept }), []);
});
