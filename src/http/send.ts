import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import type { Coding } from "./reply.ts";

/** How bodies that are not small go out: piece by piece, each when the system has taken the one before. */

/** So much goes to the system at once; no more than this is copied for a client that does not read. */
export const pieceBytes = 64 * 1024;

/** Answers when all is sent or the client has gone. */
export async function sendPieces(
  response: ServerResponse,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const piece of pieces) if (!(await sent(response, piece))) return;
  response.end();
}

/** Answers when the bytes are with the system, and not needed here any more: true; false when the client has gone. */
function sent(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  // A write to what is destroyed would be an error event, for which nobody listens.
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

/** Bytes that others have too, in pieces. */
export function* piecesOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Hears how many bytes are still held. */
type OnHeld = (bytes: number) => void;

/**
 * The parts of a text that is nobody else's, in pieces; one must be done with before the next is asked for. The memory
 * of each part is given back as soon as it has passed, and the list is empty in the end. `onHeld` hears what is left.
 */
export function* ownPieces(parts: Uint8Array<ArrayBuffer>[], onHeld: OnHeld): Iterable<Uint8Array> {
  let held = lengthOf(parts);
  for (let part = parts.shift(); part; part = parts.shift()) {
    yield* piecesOf(part);
    held -= part.length;
    // A collection may be long in coming, and a text is large.
    part.buffer.transfer(0);
    onHeld(held);
  }
}

/**
 * The parts of a text that is nobody else's, compressed, in pieces. The compression does not wait for whoever takes
 * these: compressed, a text holds a fraction of what it held before. `onHeld` hears what both sides of it hold.
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

/** Puts the parts in, each piece when the one before is compressed. */
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
/** How texts are compressed, at once or piece by piece. */
export const brotliOptions = { chunkSize: pieceBytes, params: brotliQuality };
export const gzipOptions = { chunkSize: pieceBytes, level: 6 };
