import { standardExtensions } from "./core/bytes/media-type.ts";
import { parseUrlEncoded } from "./core/lib/brackets.ts";
import { isLoopback } from "./core/lib/host.ts";
import {
  bytes,
  choice,
  integer,
  isAddressBlock,
  list,
  placesOf,
  readRows,
  type SettingSources,
  type SettingState,
  type SettingsOf,
  text,
  toSettings,
  webAddress,
  withoutNames,
  words,
} from "./core/lib/setting.ts";
import { groupHeaders } from "./core/list/cache-group.ts";
import { type Path, parsePath } from "./core/path.ts";
import { conflictPolicies } from "./file/file.ts";
import type { Arguments } from "./image/modifier.ts";

export { SettingsError } from "./core/lib/setting.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

const rate = (whose: string) =>
  text({
    default: "off",
    pattern: /^[1-9]\d{0,5},[1-9]\d{0,5}$/,
    accepted: "off, or requests a second and requests at once, as 10,50",
    help: `Requests of one ${whose} a second, and at once; more get 429 \`too_many_requests\`. Each process counts by itself.`,
  });

/**
 * Every setting, one row each. A row defines the flag (`--collection-limit`), the variable (`OCTAVO_COLLECTION_LIMIT`),
 * the key in the file, the validation, the line in `octavo settings`, the line in docs/settings.md (`npm run docs`) and
 * the field of Settings (`collectionLimit`). Units are in the names.
 */
