import type { FileHandle } from "node:fs/promises";

/** Reads a part of an open file and closes it. Throws when the file ends early. */
export async function readPart(handle: FileHandle, start: number, length: number): Promise<Uint8Array> {
  try {
    // Not from Node's buffer pool: a cached part would keep the whole pool in memory.
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, start);
    if (bytesRead < length) throw new Error("The file is shorter than it should be");
    return buffer;
  } finally {
    await handle.close();
  }
}
