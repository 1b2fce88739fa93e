/**
 * The EXIF orientation of a JPEG, 1 to 8, from its first bytes; 1 if there is none that can be read. Exif 2.32, 4.5.5
 * and 4.6.4 A: the segment precedes the image data, and its first directory holds the orientation.
 */
export function readOrientation(head: Buffer): number {
  try {
    const exif = findExif(head);
    return exif === undefined ? 1 : orientationIn(exif);
  } catch (error) {
    // A read past the available bytes: the segment is damaged, or starts later in the file.
    if (error instanceof RangeError) return 1;
    throw error;
  }
}

/** The EXIF data in the first APP1 segment that has any. */
function findExif(jpeg: Buffer): Buffer | undefined {
  for (let at = 2; jpeg.readUInt8(at) === 0xff; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg.readUInt8(at + 1);
    // Start of scan: no segments follow.
    if (marker === 0xda) return undefined;
    if (marker === 0xe1 && jpeg.toString("latin1", at + 4, at + 10) === "Exif\0\0") return jpeg.subarray(at + 10);
  }
  return undefined;
}

/** TIFF 6.0 §2: byte order, offset of the directory, its entries of 12 bytes. */
function orientationIn(tiff: Buffer): number {
  const isLittle = tiff.readUInt16BE(0) === 0x4949;
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const count = short(directory);
  for (let entry = directory + 2; entry < directory + 2 + count * 12; entry += 12) {
    if (short(entry) !== 0x0112) continue;
    const orientation = short(entry + 8);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
  }
  return 1;
}