export const settingRows = {
  // Network, processes and log.
  host: text({
    default: "127.0.0.1",
    pattern: /^[\p{L}\p{N}._:%-]+$/u,
    accepted: "an IP address or a host name, without scheme and port",
    help: "Address to listen on; 0.0.0.0 or :: listens on all addresses of the machine.",
  }),
  port: integer({ default: 8080, min: 0, max: 65535, help: "Port to listen on; 0 takes any free one." }),
  workers: integer({
    default: 1,
    min: 1,
    max: 64,
    help: "Processes that share the port and the store, for machines with more cores; the caches of entries and files and image workers are divided among them.",
  }),
  public_url: webAddress({
    hasPath: false,
    help: "Public address of the service when it is behind a proxy; full_url of files and the OpenAPI file begin with it. It has no path: a proxy gives the service a host of its own.",
  }),
  preview_url: text({
    default: "",
    isText: (text) => /^https?:\/\/[^\s]*\{id\}/i.test(text) && URL.canParse(text.replaceAll(/\{(id|token)\}/g, "x")),
    accepted: "an http or https address with {id}, as https://example.org/preview?id={id}&token={token}",
    help: "Where a site shows an entry that is not published: the preview button of the admin page opens it. {id} becomes the entry's id, {token} a preview token for it that is good for an hour.",
  }),
  site_url: text({
    default: "",
    isText: (text) => /^https?:\/\/[^\s]*\{id\}/i.test(text) && URL.canParse(text.replaceAll("{id}", "x")),
    accepted: "an http or https address with {id}, as https://example.org/{id}",
    help: "Where a site shows a published entry: the admin page links to it. {id} becomes the entry's id.",
  }),
  trust_proxy: list({
    default: [],
    isItem: isAddressBlock,
    accepted: "IP addresses and blocks, as 10.0.0.1 or 10.0.0.0/8, separated by commas",
    help: "Proxies whose X-Forwarded-* headers are trusted; none by default.",
  }),
  cors_origin: list({
    default: ["*"],
    isItem: (item) => item === "*" || (URL.canParse(item) && new URL(item).origin === item),
    accepted: "*, or origins as https://example.org, separated by commas",
    help: "Origins whose scripts may call the service from a browser (CORS).",
  }),
  metrics_port: integer({
    default: 0,
    min: 0,
    max: 65535,
    help: "Port that answers `/metrics` to anybody who reaches it; 0 for none. `/metrics` on the service's own port takes a management token with `admin`.",
  }),
  metrics_host: text({
    default: "127.0.0.1",
    pattern: /^[\p{L}\p{N}._:%-]+$/u,
    accepted: "an IP address or a host name, without scheme and port",
    help: "Address that the port of metrics listens on; by default only this machine reaches it.",
  }),
  log: choice(["json", "off"], { default: "json", help: "Request log on standard output. Tokens are never logged." }),

  // Storage.
  data: text({
    default: "./data",
    accepted: "a folder",
    help: "Folder of the store; created when it is missing.",
  }),
  new_store: choice(["on", "off"], {
    default: "off",
    help: "Whether an empty store is created where the database is missing beside the bytes of files; `octavo serve --new` does so for one start.",
  }),
  postgres_url: text({
    default: "",
    pattern: /^postgres(ql)?:\/\/./,
    accepted: "an address as postgres://user:password@host:5432/database",
    secret: true,
    help: "PostgreSQL database (14 or newer, UTF8) used instead of SQLite, by any number of nodes.",
  }),
  postgres_read_url: text({
    default: "",
    pattern: /^postgres(ql)?:\/\/./,
    accepted: "an address as postgres://user:password@host:5432/database",
    secret: true,
    help: "Read replica of that database for the collections of delivery tokens; these lag as far behind as the replica.",
  }),
  postgres_connections: integer({
    default: 8,
    min: 1,
    max: 1000,
    help: "Connections of one node for collections; three more are used for everything else.",
  }),
  postgres_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "Statement timeout, and the time a write waits for writes of other nodes; then 503 `busy`.",
  }),
  busy_timeout_ms: integer({
    default: 5000,
    min: 0,
    max: 60_000,
    unit: "milliseconds",
    help: "Time a write waits for another process that is writing; then 503 `busy`.",
  }),
  write_queue_max: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "Maximum number of waiting writes; further ones are refused with 503 `busy`.",
  }),
  entry_cache_bytes: bytes({
    default: 32 * MiB,
    min: 0,
    max: 64 * GiB,
    help: "Size of the cache of recently read entries; 0 disables it.",
  }),
  blob_cache_bytes: bytes({
    default: 32 * MiB,
    min: 0,
    max: 64 * GiB,
    help: "Size of the cache of recently downloaded small files; 0 disables it.",
  }),
  index_keys: list({
    default: ["*"],
    isItem: (item) => /^(\*|-?[^\s,-][^,]*)$/.test(item),
    accepted: "*, or keys as year,author.name, or keys with - to leave out, separated by commas",
    help: "Keys of entries, and of the meta of files, in the field index. Conditions on other keys still work, by a scan.",
  }),
  text_index: choice(["on", "off"], {
    default: "on",
    help: "Whether the texts of entries are indexed for `contains`, `like`, `ends_with` and `search`, which otherwise scan.",
  }),
  events_keep_days: integer({
    default: 30,
    min: 1,
    max: 3650,
    unit: "days",
    help: "Retention of the event log. Events that the uploads tree has not handled are kept at most twice as long.",
  }),
  history_keep_rows: integer({
    default: 100,
    min: 0,
    max: 10_000,
    help: "Earlier states that are kept of each entry, file and registry item; 0 keeps no history.",
  }),
  history_keep_days: integer({
    default: 365,
    min: 0,
    max: 36_500,
    unit: "days",
    help: "Retention of earlier states; 0 keeps no history.",
  }),
  history_keep_bytes: bytes({
    default: 16 * MiB,
    min: 0,
    max: 1024 * GiB,
    help: "Size of the earlier states that are kept of each entry, file and registry item, with the bytes of files; the newest state is kept whatever its size is; 0 keeps no history.",
  }),
  trash_keep_days: integer({
    default: 30,
    min: 0,
    max: 3650,
    unit: "days",
    help: "How long deleted entries, folders and files stay in the trash; 0 deletes them for good.",
  }),

  uploads_tree: choice(["on", "off"], {
    default: "on",
    help: "Whether the folder uploads/ of the store shows every file under its path, as hard links to the bytes.",
  }),
  blob_grace_days: integer({
    default: 7,
    min: 1,
    max: 3650,
    unit: "days",
    help: "Time the bytes of a deleted or replaced file are kept.",
  }),

  // Object storage: the bytes of files in a bucket instead of on the disk.
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

  // Replies.
  collection_limit: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    atMost: "collection_limit_max",
    help: "Default limit of a collection.",
  }),
  collection_limit_max: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "Largest limit that a request may ask for.",
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
    help: "The part of each that the replies of one connection may use.",
  }),
  send_timeout_seconds: integer({
    default: 60,
    min: 1,
    max: 3600,
    unit: "seconds",
    help: "Time a client may read nothing of its reply, or be behind a rate of 4 KiB a second, before its connection is closed; a sixth of it when other replies wait for the memory.",
  }),
  arguments_strict: choice(["on", "off"], {
    default: "off",
    help: "Whether reads refuse unknown arguments and unknown keys of filter and options; by default they ignore them and list them in Octavo-Ignored.",
  }),
  regexp_time_ms: integer({
    default: 250,
    min: 1,
    max: 60_000,
    unit: "milliseconds",
    help: "Time limit of the regular expressions of one request; then 503 `filter_too_costly`.",
  }),
  scan_delivery_ms: integer({
    default: 2000,
    min: 10,
    max: 600_000,
    unit: "milliseconds",
    help: "Time limit of a list for a delivery token that no index serves; then 503 `filter_too_costly`.",
  }),
  scan_management_ms: integer({
    default: 30_000,
    min: 10,
    max: 600_000,
    unit: "milliseconds",
    help: "Time limit of a list for a management token that no index serves; then 503 `filter_too_costly`. A check of a type and a list of references end at that time, and say where to go on.",
  }),
  delivery_s_maxage_seconds: integer({
    default: 0,
    min: 0,
    max: 31_536_000,
    unit: "seconds",
    help: "The s-maxage of delivery replies: the time a shared cache keeps them without revalidation; 0 sends none.",
  }),
  cache_groups: words(groupHeaders, {
    help: "Headers that tell caches what a delivery reply, a file or an image depends on; webhooks name the groups whose replies changed.",
  }),

  content_render: choice(["none", "markdown"], {
    default: "none",
    help: "With markdown, delivery tokens get HTML for Markdown unless they ask for render=raw: for sites of Flextype, which ran parsers.",
  }),

  entry_max_keys: integer({
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "Maximum number of keys of an entry, at all depths. An entry that already has more can be changed, but not gain keys.",
  }),

  uploads_private: choice(["on", "off"], {
    default: "off",
    help: "Whether downloads of files need a token with the resource files.",
  }),

  signing_key: text({
    default: "",
    secret: true,
    help: "Key that signs addresses; without it the store generates one.",
  }),

  // Uploads.
  upload_max_bytes: bytes({
    default: 100 * MiB,
    min: 1,
    max: 1024 * GiB,
    help: "Maximum size of an uploaded file.",
  }),
  upload_types: list({
    default: standardExtensions,
    isItem: (item) => /^[a-z0-9]{1,50}$/.test(item),
    accepted: "extensions in lower case without dots, separated by commas",
    help: "Accepted extensions of files. The bytes must match the extension.",
  }),
  upload_safe_names: choice(["on", "off"], {
    default: "on",
    help: "Whether file names are reduced to lower-case ASCII letters, digits and hyphens.",
  }),
  upload_on_conflict: choice(conflictPolicies, {
    default: "replace",
    help: "Default of on_conflict: what an upload does when its name is taken.",
  }),
  upload_corrupt_images: choice(["accept", "refuse"], {
    default: "accept",
    help: "Whether images whose header cannot be read are accepted, without their sizes.",
  }),
  image_max_pixels: integer({
    default: 100_000_000,
    min: 1,
    max: 1_000_000_000,
    unit: "pixels",
    help: "Maximum width times height of an uploaded image.",
  }),
  upload_idle_seconds: integer({
    default: 30,
    min: 1,
    max: 3600,
    unit: "seconds",
    help: "Read timeout of uploads.",
  }),
  upload_keep_hours: integer({
    default: 24,
    min: 1,
    max: 8760,
    unit: "hours",
    help: "How long an upload that was interrupted can go on. Later what came of it is removed.",
  }),
  upload_spools: integer({
    default: 8,
    min: 0,
    max: 10_000,
    help: "Maximum number of concurrent uploads whose tokens follow the file; further ones are refused with 503 `busy`.",
  }),
  upload_spool_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * GiB,
    help: "Disk space for uploads whose tokens follow the file, all together.",
  }),
  upload_spool_rate_bytes: bytes({
    default: 16 * KiB,
    min: 0,
    max: GiB,
    help: "Minimum rate of an upload whose tokens follow the file. One that is upload_idle_seconds behind is given up; one that is three seconds behind makes room for another.",
  }),
  upload_spool_seconds: integer({
    default: 7200,
    min: 1,
    max: 86_400,
    unit: "seconds",
    help: "Time limit of an upload whose tokens follow the file.",
  }),

  // Images.
  image_strict: choice(["on", "off"], {
    default: "off",
    help: "Whether invalid image arguments are refused; by default they are ignored.",
  }),
  image_presets: text({
    default: "",
    accepted: "presets as thumb:w=200&h=200&fit=crop, separated by semicolons",
    pattern: /^[\w-]+:[^;]*(;\s*[\w-]+:[^;]*)*;?$/,
    isText: isRead(parseImagePresets),
    help: "Named sets of image arguments, used as p=thumb.",
  }),
  image_public: list({
    default: [],
    isItem: (item) => /^[\w-]+$/.test(item),
    accepted: "names of image_presets, separated by commas",
    help: "Presets that need no token, with dpr from 1 to 3: everybody can fetch every picture of the uploads in them.",
  }),
  image_defaults: text({
    default: "",
    accepted: "arguments as fm=webp&q=80",
    isText: isRead(parseImageDefaults),
    help: "Default image arguments. With any, every image is re-encoded.",
  }),
  image_marks: text({
    default: "watermarks",
    accepted: "a folder of the uploads",
    isText: isRead(parseImageMarks),
    help: "Folder of the uploads that holds the watermarks.",
  }),
  image_max_age_seconds: integer({
    default: 3600,
    min: 0,
    max: 31_536_000,
    unit: "seconds",
    help: "The max-age of images whose address has no version.",
  }),
  rendition_cache_bytes: bytes({
    default: GiB,
    min: 0,
    max: 1024 * 1024 * GiB,
    help: "Size of the disk cache of generated images; the least recently used are evicted.",
  }),
  render_workers: integer({
    default: 2,
    min: 1,
    max: 256,
    help: "Number of drawing processes.",
  }),
  render_queue_max: integer({
    default: 100,
    min: 0,
    max: 100_000,
    help: "Maximum number of images waiting to be drawn; further requests are refused with 503 `busy`.",
  }),
  render_timeout_seconds: integer({
    default: 10,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "Processor time limit of one image; then 422 `image_too_costly`. If a busy machine does not give it that much within three times as long, the reply is 503 `busy`.",
  }),
  render_svg_timeout_seconds: integer({
    default: 4,
    min: 1,
    max: 600,
    unit: "seconds",
    help: "The same for an SVG, where a few bytes can ask for any amount of work. SVGs are drawn one at a time, in a process of their own.",
  }),
  render_memory_bytes: bytes({
    default: 768 * MiB,
    min: 64 * MiB,
    max: 1024 * GiB,
    help: "Memory limit of a drawing process; then 422 `image_too_costly`.",
  }),
  render_max_pixels: integer({
    default: 40_000_000,
    min: 1,
    max: 67_108_864,
    unit: "pixels",
    help: "Maximum width times height of a generated image; larger requests are scaled down.",
  }),

  // Agents.
  mcp: choice(["on", "off"], {
    default: "on",
    help: "Whether agents are answered at /mcp (Model Context Protocol), with what their tokens may do; without a token it answers 401.",
  }),

  // The admin page.
  admin_page: choice(["on", "off"], { default: "on", help: "Whether the admin page is served at /admin." }),
  admin_session_hours: integer({
    default: 12,
    min: 1,
    max: 720,
    unit: "hours",
    help: "Lifetime of a session of the admin page.",
  }),
  admin_sessions_max: integer({
    default: 50,
    min: 1,
    max: 10_000,
    help: "Maximum number of live sessions of one person or one management token; a further one ends the oldest.",
  }),
  token_sign_in: choice(["on", "off"], {
    default: "on",
    help: "Whether a management and an access token, and a sign-in link without a person, sign in to the admin page beside people.",
  }),

  // Webhooks.
  webhook_private: choice(["on", "off"], {
    default: "off",
    help: "Whether webhooks may go to addresses of private networks, and of this machine, there also without TLS.",
  }),

  // Sign-in by an issuer (OpenID Connect), and mail.
  oidc_issuer: text({
    default: "",
    isText: isIssuer,
    accepted: "an https address without user, query and fragment; http only on 127.0.0.1, ::1 and localhost",
    help: "Issuer of OpenID Connect that people sign in with, as it names itself: `iss` of its tokens. Its description is read at `/.well-known/openid-configuration` below it; the redirect address to register there is `/admin/session/oidc/back` below public_url.",
  }),
  oidc_client_id: text({ default: "", help: "Id of this service as the issuer's client." }),
  oidc_client_secret: text({ default: "", secret: true, help: "Secret of that client." }),
  oidc_role_claim: text({
    default: "",
    pattern: /^\S{1,200}$/,
    accepted: "the name of a claim, or a path as realm_access.roles",
    help: "Claim of the issuer that names a person's role; of a list, the first that is one. It is read at each sign-in, and wins over the role given here.",
  }),
  oidc_trust_email: choice(["on", "off"], {
    default: "off",
    help: "Whether every email address of the issuer counts as verified, for those that do not say `email_verified`, as Entra ID and Authentik. Only for an issuer at which nobody can set an address that is not theirs: it binds whoever comes with the address of an open invitation.",
  }),
  smtp_url: text({
    default: "",
    secret: true,
    isText: isMailServer,
    accepted: "an address as smtps://user:password@mail.example.org:465?from=octavo@example.org",
    help: "Mail server that sends invitations and resets; without it their links are shown to copy. smtps:// is TLS from the start; smtp:// takes TLS where it is offered, and needs it for a password, except on this machine. `from` is the sender's address; by default the user if that is one.",
  }),

  // Refusals and timeouts.
  auth_failures_per_minute: integer({
    default: 200,
    min: 0,
    max: 1_000_000,
    help: "Failed authentications of one address per minute before it gets 429; 0 disables the limit, and the delays after failed sign-ins of people.",
  }),
  limit_token: rate("token or person"),
  limit_address: rate("address (IPv6: network of 64 bits)"),
  audit_addresses: choice(["on", "off"], {
    default: "off",
    help: "Whether events of the log keep the address of the client that wrote.",
  }),
  request_timeout_seconds: integer({
    default: 30,
    min: 1,
    max: 3600,
    unit: "seconds",
    help: "Time a request has to arrive completely.",
  }),
  shutdown_seconds: integer({
    default: 10,
    min: 0,
    max: 3600,
    unit: "seconds",
    help: "Time running requests have to finish when the service stops.",
  }),
};

