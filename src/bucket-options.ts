import type { BucketOptions } from "./core/bytes/s3/bucket.ts";
import type { Settings } from "./settings.ts";

/** How often a request to the bucket is tried. */
const bucketTries = 4;

/** The bucket of the settings, which are either complete or absent. */
export function bucketOptions(settings: Settings): BucketOptions | undefined {
  const { s3Endpoint: endpoint } = settings;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    bucket: settings.s3Bucket,
    region: settings.s3Region,
    accessKey: settings.s3AccessKey,
    secretKey: settings.s3SecretKey,
    prefix: settings.s3Prefix,
    isPathStyle: settings.s3PathStyle === "on",
    timeoutMs: settings.s3TimeoutSeconds * 1000,
    tries: bucketTries,
  };
}
