// Slow: it starts servers of buckets and verifies whole stores.
import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { bucketEnv, useS3 } from "../../test/s3-server.ts";
import { blobFile } from "../core/bytes/disk/blob-folder.ts";
import { blobKey } from "../core/bytes/s3/blob-bucket.ts";
import { Bucket, bodyOf } from "../core/bytes/s3/bucket.ts";
import type { Path } from "../core/path.ts";
import { readSettings } from "../settings.ts";
import { openStores } from "../stores.ts";

const newBucket = useS3();

type Result = {
  ok: boolean;
  faults: string[];
  repaired: { path: string; state: string; from: string }[];
  unusable: string[];
};

/** A store with an adopted file for each name; `at` answers the place of a file's bytes. */
async function makeStore(names: string[], env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const octavo = (...words: string[]) => runOctavo([...words, "--data", data], { cwd: folder, env });
  const source = join(folder, "source");
  mkdirSync(source);
  for (const name of names) writeFileSync(join(source, name), `the good bytes of ${name}`);
  const open = () => openStores(readSettings({ flags: { data }, env, file: undefined }));
  await (await open()).close();
  assert.equal((await octavo("uploads", "adopt", source)).code, 0);
  const stores = await open();
  const hashes = new Map<string, string>();
  for (const name of names) hashes.set(name, (await stores.files.find(name as Path))?.hash as string);
  await stores.close();
  const repair = async (...more: string[]): Promise<{ code: number; result: Result; err: string }> => {
    const { code, out, err } = await octavo("verify", "--repair", "--json", ...more);
    return { code, result: JSON.parse(out), err };
  };
  const hashOf = (name: string) => hashes.get(name) as string;
  const at = (name: string) => blobFile(join(data, "blobs"), hashOf(name));
  return { folder, data, octavo, repair, hashOf, at };
}

function change(file: string): void {
  chmodSync(file, 0o644);
  writeFileSync(file, "8 bytes.", { flag: "r+" });
}

