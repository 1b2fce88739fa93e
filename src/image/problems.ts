import { addProblems } from "../core/problem.ts";
import { type Named, quote, row } from "../core/problem-row.ts";
import "../file/problems.ts";

/** The failures of pictures. */

export const imageProblems = addProblems({
  signature_invalid: row(
    "forbidden",
    "Signature invalid",
    (p: { rule: string }) => `"s" is no signature of this address: ${p.rule}`,
    "s",
  ),
  image_too_large: row(
    "too_large",
    "Image too large",
    (p: Named & { limit: number; received?: string }) =>
      `"${p.argument}" is an image ${p.received === undefined ? "of too many" : `of ${p.received}`} pixels; expected at most ${p.limit} in all`,
  ),
  image_unreadable: row(
    "unprocessable",
    "Image unreadable",
    (p: Named) => `"${p.argument}" is an image that cannot be read; expected an intact one`,
  ),
  image_unsupported: row(
    "unsupported",
    "Image not supported",
    (p: Named & { received: string }) =>
      `"${p.argument}" is a file of type ${quote(p.received)}; expected a JPEG, PNG, GIF, WebP, AVIF, TIFF or SVG`,
  ),
  image_too_costly: row(
    "unprocessable",
    "Image too costly",
    (p: { reason: string }) => `The image could not be made within the bounds of the service: ${p.reason}`,
  ),
});

declare module "../core/problem.ts" {
  interface Problems extends RowsOf<typeof imageProblems> {}
}

export { problem } from "../core/problem.ts";
