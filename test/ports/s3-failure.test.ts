// Slow: each request of an upload in parts fails once.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { inspect } from "node:util";
import type { BlobBucket } from "../../src/core/bytes/s3/blob-bucket.ts";
import { blobKey, removeBlobObject } from "../../src/core/bytes/s3/blob-bucket.ts";
import { Bucket, type BucketOptions, bodyOf, drain } from "../../src/core/bytes/s3/bucket.ts";
import type { BucketError } from "../../src/core/bytes/s3/bucket-error.ts";
import { Problem } from "../../src/core/problem.ts";
import { freePort } from "../free-port.ts";
import { checksSignatures, type Fate, makeBucket, type S3Proxy, startProxy, useS3 } from "../s3-server.ts";
import { noise, openBucket, openS3Uploads } from "./s3-uploads.ts";

const MiB = 1024 * 1024;
const newBucket = useS3();
const large = noise(17 * MiB, 9);
const hashOfNothing = "ab".repeat(32);

/** `busy` with this reason. */
async function isBusy(work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => assert.fail("it succeeded"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem && error.code === "busy", inspect(error));
  assert.equal((error.cause as BucketError).code, code, inspect(error));
}

/** Every operation of a blob store. */
const asks: Record<string, (blobs: BlobBucket, bucket: Bucket) => Promise<unknown>> = {
  open: (blobs) => blobs.open(hashOfNothing, 10),
  "open a large blob": (blobs) => blobs.open(hashOfNothing, MiB),
  check: (blobs) => blobs.check(hashOfNothing, 10),
  list: (blobs) => Array.fromAsync(blobs.list()),
  remove: (_, bucket) => removeBlobObject(bucket, hashOfNothing),
};

// ---------------------------------------------------------------------------------------------- one request fails

/** Repeats the work while request 1, 2, 3 … has this fault, until all requests were covered; answers their number. */
async function failEach(
  proxy: S3Proxy,
  fateOf: (n: number, failAt: number) => Fate,
  work: (failAt: number) => Promise<void>,
): Promise<number> {
  for (let failAt = 1; failAt < 100; failAt++) {
    proxy.seen.length = 0;
    proxy.fate = (n) => fateOf(n, failAt);
    await work(failAt);
    if (proxy.seen.length < failAt) return failAt - 1;
  }
  throw new Error("the requests never ended");
}

for (const fate of ["cut", "cut after", "SlowDown"] as const) {
  test(`a multipart upload succeeds when any one request has the fault "${fate}"`, { timeout: 120_000 }, async (t) => {
    const options = await newBucket();
    const proxy = await startProxy(t, options.endpoint);
    const { put, blobs, bucket } = openBucket({ ...options, endpoint: proxy.endpoint });
    const requests = await failEach(
      proxy,
      (n, failAt) => (n === failAt ? fate : "pass"),
      async () => {
        const { hash, size } = await put(large);
        proxy.fate = () => "pass";
        assert.equal(await blobs.check(hash, size), "whole");
        await removeBlobObject(bucket, hash);
        proxy.seen.splice(-2);
      },
    );
    assert.ok(requests >= 6, `only ${requests} requests failed`);
  });
}

test("an upload that loses the bucket at any request leaves every row its bytes", {
  timeout: 120_000,
}, async (t) => {
  for (const bytes of [Buffer.from("small"), Buffer.alloc(17 * MiB, "a text ")]) {
    const options = await newBucket();
    const proxy = await startProxy(t, options.endpoint);
    const through = { ...options, endpoint: proxy.endpoint, tries: 2 };
    const { store, upload, verify } = await openS3Uploads(t, through, options);
    const requests = await failEach(
      proxy,
      (n, failAt) => (n >= failAt ? "cut" : "pass"),
      async (failAt) => {
        const file = await upload(`f${failAt}.txt`, bytes).catch((error) => {
          assert.equal(error.code, "busy");
        });
        const isDone = proxy.seen.length < failAt;
        assert.equal(file !== undefined, isDone);
        proxy.fate = () => "pass";
        assert.deepEqual(await verify(), []);
        await store.ledger.sweep(9_000_000_000);
      },
    );
    assert.ok(requests >= 2, `only ${requests} requests failed`);
  }
});

test("a permanent refusal is not retried", async (t) => {
  const options = await newBucket();
  const proxy = await startProxy(t, options.endpoint);
  const { put } = openBucket({ ...options, endpoint: proxy.endpoint });
  await failEach(
    proxy,
    (n, failAt) => (n === failAt ? "AccessDenied" : "pass"),
    async (failAt) => {
      const text = Buffer.from(`refused ${failAt}`);
      if (failAt > 2) return void (await put(text));
      await isBusy(put(text), failAt === 1 ? "" : "AccessDenied");
      assert.equal(proxy.seen.length, failAt);
    },
  );
});

// ---------------------------------------------------------------------------------------------- parts and downloads

test("a failed multipart upload leaves no parts", async (t) => {
  const options = await newBucket();
  const proxy = await startProxy(t, options.endpoint);
  const { put, staging } = openBucket({ ...options, endpoint: proxy.endpoint });
  const direct = new Bucket(options);
  proxy.fate = (_, what) => (what.includes("partNumber=2") ? "AccessDenied" : "pass");
  await isBusy(put(large), "AccessDenied");
  const uploadId = /uploadId=([^&]+)/.exec(proxy.seen.find((what) => what.includes("uploadId=")) ?? "")?.[1] ?? "";
  assert.match(proxy.seen.at(-1) ?? "", /^DELETE .*uploadId=/);
  const key = decodeURIComponent(proxy.seen[0]?.split("/some/where/")[1] ?? "");
  const query = { uploadId: decodeURIComponent(uploadId), partNumber: "1" };
  const late = direct.ask({ method: "PUT", key, query, body: bodyOf(Buffer.from("late")) }, drain);
  await assert.rejects(late, { code: "NoSuchUpload" });
  assert.equal(await direct.head(key), undefined);
  assert.deepEqual(readdirSync(staging.folder), []);
});

