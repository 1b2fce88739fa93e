import { on } from "node:events";
import type { Readable } from "node:stream";

/**
 * The chunks of a stream of a request, each as it came in. The memory of a chunk is freed when the reader asks for a
 * later one, so the reader must not keep chunks, nor parts of them: as garbage, the chunks of a large upload cause a
 * collection of the whole heap every few dozen megabytes, each of which holds up all other requests. Decision 45.
 */
export async function* released(stream: Readable): AsyncGenerator<Uint8Array> {
  let last: ArrayBuffer | undefined;
  // Not the stream's own iterator, which joins the chunks that wait into a new one.
  for await (const [chunk] of on(stream, "data", { close: ["end"], highWaterMark: 1 }) as AsyncIterable<[Buffer]>) {
    const buffer = chunk.buffer as ArrayBuffer;
    if (last !== undefined && last !== buffer) last.transfer(0);
    // A smaller chunk may be a part of Node's pool, whose other parts are in use.
    last = chunk.length > Buffer.poolSize / 2 ? buffer : undefined;
    yield chunk;
  }
}
