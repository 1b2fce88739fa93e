import { removeBlobFile } from "../bytes/disk/blob-folder.ts";
import type { BucketOptions } from "../bytes/s3/bucket.ts";
import type { RemoveBytes } from "./noun.ts";

/**
 * Where the sweep removes bytes: in a folder, or in the bucket if there is one. Plain data, so that it can be sent to a
 * thread.
 */
export type BlobLocation = { blobFolder: string; blobBucket?: BucketOptions | undefined };

const removalMs = 3000;

/**
 * The request to a bucket is sent under the write lock, so only once and with a short timeout: an object that could not
 * be removed stays for the next sweep, and writes wait for seconds at most.
 */
export async function openRemover({ blobFolder, blobBucket }: BlobLocation): Promise<RemoveBytes> {
  if (!blobBucket) return (hash) => removeBlobFile(blobFolder, hash);
  const [{ Bucket }, { removeBlobObject }] = await Promise.all([
    import("../bytes/s3/bucket.ts"),
    import("../bytes/s3/blob-bucket.ts"),
  ]);
  const bucket = new Bucket({ ...blobBucket, timeoutMs: removalMs, tries: 1 });
  return (hash) => removeBlobObject(bucket, hash);
}
