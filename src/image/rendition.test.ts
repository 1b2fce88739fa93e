import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readAccept } from "../core/lib/accept.ts";
import { chooseFormat, formatFor } from "./rendition.ts";

const chrome = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";

/** Type of the source image, Accept, the format of `fm=auto`. */
const cases: [type: string, accept: string | undefined, format: string][] = [
  ["image/jpeg", chrome, "avif"],
  ["image/jpeg", "image/webp,image/avif", "avif"],
  ["image/jpeg", "image/webp;q=0.9,image/avif;q=0.9,*/*;q=0.8", "avif"],
  ["image/jpeg", "image/avif;q=0.5,image/webp", "webp"],
  ["image/jpeg", "image/avif;q=0.5,image/webp;q=0.7,*/*;q=0.6", "webp"],
  ["image/jpeg", "image/avif;q=0.5,image/webp;q=0.5,image/jpeg", "jpg"],
  ["image/png", "image/avif;q=0.5,*/*", "png"],
  ["image/png", "image/avif;q=0.5, image/jpeg;q=0.9, image/png;q=0.8", "jpg"],
  ["image/png", "image/png;q=0.1,image/*;q=0.2", "jpg"],
  ["image/jpeg", "IMAGE/WEBP ; Q=1.000 , image/jpeg ; q=0.999", "webp"],
  ["image/jpeg", "image/webp;level=1;q=0.4,image/jpeg;q=0.5", "jpg"],
  ["image/jpeg", "image/jpeg;q=0, image/*", "png"],
  ["image/jpeg", "image/avif;q=0.000,image/webp;q=0,*/*", "jpg"],
  ["image/jpeg", "image/webp;q=0.001", "webp"],
  // A media range does not prove support: AVIF and WebP must be named.
  ["image/jpeg", "image/*", "jpg"],
  ["image/jpeg", "*/*", "jpg"],
  ["image/jpeg", undefined, "jpg"],
  // An invalid weight is ignored.
  ["image/jpeg", "image/webp;q=high,image/jpeg;q=0.9", "webp"],
  ["image/jpeg", "image/webp;q=7,image/jpeg", "webp"],
  // Nothing matches: the default format.
  ["image/png", "text/html", "png"],
  ["image/png", "", "png"],
  ["image/tiff", "image/tiff", "jpg"],
  // A possible animation is not converted to AVIF, which would lose its frames.
  ["image/gif", chrome, "webp"],
  ["image/gif", "image/avif,image/gif", "gif"],
  ["image/webp", "image/avif,image/*;q=0.5", "webp"],
];

describe("auto follows the client's preference", () => {
  for (const [type, accept, format] of cases) {
    test(`${type} for ${accept} is ${format}`, () =>
      assert.equal(
        chooseFormat("auto", type, () => readAccept(accept)),
        format,
      ));
  }
});

test("an interlaced JPEG is progressive, whether its format was named or negotiated", () => {
  const plain = { or: "auto", fit: { kind: "contain" }, dpr: 1 } as const;
  const formats = (["jpg", "pjpg", "png", "auto", undefined] as const).map((fm) => [
    formatFor({ ...plain, fm }, "image/jpeg", () => readAccept(undefined)),
    formatFor({ ...plain, fm, interlace: true }, "image/jpeg", () => readAccept(undefined)),
  ]);
  assert.equal(formats.join(" "), "jpg,pjpg pjpg,pjpg png,png jpg,pjpg jpg,pjpg");
});

test("a named format ignores Accept", () => {
  assert.equal(
    chooseFormat("png", "image/jpeg", () => readAccept("image/webp")),
    "png",
  );
  assert.equal(
    chooseFormat(undefined, "image/jpeg", () => readAccept("image/webp")),
    "jpg",
  );
});
