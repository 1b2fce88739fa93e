import type { FileHandle } from "node:fs/promises";

const batchBytes = 512 * 1024;

/**
 * Writes chunks to a file in batches, one of them under way while the next one gathers: a call of the disk for each
 * chunk of a socket costs more than its bytes do, and hashing need not wait for it. At most two batches are in memory.
 */
export class Batches {
  /** Bytes taken so far. */
  size = 0;
  private readonly handle: FileHandle;
  private chunks: Uint8Array[] = [];
  private gathered = 0;
  private count = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** Takes a chunk; it is not copied. Throws what an earlier batch ran into. */
  async add(chunk: Uint8Array): Promise<void> {
    this.size += chunk.length;
    this.gathered += chunk.length;
    this.chunks.push(chunk);
    if (this.gathered >= batchBytes) await this.write();
  }

  /** Writes what is left, and waits for all of it. Answers the bytes, where they were few enough for one batch. */
  async end(): Promise<Buffer | undefined> {
    const whole = this.count === 0 ? Buffer.concat(this.chunks) : undefined;
    if (whole) this.chunks = [whole];
    await this.write();
    await this.writing;
    return whole;
  }

  /** Settles when nothing is being written any more, whatever came of it. */
  settled(): Promise<void> {
    return this.writing.catch(() => undefined);
  }

  private async write(): Promise<void> {
    const { chunks } = this;
    this.chunks = [];
    this.gathered = 0;
    this.count++;
    await this.writing;
    this.writing = writeAll(this.handle, chunks);
    // The next caller that waits for it receives the error.
    this.writing.catch(() => undefined);
  }
}

async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const { bytesWritten } = await handle.writev(chunks);
  // The kernel may take less at once than it is given.
  if (bytesWritten < length) await handle.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
}
