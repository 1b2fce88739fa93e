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
    const read = readerOf(handle);
    const signature = await signatureOf(file, read);
    const text = canBeText(signature) ? await inspectText(handle) : noText;
    if (text.isText) return { signature, ...text };
    const isRaster = signature !== undefined && isRasterImage(signature);
    return { ...noText, signature, image: isRaster ? await readImageHeader(signature, read) : undefined };
  } finally {
    await handle.close();
  }
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

async function signatureOf(file: string, read: ReadAt): Promise<string | undefined> {
  const signature = await sniff(file);
  const whole = wholeSignatures[signature ?? ""];
  return whole && !whole.test((await read(0, 6)).toString("latin1")) ? undefined : signature;
}

/** Whatever file-type makes of a broken container, the file has no signature then. It takes 20 ms to load. */
async function sniff(file: string): Promise<string | undefined> {
  const { fileTypeFromFile } = await import("file-type");
  try {
    return (await fileTypeFromFile(file, { signal: AbortSignal.timeout(signatureTimeoutMs) }))?.mime;
  } catch {
    return undefined;
  }
}

/** Reads the whole file as text, and as JSON and SVG for as long as it may be one. */
async function inspectText(handle: FileHandle): Promise<Text> {
  const { SvgCheck } = await import("./svg-check.ts");
  const [json, svg] = [new JsonCheck(), new SvgCheck()];
  for await (const piece of textPieces(handle)) {
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
async function* textPieces(handle: FileHandle): AsyncGenerator<string | undefined> {
  // A byte order mark stays: XML may have one and JSON may not.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at);
    const chunk = buffer.subarray(0, bytesRead);
    const text = chunk.includes(0) ? undefined : decode(decoder, chunk);
    yield text;
    if (text === undefined || bytesRead === 0) return;
    at += bytesRead;
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
