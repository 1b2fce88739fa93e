import { conflictPolicies } from "./domain/file.ts";
import { standardExtensions } from "./domain/media-type.ts";
import type { Arguments } from "./domain/modifier.ts";
import { type Path, parsePath } from "./domain/path.ts";
import { parseUrlEncoded } from "./lib/brackets.ts";
import {
  bytes,
  choice,
  integer,
  isAddressBlock,
  list,
  readRows,
  type SettingSources,
  type SettingState,
  type SettingsOf,
  text,
  toSettings,
  webAddress,
} from "./lib/setting.ts";

export { SettingsError } from "./lib/setting.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/**
 * Every setting, one row each. A row makes the flag (`--collection-limit`), the variable (`OCTAVO_COLLECTION_LIMIT`),
 * the key in the file, the check, the line in `octavo settings`, the line in docs/settings.md (`npm run docs`) and the
 * field of Settings (`collectionLimit`). Units are in the names.
 */
export const settingRows = {
  // Where it answers.
  host: text({
    default: "127.0.0.1",
    pattern: /^[\p{L}\p{N}._:%-]+$/u,
    accepted: "an IP address or a host name, without scheme and port",
    help: "Address to listen on; 0.0.0.0 or :: for all of the machine's.",
  }),
  port: integer({ default: 8080, min: 0, max: 65535, help: "Port to listen on; 0 takes any free one." }),
  workers: integer({
    default: 1,
    min: 1,
    max: 64,
    help: "Processes that share the port and the store, for machines with more cores; caches in memory and image workers are divided among them.",
  }),
  public_url: webAddress({
    help: "Address that clients use, when a proxy stands in front of the service; full_url of files and the OpenAPI file begin with it.",
  }),
  trust_proxy: list({
    default: [],
    isItem: isAddressBlock,
    accepted: "IP addresses and blocks, as 10.0.0.1 or 10.0.0.0/8, separated by commas",
    help: "Proxies whose X-Forwarded-* headers count; nobody's do by default.",
  }),
  cors_origin: list({
    default: ["*"],
    isItem: (item) => item === "*" || (URL.canParse(item) && new URL(item).origin === item),
    accepted: "*, or origins as https://example.org, separated by commas",
    help: "Sites whose scripts may call the service from a browser.",
  }),
  log: choice(["json", "off"], { default: "json", help: "Request log on standard output; tokens are left out of it." }),

  // What it keeps, and where.
  data: text({
    default: "./data",
    accepted: "a folder",
    help: "Folder of the store; made when it is missing.",
  }),
  new_store: choice(["on", "off"], {
    default: "off",
    help: "Whether an empty store is begun where the database is missing and bytes of files are there; `octavo serve --new` is the same for one start.",
  }),
  postgres_url: text({
    default: "",
    pattern: /^postgres(ql)?:\/\/./,
    accepted: "an address as postgres://user:password@host:5432/database",
    secret: true,
    help: "PostgreSQL database (14 or newer, UTF8) that holds the rows in place of SQLite, for any number of nodes.",
  }),
  postgres_read_url: text({
    default: "",
    pattern: /^postgres(ql)?:\/\/./,
    accepted: "an address as postgres://user:password@host:5432/database",
    secret: true,
    help: "Replica of that database which answers the collections of delivery tokens; it lags behind by what PostgreSQL lags.",
  }),
  postgres_connections: integer({
    default: 8,
    min: 1,
    max: 1000,
    help: "Connections of one node for collections; three more serve everything else.",
  }),
  postgres_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "How long one statement may take, and how long a write waits for those of other nodes; past it 503 `busy`.",
  }),
  busy_timeout_ms: integer({
    default: 5000,
    min: 0,
    max: 60_000,
    unit: "milliseconds",
    help: "How long a write waits for another process that is writing.",
  }),
  write_queue_max: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "Writes that may wait for their turn; past it a write is refused with 503 `busy`.",
  }),
  entry_cache_bytes: bytes({
    default: 32 * MiB,
    min: 0,
    max: 64 * GiB,
    help: "Memory for entries that were read lately; 0 turns the cache off.",
  }),
  blob_cache_bytes: bytes({
    default: 32 * MiB,
    min: 0,
    max: 64 * GiB,
    help: "Memory for small files that were downloaded lately; 0 turns the cache off.",
  }),
  index_keys: list({
    default: ["*"],
    isItem: (item) => /^(\*|-?[^\s,-][^,]*)$/.test(item),
    accepted: "*, or keys as year,author.name, or keys with - to leave out, separated by commas",
    help: "Keys of entries that filters and orders find by index; keys left out are still found, by a scan.",
  }),
  events_keep_days: integer({
    default: 30,
    min: 1,
    max: 3650,
    unit: "days",
    help: "How long the log of writes is kept.",
  }),

  uploads_tree: choice(["on", "off"], {
    default: "on",
    help: "Whether the folder uploads/ of the store holds every file by its name, as links to the bytes.",
  }),
  blob_grace_days: integer({
    default: 7,
    min: 1,
    max: 3650,
    unit: "days",
    help: "How long the bytes of a deleted or replaced file are kept.",
  }),

  // Object storage: the bytes of files in a bucket instead of on the disk.
  s3_endpoint: webAddress({
    help: "Address of an S3-compatible server; with it, the bytes of files live in its bucket and there is no uploads tree.",
  }),
  s3_bucket: text({
    default: "",
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    accepted: "the name of a bucket: 3 to 63 small letters, digits, hyphens and dots",
    help: "The bucket; it must be there.",
  }),
  s3_region: text({
    default: "us-east-1",
    pattern: /^[a-z0-9-]{1,50}$/,
    accepted: "a region as us-east-1",
    help: "The region that requests are signed for; many servers take any.",
  }),
  s3_access_key: text({ default: "", help: "Name of the key that requests are signed with." }),
  s3_secret_key: text({ default: "", secret: true, help: "The key that requests are signed with." }),
  s3_prefix: text({
    default: "",
    pattern: /^([\w.-]+\/)+$/,
    accepted: "letters, digits, dots, hyphens and underscores with a slash at the end, as octavo/",
    help: "What all keys begin with, for a bucket that others use too.",
  }),
  s3_path_style: choice(["on", "off"], {
    default: "on",
    help: "Whether the bucket stands in the path of an address, as most servers of one's own want it; else in its host.",
  }),
  s3_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "How long the object storage may bring nothing before it is asked again or given up.",
  }),
  original_cache_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * 1024 * GiB,
    help: "Disk for originals out of the bucket that images are drawn from; those not asked for longest go first.",
  }),
  renditions_store: choice(["disk", "s3"], {
    default: "disk",
    help: "Where images that were made are kept; in the bucket, all machines share them, and a lifecycle rule drops them.",
  }),

  // What it answers.
  collection_limit: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    atMost: "collection_limit_max",
    help: "Entries on a page of a collection when the request names no limit.",
  }),
  collection_limit_max: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "Largest limit that a request may name.",
  }),
  collection_page_bytes: bytes({
    default: 16 * MiB,
    min: 64 * KiB,
    max: GiB,
    help: "Size at which a page of a collection ends, whatever its limit.",
  }),
  send_max_bytes: bytes({
    default: 48 * MiB,
    min: MiB,
    max: 1024 * GiB,
    help: "Memory for large JSON replies that are being sent, together. A reply that finds no room waits for its turn, and is refused with 503 `busy` when none comes free for two seconds.",
  }),
  send_download_max_bytes: bytes({
    default: 256 * MiB,
    min: MiB,
    max: 1024 * GiB,
    help: "The same for downloads of files and images, each of which holds 512 KiB at most: the default is 512 at a time.",
  }),
  send_connection_max_bytes: bytes({
    default: 32 * MiB,
    min: MiB,
    max: 1024 * GiB,
    atMost: "send_max_bytes",
    help: "What the replies of one connection may hold of each.",
  }),
  send_timeout_seconds: integer({
    default: 60,
    min: 1,
    max: 3600,
    unit: "seconds",
    help: "How long a client may read nothing of its reply, or how far it may be behind a rate of 4 KiB a second, before its connection is closed; a sixth of it when other replies wait for the memory.",
  }),
  arguments_strict: choice(["on", "off"], {
    default: "off",
    help: "Whether reads refuse unknown keys of filter and options; by default they ignore them and list them in Octavo-Ignored.",
  }),
  regexp_time_ms: integer({
    default: 250,
    min: 1,
    max: 60_000,
    unit: "milliseconds",
    help: "Time that the regular expressions of one request may take; past it 503 `filter_too_costly`.",
  }),
  delivery_s_maxage_seconds: integer({
    default: 0,
    min: 0,
    max: 31_536_000,
    unit: "seconds",
    help: "How long a shared cache may keep a delivery answer without asking; 0 adds no s-maxage.",
  }),

  entry_max_keys: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "Most keys of an entry, counted at all depths; an entry that already has more can still be changed, but not gain keys.",
  }),

  uploads_private: choice(["on", "off"], {
    default: "off",
    help: "Whether the bytes of files need a token with the resource files.",
  }),

  signing_key: text({
    default: "",
    secret: true,
    help: "Key of signed addresses; without it the store makes one of its own.",
  }),

  // What it takes.
  upload_max_bytes: bytes({
    default: 100 * MiB,
    min: 1,
    max: 1024 * GiB,
    help: "Largest file that an upload may bring.",
  }),
  upload_types: list({
    default: standardExtensions,
    isItem: (item) => /^[a-z0-9]{1,50}$/.test(item),
    accepted: "extensions in lower case without dots, separated by commas",
    help: "Extensions of the files that are taken; the bytes must be what the extension says.",
  }),
  upload_safe_names: choice(["on", "off"], {
    default: "on",
    help: "Whether the names of uploads are made of plain small letters, digits and hyphens.",
  }),
  upload_on_conflict: choice(conflictPolicies, {
    default: "replace",
    help: "What an upload does when its name is taken and it does not say.",
  }),
  upload_corrupt_images: choice(["accept", "refuse"], {
    default: "accept",
    help: "Whether images whose header cannot be read are taken, without their sizes.",
  }),
  image_max_pixels: integer({
    default: 100_000_000,
    min: 1,
    max: 1_000_000_000,
    unit: "pixels",
    help: "Largest image that is taken, by its width times its height.",
  }),
  upload_idle_seconds: integer({
    default: 30,
    min: 1,
    max: 3600,
    unit: "seconds",
    help: "How long an upload may bring nothing before it is given up.",
  }),
  upload_spools: integer({
    default: 8,
    min: 0,
    max: 10_000,
    help: "Uploads at once whose tokens come after the file; past it they are refused with 503 `busy`.",
  }),
  upload_spool_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * GiB,
    help: "Disk that all uploads whose tokens come after the file may take together.",
  }),
  upload_spool_rate_bytes: bytes({
    default: 16 * KiB,
    min: 0,
    max: GiB,
    help: "Bytes a second that an upload whose tokens come after the file has to bring; upload_idle_seconds behind that it is given up, three seconds behind it makes room for another.",
  }),
  upload_spool_seconds: integer({
    default: 7200,
    min: 1,
    max: 86_400,
    unit: "seconds",
    help: "How long an upload whose tokens come after the file may take in all.",
  }),

  // What it draws.
  image_strict: choice(["on", "off"], {
    default: "off",
    help: "Whether image arguments that cannot be read are refused; else they are ignored.",
  }),
  image_presets: text({
    default: "",
    accepted: "presets as thumb:w=200&h=200&fit=crop, separated by semicolons",
    pattern: /^[\w-]+:[^;]*(;\s*[\w-]+:[^;]*)*;?$/,
    isText: isRead(parseImagePresets),
    help: "Sets of image arguments that a request names by p=thumb.",
  }),
  image_defaults: text({
    default: "",
    accepted: "arguments as fm=webp&q=80",
    isText: isRead(parseImageDefaults),
    help: "Image arguments that hold where a request says nothing; with any, originals are drawn anew.",
  }),
  image_marks: text({
    default: "watermarks",
    accepted: "a folder of the uploads",
    isText: isRead(parseImageMarks),
    help: "Folder of the uploads that watermarks are taken from.",
  }),
  image_max_age_seconds: integer({
    default: 3600,
    min: 0,
    max: 31_536_000,
    unit: "seconds",
    help: "How long an image may be kept by others when its address names no version.",
  }),
  rendition_cache_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * 1024 * GiB,
    help: "Disk for images that were made; those not asked for longest go first.",
  }),
  render_workers: integer({
    default: 2,
    min: 1,
    max: 256,
    help: "Processes that draw images at once.",
  }),
  render_queue_max: integer({
    default: 100,
    min: 0,
    max: 100_000,
    help: "Images that may wait to be drawn; past it a request is refused with 503 `busy`.",
  }),
  render_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "Processor time that one image may take; past it 422 `image_too_costly`. A machine too busy to give it that within three times as long is 503 `busy`.",
  }),
  render_svg_timeout_seconds: integer({
    default: 4,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "The same of an SVG, where it is less: a few bytes of one can ask for any amount of work. One is drawn at a time, by a process of its own.",
  }),
  render_memory_bytes: bytes({
    default: 768 * MiB,
    min: 64 * MiB,
    max: 1024 * GiB,
    help: "Memory that a drawing process may take; past it 422 `image_too_costly`.",
  }),
  render_max_pixels: integer({
    default: 40_000_000,
    min: 1,
    max: 67_108_864,
    unit: "pixels",
    help: "Largest image that is made, by its width times its height; a larger wish is scaled down.",
  }),

  // The admin page.
  admin_page: choice(["on", "off"], { default: "on", help: "Whether the admin page is served at /admin." }),
  admin_session_hours: integer({
    default: 12,
    min: 1,
    max: 720,
    unit: "hours",
    help: "How long a session of the admin page lasts.",
  }),
  admin_sessions_max: integer({
    default: 50,
    min: 1,
    max: 10_000,
    help: "Live sessions that one management token may have; one more ends the oldest.",
  }),

  // What it refuses, and when it gives up.
  auth_failures_per_minute: integer({
    default: 200,
    min: 0,
    max: 1_000_000,
    help: "Bad tokens taken from one address in a minute before it gets 429; 0 turns this off.",
  }),
  request_timeout_seconds: integer({
    default: 30,
    min: 1,
    max: 3600,
    unit: "seconds",
    help: "Time a request has to arrive whole.",
  }),
  shutdown_seconds: integer({
    default: 10,
    min: 0,
    max: 3600,
    unit: "seconds",
    help: "Time that requests under way have to finish when the service stops.",
  }),
};