test("octavo verify --repair restores good copies from all known places and reports the rest", async () => {
  const names = ["copied.txt", "cut.txt", "gone.txt", "kept.txt", "lost.txt", "moved.txt", "whole.txt"];
  const { folder, data, octavo, repair, at, hashOf } = await makeStore(names);
  assert.equal((await octavo("uploads", "rebuild")).code, 0);
  const backup = join(folder, "backup.tar");
  assert.equal((await octavo("backup", backup)).code, 0);
  const shown = (name: string) => join(data, "uploads", name);
  // A copy in the tree instead of a link.
  copyFileSync(shown("copied.txt"), join(folder, "aside"));
  rmSync(shown("copied.txt"));
  renameSync(join(folder, "aside"), shown("copied.txt"));
  // The link to a blob that was deleted.
  rmSync(at("gone.txt"));
  // The same if the blob was replaced.
  rmSync(at("cut.txt"));
  writeFileSync(at("cut.txt"), "cut");
  // A copy in the unknown uploads.
  mkdirSync(join(data, "uploads.unknown/2026-01-02/a"), { recursive: true });
  copyFileSync(at("moved.txt"), join(data, "uploads.unknown/2026-01-02/a/x"));
  for (const name of ["copied.txt", "kept.txt", "lost.txt", "moved.txt"]) change(at(name));
  const before = await octavo("verify", "--json");
  assert.equal(before.code, 1);
  assert.equal(JSON.parse(before.out).faults.length, 6);
  assert.equal(readFileSync(at("copied.txt"), "utf8").slice(0, 8), "8 bytes.", "without --repair nothing is changed");

  const first = await repair();
  assert.equal(first.code, 1);
  assert.deepEqual(first.result.repaired.map(({ path, state, from }) => [path, state, from]).sort(), [
    ["copied.txt", "changed", shown("copied.txt")],
    ["cut.txt", "changed", shown("cut.txt")],
    ["gone.txt", "missing", shown("gone.txt")],
    ["moved.txt", "changed", join(data, "uploads.unknown/2026-01-02/a/x")],
  ]);
  assert.deepEqual(first.result.faults.map((fault) => fault.replace(/\w{64}/, "X")).sort(), [
    "The blob X of the file kept.txt is changed",
    "The blob X of the file lost.txt is changed",
  ]);
  // The tree has links to good bytes again.
  for (const name of ["copied.txt", "cut.txt", "gone.txt", "moved.txt"]) {
    assert.equal(readFileSync(shown(name), "utf8"), `the good bytes of ${name}`);
    assert.equal(statSync(shown(name)).ino, statSync(at(name)).ino, name);
  }

  // A truncated backup still has the blobs before the cut.
  const cut = join(folder, "cut.tar");
  copyFileSync(backup, cut);
  const [one, other] = ["kept.txt", "lost.txt"].sort((a, b) => (at(a) < at(b) ? -1 : 1)) as [string, string];
  truncateSync(cut, readFileSync(cut).indexOf(`blobs/${hashOf(other)}`) + 520);
  const second = await repair("--from", cut);
  assert.deepEqual(
    second.result.repaired.map(({ path, from }) => [path, from]),
    [[one, `${cut}: blobs/${hashOf(one)}`]],
  );
  assert.match(second.result.unusable.join(), /cut\.tar cannot be used: it is cut off/);
  assert.deepEqual([second.code, second.result.faults.length], [1, 1]);
  const third = await octavo("verify", "--repair", "--from", backup);
  assert.equal(third.code, 0, third.out + third.err);
  assert.match(third.out, /The store is in order\.$/m);
  for (const name of [one, other]) assert.equal(readFileSync(at(name), "utf8"), `the good bytes of ${name}`);
  const last = await octavo("verify");
  assert.deepEqual([last.code, last.out.split("\n")[0]], [0, "The store is in order."]);
});

test("octavo verify refuses --from without --repair, or with a backup to read, and a missing backup", async () => {
  const { folder, octavo } = await makeStore([]);
  const alone = await octavo("verify", "--from", join(folder, "x.tar"));
  assert.deepEqual([alone.code, alone.err], [2, "octavo: --from is for --repair; expected both or neither\n"]);
  const read = await octavo("verify", join(folder, "x.tar"), "--from", join(folder, "x.tar"));
  assert.deepEqual([read.code, read.err], [2, "octavo: --from is for --repair; expected it without FILE\n"]);
  const missing = await octavo("verify", "--repair", "--from", join(folder, "x.tar"));
  assert.deepEqual([missing.code, missing.err], [1, `octavo: there is no file ${join(folder, "x.tar")}\n`]);
});

test("octavo verify --repair restores a bucket from its disk cache and from the folder it was filled from", async (t) => {
  const options = await newBucket();
  const { data, repair, hashOf } = await makeStore(["fetched.txt", "former.txt", "whole.txt"], bucketEnv(options));
  const bucket = new Bucket(options);
  t.after(() => bucket.close());
  const keep = (place: string, name: string) => {
    const folder = join(data, place, hashOf(name).slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, hashOf(name)), `the good bytes of ${name}`);
  };
  keep("originals", "fetched.txt");
  keep("blobs", "former.txt");
  await bucket.put(blobKey(hashOf("fetched.txt")), bodyOf(Buffer.from("the bad bytes of fetched")));
  await bucket.remove(blobKey(hashOf("former.txt")));
  const { code, result } = await repair();
  assert.equal(code, 0, result.faults.join());
  assert.deepEqual(
    result.repaired.map(({ path, state }) => [path, state]),
    [
      ["fetched.txt", "changed"],
      ["former.txt", "missing"],
    ],
  );
  assert.ok(!existsSync(join(data, "uploads")), "there is no tree in front of a bucket");
});