/**
 * Settings that were, each with the reason why it has no effect any more. A flag, a variable or a file that names one is
 * accepted, whatever its value is, so that an upgrade starts; the command line says so.
 */
export const retiredSettings: Readonly<Record<string, string>> = {
  list_cache_bytes: "replies of lists are no longer kept",
};

/** All settings, by their names in camel case; frozen. */
export type Settings = SettingsOf<typeof settingRows>;

/** The settings from flags, environment and file, in this order of precedence. Throws SettingsError: every fault. */
export function readSettings(sources: SettingSources): Settings {
  return toSettings<typeof settingRows>(explainSettings(sources));
}

/** The same, with the source of each value. Throws SettingsError. */
export function explainSettings(sources: SettingSources): SettingState[] {
  return readRows(settingRows, withoutNames(Object.keys(retiredSettings), sources), faultsBetween);
}

/** A sentence for each retired setting that the sources name: where, and why it can be removed there. */
export function retiredSentences(sources: SettingSources): string[] {
  return Object.entries(retiredSettings).flatMap(([name, reason]) => {
    const places = placesOf(name, sources);
    return places.length === 0 ? [] : [`${name} (${places.join(", ")}) has no effect any more: ${reason}`];
  });
}

const bucketNames = ["s3_endpoint", "s3_bucket", "s3_access_key", "s3_secret_key"] as const;
const issuerNames = ["oidc_issuer", "oidc_client_id", "oidc_client_secret"] as const;

