import assert from "node:assert/strict";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { blobFile } from "../../src/core/bytes/disk/blob-folder.ts";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import { standardExtensions } from "../../src/core/bytes/media-type.ts";
import type { Path } from "../../src/core/path.ts";
import type { FileStore } from "../../src/file/file.ts";
import { atEnd } from "../ending.ts";
import { temporaryFolder, until } from "../harness.ts";
import { at, openUploads, type Uploads } from "./uploads.ts";

const path = (text: string) => text as Path;

const running = new Set<Uploads>();

/** Without the tree; stopped after the tests of the file. */
async function opened(folder?: string, disk?: Disk): Promise<Uploads> {
  const uploads = await openUploads(folder, disk);
  running.add(uploads);
  atEnd(() => stop(uploads));
  return uploads;
}

/** With a tree that follows events, and uploads that wait for it. */
async function started(folder = temporaryFolder(), disk: Disk = nodeDisk): Promise<Uploads> {
  const uploads = await opened(folder, disk);
  await uploads.tree.start();
  const { files } = uploads.tree.stores;
  return Object.assign(uploads, { upload: withFiles(uploads.upload, files) });
}

const withFiles =
  (upload: Uploads["upload"], files: FileStore): Uploads["upload"] =>
  (path, text, more) =>
    upload(path, text, { ...more, files });

async function stop(uploads: Uploads): Promise<void> {
  if (!running.delete(uploads)) return;
  await uploads.tree.stop();
  await uploads.store.close();
}

/** Every file below the root with its text, every folder with "/". */
function look(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, { [`${name}/`]: "" }, look(root, name));
    else found[name] = readFileSync(join(root, name), "utf8");
  }
  return found;
}

test("stopping a tree that was not started changes nothing: another process may own it", async () => {
  const uploads = await opened();
  await uploads.upload("a.txt", "hello");
  await stop(uploads);
  assert.ok(!existsSync(uploads.root));
});

test("the tree shows each file at its path as a read-only link before the write is answered", async () => {
  const uploads = await started();
  const { root, blobs, tree } = uploads;
  const file = await uploads.upload("a/b/x.txt", "hello");
  await tree.stores.folders.create(path("other"), at(1));
  assert.deepEqual(look(root), { "a/": "", "a/b/": "", "a/b/x.txt": "hello", "other/": "" });
  const stat = statSync(join(root, "a/b/x.txt"));
  assert.equal(stat.ino, statSync(blobFile(blobs.folder, file.hash)).ino);
  assert.equal(stat.mode & 0o777, 0o444);
  await stop(uploads);
});

test("the tree follows moves, copies, replacements and deletions", async () => {
  const uploads = await started();
  const { root, tree } = uploads;
  const { folders, files } = tree.stores;
  await uploads.upload("a/x.txt", "1");
  await uploads.upload("a/deep/y.txt", "2");
  await folders.move(path("a"), { newPath: path("b/c") }, at(2));
  assert.deepEqual(look(root), { "b/": "", "b/c/": "", "b/c/x.txt": "1", "b/c/deep/": "", "b/c/deep/y.txt": "2" });
  await folders.copy(path("b/c"), { newPath: path("d") }, at(3));
  await folders.delete(path("b"), { to: "trash" }, at(4));
  assert.deepEqual(look(root), { "d/": "", "d/x.txt": "1", "d/deep/": "", "d/deep/y.txt": "2" });
  await files.move(path("d/x.txt"), { newPath: path("z.txt"), extensions: standardExtensions }, at(5));
  await files.copy(path("z.txt"), { newPath: path("z.txt"), extensions: standardExtensions }, at(6));
  await uploads.upload("z.txt", "new");
  await files.delete(path("d/deep/y.txt"), { to: "trash" }, at(7));
  await tree.stores.folders.create(path("last"), at(8));
  assert.deepEqual(look(root), { "d/": "", "d/deep/": "", "z.txt": "new", "z-1.txt": "1", "last/": "" });
  await stop(uploads);
});

