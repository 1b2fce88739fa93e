import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import type { BlobStore, StagedBlob } from "../../src/core/bytes/blob.ts";
import { blobFile } from "../../src/core/bytes/disk/blob-folder.ts";
import type { Path } from "../../src/core/path.ts";
import { atEnd, meanwhile } from "../ending.ts";
import { orLong } from "../long.ts";
import { at, openUploads, type Uploads } from "./uploads.ts";

let uploads: Uploads;
before(async () => {
  uploads = await openUploads();
});
atEnd(() => uploads.store.close());

const path = (text: string) => text as Path;
/** Deletes the file for good. */
const remove = async (text: string, nowSeconds: number) => {
  await uploads.store.files.delete(path(text), { to: "nowhere" }, at(nowSeconds));
  await uploads.store.trash.clear(nowSeconds);
};
const noHistory = { rows: 0, seconds: 0, bytes: 0 };
const isThere = (hash: string) => existsSync(blobFile(uploads.blobs.folder, hash));
/** The blob store with another `put`. */
const putting = (put: BlobStore["put"]): BlobStore => ({
  stage: (...args) => uploads.blobs.stage(...args),
  open: (...args) => uploads.blobs.open(...args),
  check: (...args) => uploads.blobs.check(...args),
  list: () => uploads.blobs.list(),
  put,
});

test("bytes are removed exactly when no file has had them for the grace period", async () => {
  const { store, upload, verify } = uploads;
  const [one, two, shared] = [
    await upload("a.txt", "one"),
    await upload("b.txt", "two"),
    await upload("c.txt", "three"),
  ];
  await upload("d.txt", "three");
  await remove("a.txt", 2000);
  await upload("b.txt", "replaced", { nowSeconds: 3000 });
  await store.history.trim(noHistory, 3000);
  await remove("c.txt", 2000);
  assert.equal(await store.ledger.sweep(2000), 0);
  assert.equal(await store.ledger.sweep(2001), 1);
  assert.deepEqual(
    [one, two, shared].map(({ hash }) => isThere(hash)),
    [false, true, true],
  );
  assert.equal(await store.ledger.sweep(3001), 1);
  assert.deepEqual(
    [two, shared].map(({ hash }) => isThere(hash)),
    [false, true],
  );
  assert.equal(await store.ledger.sweep(9_000_000_000), 0, "bytes of a file are never swept");
  assert.deepEqual(await verify(), []);
});

test("deleting a folder unreferences the bytes of all its files", async () => {
  const { store, upload } = uploads;
  const inside = await Promise.all([1, 2, 3].map((n) => upload(`folder/deep/${n}.txt`, `inside ${n}`)));
  await store.folders.delete(path("folder"), { to: "nowhere" }, at(5000));
  await store.trash.clear(5000);
  assert.equal(await store.ledger.sweep(5000), 0);
  assert.equal(await store.ledger.sweep(5001), 3);
  assert.ok(inside.every(({ hash }) => !isThere(hash)));
});

test("setting the clock back does not shorten the grace period", async () => {
  const { store, upload } = uploads;
  const { hash } = await upload("clock.txt", "kept by a correct clock", { nowSeconds: 5000 });
  await remove("clock.txt", 10);
  await store.ledger.sweep(5000);
  assert.ok(isThere(hash), "its grace period starts at the last keep");
  await store.ledger.sweep(5001);
  assert.ok(!isThere(hash));
});

const rounds = orLong(25, 200);
test("bytes uploaded again during a sweep exist afterwards, in any interleaving", {
  timeout: 60_000,
}, async () => {
  const { store, upload, verify } = uploads;
  // Everything is old enough at any moment: only the order of steps protects an upload.
  const future = 9_000_000_000;
  const uploading = Array.from({ length: 6 }, async (_, worker) => {
    for (let n = 0; n < rounds; n++) {
      // Three workers share each text.
      const text = `raced ${worker % 2} ${n % 3}`;
      const file = await upload(`race/${worker}.txt`, text).catch((error) =>
        error.code === "busy" ? undefined : Promise.reject(error),
      );
      if (!file) continue;
      assert.equal(await uploads.blobs.check(file.hash, file.size), "whole");
      if (n % 2 === 0) await remove(`race/${worker}.txt`, 1000);
    }
  });
  await meanwhile(Promise.all(uploading), () => store.ledger.sweep(future));
  assert.deepEqual(await verify(), []);
  // The last removals may have come after the last sweep; the next tests count what is swept.
  await store.ledger.sweep(future);
});

test("a sweep between put and row makes the upload put the bytes again", async () => {
  const { store, blobs, upload } = uploads;
  let sweeps = 0;
  const interrupted = putting(async (staged) => {
    await blobs.put(staged);
    if (sweeps++ < 2) assert.equal(await store.ledger.sweep(9_000_000_000), 1);
  });
  const file = await upload("between.txt", "swept twice, then kept", { blobs: interrupted });
  assert.equal(sweeps, 3);
  assert.equal(await blobs.check(file.hash, file.size), "whole");
});

