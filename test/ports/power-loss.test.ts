// Slow: it loses power at each step of each write.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { writeBackup } from "../../src/backup/backup.ts";
import { readBackup } from "../../src/backup/restore.ts";
import { TarReader, TarWriter } from "../../src/backup/tar/backup.ts";
import { blobFile, removeBlobFile } from "../../src/core/bytes/disk/blob-folder.ts";
import { makeDataFolder } from "../../src/core/bytes/disk/data-folder.ts";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";
import type { Path } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { adopt } from "../../src/moving/adopt.ts";
import { findUnknown } from "../../src/moving/found-files-store.ts";
import { temporaryFolder } from "../harness.ts";
import { type Loss, losses, RecordingDisk } from "./recording-disk.ts";
import { at, openUploads, rules, type Uploads } from "./uploads.ts";

/**
 * The power fails after each disk call. SQLite's files are those of the last commit: its pragmas ensure that these are
 * durable (test/ports/sqlite-pragma.test.ts).
 */

const path = (text: string) => text as Path;
const isDatabase = (name: string): boolean => /^octavo\.db|\.lock$/.test(name);

type Files = Record<string, string>;
type Scene = {
  uploads: Uploads;
  disk: Disk;
  /** The acknowledged files by path: they must survive every power loss. */
  acknowledged: Files;
};
/** The state after a power loss. `folder` gets its database on request. */
type Left = { folder: string; rows: Rows; acknowledged: Files; addDatabase(): void };
/** The hash of each file with a row, by path. */
type Rows = Map<string, string>;
type Check = (left: Left) => Promise<void>;

/**
 * Runs the work on a store with some files. After each disk call it writes the state that a power loss would leave to a
 * new folder and checks it. Answers the number of different states.
 */
async function losePower(
  t: TestContext,
  work: (scene: Scene) => Promise<void>,
  check: Check,
  { prepare = async (_: Uploads): Promise<void> => undefined, wrap = (disk: Disk) => disk, all = losses } = {},
): Promise<number> {
  const folder = temporaryFolder();
  const first = await openUploads(folder);
  await prepare(first);
  await first.blobs.close();
  await first.store.close();
  const recording = new RecordingDisk(folder);
  const disk = wrap(recording.disk);
  const uploads = await openUploads(folder, disk);
  t.after(() => uploads.store.close());
  const sqlite = new Sqlite({ folder, busyTimeoutMs: 1000 }, "read");
  t.after(() => sqlite.close());
  const acknowledged: Files = {};
  const seen = new Set<string>();
  const above = temporaryFolder();
  let steps = 0;
  recording.onStep = async (step) => {
    // Concurrently: other work continues during a check. Commits are durable.
    const state = { rows: readRows(sqlite), acknowledged: { ...acknowledged } };
    const number = ++steps;
    const lost = all.map((loss, n) => {
      const left = join(above, `${number}-${n}`);
      mkdirSync(left);
      recording.lose(left, loss, isDatabase);
      return { left, loss };
    });
    for (const { left, loss } of lost) {
      const known = fingerprint(left) + JSON.stringify([[...state.rows], state.acknowledged]);
      if (!seen.has(known)) {
        seen.add(known);
        const addDatabase = () => copyDatabase(folder, left);
        await check({ ...state, folder: left, addDatabase }).catch((error) => {
          const where = `after ${step}, with ${loss.names} names and ${loss.bytes} bytes`;
          throw new Error(`${where}: ${error.message}`, { cause: error });
        });
      }
      rmSync(left, { recursive: true });
    }
  };
  await work({ uploads, disk, acknowledged });
  // The last one is after the reply.
  await recording.onStep("the answer");
  return seen.size;
}

function copyDatabase(from: string, to: string): void {
  for (const name of ["octavo.db", "octavo.db-wal"]) copyFileSync(join(from, name), join(to, name));
}

function fingerprint(folder: string): string {
  const sha256 = createHash("sha256");
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const name = `${below}/${entry.name}`;
      sha256.update(`${name}\n`);
      if (entry.isDirectory()) walk(name);
      if (entry.isFile()) sha256.update(readFileSync(folder + name)).update(`\n${statSync(folder + name).nlink}\n`);
    }
  };
  walk("");
  return sha256.digest("hex");
}

