import { hash as hashOf } from "node:crypto";
import { ByteCache, lengthOf } from "../../lib/byte-cache.ts";
import { sha256Of } from "../../lib/sha256.ts";
import { type BlobStore, type ByteRange, type Bytes, ChangedBlob, type StagedBlob } from "../blob.ts";
import type { StagedFile, Staging } from "../disk/staging.ts";
import type { Bucket } from "./bucket.ts";
import { translateBucketError, translated } from "./bucket-error.ts";
import { etagOf, putFile } from "./multipart.ts";

const blobs = "blobs/";

/**
 * A blob's key, below one of 256 prefixes named by the first byte of its hash, so that operators can list a part.
 * Throws unless `hash` is a SHA-256 in hex: a row of a hostile backup may hold any text.
 */
export function blobKey(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`${JSON.stringify(hash.slice(0, 100))} is not the hash of a blob`);
  return `${blobs}${hash.slice(0, 2)}/${hash}`;
}

/** Removes a blob's bytes, under the lock of its row; does nothing when they do not exist. Throws `busy`. */
export const removeBlobObject = (bucket: Bucket, hash: string): Promise<void> =>
  translated(() => bucket.remove(blobKey(hash)));

/** Throws `busy` unless the bucket exists and accepts the keys. */
export const reachBucket = (bucket: Bucket): Promise<void> => translated(() => bucket.reach());

/** Blobs up to this size are read completely and checked against their hash. */
const smallBytes = 128 * 1024;

/** Blobs as objects of a bucket; an upload is staged on this machine's disk until its hash is known. */
export class BlobBucket implements BlobStore {
  private readonly bucket: Bucket;
  private readonly staging: Staging;
  private readonly cache: ByteCache<Uint8Array>;

  constructor(bucket: Bucket, staging: Staging, cacheBytes: number) {
    this.bucket = bucket;
    this.staging = staging;
    this.cache = new ByteCache(cacheBytes, lengthOf);
  }

  stage(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedBlob> {
    return this.staging.stage(bytes, maxBytes);
  }

  /** Skips an object whose size and ETag are right. Racing puts write the same bytes. Decision 4. */
  put(staged: StagedBlob): Promise<void> {
    const { file, hash, size } = staged as StagedFile;
    return translated(async () => {
      const there = await this.bucket.look(blobKey(hash));
      if (there?.size === size && there.etag === (await etagOf(file, size))) return;
      await putFile(this.bucket, blobKey(hash), file, size, hash);
    });
  }

  async open(hash: string, size: number, range: ByteRange = { start: 0, end: size - 1 }): Promise<Bytes> {
    const length = range.end - range.start + 1;
    if (length <= 0) return new Uint8Array(0);
    const cached = this.cache.get(hash);
    if (cached) return cached.subarray(range.start, range.end + 1);
    if (size <= smallBytes) return (await this.readWhole(hash, size)).subarray(range.start, range.end + 1);
    if (length > smallBytes) return this.download(hash, range, length);
    const bytes = await translated(() => this.bucket.read(blobKey(hash), range));
    if (bytes?.length !== length) throw new Error(faultOf(hash, bytes !== undefined));
    return bytes;
  }

  /** Reads a small blob and checks it against its hash, so that the cache never holds wrong bytes. */
  private async readWhole(hash: string, size: number): Promise<Uint8Array> {
    const bytes = await translated(() => this.bucket.read(blobKey(hash)));
    if (bytes?.length !== size) throw new Error(faultOf(hash, bytes !== undefined));
    if (hashOf("sha256", bytes) !== hash) throw new ChangedBlob(hash);
    this.cache.put(hash, bytes);
    return bytes;
  }

  private async download(hash: string, range: ByteRange, length: number): Promise<Bytes> {
    const body = await translated(() => this.bucket.download(blobKey(hash), range));
    if (body?.size === length) return body;
    body?.destroy();
    throw new Error(faultOf(hash, body !== undefined));
  }

  async check(hash: string, size: number): Promise<"whole" | "missing" | "changed"> {
    const body = await translated(() => this.bucket.download(blobKey(hash)));
    if (!body) return "missing";
    const found = await sha256Of(body);
    return found.size === size && found.hash === hash ? "whole" : "changed";
  }

  async *list(): AsyncIterable<string> {
    try {
      for await (const { key } of this.bucket.list(blobs)) {
        const name = key.slice(key.lastIndexOf("/") + 1);
        if (/^[0-9a-f]{64}$/.test(name)) yield name;
      }
    } catch (error) {
      throw translateBucketError(error);
    }
  }
}

const faultOf = (hash: string, isThere: boolean): string =>
  `The blob ${hash} ${isThere ? "has another length than its row" : "is missing in the bucket"}`;
