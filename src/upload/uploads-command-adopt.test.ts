import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";
import type { Path } from "../core/path.ts";
import { adopt } from "../moving/adopt.ts";
import { readSettings } from "../settings.ts";
import { foundFiles, openStores, type Stores, uploadRulesOf } from "../stores.ts";

const folder = temporaryFolder();
const data = join(folder, "data");
const unknown = join(data, "uploads.unknown");
const settings = readSettings({ flags: { data }, env: {}, file: undefined });
const octavo = (...words: string[]) => runOctavo([...words, "--data", data], { cwd: folder });
const picture = join(import.meta.dirname, "../../assets/demo/uploads/movies/solaris.jpg");

type Report = { ok: boolean; taken: Line[]; skipped: Line[]; refused: Line[] };
type Line = { from: string; to?: string; why?: string; code?: string };

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function withStore<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(settings);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** The text of a file of the store; undefined when there is none. */
const textOf = (path: string): Promise<string | undefined> =>
  withStore(async ({ files, blobs }) => {
    const file = await files.find(path as Path);
    if (!file) return undefined;
    const bytes = await blobs.open(file.hash, file.size);
    return Buffer.from(bytes as Uint8Array).toString();
  });

before(async () => {
  await withStore(async () => undefined);
});

test("with nothing to adopt nothing happens", async () => {
  const { code, out } = await octavo("uploads", "adopt");
  assert.deepEqual([code, out], [0, "0 taken, 0 skipped, 0 refused.\n"]);
});

test("files in uploads.unknown become uploads at the same path, in the order of the days, and are removed there", async () => {
  put(join(unknown, "2026-01-02/a/One Note.TXT"), "one");
  put(join(unknown, "2026-01-02-2/a/One Note.TXT"), "one");
  put(join(unknown, "2026-01-02-10/a/other.txt"), "tenth");
  put(join(unknown, "2026-01-02-2/a/other.txt"), "second");
  put(join(unknown, "2026-01-02/top.txt"), "top");
  put(join(unknown, "2026-01-02/wrong.jpg"), "no picture");
  put(join(unknown, "2026-01-02/a/b\\c/x.txt"), "no path");
  put(join(unknown, "2026-01-02/run.exe"), "no type");
  mkdirSync(join(unknown, "2026-01-02/empty/below"), { recursive: true });
  symlinkSync("/etc/passwd", join(unknown, "2026-01-02/link.txt"));
  symlinkSync("/etc", join(unknown, "2026-01-02/folder"));
  execFileSync("mkfifo", [join(unknown, "2026-01-02/pipe.txt")]);
  writeFileSync(
    Buffer.concat([Buffer.from(`${unknown}/2026-01-02/gr`), Buffer.from([0xfc]), Buffer.from("n.txt")]),
    "x",
  );
  const { code, out, err } = await octavo("uploads", "adopt", "--json");
  assert.equal(code, 1);
  assert.match(err, /8 of 13 were not taken/);
  const { ok, taken, skipped, refused } = JSON.parse(out) as Report;
  assert.equal(ok, false);
  assert.deepEqual(
    taken.map(({ from, to }) => [from, to]),
    [
      ["a/One Note.TXT", "a/one-note.txt"],
      ["empty/below", "empty/below"],
      ["top.txt", "top.txt"],
      ["a/One Note.TXT", "a/one-note.txt"],
      ["a/other.txt", "a/other.txt"],
    ],
  );
  const reasons = Object.fromEntries([...skipped, ...refused].map(({ from, why, code }) => [from, code ?? why]));
  assert.deepEqual(reasons, {
    ...{ "a/b\\c/x.txt": "path_invalid", "run.exe": "file_type_refused", "wrong.jpg": "file_type_refused" },
    ...{ "link.txt": "a symbolic link: never followed nor read", folder: "a symbolic link: never followed nor read" },
    ...{ "pipe.txt": "a pipe: never followed nor read", "gr\ufffdn.txt": "its name is not UTF-8: rename it" },
    "a/other.txt": reasons["a/other.txt"],
  });
  assert.match(reasons["a/other.txt"] as string, /"file" .*a\/other\.txt/);
  assert.equal(await textOf("a/one-note.txt"), "one");
  assert.equal(await textOf("a/other.txt"), "second");
  assert.ok(await withStore(async ({ folders }) => folders.find("empty/below" as Path)));
  // Skipped files stay, and so do their folders.
  const left = globSync("**/*", { cwd: unknown }).filter((name) => !/\ufffd|folder\//.test(name));
  const kept = ["link.txt", "folder", "pipe.txt", "wrong.jpg", "run.exe", "a", "a/b\\c", "a/b\\c/x.txt"];
  assert.deepEqual(
    left.sort(),
    [
      ...["2026-01-02", "2026-01-02-10", "2026-01-02-10/a", "2026-01-02-10/a/other.txt"],
      ...kept.map((name) => `2026-01-02/${name}`),
    ].sort(),
  );
});

test("a taken name is skipped, replaced or numbered, as the option says; equal bytes are the same file", async () => {
  const found = join(unknown, "2026-01-02-10/a/other.txt");
  assert.ok(existsSync(found));
  const suffixed = JSON.parse((await octavo("uploads", "adopt", "--on-conflict", "suffix", "--json")).out) as Report;
  assert.deepEqual(suffixed.taken, [{ from: "a/other.txt", to: "a/other-1.txt" }]);
  assert.ok(!existsSync(found));
  put(found, "third");
  const replaced = JSON.parse((await octavo("uploads", "adopt", "--on-conflict", "replace", "--json")).out) as Report;
  assert.deepEqual(replaced.taken, [{ from: "a/other.txt", to: "a/other.txt" }]);
  assert.equal(await textOf("a/other.txt"), "third");
  assert.equal(await textOf("a/other-1.txt"), "tenth");
  // A run that was cut off between the upload and the removal of its file.
  put(found, "third");
  const again = JSON.parse((await octavo("uploads", "adopt", "--on-conflict", "suffix", "--json")).out) as Report;
  assert.deepEqual(again.taken, [{ from: "a/other.txt", to: "a/other.txt" }]);
  assert.ok(!existsSync(join(unknown, "2026-01-02-10")), "empty folders are removed");
  const wrong = await octavo("uploads", "adopt", "--on-conflict", "overwrite");
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /--on-conflict was "overwrite"; expected one of replace, fail, suffix/);
});

