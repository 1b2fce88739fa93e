import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Staging } from "../../src/adapters/disk/staging.ts";
import { BlobBucket, blobKey } from "../../src/adapters/s3/blob-bucket.ts";
import { Bucket, bodyOf } from "../../src/adapters/s3/bucket.ts";
import { temporaryFolder } from "../harness.ts";
import { useS3 } from "../s3-server.ts";
import { blobStoreSuite, type OpenBlobs } from "./blob-store.suite.ts";

const newBucket = useS3();

async function openBucket(cacheBytes: number): Promise<OpenBlobs> {
  const bucket = new Bucket(await newBucket());
  const staging = new Staging(join(temporaryFolder(), "tmp"));
  return {
    blobs: new BlobBucket(bucket, staging, cacheBytes),
    leftOver: async () => readdirSync(staging.folder).length,
    damage: async (hash, how) => {
      if (how === "remove") return bucket.remove(blobKey(hash));
      const bytes = (await bucket.read(blobKey(hash))) ?? Buffer.alloc(0);
      await bucket.put(blobKey(hash), bodyOf(how === "cut" ? bytes.subarray(0, 3) : Buffer.alloc(20, "x")));
    },
  };
}

blobStoreSuite("s3", () => openBucket(0));
blobStoreSuite("s3 with a cache", () => openBucket(8 * 1024 * 1024));
