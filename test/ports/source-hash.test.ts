import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, linkSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hasHash } from "../../src/image/sharp/source-hash.ts";
import { temporaryFolder } from "../harness.ts";

const folder = temporaryFolder();
const size = 4_000_000;
const later = () => Date.now() + 60_000;

/** A new file and its hash. */
function fileOf(name: string): { file: string; hash: string } {
  const bytes = Buffer.alloc(size, name);
  writeFileSync(join(folder, name), bytes);
  return { file: join(folder, name), hash: createHash("sha256").update(bytes).digest("hex") };
}

/** Bytes that this process reads during the work. */
async function readDuring(work: () => Promise<unknown>): Promise<number> {
  const read = () => Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  const before = read();
  await work();
  return read() - before;
}

test("a file that has the hash is read once", { skip: process.platform === "linux" ? false : "no /proc" }, async () => {
  const { file, hash } = fileOf("once");
  assert.ok((await readDuring(async () => assert.ok(await hasHash(file, hash, later())))) >= size);
  assert.ok((await readDuring(async () => assert.ok(await hasHash(file, hash, later())))) < size);
});

test("a file whose last change is too recent to tell the next one is read again", {
  skip: process.platform === "linux" ? false : "no /proc",
}, async () => {
  const { file, hash } = fileOf("recent");
  assert.ok(await hasHash(file, hash, statSync(file).ctimeMs + 1000));
  assert.ok((await readDuring(() => hasHash(file, hash, statSync(file).ctimeMs + 1000))) >= size);
});

const changes: Record<string, (file: string) => void> = {
  "written to": (file) => writeFileSync(file, "other"),
  "written to, with the time set back": (file) => {
    const { atime, mtime } = statSync(file);
    writeFileSync(file, Buffer.alloc(size, "x"));
    utimesSync(file, atime, mtime);
  },
  replaced: (file) => {
    writeFileSync(`${file}.new`, Buffer.alloc(size, "x"));
    renameSync(`${file}.new`, file);
  },
};
for (const [how, change] of Object.entries(changes)) {
  test(`a file that was ${how} after it was read has the hash no more`, async () => {
    const { file, hash } = fileOf(how);
    assert.ok(await hasHash(file, hash, later()));
    change(file);
    assert.equal(await hasHash(file, hash, later()), false);
  });
}

test("links and copies of a file have its hash", async () => {
  const { file, hash } = fileOf("linked");
  assert.ok(await hasHash(file, hash, later()));
  linkSync(file, `${file}.link`);
  copyFileSync(file, `${file}.copy`);
  for (const each of [file, `${file}.link`, `${file}.copy`]) assert.ok(await hasHash(each, hash, later()));
});
