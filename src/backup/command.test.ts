// Slow: it fills stores, and restores and verifies each backup.

import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { before, test } from "node:test";
import { answersOf, envOf, type Place, type Secrets, settingsOf } from "../../test/cli/answers.ts";
import { type Result, runOctavo, shell } from "../../test/cli/octavo.ts";
import { fillSite } from "../../test/cli/site.ts";
import { closing } from "../../test/ending.ts";
import { temporaryFolder } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { useS3 } from "../../test/s3-server.ts";
import type { ChangePlace } from "../change/change.ts";
import { accessOf } from "../core/access/access.ts";
import { blobFile } from "../core/bytes/disk/blob-folder.ts";
import { removeBlobObject } from "../core/bytes/s3/blob-bucket.ts";
import { Bucket } from "../core/bytes/s3/bucket.ts";
import type { Path, Slug } from "../core/path.ts";
import type { EntryInput } from "../entry/entry.ts";
import { openStores, type Stores } from "../stores.ts";
import { uploadFile } from "../upload/upload.ts";

const newBucket = useS3();
const folder = temporaryFolder();
/** The path that each store is moved to before it is read: replies contain paths of files on the disk. */
const data = join(folder, "data");
const first = join(folder, "first.tar");

const octavo = (words: string[], place: Place = { data }) => runOctavo(words, { cwd: folder, env: envOf(place) });

