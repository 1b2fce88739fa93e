import { readHeifSize } from "./heif-header.ts";
import type { PixelSize, ReadAt } from "./read-at.ts";
import { readDirectory } from "./tiff-directory.ts";

export type { PixelSize, ReadAt } from "./read-at.ts";

/**
 * Pixel sizes from the headers of pictures, as stored: applies neither an EXIF orientation nor a rotation box. Needs a
 * few short reads, at any offset of the file; decodes no picture.
 *
 * Written by hand, since the package image-size needs all bytes up to the header in one buffer (a JPEG may have many
 * MiB of ICC and EXIF before it) and answers the crop of the first item for AVIF and HEIC, which need not be the
 * picture.
 */

export type ImageHeader = PixelSize & { isColor: boolean };

// A segment holds at most 64 KiB: this is enough for 256 MiB of profiles, and bounds a file of empty segments.
const maxJpegSegments = 4096;

const readers: Record<string, (read: ReadAt) => Promise<ImageHeader | undefined>> = {
  "image/jpeg": readJpeg,
  "image/png": readPng,
  "image/apng": readPng,
  "image/gif": readGif,
  "image/webp": readWebp,
  "image/x-icon": readIcon,
  "image/bmp": readBitmap,
  "image/tiff": readTiff,
  "image/avif": readHeif,
  "image/heic": readHeif,
  "image/heif": readHeif,
  "image/heic-sequence": readHeif,
  "image/heif-sequence": readHeif,
};

/**
 * The size in the header of a picture of this media type; undefined for another type and for a header that is cut off,
 * damaged or without a size. `isColor` is false for a JPEG with one component and for a greyscale PNG or TIFF.
 */
export async function readImageHeader(type: string, read: ReadAt): Promise<ImageHeader | undefined> {
  const header = await unlessCutOff(async () => readers[type]?.(read));
  if (!header || !isPixels(header.width) || !isPixels(header.height)) return undefined;
  return header;
}

const isPixels = (size: number): boolean => Number.isSafeInteger(size) && size > 0;

/** A read past the available bytes, a RangeError of Buffer, means that the header is incomplete. */
async function unlessCutOff<T>(reading: () => Promise<T>): Promise<T | undefined> {
  try {
    return await reading();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Walks the segments up to the start of frame. ITU-T T.81 annex B. */
async function readJpeg(read: ReadAt): Promise<ImageHeader | undefined> {
  let at = 2;
  for (let count = 0; count < maxJpegSegments; count++) {
    const head = await read(at, 10);
    const marker = head.readUInt8(1);
    if (head.readUInt8(0) !== 0xff || marker === 0xda || marker === 0xd9) return undefined;
    if (isStartOfFrame(marker)) {
      return { height: head.readUInt16BE(5), width: head.readUInt16BE(7), isColor: head.readUInt8(9) !== 1 };
    }
    // A marker may be preceded by any number of fill bytes, and a few markers have no length.
    if (marker === 0xff) at += 1;
    else at += isBare(marker) ? 2 : 2 + Math.max(2, head.readUInt16BE(2));
  }
  return undefined;
}

/** SOF0 to SOF15, without the tables and the reserved marker between them: DHT, JPG, DAC. */
const isStartOfFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** The first chunk, after Apple's own one if that is present. PNG, third edition, 11.2.1. */
async function readPng(read: ReadAt): Promise<ImageHeader | undefined> {
  const head = await read(8, 48);
  const at = head.toString("latin1", 4, 8) === "CgBI" ? 12 + head.readUInt32BE(0) : 0;
  if (head.toString("latin1", at + 4, at + 8) !== "IHDR") return undefined;
  const colourType = head.readUInt8(at + 17);
  return {
    width: head.readUInt32BE(at + 8),
    height: head.readUInt32BE(at + 12),
    isColor: colourType !== 0 && colourType !== 4,
  };
}

/** The logical screen, which contains all frames. GIF89a §18. */
async function readGif(read: ReadAt): Promise<ImageHeader> {
  const head = await read(0, 10);
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8), isColor: true };
}

/** RFC 9649 §2.5 to 2.7. */
async function readWebp(read: ReadAt): Promise<ImageHeader | undefined> {
  const head = await read(0, 30);
  const size = webpSize(head.toString("latin1", 12, 16), head.subarray(20));
  return size && { ...size, isColor: true };
}

function webpSize(chunk: string, data: Buffer): PixelSize | undefined {
  if (chunk === "VP8X") return { width: 1 + data.readUIntLE(4, 3), height: 1 + data.readUIntLE(7, 3) };
  if (chunk === "VP8L" && data.readUInt8(0) === 0x2f) {
    const bits = data.readUInt32LE(1);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  // The start code of a key frame; the upper two bits of a size are a scaling hint. RFC 6386 §9.1.
  if (chunk !== "VP8 " || data.readUIntBE(3, 3) !== 0x9d012a) return undefined;
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** The largest picture of an icon. A size of 0 in its table means 256. */
async function readIcon(read: ReadAt): Promise<ImageHeader | undefined> {
  const count = (await read(0, 6)).readUInt16LE(4);
  const table = await read(6, Math.min(count, 256) * 16);
  let largest: ImageHeader | undefined;
  for (let at = 0; at < table.length; at += 16) {
    const [width, height] = [table.readUInt8(at) || 256, table.readUInt8(at + 1) || 256];
    if (!largest || width * height > largest.width * largest.height) largest = { width, height, isColor: true };
  }
  return largest;
}

/** A negative height means that the rows run from top to bottom. A header of 12 bytes is that of OS/2. */
async function readBitmap(read: ReadAt): Promise<ImageHeader> {
  const head = await read(14, 12);
  if (head.readUInt32LE(0) === 12) return { width: head.readUInt16LE(4), height: head.readUInt16LE(6), isColor: true };
  return { width: head.readInt32LE(4), height: Math.abs(head.readInt32LE(8)), isColor: true };
}

/** The first picture. TIFF 6.0 §8. */
async function readTiff(read: ReadAt): Promise<ImageHeader | undefined> {
  const values = await readDirectory(read);
  const [width, height] = [values.get(0x0100), values.get(0x0101)];
  if (width === undefined || height === undefined) return undefined;
  // PhotometricInterpretation: 0 and 1 are greyscale.
  return { width, height, isColor: (values.get(0x0106) ?? 2) > 1 };
}

async function readHeif(read: ReadAt): Promise<ImageHeader | undefined> {
  const size = await readHeifSize(read);
  return size && { ...size, isColor: true };
}
