import type { ReadAt } from "./read-at.ts";

/** Enough for any directory of a real picture; a tag behind them counts as missing. */
const maxEntries = 1000;

/**
 * The first number of each tag in the first directory of a TIFF, or of EXIF data, which are one. TIFF 6.0 §2: byte
 * order, offset of the directory, its entries of 12 bytes. Throws RangeError where it is cut off.
 */
export async function readDirectory(read: ReadAt): Promise<Map<number, number>> {
  const head = await read(0, 8);
  const isLittle = head.readUInt16BE(0) === 0x4949;
  const short = (bytes: Buffer, at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (bytes: Buffer, at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const directory = long(head, 4);
  const count = Math.min(short(await read(directory, 2), 0), maxEntries);
  const entries = await read(directory + 2, count * 12);
  const values = new Map<number, number>();
  for (let at = 0; at + 12 <= entries.length; at += 12) {
    values.set(short(entries, at), short(entries, at + 2) === 3 ? short(entries, at + 8) : long(entries, at + 8));
  }
  return values;
}
