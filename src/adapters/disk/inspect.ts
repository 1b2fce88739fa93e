import { type FileHandle, open } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { canBeText, type Inspection, isRasterImage } from "../../domain/media-type.ts";
import { type ReadAt, readImageHeader } from "../../lib/image-header.ts";
import { JsonCheck } from "../../lib/json-check.ts";

const chunkBytes = 128 * 1024;
// file-type bounds its own looks into containers; this is for what those bounds add up to on a slow disk.
const signatureTimeoutMs = 5000;

type Text = Pick<Inspection, "isText" | "parsesAs" | "image">;
const noText: Text = { isText: false, parsesAs: [], image: undefined };

/**
 * What the bytes of a file on this disk say. A file that has a signature is read at a few places only; another one once
 * from end to end, in constant memory. However strange the bytes, this answers; what throws is a file that cannot be
 * read. Contract §5.
 */
export async function inspectFile(file: string): Promise<Inspection> {
  const handle = await open(file);
  try {
    const { fileTypeFromFile } = await import("file-type");
    return await inspect(readerOf(handle), (options) => fileTypeFromFile(file, options));
  } finally {
    await handle.close();
  }
}

/** The same of a file whose bytes are all in memory. */
export async function inspectBytes(bytes: Buffer, file: string): Promise<Inspection> {
  const { fileTypeFromBuffer, fileTypeFromFile } = await import("file-type");
  const read: ReadAt = async (offset, length) => bytes.subarray(offset, offset + length);
  // Of bytes that end early it says less from memory than from the disk.
  return inspect(
    read,
    async (options) => (await fileTypeFromBuffer(bytes, options)) ?? fileTypeFromFile(file, options),
  );
}

type Sniff = (options: { signal: AbortSignal }) => Promise<{ mime: string } | undefined>;

async function inspect(read: ReadAt, sniff: Sniff): Promise<Inspection> {
  const signature = await signatureOf(read, sniff);
  const text = canBeText(signature) ? await inspectText(read) : noText;
  if (text.isText) return { signature, ...text };
  const isRaster = signature !== undefined && isRasterImage(signature);
  return { ...noText, signature, image: isRaster ? await readImageHeader(signature, read) : undefined };
}

/** Of a short file the rest of the buffer would be bytes that nobody wrote. */
function readerOf(handle: FileHandle): ReadAt {
  return async (offset, length) => {
    if (!Number.isSafeInteger(offset)) return Buffer.alloc(0);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
}

/** Where file-type is content with two or three letters that begin many a text, a few more that the format has. */
const wholeSignatures: Record<string, RegExp> = {
  "image/gif": /^GIF8[79]a/,
  "application/postscript": /^%!PS/,
};

/** Whatever file-type makes of a broken container, the bytes have no signature then. */
async function signatureOf(read: ReadAt, sniff: Sniff): Promise<string | undefined> {
  const found = await sniff({ signal: AbortSignal.timeout(signatureTimeoutMs) }).catch(() => undefined);
  const whole = wholeSignatures[found?.mime ?? ""];
  return whole && !whole.test((await read(0, 6)).toString("latin1")) ? undefined : found?.mime;
}

/** Reads the whole file as text, and as JSON and SVG for as long as it may be one. */
async function inspectText(read: ReadAt): Promise<Text> {
  const { SvgCheck } = await import("./svg-check.ts");
  const [json, svg] = [new JsonCheck(), new SvgCheck()];
  for await (const piece of textPieces(read)) {
    if (piece === undefined) return noText;
    json.write(piece);
    svg.write(piece);
  }
  const isSvg = svg.end();
  const image = isSvg && svg.size ? { ...svg.size, isColor: true } : undefined;
  return {
    isText: true,
    parsesAs: [...(json.end() ? ["json" as const] : []), ...(isSvg ? ["svg" as const] : [])],
    image,
  };
}

/** The text of a file piece by piece; undefined, as the last, where it is no UTF-8 or holds U+0000. */
async function* textPieces(read: ReadAt): AsyncGenerator<string | undefined> {
  // A byte order mark stays: XML may have one and JSON may not.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let at = 0; ; ) {
    const chunk = await read(at, chunkBytes);
    const text = chunk.includes(0) ? undefined : decode(decoder, chunk);
    yield text;
    if (text === undefined || chunk.length === 0) return;
    at += chunk.length;
  }
}

/** An empty chunk says that the file has ended: then a character may not be half done. */
function decode(decoder: TextDecoder, chunk: Buffer): string | undefined {
  try {
    return decoder.decode(chunk, { stream: chunk.length > 0 });
  } catch {
    return undefined;
  }
}
