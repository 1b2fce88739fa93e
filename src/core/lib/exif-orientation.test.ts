import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { readOrientation } from "./exif-orientation.ts";

const lying = (orientation: number) =>
  sharp({ create: { width: 8, height: 6, channels: 3, background: "#c04020" } }).withMetadata({ orientation });
const encoders: Record<string, (orientation: number) => Promise<Buffer>> = {
  "image/jpeg": (n) => lying(n).jpeg().toBuffer(),
  "image/png": (n) => lying(n).png().toBuffer(),
  "image/webp": (n) => lying(n).webp().toBuffer(),
  "image/tiff": (n) => lying(n).tiff().toBuffer(),
};
const read = (type: string, bytes: Buffer): Promise<number> =>
  readOrientation(type, async (offset, length) => bytes.subarray(offset, offset + length));

for (const [type, encode] of Object.entries(encoders)) {
  test(`the orientation of ${type} is read, and 1 where it is cut off or damaged`, async () => {
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) assert.equal(await read(type, await encode(n)), n);
    const bytes = await encode(6);
    for (let at = 0; at < bytes.length; at += 3) {
      assert.ok([1, 6].includes(await read(type, bytes.subarray(0, at))), `${at}`);
      const found = await read(type, Buffer.from(bytes).fill(0xff, at, Math.min(at + 3, bytes.length)));
      assert.ok(found >= 1 && found <= 8, `${at} ${found}`);
    }
  });
}

test("the EXIF data of a WebP may begin as in a JPEG; an AVIF has no orientation of its own", async () => {
  const webp = await lying(8).webp().toBuffer();
  const at = webp.indexOf("EXIF", 20);
  assert.ok(at > 0);
  const prefix = Buffer.from("Exif\0\0");
  const bare = webp
    .subarray(at + 8)
    .toString("latin1")
    .replace(/^Exif\0\0/, "");
  for (const data of [Buffer.from(bare, "latin1"), Buffer.concat([prefix, Buffer.from(bare, "latin1")])]) {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(data.length);
    assert.equal(await read("image/webp", Buffer.concat([webp.subarray(0, at + 4), size, data])), 8);
  }
  assert.equal(await read("image/avif", await lying(8).avif({ effort: 0 }).toBuffer()), 1);
});
