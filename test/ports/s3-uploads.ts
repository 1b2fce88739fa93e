import { join } from "node:path";
import type { TestContext } from "node:test";
import { type StagedBlob, verifyBlobs } from "../../src/core/bytes/blob.ts";
import { FileCache } from "../../src/core/bytes/disk/file-cache.ts";
import { Staging } from "../../src/core/bytes/disk/staging.ts";
import { BlobBucket } from "../../src/core/bytes/s3/blob-bucket.ts";
import { Bucket, type BucketOptions } from "../../src/core/bytes/s3/bucket.ts";
import { SourceCache } from "../../src/core/bytes/s3/source-cache.ts";
import type { Path } from "../../src/core/path.ts";
import { openSqliteStore, type SqlStore } from "../../src/database.ts";
import type { File } from "../../src/file/file.ts";
import { uploadFile } from "../../src/upload/upload.ts";
import { temporaryFolder } from "../harness.ts";
import { sqliteOptions } from "./sqlite-options.ts";
import { at, rules } from "./uploads.ts";

/** A bucket and its local stores in a new folder. */
export function openBucket(options: BucketOptions) {
  const folder = temporaryFolder();
  const bucket = new Bucket(options);
  const staging = new Staging(join(folder, "tmp"));
  const blobs = new BlobBucket(bucket, staging, 0);
  const sources = (maxBytes: number) =>
    new SourceCache(bucket, new FileCache({ folder: join(folder, "originals"), maxBytes }), staging);
  const put = async (bytes: Buffer): Promise<StagedBlob> => {
    const staged = await blobs.stage(chunksOf(bytes), 1e9);
    try {
      await blobs.put(staged);
      return staged;
    } finally {
      await staged.discard();
    }
  };
  return { folder, bucket, staging, blobs, sources, put };
}

export type S3Uploads = {
  store: SqlStore;
  upload(path: string, bytes: Buffer, nowSeconds?: number): Promise<File>;
  /** Faults of rows and bytes, read without the proxy. */
  verify(): Promise<string[]>;
};

/** Files on SQLite with their bytes in a bucket; `direct` reaches it without the proxy of `options`. */
export async function openS3Uploads(
  test: TestContext,
  options: BucketOptions,
  direct: BucketOptions,
): Promise<S3Uploads> {
  const { blobs } = openBucket(options);
  const store = await openSqliteStore({ ...sqliteOptions(), blobBucket: options });
  test.after(() => store.close());
  const { files, ledger } = store;
  const upload = async (path: string, bytes: Buffer, nowSeconds = 1000): Promise<File> => {
    const staged = await blobs.stage(chunksOf(bytes), 1e9);
    try {
      const defaults = { title: undefined, description: undefined, ifMatch: undefined, onConflict: "replace" } as const;
      const request = { ...defaults, folder: "" as Path, fileName: path };
      return await uploadFile({ files, ledger, blobs }, staged, request, rules, at(nowSeconds));
    } finally {
      await staged.discard();
    }
  };
  const seen = openBucket(direct);
  const verify = async () => [...(await store.verify()), ...(await verifyBlobs(ledger, seen.blobs))];
  return { store, upload, verify };
}

/** Bytes that compress badly and never repeat. */
export function noise(size: number, seed: number): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4));
  let state = seed;
  for (let n = 0; n < words.length; n++) words[n] = state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Buffer.from(words.buffer, 0, size);
}

async function* chunksOf(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