test("a folder filled, moved and filled again while stopped ends as in the store", async () => {
  const uploads = await opened(temporaryFolder());
  const { root, store } = uploads;
  await uploads.upload("a/x.txt", "1");
  await store.folders.move(path("a"), { newPath: path("b") }, at(2));
  await uploads.upload("b/y.txt", "2");
  await uploads.upload("a/z.txt", "3");
  await store.folders.move(path("b"), { newPath: path("c/d") }, at(3));
  await store.folders.move(path("a"), { newPath: path("b") }, at(4));
  await uploads.tree.start();
  await uploads.tree.stores.folders.create(path("last"), at(5));
  const there = { "c/": "", "c/d/": "", "c/d/x.txt": "1", "c/d/y.txt": "2", "b/": "", "b/z.txt": "3", "last/": "" };
  assert.deepEqual(look(root), there);
  await uploads.tree.stores.folders.move(path("c/d"), { newPath: path("e") }, at(6));
  const { "c/d/": _, "c/d/x.txt": x, "c/d/y.txt": y, ...rest } = there;
  assert.deepEqual(look(root), { ...rest, "e/": "", "e/x.txt": x, "e/y.txt": y });
  await stop(uploads);
});

/** Runs `step` once, before the call of the disk for which `isIt` holds. */
function before<K extends "lstat" | "rmdir">(name: K, isIt: (file: string) => boolean, step: () => unknown): Disk {
  let isDue = true;
  const call = nodeDisk[name] as (...args: unknown[]) => unknown;
  const watched = async (...args: unknown[]) => {
    if (isDue && isIt(String(args[0]))) {
      isDue = false;
      await step();
    }
    return call(...args);
  };
  return { ...nodeDisk, [name]: watched };
}

test("an empty folder that was deleted while its parent was checked is no foreign one", async () => {
  let uploads: Uploads | undefined;
  let isCopied = false;
  const isRoot = (file: string) => isCopied && file === uploads?.root;
  const disk = before("lstat", isRoot, () => uploads?.store.folders.delete(path("c/d"), { to: "trash" }, at(3)));
  uploads = await started(undefined, disk);
  const { folders } = uploads.tree.stores;
  await folders.create(path("c/d"), at(1));
  isCopied = true;
  await folders.copy(path("c"), { newPath: path("e") }, at(2));
  await folders.create(path("f"), at(4));
  assert.deepEqual(look(uploads.root), { "c/": "", "e/": "", "e/d/": "", "f/": "" });
  assert.deepEqual(
    readdirSync(uploads.folder).filter((name) => name.includes("unknown")),
    [],
  );
});

test("what appears in a folder while it is removed is no foreign one", async () => {
  let uploads: Uploads | undefined;
  const isIt = (file: string) => file.endsWith("uploads/c/d");
  const disk = before("rmdir", isIt, () => mkdirSync(join(uploads?.root ?? "", "c/d/e")));
  uploads = await started(undefined, disk);
  const { folders } = uploads.tree.stores;
  await folders.create(path("c/d"), at(1));
  await folders.delete(path("c/d"), { to: "nowhere" }, at(2));
  assert.deepEqual(look(uploads.root), { "c/": "" });
  assert.deepEqual(
    readdirSync(uploads.folder).filter((name) => name.includes("unknown")),
    [],
  );
});

test("the next start catches up with missed events", async () => {
  const folder = temporaryFolder();
  const first = await started(folder);
  await first.upload("a/x.txt", "1");
  await first.upload("gone/y.txt", "2");
  await stop(first);
  const unseen = await opened(folder);
  await unseen.store.folders.move(path("a"), { newPath: path("b") }, at(2));
  await unseen.store.folders.delete(path("gone"), { to: "trash" }, at(3));
  await unseen.upload("b/new.txt", "3");
  await stop(unseen);
  const again = await started(folder);
  await again.tree.stores.folders.create(path("seen"), at(4));
  assert.deepEqual(look(again.root), { "b/": "", "b/x.txt": "1", "b/new.txt": "3", "seen/": "" });
  await stop(again);
});