type States = ReadonlyMap<string, SettingState>;

const isSet = (states: States, name: string): boolean => states.get(name)?.from !== "default";

function faultsBetween(states: States): string[] {
  return [
    ...bucketFaults(states),
    ...togetherFaults(states, issuerNames),
    ...claimFaults(states),
    ...presetFaults(states),
  ];
}

/** A bucket needs all four of them; without a bucket `renditions_store` cannot be `s3`. */
function bucketFaults(states: States): string[] {
  const renditions = states.get("renditions_store");
  if (bucketNames.some((name) => isSet(states, name))) return togetherFaults(states, bucketNames);
  if (renditions?.value !== "s3") return [];
  return [`renditions_store: ${renditions.from} was "s3"; expected disk where s3_endpoint is not set`];
}

/** All of these names are set, or none. */
function togetherFaults(states: States, names: readonly string[]): string[] {
  const first = names.find((name) => isSet(states, name));
  const missing = first === undefined ? [] : names.filter((name) => !isSet(states, name));
  return missing.map((name) => `${name}: it is not set; expected it beside ${first}`);
}

function claimFaults(states: States): string[] {
  const areThere = issuerNames.some((name) => isSet(states, name));
  const beside = ["oidc_role_claim", "oidc_trust_email"].filter((name) => isSet(states, name));
  if (areThere) return [];
  return beside.map((name) => `oidc_issuer: it is not set; expected it beside ${name}`);
}

