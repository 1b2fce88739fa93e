import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { blobFile } from "../../src/core/bytes/disk/blob-folder.ts";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import type { Path } from "../../src/core/path.ts";
import { UploadsTree } from "../../src/upload/tree-store.ts";
import { UnknownUploads } from "../../src/upload/unknown-store.ts";
import { openDatabase } from "../database.ts";
import { temporaryFolder } from "../harness.ts";
import { smallDisk } from "../small-disk.ts";
import { at, openUploads, type Uploads } from "./uploads.ts";

/** Files in the uploads tree that the service did not create: they are moved, never lost. Decision 22. */

const path = (text: string) => text as Path;
const mount = smallDisk(4);

type Found = Record<string, string>;

/** Everything below a folder: files with their text, folders as "/", links with their target, others as "special". */
function look(folder: string, below = ""): Found {
  const found: Found = {};
  for (const name of readdirSync(join(folder, below)).sort()) {
    const here = below === "" ? name : `${below}/${name}`;
    const stat = lstatSync(join(folder, here));
    if (stat.isDirectory()) Object.assign(found, { [`${here}/`]: "" }, look(folder, here));
    else if (stat.isSymbolicLink()) found[here] = `-> ${readlinkSync(join(folder, here))}`;
    else found[here] = stat.isFile() ? readFileSync(join(folder, here), "utf8") : "special";
  }
  return found;
}

/** The unknown uploads by path below the folder of the day; `-2` precedes the path in the second folder. */
function lookUnknown(folder: string): Found {
  const found: Found = {};
  for (const [name, text] of Object.entries(existsSync(folder) ? look(folder) : {})) {
    const [, number = "", below = ""] = /^\d{4}-\d\d-\d\d(-\d+)?\/(.*)$/.exec(name) ?? assert.fail(name);
    if (below !== "") found[number === "" ? below : `${number}:${below}`] = text;
  }
  return found;
}

type Opened = Uploads & {
  newTree(): UploadsTree;
  unknown: UnknownUploads;
  /** The reports about it. */
  moved: string[];
  put(name: string, text: string): void;
};

/** A store whose tree does not follow events: only `tree.rebuild()` changes it. */
async function opened(t: TestContext, disk: Disk = nodeDisk, root?: string): Promise<Opened> {
  const uploads = await openUploads(temporaryFolder(), disk);
  t.after(() => uploads.store.close());
  const unknown = new UnknownUploads(join(uploads.folder, "uploads.unknown"), disk);
  const moved: string[] = [];
  const newTree = () =>
    new UploadsTree({
      ...{ root: root ?? uploads.root, blobFolder: uploads.blobs.folder, staging: uploads.staging, unknown, disk },
      ...{ folders: uploads.store.folders, files: uploads.store.files, trash: uploads.store.trash },
      events: uploads.store.events,
      onError: (error) => void uploads.errors.push(error),
      onMoved: (what) => void moved.push(what),
    });
  const put = (name: string, text: string) => {
    mkdirSync(join(uploads.root, name, ".."), { recursive: true });
    writeFileSync(join(uploads.root, name), text);
  };
  return { ...uploads, root: root ?? uploads.root, tree: newTree(), newTree, unknown, moved, put };
}