test("after a part that fails no others are begun, but for those of the other workers", async (t) => {
  const options = await newBucket();
  const proxy = await startProxy(t, options.endpoint);
  const { put } = openBucket({ ...options, endpoint: proxy.endpoint });
  proxy.fate = (_, what) => (/partNumber=1\b/.test(what) ? "AccessDenied" : "pass");
  // Six parts.
  await isBusy(put(Buffer.alloc(41 * MiB)), "AccessDenied");
  const parts = proxy.seen.flatMap((what) => /partNumber=(\d+)/.exec(what)?.[1] ?? []);
  assert.ok(parts.includes("1") && !parts.includes("6"), parts.join(" "));
});

test("an interrupted download resumes where it ended", async (t) => {
  const options = await newBucket();
  const proxy = await startProxy(t, options.endpoint);
  const { put, blobs } = openBucket({ ...options, endpoint: proxy.endpoint });
  const { hash, size } = await put(large);
  let breaks = 0;
  proxy.fate = (_, what) => (what.startsWith("GET") && breaks++ < 2 ? "break" : "pass");
  const range = { start: 100, end: size - 100 };
  const read = await buffer((await blobs.open(hash, size, range)) as AsyncIterable<Buffer>);
  assert.ok(read.equals(large.subarray(100, size - 99)));
  assert.equal(breaks, 3);
  breaks = 0;
  proxy.fate = (_, what) => (breaks++ === 0 && what.startsWith("GET") ? "break" : "cut");
  await assert.rejects(buffer((await blobs.open(hash, size)) as AsyncIterable<Buffer>), { code: "busy" });
});

// ---------------------------------------------------------------------------------------------- refused access

test("a server that always answers SlowDown is busy after some retries", async (t) => {
  const options = await newBucket();
  const proxy = await startProxy(t, options.endpoint);
  proxy.fate = () => "SlowDown";
  const { blobs } = openBucket({ ...options, endpoint: proxy.endpoint });
  await isBusy(blobs.open(hashOfNothing, 10), "SlowDown");
  assert.equal(proxy.seen.length, options.tries);
});

test("a missing bucket is busy for every request", async () => {
  const options = { ...(await newBucket()), bucket: `nobodys-${randomBytes(6).toString("hex")}` };
  const { blobs, bucket, put } = openBucket(options);
  for (const ask of Object.values(asks)) await isBusy(ask(blobs, bucket), "NoSuchBucket");
  await isBusy(put(Buffer.from("nowhere")), "NoSuchBucket");
});

test("an unreachable or silent server is busy within a bounded time", async (t) => {
  const options = await newBucket();
  const port = await freePort();
  const { blobs, bucket, put } = openBucket({ ...options, endpoint: `http://127.0.0.1:${port}` });
  for (const ask of Object.values(asks)) await isBusy(ask(blobs, bucket), "ECONNREFUSED");
  await isBusy(put(Buffer.from("nowhere")), "ECONNREFUSED");

  const proxy = await startProxy(t, options.endpoint);
  proxy.fate = () => "hang";
  const hanging = openBucket({ ...options, endpoint: proxy.endpoint, timeoutMs: 200 });
  for (const ask of Object.values(asks)) await isBusy(ask(hanging.blobs, hanging.bucket), "ETIMEDOUT");
  await isBusy(hanging.put(Buffer.from("nowhere")), "ETIMEDOUT");
});

test("a wrong key is busy, and no message contains it", {
  skip: !checksSignatures && "fauxqs does not check signatures",
}, async () => {
  const options: BucketOptions = { ...(await newBucket()), secretKey: "a secret that no message contains" };
  const { blobs, bucket, put } = openBucket(options);
  for (const ask of Object.values(asks)) await isBusy(ask(blobs, bucket), "SignatureDoesNotMatch");
  const failure = await put(Buffer.from("refused")).catch((error: unknown) => error);
  assert.ok(failure instanceof Problem && failure.code === "busy");
  assert.ok(!inspect(failure, { depth: 10, showHidden: true }).includes(options.secretKey));
  await assert.rejects(makeBucket(options), { code: "SignatureDoesNotMatch" });
});

test("a missing object is not an error of the bucket", async () => {
  const { blobs, bucket } = openBucket(await newBucket());
  await assert.rejects(blobs.open(hashOfNothing, 10), /is missing in the bucket/);
  await assert.rejects(blobs.open(hashOfNothing, MiB), /is missing in the bucket/);
  assert.equal(await blobs.check(hashOfNothing, 10), "missing");
  await removeBlobObject(bucket, hashOfNothing);
  await bucket.put(blobKey(hashOfNothing), bodyOf(Buffer.from("cut")));
  await assert.rejects(blobs.open(hashOfNothing, 10), /has another length than its row/);
  await assert.rejects(blobs.open(hashOfNothing, MiB), /has another length than its row/);
  await assert.rejects(blobs.open(hashOfNothing, 10, { start: 5, end: 9 }), (error) => !(error instanceof Problem));
});