function readRows(sqlite: Sqlite): Rows {
  const text =
    "SELECT folder.path, file.name, file.blob FROM file JOIN folder ON folder.id = file.folder ORDER BY 1, 2";
  const rows = sqlite.rows(text) as [string, string, string][];
  return new Map(rows.map(([above, name, hash]) => [above === "" ? name : `${above}/${name}`, hash]));
}

/** The bytes of a file with a row. */
function textOf({ folder, rows }: Pick<Left, "folder" | "rows">, name: string): string | undefined {
  const hash = rows.get(name);
  const file = hash && blobFile(join(folder, "blobs"), hash);
  return file && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Every row has its bytes, and every acknowledged write is there. Blobs without a row only take space. */
const isWhole: Check = async (left) => {
  for (const [name, hash] of left.rows) assert.equal(sha256(textOf(left, name) ?? "nothing"), hash, name);
  for (const [name, text] of Object.entries(left.acknowledged)) assert.equal(textOf(left, name), text, name);
};

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const withoutLinks = (disk: Disk): Disk => ({
  ...disk,
  link: async () => {
    throw Object.assign(new Error("no hard links"), { code: "EPERM" });
  },
});

const someFiles = async ({ upload }: Uploads): Promise<void> => {
  await upload("docs/kept.txt", "kept");
  await upload("docs/replaced.txt", "old");
};

for (const [how, wrap] of [
  ["by links", (disk: Disk) => disk],
  ["by copies, without hard links", withoutLinks],
] as const) {
  test(`a confirmed upload survives a power loss, and every row has its bytes: ${how}`, async (t) => {
    const upload = async ({ uploads, acknowledged }: Scene): Promise<void> => {
      for (const [name, text] of [
        ["first/file.txt", "the first"],
        ["docs/replaced.txt", "new"],
        ["docs/again.txt", "the first"],
      ] as const) {
        delete acknowledged[name];
        await uploads.upload(name, text);
        acknowledged[name] = text;
      }
    };
    const states = [
      await losePower(t, upload, isWhole, { wrap }),
      await losePower(t, upload, isWhole, { prepare: someFiles, wrap }),
    ];
    assert.ok(
      states.every((count) => count > 10),
      states.join(),
    );
  });
}

test("repaired bytes survive a power loss", async (t) => {
  const prepare = async (uploads: Uploads): Promise<void> => {
    const { hash } = await uploads.upload("docs/changed.txt", "the intact bytes");
    const file = blobFile(uploads.blobs.folder, hash);
    chmodSync(file, 0o644);
    writeFileSync(file, "changed bytes!!!");
  };
  const work = async ({ uploads, acknowledged }: Scene): Promise<void> => {
    await uploads.upload("docs/changed.txt", "the intact bytes");
    acknowledged["docs/changed.txt"] = "the intact bytes";
  };
  // Until then it is changed or intact, but never missing.
  const isMended: Check = async (left) => {
    if (left.acknowledged["docs/changed.txt"] !== undefined) return isWhole(left);
    assert.equal(textOf(left, "docs/changed.txt")?.length, "the intact bytes".length);
  };
  assert.ok((await losePower(t, work, isMended, { prepare })) > 5);
});

test("a sweep ended by a power loss leaves every row its bytes", async (t) => {
  const prepare = async (uploads: Uploads): Promise<void> => {
    await someFiles(uploads);
    await uploads.upload("docs/replaced.txt", "new");
    await uploads.store.history.trim({ rows: 0, seconds: 0, bytes: 0 }, 1);
  };
  const work = async ({ uploads, disk }: Scene): Promise<void> => {
    const [old] = (await Array.fromAsync(uploads.blobs.list())).filter((hash) => hash === sha256("old"));
    await removeBlobFile(uploads.blobs.folder, old as string, disk);
    assert.equal(await uploads.store.ledger.sweep(9_000_000_000), 1);
    await uploads.upload("docs/old-again.txt", "old");
  };
  assert.ok((await losePower(t, work, isWhole, { prepare })) > 3);
});

/** Everything below a folder: files with their text, links with their target, folders as "/". */
function look(root: string, below = ""): Files {
  const found: Files = {};
  for (const entry of existsSync(join(root, below)) ? readdirSync(join(root, below), { withFileTypes: true }) : []) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, { [`${name}/`]: "" }, look(root, name));
    else
      found[name] = entry.isSymbolicLink()
        ? `-> ${readlinkSync(join(root, name))}`
        : readFileSync(join(root, name), "utf8");
  }
  return found;
}

