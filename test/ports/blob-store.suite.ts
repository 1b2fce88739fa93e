import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type BlobStore, ChangedBlob } from "../../src/core/bytes/blob.ts";
import { Problem } from "../../src/core/problem.ts";

export type OpenBlobs = {
  blobs: BlobStore;
  /** The number of temporary files. */
  leftOver(): Promise<number>;
  /** Damages a blob without the store. */
  damage(hash: string, how: "remove" | "change" | "cut"): Promise<void>;
};

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

async function* chunks(...parts: (string | Buffer)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield Buffer.from(part as string);
}

async function* failing(): AsyncIterable<Uint8Array> {
  yield Buffer.from("begun");
  throw new Error("the connection ended");
}

async function read(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (bytes instanceof Uint8Array) return Buffer.from(bytes);
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

/** The contract of every blob store. */
export function blobStoreSuite(name: string, open: () => Promise<OpenBlobs>): void {
  let opened: OpenBlobs;
  before(async () => {
    opened = await open();
  });
  const put = async (...parts: (string | Buffer)[]) => {
    const staged = await opened.blobs.stage(chunks(...parts), 1e9);
    await opened.blobs.put(staged);
    await staged.discard();
    return staged;
  };

  test(`${name}: stored bytes are read back, completely and in ranges`, async () => {
    const { blobs } = opened;
    const large = Buffer.from(Array.from({ length: 700_000 }, (_, i) => (i * 31) % 251));
    for (const bytes of [Buffer.from(""), Buffer.from("hello"), large]) {
      const { hash, size } = await put(bytes.subarray(0, 3), bytes.subarray(3));
      assert.equal(size, bytes.length);
      assert.deepEqual(await read(await blobs.open(hash, size)), bytes);
      for (const [start, end] of [
        [0, 0],
        [1, 3],
        [2, size - 1],
        [size - 1, size - 1],
        [0, 200_000],
        [199_999, 650_000],
      ] as const) {
        if (start < 0 || start > end || end >= size) continue;
        assert.deepEqual(await read(await blobs.open(hash, size, { start, end })), bytes.subarray(start, end + 1));
      }
    }
  });

  test(`${name}: the hash is the SHA-256 of the bytes, whatever the chunks`, async () => {
    const one = await put("hello");
    assert.equal(one.hash, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    assert.equal((await put("he", "", "llo")).hash, one.hash);
  });

  test(`${name}: concurrent puts of the same bytes all succeed`, async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => put("raced bytes")));
    assert.equal(new Set(made.map(({ hash }) => hash)).size, 1);
    assert.equal(await opened.blobs.check(made[0]?.hash as string, 11), "whole");
    assert.equal(await opened.leftOver(), 0);
  });

  test(`${name}: bytes above the limit are refused and leave nothing`, async () => {
    await assert.rejects(opened.blobs.stage(chunks("12345", "678901"), 10), refused("file_too_large"));
    assert.equal((await opened.blobs.stage(chunks("12345", "67890"), 10)).size, 10);
    assert.equal(await opened.leftOver(), 1);
  });

  test(`${name}: an interrupted stream leaves nothing`, async () => {
    const before = await opened.leftOver();
    await assert.rejects(opened.blobs.stage(failing(), 1e9), /the connection ended/);
    assert.equal(await opened.leftOver(), before);
  });

  test(`${name}: discarding is safe before and after a put, and twice`, async () => {
    const staged = await opened.blobs.stage(chunks("discarded"), 1e9);
    await staged.discard();
    await staged.discard();
    assert.equal(await opened.blobs.check(staged.hash, 9), "missing");
    const { hash } = await put("kept");
    assert.equal(await opened.blobs.check(hash, 4), "whole");
  });

  test(`${name}: check finds missing and changed bytes`, async () => {
    const { blobs, damage } = opened;
    for (const [how, state] of [
      ["remove", "missing"],
      ["change", "changed"],
      ["cut", "changed"],
    ] as const) {
      const { hash, size } = await put(`damaged by ${how}`);
      assert.equal(await blobs.check(hash, size), "whole");
      await damage(hash, how);
      assert.equal(await blobs.check(hash, size), state, how);
    }
  });

  test(`${name}: truncated bytes are repaired by the next put of the same bytes`, async () => {
    const { hash, size } = await put("to be repaired");
    await opened.damage(hash, "cut");
    await put("to be repaired");
    assert.equal(await opened.blobs.check(hash, size), "whole");
  });

  test(`${name}: changed bytes are never returned, and repaired by the next put of the same bytes`, async () => {
    const { blobs, damage } = opened;
    // Has the length of the damaged text, so that only the hash reveals the damage.
    const text = "as long as damaged 1";
    const { hash, size } = await put(text);
    await damage(hash, "change");
    for (const range of [undefined, { start: 3, end: 5 }]) {
      await assert.rejects(async () => blobs.open(hash, size, range), ChangedBlob);
    }
    await put(text);
    assert.equal(await blobs.check(hash, size), "whole");
    // Also with a cache in memory, which serves the next reads.
    for (let reads = 0; reads < 3; reads++) assert.equal(String(await read(await blobs.open(hash, size))), text);
    await damage(hash, "change");
    await put(text);
    assert.equal(String(await read(await blobs.open(hash, size))), text);
    assert.equal(await blobs.check(hash, size), "whole");
    assert.equal(await opened.leftOver(), 1, "the staged file of an earlier test alone");
  });

  test(`${name}: a row with an invalid hash reads no file`, async () => {
    for (const hash of ["../../octavo.db", "..", "", "ab/../../../etc/passwd", "A".repeat(64)]) {
      await assert.rejects(async () => opened.blobs.open(hash, 1), /is not the hash/);
      await assert.rejects(async () => opened.blobs.check(hash, 1), /is not the hash/);
    }
  });

  test(`${name}: list yields every blob once`, async () => {
    const { hash } = await put("listed");
    const all = await Array.fromAsync(opened.blobs.list());
    assert.equal(all.filter((name) => name === hash).length, 1);
    assert.equal(new Set(all).size, all.length);
  });
}
