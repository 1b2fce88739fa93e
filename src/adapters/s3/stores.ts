import type { BlobStore, HeldBlobs } from "../../domain/blob.ts";
import type { RenditionStore } from "../../domain/rendition.ts";
import { remembered } from "../../lib/remembered.ts";
import { FileCache, type FileCacheOptions } from "../disk/file-cache.ts";
import type { Staging } from "../disk/staging.ts";
import { BlobBucket, reachBucket } from "./blob-bucket.ts";
import { Bucket, type BucketOptions } from "./bucket.ts";
import { OriginalCache } from "./original-cache.ts";
import { RenditionBucket } from "./rendition-bucket.ts";

export type BucketStoresOptions = {
  bucket: BucketOptions;
  staging: Staging;
  /** Memory for small blobs. */
  cacheBytes: number;
  originals: FileCacheOptions;
  /** Renditions of this machine's disk. */
  renditions: RenditionStore;
  /** Whether they go into the bucket, too. */
  keepsRenditions: boolean;
  onError: (error: unknown) => void;
};

export type BucketStores = {
  blobs: BlobStore;
  originals: HeldBlobs;
  renditions: RenditionStore;
  /** Throws `busy` unless the bucket is there and lets us in, or did a few seconds ago. */
  reach(): Promise<void>;
  close(): Promise<void>;
};

const probeMs = 3000;
const reachedForMs = 5000;

/** Everything that lives in a bucket. Nothing is asked of it yet. */
export function openBucketStores(options: BucketStoresOptions): BucketStores {
  const { staging, originals, renditions: local, onError } = options;
  const bucket = new Bucket(options.bucket);
  const blobs = new BlobBucket(bucket, staging, options.cacheBytes);
  // Whoever asks whether we are ready asks again soon: once is enough.
  const probe = new Bucket({ ...options.bucket, timeoutMs: probeMs, tries: 1 });
  return {
    blobs,
    originals: new OriginalCache(bucket, new FileCache(originals), staging),
    renditions: options.keepsRenditions ? new RenditionBucket({ bucket, local, staging, onError }) : local,
    reach: remembered(() => reachBucket(probe), reachedForMs),
    close: async () => {
      bucket.close();
      probe.close();
    },
  };
}
