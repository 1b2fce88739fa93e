import type { BlobStore, HeldBlobs } from "./core/bytes/blob.ts";
import { FileCache, type FileCacheOptions } from "./core/bytes/disk/file-cache.ts";
import type { Staging } from "./core/bytes/disk/staging.ts";
import { BlobBucket, reachBucket } from "./core/bytes/s3/blob-bucket.ts";
import { Bucket, type BucketOptions } from "./core/bytes/s3/bucket.ts";
import { BucketError, mayPass } from "./core/bytes/s3/bucket-error.ts";
import { SourceCache } from "./core/bytes/s3/source-cache.ts";
import { memoFor } from "./core/lib/memo.ts";
import { StoreError } from "./core/store-error.ts";
import type { RenditionStore } from "./image/rendition.ts";
import { RenditionBucket } from "./image/rendition-bucket-store.ts";
import { TransferBucket } from "./transfer/bucket-store.ts";
import type { TransferBytes } from "./transfer/transfer.ts";

export type BucketStoresOptions = {
  bucket: BucketOptions;
  staging: Staging;
  /** Memory for small blobs. */
  cacheBytes: number;
  sources: FileCacheOptions;
  /** The cache of renditions on this machine's disk. */
  renditions: RenditionStore;
  /** Whether renditions are stored in the bucket, too. */
  keepsRenditions: boolean;
  onError: (error: unknown) => void;
  /** Receives the reason when the bucket cannot be reached at the start. */
  onUnreachable: (error: unknown) => void;
};

export type BucketStores = {
  blobs: BlobStore;
  sources: HeldBlobs;
  renditions: RenditionStore;
  /** The bytes of uploads that are no files yet. */
  pending: TransferBytes;
  /** Throws `busy` unless the bucket can be reached and accepts the keys, or did a few seconds ago. */
  reach(): Promise<void>;
  /** Throws StoreError when the bucket refuses permanently: wrong name, region or keys. */
  refuseWrong(): Promise<void>;
  close(): Promise<void>;
};

const probeMs = 3000;
const reachedForMs = 5000;

/** All stores that use a bucket. Sends no request yet. */
export function openBucketStores(options: BucketStoresOptions): BucketStores {
  const { staging, sources, renditions: local, onError, onUnreachable } = options;
  const bucket = new Bucket(options.bucket);
  const blobs = new BlobBucket(bucket, staging, options.cacheBytes);
  // A readiness check is repeated soon: one try is enough.
  const probe = new Bucket({ ...options.bucket, timeoutMs: probeMs, tries: 1 });
  return {
    blobs,
    pending: new TransferBucket(bucket, staging),
    sources: new SourceCache(bucket, new FileCache(sources), staging),
    renditions: options.keepsRenditions ? new RenditionBucket({ bucket, local, staging, onError }) : local,
    reach: memoFor(() => reachBucket(probe), reachedForMs),
    refuseWrong: () => refuseWrongBucket(probe, options.bucket, onUnreachable),
    close: async () => {
      bucket.close();
      probe.close();
    },
  };
}

const checked = "check s3_endpoint, s3_bucket, s3_region, s3_access_key, s3_secret_key and s3_path_style";

/** A bucket that does not respond may recover soon: the service starts, and is not ready until then. */
async function refuseWrongBucket(
  bucket: Bucket,
  { bucket: name, endpoint }: BucketOptions,
  onUnreachable: (error: unknown) => void,
): Promise<void> {
  try {
    await bucket.reach();
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    if (mayPass(error)) return onUnreachable(error);
    const said = `${error.status} ${meanings[error.status] ?? error.code}`.trim();
    throw new StoreError(`the bucket ${name} at ${endpoint} cannot be used: it answered ${said}; ${checked}`, {
      cause: error,
    });
  }
}

/** The response to HEAD has no body. */
const meanings: Record<number, string> = {
  301: "(it is in another region)",
  400: "(it is in another region, or the keys are wrong)",
  403: "(the keys are wrong or have no right to it)",
  404: "(there is no such bucket)",
};
