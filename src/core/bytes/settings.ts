import { bytes, choice, integer, isSet, type SettingStates, text, togetherFaults, webAddress } from "../lib/setting.ts";
import { GiB } from "../lib/size.ts";

/** The settings of a bucket. */

/** Object storage: the bytes of files in a bucket instead of on the disk. */
export const bucketSettings = {
  s3_endpoint: webAddress({
    help: "Address of an S3-compatible server. With it the bytes of files are stored in a bucket, and there is no uploads tree.",
  }),
  s3_bucket: text({
    default: "",
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    accepted: "the name of a bucket: 3 to 63 small letters, digits, hyphens and dots",
    help: "Name of the bucket, which must exist.",
  }),
  s3_region: text({
    default: "us-east-1",
    pattern: /^[a-z0-9-]{1,50}$/,
    accepted: "a region as us-east-1",
    help: "Region used to sign requests; many servers accept any.",
  }),
  s3_access_key: text({ default: "", help: "Access key id." }),
  s3_secret_key: text({ default: "", secret: true, help: "Secret access key." }),
  s3_prefix: text({
    default: "",
    pattern: /^([\w.-]+\/)+$/,
    accepted: "letters, digits, dots, hyphens and underscores with a slash at the end, as octavo/",
    help: "Prefix of all object keys, for a bucket shared with other programs.",
  }),
  s3_path_style: choice(["on", "off"], {
    default: "on",
    help: "Whether the bucket's name is in the path of the address (most self-hosted servers) or in its host name.",
  }),
  s3_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "Read timeout of the object storage; the request is then repeated or given up.",
  }),
  original_cache_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * 1024 * GiB,
    help: "Size of the disk cache of source images from the bucket; the least recently used are evicted.",
  }),
  renditions_store: choice(["disk", "s3"], {
    default: "disk",
    help: "Where generated images are kept. In the bucket all nodes share them, and a lifecycle rule removes old ones.",
  }),
};

const bucketNames = ["s3_endpoint", "s3_bucket", "s3_access_key", "s3_secret_key"] as const;

/** A bucket needs all four of them; without a bucket `renditions_store` cannot be `s3`. */
export function bucketFaults(states: SettingStates): string[] {
  const renditions = states.get("renditions_store");
  if (bucketNames.some((name) => isSet(states, name))) return togetherFaults(states, bucketNames);
  if (renditions?.value !== "s3") return [];
  return [`renditions_store: ${renditions.from} was "s3"; expected disk where s3_endpoint is not set`];
}