test("if the log has been pruned, the whole tree is rebuilt", { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const first = await opened(folder);
  await first.upload("a/x.txt", "1");
  await first.upload("a/y.txt", "2");
  await first.store.events.prune(2_000_000_000);
  await stop(first);
  const again = await started(folder);
  await untilThere(again.root, { "a/": "", "a/x.txt": "1", "a/y.txt": "2" });
  await stop(again);
});

/** Stops the tree after it has updated so many folders. Returns the folders. */
async function stopAfter(looks: number, folder: string): Promise<string[]> {
  const seen: string[] = [];
  const stopping = Promise.withResolvers<void>();
  const readdir = async (path: string) => {
    seen.push(path);
    if (seen.length === looks) stopping.resolve(stop(uploads));
    return nodeDisk.readdir(path);
  };
  const uploads = await opened(folder, { ...nodeDisk, readdir: readdir as Disk["readdir"] });
  await uploads.tree.start();
  await stopping.promise;
  assert.deepEqual(uploads.errors, []);
  return seen;
}

async function untilThere(root: string, expected: Record<string, string>): Promise<void> {
  await until(
    () => isDeepStrictEqual(look(root), expected),
    () => `the tree is ${JSON.stringify(look(root))}`,
  );
}

test("a stop interrupts a rebuild between two folders, and the next start restarts it", {
  timeout: 60_000,
}, async () => {
  const folder = temporaryFolder();
  const first = await opened(folder);
  for (const name of ["a", "b", "c"]) await first.upload(`${name}/x.txt`, name);
  await first.store.events.prune(2_000_000_000);
  await stop(first);
  assert.equal((await stopAfter(2, folder)).length, 2);
  const again = await started(folder);
  await untilThere(again.root, { "a/": "", "a/x.txt": "a", "b/": "", "b/x.txt": "b", "c/": "", "c/x.txt": "c" });
  await stop(again);
});

test("a stop interrupts the copy of a folder, and the next start completes it", { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const first = await started(folder);
  for (const name of ["a", "b"]) await first.upload(`one/${name}/x.txt`, name);
  await stop(first);
  const unseen = await opened(folder);
  await unseen.store.folders.copy(path("one"), { newPath: path("two") }, at(2));
  await stop(unseen);
  // Both paths, of three folders each, are updated concurrently: a third update may be running.
  assert.ok((await stopAfter(2, folder)).length < 6);
  const again = await started(folder);
  const one = { "one/": "", "one/a/": "", "one/a/x.txt": "a", "one/b/": "", "one/b/x.txt": "b" };
  const two = { "two/": "", "two/a/": "", "two/a/x.txt": "a", "two/b/": "", "two/b/x.txt": "b" };
  await untilThere(again.root, { ...one, ...two });
  await stop(again);
});

test("a rebuild repairs any change of the tree and touches no stored bytes", async () => {
  const uploads = await started();
  const { root, tree } = uploads;
  const file = await uploads.upload("a/x.txt", "hello");
  await uploads.upload("a/y.txt", "world");
  await uploads.upload("b/c/z.txt", "!");
  const expected = look(root);
  rmSync(join(root, "a/x.txt"));
  rmSync(join(root, "a/y.txt"));
  writeFileSync(join(root, "a/y.txt"), "somebody else's");
  mkdirSync(join(root, "foreign/deep"), { recursive: true });
  writeFileSync(join(root, "foreign/deep/f"), "x");
  rmSync(join(root, "b"), { recursive: true });
  writeFileSync(join(root, "b"), "a file where a folder was");
  await tree.rebuild();
  assert.deepEqual(look(root), expected);
  assert.equal(await uploads.blobs.check(file.hash, file.size), "whole");
  await stop(uploads);
});

