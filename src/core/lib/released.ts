import { on } from "node:events";
import type { Readable } from "node:stream";

/**
 * The chunks of a stream of a request, each as it came in. The memory of a chunk is freed when the reader asks for a
 * later one, so the reader must not keep chunks, nor parts of them: as garbage, the chunks of a large upload cause a
 * collection of the whole heap every few dozen megabytes, each of which holds up all other requests. Decision 11.
 * Throws the stream's error, also one that precedes the first read, and an error of its own for a stream that was closed
 * before its end.
 */
export async function* released(stream: Readable): AsyncGenerator<Uint8Array> {
  let last: ArrayBuffer | undefined;
  for await (const [chunk] of chunksOf(stream)) {
    const buffer = chunk.buffer as ArrayBuffer;
    if (last !== undefined && last !== buffer) last.transfer(0);
    // A smaller chunk may be a part of Node's pool, whose other parts are in use.
    last = chunk.length > Buffer.poolSize / 2 ? buffer : undefined;
    yield chunk;
  }
  if (!stream.readableEnded) throw stream.errored ?? new Error("The stream was closed before its end.");
}

/** Not the stream's own iterator, which joins the chunks that wait into a new one. */
function chunksOf(stream: Readable): AsyncIterable<[Buffer]> | [] {
  // Such a stream may have emitted its last event.
  if (stream.destroyed || stream.readableEnded) return [];
  return on(stream, "data", { close: ["end", "close"], highWaterMark: 1 }) as AsyncIterable<[Buffer]>;
}
