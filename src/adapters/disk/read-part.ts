import type { FileHandle } from "node:fs/promises";

/** Reads a part of an open file and closes it. Throws when the file ends before. */
export async function readPart(handle: FileHandle, start: number, length: number): Promise<Uint8Array> {
  try {
    // Not out of Node's pool: a part that is kept would keep the whole of it.
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, start);
    if (bytesRead < length) throw new Error("The file is shorter than it should be");
    return buffer;
  } finally {
    await handle.close();
  }
}