test("a symbolic link in the tree is neither written through nor followed", async () => {
  const uploads = await started();
  const { root, tree } = uploads;
  const outside = temporaryFolder();
  writeFileSync(join(outside, "x.txt"), "precious");
  await uploads.upload("a/x.txt", "1");
  rmSync(join(root, "a"), { recursive: true });
  symlinkSync(outside, join(root, "a"));
  await uploads.upload("a/x.txt", "2");
  await tree.stores.folders.create(path("a/new"), at(2));
  assert.ok(lstatSync(join(root, "a")).isDirectory());
  symlinkSync(join(outside, "x.txt"), join(root, "b.txt"));
  await uploads.upload("b.txt", "3");
  await tree.stores.folders.delete(path("a"), { to: "trash" }, at(3));
  symlinkSync(outside, join(root, "linked"));
  await tree.rebuild();
  assert.deepEqual(look(root), { "b.txt": "3" });
  assert.deepEqual(look(outside), { "x.txt": "precious" });
  await stop(uploads);
});

test("without hard links the tree has copies, replaced when the bytes change", async () => {
  const disk: Disk = {
    ...nodeDisk,
    link: async () => {
      throw Object.assign(new Error("too many links"), { code: "EMLINK" });
    },
  };
  const uploads = await started(temporaryFolder(), disk);
  const { root, blobs, tree } = uploads;
  const file = await uploads.upload("a/x.txt", "hello");
  const copied = statSync(join(root, "a/x.txt"));
  assert.notEqual(copied.ino, statSync(blobFile(blobs.folder, file.hash)).ino);
  assert.equal(copied.mode & 0o777, 0o444);
  await tree.rebuild();
  assert.equal(statSync(join(root, "a/x.txt")).ino, copied.ino, "a correct copy is not rewritten");
  await uploads.upload("a/x.txt", "other");
  await tree.rebuild();
  assert.deepEqual(look(root), { "a/": "", "a/x.txt": "other" });
  await sameMoment(uploads, "third");
  assert.deepEqual(look(root), { "a/": "", "a/x.txt": "third" });
  await stop(uploads);
});

test("bytes of the same length and time are distinguished", async () => {
  const uploads = await started();
  const { root, blobs } = uploads;
  await uploads.upload("a/x.txt", "other");
  const file = await sameMoment(uploads, "third");
  assert.deepEqual(look(root), { "a/": "", "a/x.txt": "third" });
  assert.equal(statSync(join(root, "a/x.txt")).ino, statSync(blobFile(blobs.folder, file.hash)).ino);
  await stop(uploads);
});

/** Replaces a/x.txt by a text of the same length with the same time, as if both were stored in the same millisecond. */
async function sameMoment({ folder, upload, root, blobs, tree, store }: Uploads, text: string) {
  const [shown, aside] = [join(root, "a/x.txt"), join(folder, "aside")];
  const before = await store.files.find(path("a/x.txt"));
  linkSync(shown, aside);
  const file = await upload("a/x.txt", text);
  const { atimeMs, mtimeMs } = statSync(blobFile(blobs.folder, before?.hash as string));
  utimesSync(blobFile(blobs.folder, file.hash), atimeMs / 1000, mtimeMs / 1000);
  // The result of the race: the name has the older bytes.
  renameSync(aside, shown);
  await tree.rebuild();
  return file;
}

test("while the disk fails, writes succeed, and the tree is repaired once it works again", async () => {
  let isBroken = false;
  const refuse = (file: unknown) => {
    if (isBroken && String(file).includes("/uploads/")) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  };
  const disk: Disk = {
    ...nodeDisk,
    link: async (from, to) => {
      refuse(to);
      return nodeDisk.link(from, to);
    },
    rename: async (from, to) => {
      refuse(to);
      return nodeDisk.rename(from, to);
    },
  };
  const uploads = await started(temporaryFolder(), disk);
  const { root, tree, errors } = uploads;
  isBroken = true;
  await uploads.upload("a/x.txt", "1");
  await tree.stores.folders.create(path("b"), at(1));
  assert.deepEqual(look(root), { "a/": "", "b/": "" });
  assert.ok(errors.length > 0);
  isBroken = false;
  await stop(uploads);
  const again = await started(uploads.folder);
  await again.tree.stores.folders.create(path("c"), at(2));
  assert.deepEqual(look(again.root), { "a/": "", "a/x.txt": "1", "b/": "", "c/": "" });
  assert.deepEqual(readdirSync(again.staging.folder), []);
  await stop(again);
});
