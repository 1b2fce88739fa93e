import { type Ip, parseIp } from "../core/lib/host.ts";
import { problem } from "./problems.ts";

/**
 * Which addresses deliveries go to. A webhook makes the service send requests, so an address inside the operator's network
 * is refused unless the setting `webhook_private` is on. Contract, part three, §12, Webhooks.
 */

/**
 * What an IP address is: anybody's, this machine's, one of a private network, or one that nothing is sent to: unspecified,
 * link-local (where clouds answer with credentials), multicast, reserved, or an IPv4 address in an IPv6 address, which would
 * go around this table.
 */
export type AddressClass = "public" | "loopback" | "private" | "refused";

/** Whether an address is in one of the blocks. */
function within(...blocks: string[]): (ip: Ip) => boolean {
  const parsed = blocks.map((block) => {
    const [address = "", prefix] = block.split("/");
    const { bits, value } = parseIp(address) as Ip;
    const shift = BigInt(bits - Number(prefix));
    return { bits, shift, start: value >> shift };
  });
  return ({ bits, value }) => parsed.some((block) => block.bits === bits && value >> block.shift === block.start);
}

const isLoopbackIp = within("127.0.0.0/8", "::1/128");
const isOfNetwork = within("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7");
/** Of IPv6 only this is anybody's: what is outside is mapped, compatible, translated, link-local, multicast or not given out. */
const isGlobal = within("0.0.0.0/0", "2000::/3");
/** What in it is a tunnel, a translation, an example, or nobody's. RFC 6890. */
const isReserved = within(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
);

/** A text that is no IP address, or one with a zone, is refused. */
export function classOf(address: string): AddressClass {
  const ip = parseIp(address);
  if (!ip) return "refused";
  if (isLoopbackIp(ip)) return "loopback";
  if (isOfNetwork(ip)) return "private";
  return isGlobal(ip) && !isReserved(ip) ? "public" : "refused";
}

/** How a delivery goes to its address. */
export type Route = {
  /** With TLS: without it nothing leaves this machine. */
  isSecure: boolean;
  /** The setting `webhook_private`. */
  isPrivate: boolean;
};

export function mayConnect(address: string, { isSecure, isPrivate }: Route): boolean {
  const found = classOf(address);
  if (found === "loopback") return isPrivate;
  if (found === "private") return isPrivate && isSecure;
  return found === "public" && isSecure;
}

/** The host of a URL as an IP address, or undefined for a name. */
export function literalOf({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return parseIp(host) ? host : undefined;
}

/** Names that are this machine wherever they are resolved. RFC 6761 §6.3. */
const isLocalName = (host: string): boolean =>
  /(^|\.)localhost\.?$/.test(host) || /^localhost\.localdomain\.?$/.test(host);

const maxUrlLength = 2000;

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const isSecureUrl = (url: URL): boolean => url.protocol === "https:";

/**
 * The address of a webhook as it is stored, without asking what its name resolves to. Throws argument_invalid,
 * webhook_address_refused.
 */
export function parseWebhookUrl(text: string, isPrivate: boolean): URL {
  const accepted = `an https address of at most ${maxUrlLength} characters, without user and fragment`;
  const invalid = () => problem("argument_invalid", { argument: "url", received: text, accepted });
  // Without backslashes, spaces and control characters, which parsers of URLs read differently.
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) throw invalid();
  const url = new URL(text);
  // As it is stored: what is not ASCII is longer there.
  if (url.href.length > maxUrlLength) throw invalid();
  if (!["https:", "http:"].includes(url.protocol) || !/^https?:\/\/[^/]/i.test(text)) throw invalid();
  if (url.username !== "" || url.password !== "" || text.includes("#") || url.port === "0") throw invalid();
  const literal = literalOf(url);
  const isSecure = isSecureUrl(url);
  const isLocal = isLocalName(url.hostname);
  const isGood =
    literal === undefined ? (isLocal ? isPrivate : isSecure) : mayConnect(literal, { isSecure, isPrivate });
  if (!isGood) throw addressRefused(text);
  return url;
}

/**
 * The same, and refuses a name that resolves to an address that deliveries do not go to. One that does not resolve is
 * accepted: it may later, and each delivery checks.
 */
export async function checkWebhookUrl(text: string, isPrivate: boolean, resolve: Resolve): Promise<string> {
  const url = parseWebhookUrl(text, isPrivate);
  if (literalOf(url) === undefined) {
    const route = { isSecure: isSecureUrl(url), isPrivate };
    const addresses = await resolve(url.hostname).catch(() => []);
    if (addresses.some((address) => !mayConnect(address, route))) throw addressRefused(text);
  }
  return url.href;
}

const addressRefused = (url: string) => problem("webhook_address_refused", { argument: "url", received: url });
