// Long: it fills a store and exports it many times.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { beginOctavo, makeStore, runOctavo } from "../../test/cli/octavo.ts";
import { closing } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { orLong } from "../../test/long.ts";
import { smallDisk } from "../../test/small-disk.ts";
import type { Path, Slug } from "../core/path.ts";
import { readSettings } from "../settings.ts";
import { openStores, type Stores, uploadRulesOf } from "../stores.ts";
import { uploadNamed } from "../upload/upload.ts";

/** Exports that are killed, run at once, or meet writes, a full disk and lost bytes. */

const folder = temporaryFolder();
const small = smallDisk(1);
const data = join(folder, "data");
const settings = readSettings({ flags: { data }, env: {}, file: undefined });
const context = { actor: "test", nowSeconds: 1_600_000_000 };
const inStore = (work: (stores: Stores) => Promise<void>) => closing(openStores(settings), work);

const create = ({ entries }: Stores, id: string, json = `{"title":"${id}"}`) =>
  entries.create(id as Slug, { data: json, fields: {}, isMergePatch: false }, context);

async function upload(stores: Stores, name: string, text: string): Promise<void> {
  async function* bytes() {
    yield Buffer.from(text);
  }
  const staged = await stores.blobs.stage(bytes(), 1e7);
  const fields = { title: name, description: "", meta: "{}", uploadedAt: context.nowSeconds };
  const request = { folder: "texts" as Path, onConflict: "replace" as const, ifMatch: undefined, ...fields };
  await uploadNamed(stores, staged, name, request, uploadRulesOf(settings), context);
  await staged.discard();
}

await makeStore(data);
await inStore(async (stores) => {
  for (let from = 0; from < 2000; from += 200)
    await Promise.all(Array.from({ length: 200 }, (_, i) => create(stores, `n/${from + i}`)));
  for (let i = 0; i < 20; i++) await upload(stores, `${i}.txt`, `text ${i}`.repeat(1000));
});

async function octavo(...words: string[]) {
  const { code, out, err } = await runOctavo([...words, "--data", data], { cwd: folder });
  return { code, out: out.trim(), err: err.trim() };
}

/** The files of a folder: bytes by path. */
const filesOf = (at: string): Map<string, string> =>
  new Map(
    readdirSync(at, { recursive: true, withFileTypes: true })
      .map((one) => join(one.parentPath, one.name))
      .sort()
      .map((path) => [relative(at, path), readOr(path)]),
  );

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "folder";
  }
}

const whole = join(folder, "whole");
assert.equal((await octavo("export", whole)).code, 0);
const expected = filesOf(whole);

/** An export that holds still in the middle of its snapshot. */
async function stoppedExport(): Promise<{
  dir: string;
  signal(name: NodeJS.Signals): void;
  ended: Promise<number | null>;
}> {
  for (let tries = 0; tries < 20; tries++) {
    const dir = mkdtempSync(join(folder, "stopped-"));
    const { pid, ended } = beginOctavo(["export", dir, "--data", data], { cwd: folder });
    const signal = (name: NodeJS.Signals) => void process.kill(pid, name);
    while (!existsSync(join(dir, "project/entries/n/0/entry.md"))) await new Promise((done) => setTimeout(done, 1));
    signal("SIGSTOP");
    if (globSync("project/entries/n/*", { cwd: dir }).length < 2000) return { dir, signal, ended };
    signal("SIGCONT");
    await ended;
  }
  throw new Error("every export ended before it was stopped");
}

test("an export that is killed is not imported, and ends with the same bytes when it is begun again", async () => {
  for (let round = 0; round < orLong(1, 20); round++) {
    const { dir, signal, ended } = await stoppedExport();
    const second = await octavo("export", dir);
    assert.deepEqual([second.code, second.err], [1, `octavo: another export into ${dir} is running`]);
    const replacing = await octavo("export", dir, "--replace");
    assert.deepEqual([replacing.code, replacing.err], [1, second.err]);
    signal("SIGKILL");
    assert.equal(await ended, null);
    const imported = await octavo("import", dir, "--dry-run");
    assert.deepEqual(
      [imported.code, /its export was interrupted: run octavo export again/.test(imported.err)],
      [1, true],
    );
    const again = await octavo("export", dir);
    assert.deepEqual([again.code, again.err], [0, ""]);
    assert.deepEqual(filesOf(dir), expected);
  }
});

