/** An upload that is interrupted loses at most this much, or what came in this time. */
const pieceBytes = 8 * 1024 * 1024;
const pieceMs = 2000;

/**
 * Divides bytes into pieces that are made durable one by one: of at most 8 MiB, and no longer than two seconds where bytes
 * come slowly. Each must be read to its end before the next. No piece is empty.
 */
export async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<AsyncIterable<Uint8Array>> {
  const source = bytes[Symbol.asyncIterator]();
  try {
    for (let next = await source.next(); !next.done; ) {
      const piece = async function* () {
        const untilMs = performance.now() + pieceMs;
        for (let size = 0; !next.done && size < pieceBytes && (size === 0 || performance.now() < untilMs); ) {
          const chunk = next.value.subarray(0, pieceBytes - size);
          size += chunk.length;
          yield chunk;
          const rest = next.value.subarray(chunk.length);
          next = rest.length > 0 ? { value: rest } : await source.next();
        }
      };
      yield piece();
    }
  } finally {
    await source.return?.();
  }
}