test("a row swept and created again by another upload does not protect the first upload's bytes", async () => {
  const { store, blobs, upload } = uploads;
  let puts = 0;
  const interrupted = putting(async (staged) => {
    await blobs.put(staged);
    if (puts++ > 0) return;
    assert.equal(await store.ledger.sweep(9_000_000_000), 1);
    // The other upload stops here and never puts its bytes.
    await store.ledger.keep(staged.hash, staged.size, 1000);
  });
  const file = await upload("again.txt", "kept by two", { blobs: interrupted });
  assert.equal(puts, 2);
  assert.equal(await blobs.check(file.hash, file.size), "whole");
});

test("an aborted upload leaves neither bytes nor row", async () => {
  const { store, blobs, upload, verify } = uploads;
  const swept = putting(async (staged) => {
    await store.ledger.sweep(9_000_000_000);
    await blobs.put(staged);
  });
  await assert.rejects(upload("never.txt", "swept each time", { blobs: swept }), /again and again/);
  assert.deepEqual(await verify(), []);
});

/** Refuses an upload of the text after the steps of its `put`; answers whether its bytes and their row exist. */
async function refuse(text: string, put: (staged: StagedBlob) => Promise<void>): Promise<[boolean, boolean]> {
  const { store, upload } = uploads;
  await upload("taken.txt", "there first");
  let hash = "";
  const blobs = putting(async (staged) => {
    hash = staged.hash;
    await put(staged);
  });
  await assert.rejects(upload("taken.txt", text, { blobs, onConflict: "fail" }), { code: "file_exists" });
  return [isThere(hash), (await store.ledger.find(hash)) !== undefined];
}

test("a refused upload removes its bytes, unless another upload has kept them since", async () => {
  const { store, blobs, verify } = uploads;
  assert.deepEqual(await refuse("nobody else's", (staged) => blobs.put(staged)), [false, false]);
  // The other upload waits for its turn to write: if the first one crashes during the removal, the other has no file
  // without bytes. In the same second, and with a slow clock.
  for (const nowSeconds of [1000, 10]) {
    const kept = await refuse(`kept by two ${nowSeconds}`, async (staged) => {
      await blobs.put(staged);
      await store.ledger.keep(staged.hash, staged.size, nowSeconds);
    });
    assert.deepEqual(kept, [true, true], String(nowSeconds));
  }
  assert.ok((await store.ledger.sweep(9_000_000_000)) >= 2);
  assert.deepEqual(await verify(), []);
});

test("a refused upload keeps the bytes of a row that another upload created after a sweep", async () => {
  const { store, blobs } = uploads;
  let puts = 0;
  const kept = await refuse("swept between", async (staged) => {
    await blobs.put(staged);
    if (puts++ > 0) return;
    assert.equal(await store.ledger.sweep(9_000_000_000), 1);
    await store.ledger.keep(staged.hash, staged.size, 1000);
    await blobs.put(staged);
  });
  assert.equal(puts, 2);
  assert.deepEqual(kept, [true, true]);
});

test("sweep and verify ignore staged bytes", async () => {
  const { blobs, staging, store, verify } = uploads;
  const staged = await blobs.stage(
    (async function* () {
      yield Buffer.from("under way");
    })(),
    100,
  );
  await store.ledger.sweep(9_000_000_000);
  assert.deepEqual(await verify(), []);
  assert.equal(readdirSync(staging.folder).length, 1);
  await blobs.put(staged);
  await staged.discard();
  const faults = await verify();
  assert.equal(faults.length, 1);
  assert.match(faults[0] ?? "", /orphaned/);
  rmSync(blobFile(blobs.folder, staged.hash));
});

test("verify finds a missing, a changed and an orphaned blob, and names the file", async () => {
  const { blobs, upload, verify } = uploads;
  const damaged = async (name: string, damage: (file: string) => void): Promise<string[]> => {
    const { hash } = await upload(`damaged/${name}.txt`, `bytes of ${name}`);
    assert.deepEqual(await verify(), []);
    damage(blobFile(blobs.folder, hash));
    const faults = await verify();
    await remove(`damaged/${name}.txt`, 6000);
    await uploads.store.ledger.sweep(6001);
    rmSync(blobFile(blobs.folder, hash), { force: true });
    return faults;
  };
  assert.match(
    (await damaged("gone", (file) => rmSync(file))).join(),
    /^The blob \w+ of the file damaged\/gone\.txt is missing$/,
  );
  const change = (file: string) => {
    chmodSync(file, 0o644);
    writeFileSync(file, "random bytes");
  };
  assert.match((await damaged("other", change)).join(), /^The blob \w+ of the file damaged\/other\.txt is changed$/);
  const orphan = "ab".repeat(32);
  mkdirSync(dirname(blobFile(blobs.folder, orphan)), { recursive: true });
  writeFileSync(blobFile(blobs.folder, orphan), "nobody's");
  writeFileSync(join(blobs.folder, "ab", "not-a-blob"), "passed over");
  assert.match((await verify()).join(), /^The blob (ab){32} is orphaned/);
  rmSync(blobFile(blobs.folder, orphan));
  assert.deepEqual(await verify(), []);
});