test("an export is one snapshot: what is written, deleted and purged meanwhile does not change it", async () => {
  const { dir, signal, ended } = await stoppedExport();
  await inStore(async (stores) => {
    await create(stores, "new");
    await stores.entries.delete("n/1999" as Slug, { to: "trash" }, context);
    await upload(stores, "1.txt", "changed");
    await upload(stores, "new.txt", "new");
    await stores.files.delete("texts/2.txt" as Path, { to: "trash" }, context);
  });
  const swept = await octavo("trash", "empty", "--yes");
  signal("SIGCONT");
  assert.equal(await ended, 0);
  assert.deepEqual(filesOf(dir), expected, swept.err);
  await octavo("export", dir, "--replace");
  const paths = new Set(filesOf(dir).keys());
  for (const path of ["entries/n/1999", "uploads/texts/2.txt"]) assert.ok(!paths.has(`project/${path}`), path);
  for (const path of ["entries/new/entry.md", "uploads/texts/new.txt"]) assert.ok(paths.has(`project/${path}`), path);
});

test("a begun export with things of others beside it needs --replace, and a foreign project is left alone", async () => {
  const dir = join(folder, "begun");
  mkdirSync(join(dir, "project/.octavo-export.tmp"), { recursive: true });
  writeFileSync(join(dir, "mine.md"), "mine");
  assert.match((await octavo("export", dir)).err, /is not empty; --replace/);
  const outside = join(folder, "outside");
  writeFileSync(outside, "theirs");
  symlinkSync(outside, join(dir, "project/.octavo-export.tmp/export.lock"));
  assert.equal((await octavo("export", dir, "--replace")).code, 0);
  assert.deepEqual(readdirSync(join(dir, "project")).sort(), ["entries", "octavo-export.json", "uploads"]);
  assert.deepEqual([readFileSync(outside, "utf8"), readFileSync(join(dir, "mine.md"), "utf8")], ["theirs", "mine"]);
  rmSync(join(dir, "project/octavo-export.json"));
  const before = filesOf(dir);
  assert.match((await octavo("export", dir, "--replace")).err, /is no export of Octavo, so it is not replaced/);
  assert.deepEqual(filesOf(dir), before);
});

test("a folder that cannot be written is named with the reason", { skip: small.skip }, async () => {
  const full = await octavo("export", join(small.folder, "site"));
  assert.equal(full.code, 1);
  assert.match(full.err, /^octavo: \S+site\/project\/\S+ cannot be written: the disk is full$/);
  assert.match((await octavo("import", join(small.folder, "site"))).err, /its export was interrupted/);
  assert.deepEqual(globSync("site/project/.octavo*", { cwd: small.folder }), []);
  writeFileSync(join(folder, "file"), "");
  for (const [dir, message] of [
    ["file", "file cannot be written: it is a file; expected a folder"],
    ["./file/", "file/ cannot be written: it is a file; expected a folder"],
    ["file/below", "file/below cannot be written: it is a file; expected a folder"],
    ["/proc/site", "/proc/site cannot be written: it is gone, or no folder can be made there"],
  ]) {
    const { code, err } = await octavo("export", dir as string);
    assert.deepEqual([code, err], [1, `octavo: ${message}`], dir);
  }
  assert.deepEqual((await octavo("export", "")).code, 2);
});

test("a folder with an odd name is exported to", async () => {
  for (const dir of [" line\nbreak é", "a'b\"c$(d)"]) {
    const at = join(folder, dir);
    const { code, err } = await octavo("export", at);
    assert.deepEqual([code, err], [0, ""], dir);
    assert.equal(JSON.parse(readFileSync(join(at, "project/octavo-export.json"), "utf8")).complete, true);
  }
});

test("lost and changed bytes end the export with their name", async () => {
  const blobs = globSync("blobs/*/*", { cwd: data });
  const at = join(data, blobs[0] as string);
  const bytes = readFileSync(at);
  const dir = join(folder, "lost");
  rmSync(at);
  const lost = await octavo("export", dir);
  assert.deepEqual(
    [lost.code, /^octavo: the bytes of the blob \w+ are missing; octavo verify names/.test(lost.err)],
    [1, true],
    lost.err,
  );
  writeFileSync(at, Buffer.alloc(bytes.length));
  const changed = await octavo("export", dir);
  assert.deepEqual([changed.code, /are changed; octavo verify names/.test(changed.err)], [1, true], changed.err);
  assert.match((await octavo("import", dir)).err, /its export was interrupted/);
  writeFileSync(at, bytes);
  chmodSync(at, 0o600);
  assert.equal((await octavo("export", dir)).code, 0);
});
