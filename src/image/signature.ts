import { createHmac, timingSafeEqual } from "node:crypto";
import type { JsonObject } from "../core/lib/json.ts";
import type { Path } from "../core/path.ts";
import { otherArguments } from "./modifier.ts";
import { problem } from "./problems.ts";

/**
 * Signed addresses, which need no token: `s` is an HMAC-SHA-256, in hex, over the path, a line feed and the arguments.
 * A holder of the key creates them, for a path with these arguments and, with `expires`, for a limited time. Contract
 * §7.
 */

const unsigned = new Set(["s", "token"]);

/**
 * The first name of an image argument, if any. Files and images share the scheme, so an address of the file itself may
 * not have one: its signature was made for a rendition of the image. Decision 11.
 */
export const imageArgumentIn = (names: Iterable<string>): string | undefined =>
  [...names].find((name) => !otherArguments.has(name));

/** The signature of a path with its arguments, without `s` and `token`. */
export function signatureOf(key: string, path: Path, args: Iterable<readonly [string, string]>): string {
  const pairs = [...args].filter(([name]) => !unsigned.has(name)).map((pair) => pair.map(encode).join("="));
  return createHmac("sha256", key)
    .update(`${path}\n${pairs.sort().join("&")}`)
    .digest("hex");
}

/** RFC 3986: everything but letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * True when the arguments hold a valid signature for the path, false when they hold none. Throws signature_invalid when
 * it does not match or has expired.
 */
export function isSigned(key: string, path: Path, args: JsonObject, nowSeconds: number): boolean {
  const sent = args.get("s");
  if (sent === undefined || sent === "") return false;
  const texts = [...args].filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const expected = Buffer.from(signatureOf(key, path, texts));
  const received = Buffer.from(typeof sent === "string" ? sent.toLowerCase() : "");
  // A group or list among the arguments cannot be signed, so it must not be accepted unsigned.
  const isWhole = texts.length === args.size;
  if (!isWhole || received.length !== expected.length || !timingSafeEqual(received, expected)) {
    throw problem("signature_invalid", { rule: "it does not fit the path and the arguments" });
  }
  const expires = args.get("expires");
  if (expires !== undefined && !(typeof expires === "string" && /^\d{1,12}$/.test(expires))) {
    throw problem("signature_invalid", { rule: '"expires" is not Unix seconds' });
  }
  if (expires !== undefined && Number(expires) <= nowSeconds) {
    throw problem("signature_invalid", { rule: "its time is over" });
  }
  return true;
}
