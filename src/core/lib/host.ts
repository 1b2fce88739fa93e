/** Hosts of URLs, and IP addresses. */

/** The local address of a service that listens on all addresses. */
export const localUrl = (url: string): string =>
  url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");

/**
 * True for a host of a URL that is this machine: `localhost`, 127.0.0.0/8, `[::1]`. Of a URL's `hostname`, whose other
 * ways to write an address (`127.1`, `0x7f.1`) are resolved.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);

/** A link to this machine at the name with which browsers have passkeys: at an address they have none. */
export function atLocalhost(link: string): string {
  const url = new URL(link);
  return isLoopback(url.hostname) ? link.replace(`//${url.host}`, `//localhost${url.port && `:${url.port}`}`) : link;
}

/** An address as a number of 32 or 128 bits. */
export type Ip = { bits: 32 | 128; value: bigint };

/** Undefined for a text that is no IP address, and for one with a zone. IPv4 addresses are four decimal numbers. */
export function parseIp(text: string): Ip | undefined {
  const value = text.includes(":") ? parseIp6(text) : parseIp4(text);
  return value === undefined ? undefined : { bits: text.includes(":") ? 128 : 32, value };
}

function parseIp4(text: string): bigint | undefined {
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text)) return undefined;
  const numbers = text.split(".").map(Number);
  if (numbers.some((number) => number > 255)) return undefined;
  return numbers.reduce((all, number) => all * 256n + BigInt(number), 0n);
}

/** The last two groups may be an IPv4 address, as resolvers answer it. */
function parseIp6(text: string): bigint | undefined {
  const tail = /(?<=:)[\d.]+\.[\d.]+$/.exec(text)?.[0];
  const last = tail === undefined ? undefined : parseIp4(tail);
  if (tail !== undefined && last === undefined) return undefined;
  const groups =
    last === undefined ? text : `${text.slice(0, -(tail as string).length)}${hex(last >> 16n)}:${hex(last & 0xffffn)}`;
  const parts = groups.split("::");
  if (parts.length > 2 || !/^[\da-f:]*$/i.test(groups)) return undefined;
  const [before = [], after = []] = parts.map((part) => (part === "" ? [] : part.split(":")));
  const missing = 8 - before.length - after.length;
  if (parts.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const all = [...before, ...Array<string>(parts.length === 1 ? 0 : missing).fill("0"), ...after];
  if (all.some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

const hex = (value: bigint): string => value.toString(16);
