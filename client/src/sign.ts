/**
 * Signed URLs that give access to one rendition, or one private file, without a token. For servers only: the key signs
 * everything, so it must never reach a browser.
 */

export type SignOptions = {
  /** The service's setting `signing_key`. */
  key: string;
  /** The expiry of the URL. Default: none. */
  expires?: Date | undefined;
};

/**
 * Signs a URL of `imageUrl()` or `fileUrl()`; removes a token from it. The signature is valid for these
 * arguments only.
 */
export async function signUrl(url: string, { key, expires }: SignOptions): Promise<string> {
  const [address = "", query] = url.split("?", 2);
  const args = [...new URLSearchParams(query)].filter(([name]) => name !== "token" && name !== "s");
  if (expires) args.push(["expires", String(Math.floor(expires.getTime() / 1000))]);
  const pairs = args.map((pair) => pair.map(encode).join("=")).sort();
  const path = decodeURIComponent(address.replace(/^.*?\/(?:api\/images|project\/uploads)\//, ""));
  const s = await hmac(key, `${path.normalize("NFC")}\n${pairs.join("&")}`);
  return `${address}?${[...pairs, `s=${s}`].join("&")}`;
}

/** RFC 3986: encodes everything but letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

async function hmac(key: string, text: string): Promise<string> {
  const bytes = (value: string) => new TextEncoder().encode(value);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytes(key), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes(text)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
