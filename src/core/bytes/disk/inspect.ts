import { type FileHandle, open } from "node:fs/promises";
import { TextDecoder } from "node:util";
import { type ReadAt, readImageHeader } from "../../lib/image-header.ts";
import { JsonCheck } from "../../lib/json-check.ts";
import { canBeText, type Inspection, isRasterImage } from "../media-type.ts";

const chunkBytes = 128 * 1024;
// file-type bounds the reads within one container; this bounds their sum on a slow disk.
const signatureTimeoutMs = 5000;

type Text = Pick<Inspection, "isText" | "parsesAs" | "image">;
const noText: Text = { isText: false, parsesAs: [], image: undefined };

/**
 * Detects the type of a file on this disk from its bytes. A file with a signature is read at a few offsets only; any
 * other is read once from start to end, in constant memory. Arbitrary bytes never make this throw; it throws when the
 * file cannot be read. Contract §5.
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

/** The same for a file whose bytes are all in memory. */
export async function inspectBytes(bytes: Buffer, file: string): Promise<Inspection> {
  const { fileTypeFromBuffer, fileTypeFromFile } = await import("file-type");
  const read: ReadAt = async (offset, length) => bytes.subarray(offset, offset + length);
  // For truncated bytes the in-memory reader detects less than the disk reader.
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

/** Cuts the buffer to the bytes read: the rest is uninitialised memory. */
function readerOf(handle: FileHandle): ReadAt {
  return async (offset, length) => {
    if (!Number.isSafeInteger(offset)) return Buffer.alloc(0);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };
}

/** Where file-type accepts two or three letters that also begin plain texts, further bytes that the format requires. */
const wholeSignatures: Record<string, RegExp> = {
  "image/gif": /^GIF8[79]a/,
  "application/postscript": /^%!PS/,
};

/** If file-type fails on a broken container, the bytes count as having no signature. */
async function signatureOf(read: ReadAt, sniff: Sniff): Promise<string | undefined> {
  const found = await sniff({ signal: AbortSignal.timeout(signatureTimeoutMs) }).catch(() => undefined);
  const whole = wholeSignatures[found?.mime ?? ""];
  return whole && !whole.test((await read(0, 6)).toString("latin1")) ? undefined : found?.mime;
}

/** Reads the whole file as text, and as JSON and SVG for as long as it can still be one. */
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

/** Yields the text of a file in pieces, then undefined if it is not UTF-8 or holds U+0000. */
async function* textPieces(read: ReadAt): AsyncGenerator<string | undefined> {
  // Keeps a byte order mark: XML may have one and JSON may not.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let at = 0; ; ) {
    const chunk = await read(at, chunkBytes);
    const text = chunk.includes(0) ? undefined : decode(decoder, chunk);
    yield text;
    if (text === undefined || chunk.length === 0) return;
    at += chunk.length;
  }
}

/** An empty chunk marks the end of the file, where a character must be complete. */
function decode(decoder: TextDecoder, chunk: Buffer): string | undefined {
  try {
    return decoder.decode(chunk, { stream: chunk.length > 0 });
  } catch {
    return undefined;
  }
}
