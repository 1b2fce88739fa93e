import type { FileHandle } from "node:fs/promises";

const batchBytes = 512 * 1024;

/**
 * Writes chunks to a file in batches: one batch is written while the next one fills. One system call per socket chunk
 * would cost more than its bytes, and hashing does not wait for the disk. At most two batches are in memory.
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

  /** Takes a chunk without copying it. Throws the failure of an earlier batch. */
  async add(chunk: Uint8Array): Promise<void> {
    this.size += chunk.length;
    this.gathered += chunk.length;
    this.chunks.push(chunk);
    if (this.gathered >= batchBytes) await this.write();
  }

  /** Writes the rest and waits for all of it. Answers the bytes if they fit into one batch. */
  async end(): Promise<Buffer | undefined> {
    const whole = this.count === 0 ? Buffer.concat(this.chunks) : undefined;
    if (whole) this.chunks = [whole];
    await this.write();
    await this.writing;
    return whole;
  }

  /** Settles when no write is in progress any more, whether the writes succeeded or failed. */
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