async function done(result: Promise<Result>): Promise<Record<string, never>> {
  const { code, out, err } = await result;
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

async function refused(result: Promise<Result>, reason: RegExp): Promise<void> {
  const { code, out, err } = await result;
  assert.deepEqual({ code, out }, { code: 1, out: "" });
  assert.match(err, reason);
  assert.equal(err.trim().split("\n").length, 1, err);
}

const readEnd = async (file: string) => JSON.parse((await shell(`tar -xOf '${file}' end.json`)).out);

let secrets: Secrets;
let answers: Map<string, string>;
/** How far a mirror of the first store is. */
let mirrored: ChangePlace;

/** Follows the changes to their end; answers where that is, undefined where the log cannot go on. */
async function follow({ changes }: Stores, from: ChangePlace | undefined): Promise<ChangePlace | undefined> {
  for (let place = from; ; ) {
    const page = await changes.read(place, 1000, accessOf({ kind: "delivery" }, 0));
    if (!page?.hasMore) return page?.place;
    place = page.place;
  }
}

before(async () => {
  secrets = await fillSite({ data });
  answers = await answersOf({ data }, secrets);
  assert.ok(answers.size > 200, `${answers.size} answers`);
  await closing(openStores(settingsOf({ data })), async (stores) => {
    mirrored = (await follow(stores, undefined)) as ChangePlace;
    assert.deepEqual(await follow(stores, mirrored), mirrored);
  });
  const made = await done(octavo(["backup", first, "--json"]));
  assert.deepEqual(Object.keys(made), ["ok", "file", "bytes", "seconds", "rows", "blobs"]);
});

/** Restores the backup to a new store, which must give the same replies and the same backup. */
async function moveTo(place: Place, file: string, next: string): Promise<void> {
  if (existsSync(data)) renameSync(data, join(folder, `data-before-${next}`));
  const restored = await done(octavo(["restore", join(folder, file), "--json"], place));
  assert.equal(restored.ok, true);
  await done(octavo(["backup", join(folder, next), "--json"], place));
  assert.deepEqual(await readEnd(join(folder, next)), await readEnd(first));
  const found = await answersOf(place, secrets);
  assert.deepEqual([...found.keys()], [...answers.keys()]);
  for (const [address, answer] of answers) {
    assert.equal(withoutRoot(found.get(address) ?? ""), withoutRoot(answer), address);
  }
}

/** Without the uploads directory, which is only a name without a tree, and without ETags of replies that contain it. */
const withoutRoot = (answer: string): string => {
  const text = answer.replaceAll(join(data, "uploads"), "/project/uploads");
  return text.includes('"/project/uploads') ? text.replace(/^"[^"]+"$/m, "") : text;
};

/** Writes continue after the backup's last sequence: no sequence is used twice. */
async function writeOn(place: Place, newest: number): Promise<void> {
  const context = { actor: "test", nowSeconds: 1_900_000_000 };
  const input = { data: '{"n":1}', isMergePatch: false, fields: {} } as EntryInput;
  await closing(openStores(settingsOf(place)), async (stores) => {
    const entry = await stores.entries.create("after" as Slug, input, context);
    assert.equal(entry.revision, newest + 1);
    const made = await stores.folders.create("after" as Slug, context);
    assert.equal(made.revision, newest + 2);
    await stores.files.copy(
      "large/large.txt" as Slug,
      { newPath: "after/copy.txt" as Slug, extensions: ["txt"] },
      context,
    );
    // The first store may have gone on, too: its next events have these numbers.
    assert.equal(await follow(stores, mirrored), undefined, "a mirror of the first store begins again");
    const place = await follow(stores, undefined);
    assert.deepEqual(await follow(stores, place), place);
    assert.deepEqual(await stores.verify(), []);
  });
}

test("SQLite to SQLite: every reply is the same, even ETags, and writes continue", async () => {
  await moveTo({ data }, "first.tar", "second.tar");
  await writeOn({ data }, (await readEnd(first)).counts.event);
});

test("SQLite to PostgreSQL and back: every reply is the same", { skip: lacksPostgres() }, async () => {
  const place = { data, postgresUrl: await createDatabase() };
  await moveTo(place, "first.tar", "third.tar");
  await writeOn(place, (await readEnd(first)).counts.event);
  await moveTo({ data }, "third.tar", "fourth.tar");
  await refused(octavo(["restore", first], place), /the store is not empty/);
});

test("SQLite and the disk to PostgreSQL and a bucket, and back: every reply is the same", {
  skip: lacksPostgres(),
}, async () => {
  const place = { data, postgresUrl: await createDatabase(), bucket: await newBucket() };
  await moveTo(place, "first.tar", "fifth.tar");
  assert.equal(existsSync(join(data, "blobs")), false, "bytes are on the disk");
  await writeOn(place, (await readEnd(first)).counts.event);
  await moveTo({ data }, "fifth.tar", "sixth.tar");
});

test("bytes missing in the bucket fail a backup with a message", async () => {
  const bucket = await newBucket();
  const { place, hash } = await smallStore({ data: join(folder, "holes-in-a-bucket"), bucket });
  await closing(new Bucket(bucket), (opened) => removeBlobObject(opened, hash));
  const file = join(folder, "bucket.tar");
  await refused(octavo(["backup", file], place), /not made: the bytes of the blob \w{64} are missing; octavo verify/);
  assert.deepEqual(leftBeside(file), []);
});

/** A separate store with one file, whose blob the test may damage. */
async function smallStore(place: Place): Promise<{ place: Place; hash: string }> {
  const bytes = (async function* () {
    yield Buffer.alloc(500_000, "bytes ");
  })();
  const request = { folder: "" as Path, fileName: "a.txt", onConflict: "fail", ifMatch: undefined } as const;
  const rules = { hasSafeNames: true, extensions: ["txt"], maxPixels: 1, refusesCorruptImages: false };
  return closing(openStores(settingsOf(place)), async (stores) => {
    const staged = await stores.blobs.stage(bytes, 1e9);
    const file = await uploadFile(stores, staged, { ...request, title: undefined, description: undefined }, rules, {
      actor: "test",
      nowSeconds: 1,
    });
    await staged.discard();
    return { place, hash: file.hash };
  });
}

const leftBeside = (file: string): string[] => readdirSync(folder).filter((name) => name.startsWith(basename(file)));

test("a backup is readable by its owner only, replaces nothing without --force, and leaves no other file", async () => {
  const { place } = await smallStore({ data: join(folder, "owner") });
  const file = join(folder, "owner.tar");
  await done(octavo(["backup", file, "--json"], place));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await refused(octavo(["backup", file], place), /owner\.tar is there already; choose another name, or .* --force/);
  const { code, out } = await octavo(["backup", file, "--force"], place);
  assert.equal(code, 0);
  assert.match(
    out,
    /owner\.tar holds 0 entries, 0 folders, 1 files with 1 blobs, 0 tokens \(\d+\.\d KiB, [\d.]+ s\)\.\n$/,
  );
  await refused(octavo(["backup", join(folder, "no", "where.tar")], place), /no is no folder/);
  await refused(octavo(["backup", folder, "--force"], place), /is no file/);
  assert.deepEqual(leftBeside(file), ["owner.tar"]);
});

test("missing bytes fail a backup with a message, and no file is created", async () => {
  const { place, hash } = await smallStore({ data: join(folder, "holes") });
  const blob = blobFile(join(place.data, "blobs"), hash);
  const file = join(folder, "holes.tar");
  chmodSync(blob, 0o644);
  writeFileSync(blob, Buffer.alloc(500_000, "other "));
  await refused(octavo(["backup", file], place), /not made: the bytes of the blob \w{64} are changed; octavo verify/);
  truncateSync(blob, 100);
  await refused(octavo(["backup", file], place), /not made: the bytes of the blob \w{64} are changed/);
  rmSync(blob);
  await refused(octavo(["backup", file], place), /not made: the bytes of the blob \w{64} are missing/);
  assert.deepEqual(leftBeside(file), []);
});

test("octavo verify FILE reads a backup, tells a bad one, and makes no store", async () => {
  const nowhere: Place = { data: join(folder, "no-store") };
  const good = await done(octavo(["verify", first, "--json"], nowhere));
  assert.deepEqual(Object.keys(good), ["ok", "file", "rows", "blobs"]);
  const { counts, blobs } = await readEnd(first);
  assert.deepEqual([good.rows, good.blobs], [counts, blobs]);
  assert.match((await octavo(["verify", first], nowhere)).out, /^The backup is in order: .+ entries.+\.\n$/);
  const bad = join(folder, "bad.tar");
  copyFileSync(first, bad);
  truncateSync(bad, statSync(bad).size - 4096);
  await refused(octavo(["verify", bad], nowhere), /^octavo: .*bad\.tar cannot be restored: /);
  await refused(octavo(["verify", join(folder, "none.tar")], nowhere), /there is no file .*none\.tar/);
  assert.equal((await octavo(["verify", first, "--repair"], nowhere)).code, 2);
  assert.ok(!existsSync(join(folder, "no-store")));
});

test("an invalid backup is not restored, and a store with content is not overwritten", async () => {
  const empty = { data: join(folder, "empty") };
  const text = join(folder, "text.tar");
  writeFileSync(text, "not a tar".repeat(1000));
  await refused(octavo(["restore", text], empty), /text\.tar was not restored: it is no tar file, or it is damaged/);
  await shell(`tar -cf '${folder}/foreign.tar' -C '${folder}' text.tar`);
  await refused(octavo(["restore", join(folder, "foreign.tar")], empty), /it is no backup: .* octavo\.json/);
  await refused(octavo(["restore", join(folder, "absent.tar")], empty), /there is no file .*absent\.tar/);
  const { place } = await smallStore({ data: join(folder, "filled") });
  await refused(octavo(["restore", first], place), /first\.tar was not restored: the store is not empty/);
  assert.equal((await octavo(["restore"], empty)).code, 2);
});