const withTree = async (uploads: Uploads): Promise<void> => {
  await someFiles(uploads);
  await uploads.tree.rebuild();
};

for (const [how, wrap, prepare] of [
  ["links", (disk: Disk) => disk, someFiles],
  ["copies", withoutLinks, withTree],
] as const) {
  test(`the recorded position of a tree of ${how} is true after a power loss`, async (t) => {
    const work = async ({ uploads, acknowledged }: Scene): Promise<void> => {
      const { tree, upload } = uploads;
      const { folders, files } = tree.stores;
      await tree.start();
      await upload("a/x.txt", "x", { files });
      await upload("docs/replaced.txt", "new", { files });
      await upload("b/deep/y.txt", "y", { files });
      await folders.move(path("b"), { newPath: path("c/d") }, at(2));
      await folders.delete(path("a"), { to: "trash" }, at(3));
      await tree.stop();
      acknowledged.tree = "is noted";
    };
    const isShown: Check = async ({ folder, acknowledged, addDatabase }) => {
      // Before that, the next start follows from the previous position.
      if (acknowledged.tree === undefined) return;
      addDatabase();
      const uploads = await openUploads(folder);
      try {
        await uploads.tree.start();
        await uploads.tree.stores.folders.create(path("last"), at(9));
        await uploads.tree.stop();
        assert.deepEqual(uploads.errors, []);
        assert.deepEqual(look(uploads.root), {
          ...{ "docs/": "", "docs/kept.txt": "kept", "docs/replaced.txt": "new", "last/": "" },
          ...{ "c/": "", "c/d/": "", "c/d/deep/": "", "c/d/deep/y.txt": "y" },
        });
      } finally {
        await uploads.store.close();
      }
    };
    assert.ok((await losePower(t, work, isShown, { prepare, wrap })) > 10);
  });
}

const elsewhere = (disk: Disk): Disk => {
  const across = (from: unknown, to: unknown): void => {
    const places = [from, to].map((file) => /uploads\.unknown/.test(String(file)));
    if (places[0] !== places[1]) throw Object.assign(new Error("another file system"), { code: "EXDEV" });
  };
  return {
    ...disk,
    link: async (from, to) => {
      across(from, to);
      return disk.link(from, to);
    },
    rename: async (from, to) => {
      across(from, to);
      return disk.rename(from, to);
    },
  };
};

const onMount: readonly Loss[] = [...losses, { names: "all", bytes: "synced", mount: "uploads.unknown" }];

for (const [how, wrap, all] of [
  ["beside the tree", (disk: Disk) => disk, losses],
  ["on another file system", elsewhere, onMount],
] as const) {
  test(`a foreign file in the tree is in one place or the other after a power loss: ${how}`, async (t) => {
    const prepare = async (uploads: Uploads): Promise<void> => {
      await someFiles(uploads);
      await uploads.tree.rebuild();
      for (const name of ["top.txt", "docs/mine.txt", "site/deep/page.html"]) {
        mkdirSync(join(uploads.root, name, ".."), { recursive: true });
        writeFileSync(join(uploads.root, name), `mine: ${basename(name)}`);
      }
      symlinkSync("mine: link", join(uploads.root, "link"));
      mkdirSync(join(uploads.root, "empty"));
    };
    const work = async ({ uploads }: Scene): Promise<void> => {
      await uploads.tree.rebuild();
      await uploads.upload("docs/after.txt", "after");
    };
    const isSomewhere: Check = async ({ folder }) => {
      const places = [look(join(folder, "uploads")), look(join(folder, "uploads.unknown"))];
      const texts = places.flatMap((place) => Object.values(place));
      for (const name of ["top.txt", "mine.txt", "page.html"]) assert.ok(texts.includes(`mine: ${name}`), name);
      assert.ok(texts.includes("-> mine: link"), "the link");
      assert.ok(
        places.some((place) => Object.keys(place).some((name) => name.endsWith("empty/"))),
        "the empty folder",
      );
    };
    assert.ok((await losePower(t, work, isSomewhere, { prepare, wrap, all })) > 10);
  });
}

