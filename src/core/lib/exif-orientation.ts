import type { ReadAt } from "./read-at.ts";
import { readDirectory } from "./tiff-directory.ts";

/** EXIF is the first or second segment of a JPEG, of 64 KiB at most, and among the first chunks of a PNG. */
const reach = 130 * 1024;
/** Each is a read of its own, perhaps from a bucket. A still WebP has up to six, in front of XMP. */
const maxChunks = 32;

/** Where the files of a type hold their EXIF data, if anywhere: as a TIFF. */
const finders: Record<string, (read: ReadAt) => Promise<ReadAt | undefined>> = {
  "image/jpeg": async (read) => findInJpeg(await read(0, reach)),
  "image/png": async (read) => findInPng(await read(0, reach)),
  "image/apng": async (read) => findInPng(await read(0, reach)),
  "image/webp": findInWebp,
  "image/tiff": async (read) => read,
};

/**
 * The EXIF orientation of a picture of this media type, 1 to 8, as sharp reads it; 1 if there is none that can be
 * read. An AVIF has none: its rotation is a part of the picture. Exif 2.32, 4.5.5 and 4.6.4 A.
 */
export async function readOrientation(type: string, read: ReadAt): Promise<number> {
  try {
    const exif = await finders[type]?.(read);
    const orientation = exif && (await readDirectory(exif)).get(0x0112);
    return orientation !== undefined && orientation >= 1 && orientation <= 8 ? orientation : 1;
  } catch (error) {
    // A read past the available bytes: the data is damaged, or starts later in the file.
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

const within =
  (bytes: Buffer): ReadAt =>
  async (offset, length) =>
    bytes.subarray(offset, offset + length);

/** The first APP1 segment that has EXIF data. */
function findInJpeg(jpeg: Buffer): ReadAt | undefined {
  for (let at = 2; jpeg.readUInt8(at) === 0xff; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt8(at + 1);
    // Start of scan: no segments follow.
    if (marker === 0xda) return undefined;
    if (marker === 0xe1 && jpeg.toString("latin1", at + 4, at + 10) === "Exif\0\0")
      return within(jpeg.subarray(at + 10));
  }
  return undefined;
}

/** The chunk eXIf, in front of the pixels. PNG, third edition, 11.3.2.5. */
function findInPng(png: Buffer): ReadAt | undefined {
  for (let at = 8; ; at += 12 + png.readUInt32BE(at)) {
    const name = png.toString("latin1", at + 4, at + 8);
    if (name === "eXIf") return within(png.subarray(at + 8));
    if (name === "IDAT") return undefined;
  }
}

/** The chunk EXIF behind the pixels, if the header announces it. RFC 9649 §2.7. Some files have a JPEG's prefix there. */
async function findInWebp(read: ReadAt): Promise<ReadAt | undefined> {
  const head = await read(12, 9);
  if (head.toString("latin1", 0, 4) !== "VP8X" || !(head.readUInt8(8) & 8)) return undefined;
  for (let at = 12, count = 0; count < maxChunks; count++) {
    const chunk = await read(at, 14);
    const start = at + (chunk.toString("latin1", 8) === "Exif\0\0" ? 14 : 8);
    if (chunk.toString("latin1", 0, 4) === "EXIF") return (offset, length) => read(start + offset, length);
    const size = chunk.readUInt32LE(4);
    at += 8 + size + (size % 2);
  }
  return undefined;
}
