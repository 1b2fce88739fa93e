import { readFileSync } from "node:fs";
import { type Answer, tagOf } from "./reply.ts";

/** What the pages below /docs are made of. */

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

/** Made at the first call and kept. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