test("another folder is adopted beside a running service, which shows it, and is left unchanged", async () => {
  const site = join(folder, "old-site");
  put(join(site, "blog/post.md"), "# Post");
  mkdirSync(join(site, "pictures"));
  copyFileSync(picture, join(site, "pictures/Solaris 1972.jpg"));
  const running = await startOctavo(["--data", data], { cwd: folder });
  const { code, out } = await octavo("uploads", "adopt", site);
  assert.equal(code, 0, out);
  assert.match(out, /^taken {2}pictures\/Solaris 1972\.jpg {2}-> pictures\/solaris-1972\.jpg$/m);
  assert.match(out, /2 taken, 0 skipped, 0 refused\.$/m);
  const shown = await fetch(`${running.url}/project/uploads/pictures/solaris-1972.jpg`);
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), readFileSync(picture));
  while (!existsSync(join(data, "uploads/pictures/solaris-1972.jpg")))
    await new Promise((done) => setTimeout(done, 20));
  assert.deepEqual(readdirSync(site), ["blog", "pictures"]);
  assert.equal(await running.stop("SIGTERM"), 0);
  const missing = await octavo("uploads", "adopt", join(folder, "missing"));
  assert.deepEqual([missing.code, missing.err], [1, `octavo: there is no folder ${join(folder, "missing")}\n`]);
  const two = await octavo("uploads", "adopt", site, site);
  assert.equal(two.code, 2);
});

test("a file that changes during its adoption stays where it is", async () => {
  const { findFiles } = await foundFiles();
  const written = join(folder, "written");
  put(join(written, "growing.txt"), "so far");
  await withStore(async (stores) => {
    const { blobs } = stores;
    // After the last byte was read, before the check whether the file has changed.
    const late: Stores["blobs"] = Object.assign(Object.create(blobs), {
      put: async (staged: Parameters<typeof blobs.put>[0]) => {
        await blobs.put(staged);
        writeFileSync(join(written, "growing.txt"), "so far, and more");
      },
    });
    const options = { rules: uploadRulesOf(settings), maxBytes: 1e6, onConflict: "fail" as const };
    const context = { actor: "test", nowSeconds: 1000 };
    const found = findFiles({ folder: written, removes: true });
    const done = await Array.fromAsync(adopt({ ...stores, blobs: late }, found, { ...options, context }));
    assert.deepEqual(
      done.map(({ outcome }) => outcome),
      ["skipped"],
    );
  });
  assert.equal(await textOf("growing.txt"), "so far");
  assert.equal(readFileSync(join(written, "growing.txt"), "utf8"), "so far, and more");
});
