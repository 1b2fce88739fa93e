import { problem } from "../../problem.ts";
import type { HeldBlob, HeldBlobs } from "../blob.ts";
import { codeOf, nodeDisk, noLink, unless } from "../disk/disk.ts";
import type { FileCache } from "../disk/file-cache.ts";
import type { Staging } from "../disk/staging.ts";
import { blobKey } from "./blob-bucket.ts";
import type { Bucket } from "./bucket.ts";
import { translateBucketError } from "./bucket-error.ts";

/** Maximum number of concurrent downloads; further requests are refused as busy. */
const maxFetches = 64;
/** How often a source is fetched again when it is evicted before it could be held. */
const maxFetchesEach = 3;

/** Blobs of a bucket as local files: fetched when first needed, cached on this machine's disk within a byte budget. */
export class SourceCache implements HeldBlobs {
  private readonly bucket: Bucket;
  private readonly cache: FileCache;
  private readonly staging: Staging;
  private readonly fetching = new Map<string, Promise<void>>();

  /** The staging folder is best on the cache's file system: across file systems, files are copied. */
  constructor(bucket: Bucket, cache: FileCache, staging: Staging) {
    this.bucket = bucket;
    this.cache = cache;
    this.staging = staging;
  }

  /** Each holder has a hard link of its own, so that no eviction, by any process, removes the file while it is held. */
  async hold(hash: string): Promise<HeldBlob> {
    const file = this.staging.temporaryFile();
    const release = async () => void (await unless(["ENOENT"], nodeDisk.unlink(file)));
    const drop = () => this.cache.drop(hash);
    try {
      for (let fetches = 0; fetches < maxFetchesEach; fetches++) {
        if (await this.link(hash, file)) return { file, release, drop };
        await this.fetch(hash);
      }
    } catch (error) {
      throw translateBucketError(error);
    }
    throw problem("busy", { reason: "the source image is evicted again and again before it is read" });
  }

  private async link(hash: string, file: string): Promise<boolean> {
    if ((await this.cache.find(hash)) === undefined) return false;
    if (await unless(["ENOENT"], linkOrCopy(this.cache.at(hash), file))) return true;
    this.cache.forget(hash);
    return false;
  }

  /** One download shared by all callers that wait for the same source. */
  private fetch(hash: string): Promise<void> {
    const running = this.fetching.get(hash);
    if (running) return running;
    if (this.fetching.size >= maxFetches) throw problem("busy", { reason: "too many source images are being fetched" });
    const fetching = this.download(hash).finally(() => this.fetching.delete(hash));
    this.fetching.set(hash, fetching);
    return fetching;
  }

  /** Does not cache bytes that differ from their hash, which is their name. */
  private async download(hash: string): Promise<void> {
    const body = await this.bucket.download(blobKey(hash));
    if (!body) throw new Error(`The blob ${hash} is missing in the bucket`);
    const staged = await this.staging.stage(body, Number.POSITIVE_INFINITY);
    try {
      if (staged.hash !== hash) throw new Error(`The blob ${hash} in the bucket holds other bytes`);
      await this.cache.put(hash, staged.file, staged.size);
    } finally {
      await staged.discard();
    }
  }
}

async function linkOrCopy(from: string, to: string): Promise<true> {
  try {
    await nodeDisk.link(from, to);
  } catch (error) {
    if (!noLink.includes(codeOf(error))) throw error;
    await nodeDisk.copyFile(from, to);
  }
  return true;
}
