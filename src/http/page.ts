import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Answer, tagOf } from "./reply.ts";

/** What the pages are made of that the service serves to people: /admin and /docs. */

export const htmlType = "text/html; charset=utf-8";
export const htmlHeaders = [...["X-Frame-Options", "DENY"], ...["Cross-Origin-Opener-Policy", "same-origin"]];

/** A file of assets/docs. */
export const docsFile = (name: string): Buffer => readFileSync(new URL(`../../assets/docs/${name}`, import.meta.url));

/** A file as it is answered: for ever when `isHashed`, since its address changes with its bytes. */
export const asset = (body: Buffer, contentType: string, isHashed = true): Answer => ({
  status: 200,
  body,
  contentType,
  tag: tagOf(body),
  cacheControl: isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600",
  coded: {},
});

/**
 * A page whose scripts run by nonce alone. `html` has `octavo-nonce` wherever each reply puts one of its own, as
 * admin/vite.config.ts and assets/docs/reference.html say; `policy` is the Content-Security-Policy with it.
 */
export function noncePage(html: string, policy: (nonce: string) => string, headers: readonly string[]): Answer {
  const nonce = randomBytes(16).toString("base64url");
  return {
    status: 200,
    body: html.replaceAll("octavo-nonce", nonce),
    contentType: htmlType,
    // Its nonce is good once; it is small, and what it loads is kept.
    cacheControl: "no-store",
    headers: ["Content-Security-Policy", policy(nonce), ...headers],
  };
}

/** Made at the first call and kept. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