/** A misspelt preset would be found only by those who see no picture. */
function presetFaults(states: States): string[] {
  const [named, presets] = [states.get("image_public"), states.get("image_presets")];
  const known = parseImagePresets(String(presets?.value ?? ""));
  const missing = ((named?.value ?? []) as readonly string[]).filter((name) => !known.has(name));
  return missing.map((name) => `image_public: ${named?.from} was "${name}"; expected names of image_presets`);
}

// ---------------------------------------------------------------------------------------------- addresses

/** The identifier of an issuer (OpenID Connect Discovery 1.0 §3). It is compared as it is, so nothing is normalised. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#@\s]/.test(text)) return false;
  const { protocol, hostname } = new URL(text);
  return /^https:\/\/./i.test(text) || (protocol === "http:" && /^http:\/\//i.test(text) && isLoopback(hostname));
}

function isMailServer(text: string): boolean {
  if (!/^smtps?:\/\/[^\s]+$/i.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, hash, searchParams } = new URL(text);
  const isBare = hostname !== "" && hash === "" && (pathname === "" || pathname === "/");
  return isBare && [...searchParams].every(([name, value]) => name === "from" && value.includes("@"));
}

// ---------------------------------------------------------------------------------------------- image arguments

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

/** True when the text can be parsed. */
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