test("foreign files in the tree are moved to the same path in uploads.unknown and reported", async (t) => {
  const { root, upload, tree, unknown, moved, put, errors } = await opened(t);
  await upload("a/x.txt", "x of the store");
  await upload("a/y.txt", "y of the store");
  await upload("b/z.txt", "z of the store");
  await tree.rebuild();
  const shown = look(root);
  const outside = temporaryFolder();
  writeFileSync(join(outside, "precious.txt"), "precious");
  put("notes.txt", "notes");
  put("a/foreign.txt", "foreign");
  put("site/deep/er/page.html", "<p>");
  put("site/.hidden", "hidden");
  mkdirSync(join(root, "empty"));
  copyFileSync(join(root, "a/x.txt"), join(root, "a/copy.txt"));
  symlinkSync(join(outside, "precious.txt"), join(root, "link.txt"));
  symlinkSync(outside, join(root, "a/folder"));
  symlinkSync("nowhere", join(root, "dangling"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const odd = Buffer.concat([Buffer.from(`${root}/a/gr`), Buffer.from([0xfc]), Buffer.from("n.txt")]);
  writeFileSync(odd, "latin 1");
  // An editor writes a new file and renames it over the old one.
  put("editor's", "y as a user changed it");
  renameSync(join(root, "editor's"), join(root, "a/y.txt"));
  // A file where a folder was, and a folder where a file was.
  rmSync(join(root, "b"), { recursive: true });
  put("b", "a file");
  rmSync(join(root, "a/x.txt"));
  put("a/x.txt/inside.txt", "inside");
  await tree.rebuild();
  assert.deepEqual(errors, []);
  assert.deepEqual(look(root), shown);
  const expected = {
    "notes.txt": "notes",
    ...{ "a/": "", "a/foreign.txt": "foreign", "a/copy.txt": "x of the store", "a/folder": `-> ${outside}` },
    ...{ "a/y.txt": "y as a user changed it", "a/x.txt/": "", "a/x.txt/inside.txt": "inside", b: "a file" },
    ...{
      "site/": "",
      "site/deep/": "",
      "site/deep/er/": "",
      "site/deep/er/page.html": "<p>",
      "site/.hidden": "hidden",
    },
    ...{ "empty/": "", "link.txt": `-> ${join(outside, "precious.txt")}`, dangling: "-> nowhere", pipe: "special" },
  };
  const day = readdirSync(unknown.folder);
  const raw = readdirSync(join(unknown.folder, day[0] as string, "a"), { encoding: "buffer" });
  const kept = raw.find((name) => name.includes(0xfc)) as Buffer;
  const keptAt = Buffer.concat([Buffer.from(`${unknown.folder}/${day[0]}/a/`), kept]);
  assert.equal(readFileSync(keptAt, "utf8"), "latin 1");
  rmSync(keptAt);
  assert.deepEqual(lookUnknown(unknown.folder), Object.fromEntries(Object.entries(expected).sort()));
  assert.deepEqual(look(outside), { "precious.txt": "precious" });
  assert.equal(moved.length, 1);
  assert.match(
    moved[0] as string,
    /^\S+ and 13 more were in uploads\/ .* moved to \/.*uploads\.unknown; octavo uploads adopt/,
  );
  assert.equal(await unknown.count(), 13, "without the one that this test removed");
  assert.equal(statSync(unknown.folder).mode & 0o777, 0o700);
});

test("a moved file is never overwritten by a later one, not even through a link", async (t) => {
  const { root, upload, tree, unknown, put } = await opened(t);
  await upload("a/x.txt", "x");
  await tree.rebuild();
  for (const text of ["first", "second", "third"]) {
    put("same.txt", text);
    put("folder/same.txt", text);
    await tree.rebuild();
  }
  const outside = temporaryFolder();
  rmSync(join(root, "a"), { recursive: true });
  symlinkSync(outside, join(root, "a"));
  await tree.rebuild();
  put("a/same.txt", "behind the link");
  await tree.rebuild();
  assert.deepEqual(look(outside), {});
  assert.deepEqual(lookUnknown(unknown.folder), {
    ...{ a: `-> ${outside}`, "folder/": "", "folder/same.txt": "first", "same.txt": "first" },
    ...{ "-2:a/": "", "-2:a/same.txt": "behind the link" },
    ...{ "-2:folder/": "", "-2:folder/same.txt": "second", "-2:same.txt": "second" },
    ...{ "-3:folder/": "", "-3:folder/same.txt": "third", "-3:same.txt": "third" },
  });
});

const noLinks: Disk = {
  ...nodeDisk,
  link: async () => {
    throw Object.assign(new Error("no hard links"), { code: "EPERM" });
  },
};

for (const [how, disk] of [
  ["links", nodeDisk],
  ["copies, without hard links", noLinks],
] as const) {
  test(`the service removes what it created without a trace: ${how}`, async (t) => {
    const { root, store, upload, tree, newTree, unknown, blobs, errors } = await opened(t, disk);
    const { folders, files } = store;
    const swept = await upload("a/swept.txt", "swept");
    const unmarked = await upload("a/unmarked.txt", "unmarked");
    await upload("a/replaced.txt", "before");
    await upload("moved/m.txt", "m");
    await folders.create(path("empty/below"), at(1));
    await upload("gone/g.txt", "g");
    await upload("by-hand/h.txt", "h");
    await tree.rebuild();
    // Like blobs stored before marks existed.
    if (disk === nodeDisk) utimesSync(blobFile(blobs.folder, unmarked.hash), 1000, 1000);
    await files.delete(path("a/swept.txt"), { to: "nowhere" }, at(2000));
    await store.trash.clear(2000);
    assert.equal(await store.ledger.sweep(3000), 1);
    assert.ok(!existsSync(blobFile(blobs.folder, swept.hash)));
    await files.delete(path("a/unmarked.txt"), { to: "trash" }, at(2000));
    await upload("a/replaced.txt", "after");
    await folders.move(path("moved"), { newPath: path("there/now") }, at(2));
    await folders.delete(path("gone"), { to: "trash" }, at(3));
    await folders.delete(path("empty"), { to: "trash" }, at(3));
    // A link is recognised after a rename, alone or with its folder.
    renameSync(join(root, "by-hand"), join(root, "renamed"));
    if (disk === nodeDisk) linkSync(join(root, "a/replaced.txt"), join(root, "linked.txt"));
    const following = newTree();
    await following.start();
    await following.stores.folders.create(path("last"), at(4));
    await following.stop();
    await tree.rebuild();
    assert.deepEqual(errors, []);
    assert.deepEqual(look(root), {
      ...{ "a/": "", "a/replaced.txt": "after", "by-hand/": "", "by-hand/h.txt": "h", "last/": "" },
      ...{ "there/": "", "there/now/": "", "there/now/m.txt": "m" },
    });
    assert.deepEqual(lookUnknown(unknown.folder), {});
  });
}

test("bytes written through a link are kept when the intact bytes are uploaded again, which both names show", async (t) => {
  const { root, folder, upload, tree, unknown, blobs, store, verify } = await opened(t);
  const { hash, size } = await upload("a/one.txt", "the good bytes");
  await upload("b/two.txt", "the good bytes");
  await tree.rebuild();
  const edit = (file: string) => {
    chmodSync(file, 0o644);
    writeFileSync(file, "edited by hand", { flag: "r+" });
    chmodSync(file, 0o444);
  };
  edit(join(root, "a/one.txt"));
  assert.equal(await blobs.check(hash, size), "changed");
  const { BlobFolder } = await import("../../src/core/bytes/disk/blob-folder.ts");
  const { Staging } = await import("../../src/core/bytes/disk/staging.ts");
  const repairing = new BlobFolder(blobs.folder, new Staging(join(folder, "tmp")), 0, nodeDisk, {
    onRepaired: (repaired) => tree.renew(repaired),
  });
  await upload("c/three.txt", "the good bytes", { blobs: repairing });
  assert.deepEqual(await verify(), []);
  await tree.rebuild();
  const good = { "a/one.txt": "the good bytes", "b/two.txt": "the good bytes", "c/three.txt": "the good bytes" };
  assert.deepEqual(look(root), { "a/": "", "b/": "", "c/": "", ...good });
  for (const name of Object.keys(good)) {
    assert.equal(statSync(join(root, name)).ino, statSync(blobFile(blobs.folder, hash)).ino, name);
  }
  const kept = { "a/one.txt": "edited by hand", "b/two.txt": "edited by hand" };
  assert.deepEqual(lookUnknown(unknown.folder), { "a/": "", "b/": "", ...kept });
  // A power loss changes no times: the remains of the old file are not foreign.
  const blob = blobFile(blobs.folder, hash);
  const { atimeMs, mtimeMs } = statSync(blob);
  edit(blob);
  utimesSync(blob, atimeMs / 1000, mtimeMs / 1000);
  await upload("a/one.txt", "the good bytes", { blobs: repairing });
  assert.equal(readFileSync(join(root, "b/two.txt"), "utf8"), "the good bytes");
  assert.deepEqual(lookUnknown(unknown.folder), { "a/": "", "b/": "", ...kept });
  await store.ledger.sweep(0);
});

test("an intact copy in the tree is not replaced by a damaged blob", async (t) => {
  const { root, upload, tree, blobs, unknown } = await opened(t);
  const { hash } = await upload("a/x.txt", "the good bytes");
  await tree.rebuild();
  rmSync(join(root, "a/x.txt"));
  writeFileSync(join(root, "a/x.txt"), "the good bytes");
  const copy = statSync(join(root, "a/x.txt")).ino;
  const blob = blobFile(blobs.folder, hash);
  chmodSync(blob, 0o644);
  writeFileSync(blob, "the bad bytes!");
  await tree.rebuild();
  assert.equal(statSync(join(root, "a/x.txt")).ino, copy);
  writeFileSync(blob, "the good bytes");
  await tree.rebuild();
  assert.equal(statSync(join(root, "a/x.txt")).ino, statSync(blob).ino, "once the blob is intact it is a link again");
  assert.deepEqual(lookUnknown(unknown.folder), {});
});

test("no row or event of a hostile backup escapes the tree", async (t) => {
  const above = temporaryFolder();
  const folder = join(above, "home/data");
  mkdirSync(folder, { recursive: true });
  const uploads = await openUploads(folder);
  const { hash } = await uploads.upload("good/x.txt", "good");
  await uploads.upload("a/y.txt", "y");
  await uploads.tree.rebuild();
  await uploads.store.close();
  for (const name of ["home/victim.txt", "home/victims/deep/v.txt", "top.txt", "home/data/beside/b.txt"]) {
    mkdirSync(join(above, name, ".."), { recursive: true });
    writeFileSync(join(above, name), name);
  }
  symlinkSync(join(above, "home/victims"), join(folder, "uploads/a/way"));
  const database = openDatabase(folder);
  const root = (database.prepare("SELECT id FROM folder WHERE path = ''").get() as { id: number }).id;
  const addFolder = database.prepare(
    "INSERT INTO folder (path, parent, created_at, modified_at, revision) VALUES (?, ?, 1, 1, 1) RETURNING id",
  );
  const addFile = database.prepare(
    `INSERT INTO file (folder, name, title, description, type, blob, size, uploaded_at, meta, created_at, modified_at, revision)
     VALUES (?, ?, '', '', 'text/plain', ?, 4, 1, '{}', 1, 1, 1)`,
  );
  const evil = [
    "..",
    "../..",
    "../../victims",
    "good/../../..",
    ".",
    "a//b",
    "/abs",
    "a/way",
    "nul\u0000",
    "a/../../beside",
  ];
  const names = ["../up.txt", "..", "../../../top.txt", "way/v.txt", "a/b.txt", "/top.txt", "", "beside/../../b.txt"];
  for (const [n, text] of evil.entries()) {
    const { id } = addFolder.get(text.replace("\\u0000", "\0"), n % 2 === 0 ? root : null) as { id: number };
    addFile.run(id, "planted.txt", hash);
  }
  const good = (database.prepare("SELECT id FROM folder WHERE path = 'good'").get() as { id: number }).id;
  for (const name of names) for (const id of [root, good]) addFile.run(id, name, hash);
  const addEvent = database.prepare(
    "INSERT INTO event (at, kind, subject, target, count, actor) VALUES (1, ?, ?, ?, 1, '')",
  );
  for (const text of [...evil, "../../victim.txt", "../victims", "..", "a/way/deep", "a/way"]) {
    for (const kind of ["folder.delete", "file.delete", "file.upload", "folder.create"]) addEvent.run(kind, text, null);
    addEvent.run("folder.move", text, "good/in");
    addEvent.run("folder.move", "good", text);
    addEvent.run("file.move", text, `${text}/t.txt`);
  }
  database.close();
  const others = (): Found =>
    Object.fromEntries(
      Object.entries(look(above)).filter(([name]) => !name.startsWith("home/data/") || /beside/.test(name)),
    );
  const before = others();
  const again = await openUploads(folder);
  t.after(() => again.store.close());
  await again.tree.start();
  await again.tree.stores.folders.create(path("last"), at(5));
  await again.tree.stop();
  const rebuilding = await openUploads(folder, nodeDisk, async () => again.store);
  await rebuilding.tree.rebuild();
  assert.deepEqual(others(), before);
  assert.ok(
    [...again.errors, ...rebuilding.errors].some((error) => /is not the path of an upload/.test(String(error))),
  );
  const shown = look(rebuilding.root);
  assert.equal(shown["good/x.txt"], "good");
  assert.equal(shown["last/"], "");
  assert.deepEqual(
    Object.keys(shown).filter((name) => /planted|up\.txt|top\.txt/.test(name) && !name.startsWith("a/way/")),
    [],
  );
});

test("files in the folder before the first start are moved and reported", async (t) => {
  const { root, tree, unknown, moved, put } = await opened(t);
  put("images/old.jpg", "an old picture");
  await tree.start();
  while (moved.length === 0) await new Promise(setImmediate);
  await tree.stop();
  assert.deepEqual(look(root), {});
  assert.deepEqual(lookUnknown(unknown.folder), { "images/": "", "images/old.jpg": "an old picture" });
});

test("a link in place of the root is moved; its target is untouched", async (t) => {
  const { root, upload, tree, unknown } = await opened(t);
  const outside = temporaryFolder();
  writeFileSync(join(outside, "mine.txt"), "mine");
  await upload("a/x.txt", "x");
  symlinkSync(outside, root);
  await tree.start();
  await tree.stop();
  assert.ok(lstatSync(root).isDirectory());
  assert.deepEqual(look(outside), { "mine.txt": "mine" });
  assert.deepEqual(lookUnknown(unknown.folder), { uploads: `-> ${outside}` });
});

test("a tree on its own mount has copies, and removes foreign files only once they are copied", {
  skip: mount.skip,
}, async (t) => {
  const { root, upload, tree, unknown, errors } = await opened(t, nodeDisk, join(mount.folder, "uploads"));
  const outside = temporaryFolder();
  await upload("a/x.txt", "old");
  await tree.rebuild();
  await upload("a/x.txt", "new");
  mkdirSync(join(root, "site/empty"), { recursive: true });
  writeFileSync(join(root, "site/page.html"), "<p>");
  utimesSync(join(root, "site/page.html"), 1000, 2000);
  symlinkSync(outside, join(root, "a/link"));
  mkdirSync(join(root, "lost+found"));
  await tree.rebuild();
  assert.deepEqual(errors, []);
  assert.deepEqual(look(root), { "a/": "", "a/x.txt": "new", "lost+found/": "" });
  const kept = { "a/": "", "a/link": `-> ${outside}`, "site/": "", "site/empty/": "", "site/page.html": "<p>" };
  assert.deepEqual(lookUnknown(unknown.folder), kept);
  const day = readdirSync(unknown.folder)[0] as string;
  assert.equal(statSync(join(unknown.folder, day, "site/page.html")).mtimeMs, 2_000_000);
  execFileSync("mkfifo", [join(root, "pipe")]);
  await upload("z/last.txt", "last");
  await tree.rebuild();
  assert.match(errors.join(), /pipe is not a regular file and cannot be moved to another file system: move it by hand/);
  assert.ok(existsSync(join(root, "pipe")));
  assert.equal(
    readFileSync(join(root, "z/last.txt"), "utf8"),
    "last",
    "a file that cannot be moved does not block others",
  );
});

test("a missing blob does not keep other files out of the tree", async (t) => {
  const { root, upload, tree, blobs, errors } = await opened(t);
  const { hash } = await upload("a/gone.txt", "gone");
  await upload("b/x.txt", "x");
  rmSync(blobFile(blobs.folder, hash));
  await tree.rebuild();
  assert.deepEqual(look(root), { "a/": "", "b/": "", "b/x.txt": "x" });
  assert.equal(errors.length, 1);
});

test("a file of another user is moved where hard links are forbidden", async (t) => {
  const { root, upload, tree, unknown, put } = await opened(t, noLinks);
  await upload("a/x.txt", "x");
  await tree.rebuild();
  for (const text of ["one", "two"]) {
    put("a/theirs.txt", text);
    await tree.rebuild();
  }
  assert.deepEqual(lookUnknown(unknown.folder), {
    "a/": "",
    "a/theirs.txt": "one",
    "-2:a/": "",
    "-2:a/theirs.txt": "two",
  });
  assert.deepEqual(look(root), { "a/": "", "a/x.txt": "x" });
});
