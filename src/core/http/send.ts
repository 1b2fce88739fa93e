import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

/** Large bodies are sent in pieces: each is written when the system has accepted the one before. */

/** A content coding, as named in Accept-Encoding. */
export type Coding = "br" | "gzip";

/** The size of one write, and the largest body that counts as small. */
export const pieceBytes = 64 * 1024;

/** Sends all pieces and ends the response. Resolves when all is sent or the client has disconnected. */
export async function sendPieces(
  response: ServerResponse,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) if (!(await sent(response, piece))) return;
  response.end();
}

/** Resolves with true when the system has accepted the bytes, with false when the client has disconnected. */
function sent(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  // A write to a destroyed response emits an error, which has no listener.
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const leave = () => resolve(false);
    response.once("close", leave);
    response.write(bytes, (error) => {
      response.off("close", leave);
      resolve(!error);
    });
  });
}

/** The bytes in pieces, as views. */
export function* piecesOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Receives the number of bytes still held. */
type OnHeld = (bytes: number) => void;

/**
 * The parts of a text in pieces, each valid until the next is requested. Frees the memory of each part after its last
 * piece and empties the list: the caller must be its only user. `onHeld` receives the number of bytes left.
 */
export function* ownPieces(parts: Uint8Array<ArrayBuffer>[], onHeld: OnHeld): Iterable<Uint8Array> {
  let held = lengthOf(parts);
  for (let part = parts.shift(); part; part = parts.shift()) {
    yield* piecesOf(part);
    held -= part.length;
    // Freed now: the garbage collector may take long, and a text is large.
    part.buffer.transfer(0);
    onHeld(held);
  }
}

/**
 * As ownPieces, compressed. The compression does not wait for the client: a compressed text holds a fraction of its
 * uncompressed memory. `onHeld` receives the bytes on both sides of the compression.
 */
export async function* compressedPieces(
  parts: Uint8Array<ArrayBuffer>[],
  coding: Coding,
  onHeld: OnHeld,
): AsyncIterable<Uint8Array> {
  const zip = coding === "br" ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
  const ready: Uint8Array[] = [];
  let before = lengthOf(parts);
  let behind = 0;
  let wake = (): void => undefined;
  zip.on("data", (piece: Uint8Array) => {
    ready.push(piece);
    behind += piece.length;
    wake();
  });
  const fed = feed(zip, parts, (held) => {
    before = held;
    onHeld(before + behind);
  });
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  const ended = Promise.all([fed, finished(zip)]);
  ended.then(end, end);
  try {
    for (;;) {
      const piece = ready.shift();
      if (piece) {
        yield piece;
        behind -= piece.length;
        onHeld(before + behind);
      } else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    zip.destroy();
  }
  await ended;
}

/** Compresses the pieces one after another. */
async function feed(zip: Writable, parts: Uint8Array<ArrayBuffer>[], onHeld: OnHeld): Promise<void> {
  for (const piece of ownPieces(parts, onHeld)) {
    await new Promise<void>((resolve, reject) => {
      zip.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
  zip.end();
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

const brotliQuality = { [constants.BROTLI_PARAM_QUALITY]: 4 };
/** Options for texts, sent whole or in pieces. */
export const brotliOptions = { chunkSize: pieceBytes, params: brotliQuality };
export const gzipOptions = { chunkSize: pieceBytes, level: 6 };