test("an adopted file is an upload before its source is removed", async (t) => {
  const prepare = async (uploads: Uploads): Promise<void> => {
    await someFiles(uploads);
    for (const name of ["2026-01-02/a/one.txt", "2026-01-02-2/two.txt"]) {
      mkdirSync(join(uploads.folder, "uploads.unknown", name, ".."), { recursive: true });
      writeFileSync(join(uploads.folder, "uploads.unknown", name), basename(name));
    }
  };
  const work = async ({ uploads, disk }: Scene): Promise<void> => {
    const { folders, files, ledger } = uploads.store;
    const found = findUnknown(join(uploads.folder, "uploads.unknown"), disk);
    const options = { rules, maxBytes: 1e6, onConflict: "fail" as const, context: at(1000) };
    const done = await Array.fromAsync(adopt({ folders, files, ledger, blobs: uploads.blobs }, found, options));
    assert.deepEqual(
      done.map(({ outcome }) => outcome),
      ["taken", "taken"],
    );
  };
  const isSomewhere: Check = async (left) => {
    await isWhole({ ...left, acknowledged: {} });
    const lying = Object.values(look(join(left.folder, "uploads.unknown")));
    for (const name of ["a/one.txt", "two.txt"]) {
      assert.ok(lying.includes(basename(name)) || textOf(left, name) === basename(name), name);
    }
  };
  assert.ok((await losePower(t, work, isSomewhere, { prepare })) > 10);
});

test("a confirmed backup is complete after a power loss, and the replaced one until then", async (t) => {
  const about = { version: "test", nowSeconds: 1 };
  const backUp = async ({ store, blobs, folder }: Uploads, disk: Disk): Promise<void> => {
    const writer = await TarWriter.create(join(folder, "backup.tar"), 1, disk);
    await writeBackup({ rows: store.rows, blobs }, writer, about, () => undefined);
  };
  const prepare = async (uploads: Uploads): Promise<void> => {
    await someFiles(uploads);
    await backUp(uploads, nodeDisk);
    await uploads.upload("docs/later.txt", "later");
  };
  const work = async ({ uploads, disk, acknowledged }: Scene): Promise<void> => {
    await backUp(uploads, disk);
    acknowledged["docs/later.txt"] = "later";
  };
  const found = new Map<string, Set<string>>();
  const isRestorable: Check = async ({ folder, acknowledged }) => {
    const file = join(folder, "backup.tar");
    const bytes = readFileSync(file, "latin1");
    const names = found.get(bytes) ?? (await restoredNames(file));
    found.set(bytes, names);
    for (const name of ["docs/kept.txt", ...Object.keys(acknowledged)]) assert.ok(names.has(name), name);
  };
  assert.ok((await losePower(t, work, isRestorable, { prepare })) > 2);
});

/** The names of the files in a backup, which must be complete. */
async function restoredNames(file: string): Promise<Set<string>> {
  const { store, blobs, verify } = await openUploads(temporaryFolder());
  try {
    const { rows, ledger, files } = store;
    await readBackup({ rows, ledger, blobs }, new TarReader(file), 2, () => undefined);
    assert.deepEqual(await verify(), []);
    return new Set((await files.content(path("docs")))?.files.map(({ name }) => `docs/${name}`));
  } finally {
    await store.close();
  }
}

test("a created data folder exists after a power loss", async () => {
  const above = temporaryFolder();
  const recording = new RecordingDisk(above);
  await makeDataFolder(join(above, "a/b/data"), recording.disk);
  const left = temporaryFolder();
  recording.lose(left, { names: "synced", bytes: "synced" }, () => false);
  assert.deepEqual(look(left), { "a/": "", "a/b/": "", "a/b/data/": "" });
});
