import type { FileHandle } from "node:fs/promises";

const chunkBytes = 256 * 1024;
const maxSpare = 8;
/** Reused read buffers: new buffers for each file cost the process a full garbage collection every 64 MB. */
const spare: Buffer[] = [];

/**
 * Reads the first `length` bytes of an open file in chunks, with one chunk of read-ahead, and closes it. A chunk is
 * valid until the next one is requested. Throws when the file ends early.
 */
export async function* readChunks(handle: FileHandle, length: number): AsyncGenerator<Uint8Array, void> {
  const read = async (buffer: Buffer, from: number): Promise<Uint8Array> => {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, length - from), from);
    if (bytesRead === 0) throw new Error("The file is shorter than it should be");
    return buffer.subarray(0, bytesRead);
  };
  let [here, ahead] = [take(), take()];
  let reading = read(here, 0);
  try {
    for (let at = 0; at < length; [here, ahead] = [ahead, here]) {
      const chunk: Uint8Array = await reading;
      at += chunk.length;
      if (at < length) reading = read(ahead, at);
      // It may fail before it is awaited; without a handler the rejection would end the process.
      reading.catch(() => undefined);
      yield chunk;
    }
    // Not after an early return: the consumer may still use its last chunk.
    giveBack(here, ahead);
  } finally {
    await reading.catch(() => undefined);
    await handle.close();
  }
}

const take = (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);

function giveBack(...buffers: Buffer[]): void {
  for (const buffer of buffers) if (spare.length < maxSpare) spare.push(buffer);
}