/** All settings, by their names in camel case; frozen. */
export type Settings = SettingsOf<typeof settingRows>;

/** The settings out of flags, environment and file, in this order of precedence. Throws SettingsError: every fault. */
export function readSettings(sources: SettingSources): Settings {
  return toSettings<typeof settingRows>(readRows(settingRows, sources, bucketFaults));
}

/** The same, with where each value came from. Throws SettingsError. */
export function explainSettings(sources: SettingSources): SettingState[] {
  return readRows(settingRows, sources, bucketFaults);
}

const bucketNames = ["s3_endpoint", "s3_bucket", "s3_access_key", "s3_secret_key"] as const;

/** A bucket needs all four of them; without a bucket nothing can be kept there. */
function bucketFaults(states: ReadonlyMap<string, SettingState>): string[] {
  const isSet = (name: string) => states.get(name)?.from !== "default";
  const first = bucketNames.find(isSet);
  const renditions = states.get("renditions_store");
  if (first) {
    const missing = bucketNames.filter((name) => !isSet(name));
    return missing.map((name) => `${name}: it is not set; expected it beside ${first}`);
  }
  if (renditions?.value !== "s3") return [];
  return [`renditions_store: ${renditions.from} was "s3"; expected disk where s3_endpoint is not set`];
}

// ---------------------------------------------------------------------------------------------- what images are told

const argumentCaps = { maxPairs: 100, maxDepth: 1, maxItems: 1 };

/** The arguments of `image_defaults`. Throws BracketError. */
export function parseImageDefaults(text: string): Arguments {
  return parseUrlEncoded(text, argumentCaps);
}

/** The sets of arguments of `image_presets` by name: `thumb:w=200&h=200; hero:w=1600`. Throws BracketError. */
export function parseImagePresets(text: string): Map<string, Arguments> {
  const presets = text.split(";").filter((preset) => preset.trim() !== "");
  return new Map(
    presets.map((preset) => {
      const colon = preset.indexOf(":");
      return [preset.slice(0, colon).trim(), parseImageDefaults(preset.slice(colon + 1).trim())];
    }),
  );
}

/** The folder of `image_marks`. Throws path_invalid, text_invalid. */
export function parseImageMarks(text: string): Path {
  return parsePath("image_marks", text);
}

/** True for what can be read. */
function isRead(parse: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
}
