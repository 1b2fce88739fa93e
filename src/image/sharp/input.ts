import { open, readFile } from "node:fs/promises";
import sharp, { type Sharp, type SharpOptions } from "sharp";
import { isCutPng, pngEndBytes } from "../../core/lib/png-end.ts";
import { svgInput } from "./svg.ts";

/** What sharp reads: the file, or its bytes where sharp would not draw the file as it is. The density is that of SVGs. */
export type Input = Readonly<{ from: string | Buffer; density?: number }>;

/** Begins to read it. */
export const begin = ({ from, density }: Input, options: SharpOptions): Sharp => sharp(from, { ...options, density });

/** The input for a file of this format, by sharp's name. */
export async function readSource(file: string, format: string): Promise<Input> {
  // From memory librsvg has no base folder: no file and no address is ever opened.
  if (format === "svg") return svgInput(await readFile(file));
  if (format === "heif" && isSequence(await readPart(file, 0, brandBytes))) return readMark(file);
  return { from: file };
}

/** The input for a watermark, of any format. */
export const readMark = async (file: string): Promise<Input> => ({ from: asStill(await readFile(file)) });

/** Whether the input, a PNG, ends early. */
export async function isCut({ from }: Input): Promise<boolean> {
  const end = Buffer.isBuffer(from) ? from.subarray(-pngEndBytes) : readPart(from, -pngEndBytes, pngEndBytes);
  return isCutPng(await end);
}

const brandBytes = 12;
/** An animated AVIF. AV1 Image File Format, 6.3. */
const isSequence = (bytes: Buffer): boolean => bytes.toString("latin1", 4, brandBytes) === "ftypavis";

/** libvips does not know the brand of sequences, but libheif draws the still picture that is in front of the frames. */
function asStill(bytes: Buffer): Buffer {
  if (isSequence(bytes)) bytes.write("avif", 8, "latin1");
  return bytes;
}

/** At most `length` bytes; an offset below 0 counts from the end. */
async function readPart(file: string, offset: number, length: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const start = offset < 0 ? Math.max(0, (await handle.stat()).size + offset) : offset;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
