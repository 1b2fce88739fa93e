import { bytes, choice, integer, isAddressBlock, list, text, webAddress, words } from "../lib/setting.ts";
import { GiB, KiB, MiB } from "../lib/size.ts";
import { groupHeaders } from "../list/cache-group.ts";

/** The settings of requests and replies. */

const rate = (whose: string) =>
  text({
    default: "off",
    pattern: /^[1-9]\d{0,5},[1-9]\d{0,5}$/,
    accepted: "off, or requests a second and requests at once, as 10,50",
    help: `Requests of one ${whose} a second, and at once; more get 429 \`too_many_requests\`. Each process counts by itself.`,
  });

/** Network, processes and log. */
export const networkSettings = {
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
    isText: (text) =>
      /^https?:\/\/[^\s]*\{id\}/i.test(text) && URL.canParse(text.replaceAll(/\{(id|token|locale)\}/g, "x")),
    accepted: "an http or https address with {id}, as https://example.org/preview?id={id}&token={token}",
    help: "Where a site shows an entry that is not published: the preview button of the admin page opens it. {id} becomes the entry's id, {token} a preview token for it that is good for an hour, {locale} the language that is previewed, of those of `locales`.",
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
};

/** Replies. */
export const replySettings = {
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
};

/** Refusals and timeouts. */
export const refusalSettings = {
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
