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
  private filling = Buffer.alloc(0);
  private filled = 0;
  /** The memory of the batch that is being written. */
  private spare: Buffer<ArrayBuffer> | undefined;
  private count = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** Copies a chunk: it is not used any more when this settles. Throws the failure of an earlier batch. */
  async add(chunk: Uint8Array): Promise<void> {
    this.size += chunk.length;
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + batchBytes - this.filled);
      this.reserve(this.filled + part.length);
      this.filling.set(part, this.filled);
      this.filled += part.length;
      from += part.length;
      if (this.filled === batchBytes) await this.write();
    }
  }

  /** Writes the rest and waits for all of it. Answers the bytes if they fit into one batch. */
  async end(): Promise<Buffer | undefined> {
    const whole = this.count === 0 ? this.filling.subarray(0, this.filled) : undefined;
    if (this.filled > 0) await this.write();
    await this.writing;
    return whole;
  }

  /** Settles when no write is in progress any more, whether the writes succeeded or failed. */
  settled(): Promise<void> {
    return this.writing.catch(() => undefined);
  }

  /** Grows the first batch as it fills, since most files are small; later ones have their full size at once. */
  private reserve(bytes: number): void {
    if (bytes <= this.filling.length) return;
    const grown = this.count > 0 ? batchBytes : Math.min(batchBytes, Math.max(bytes, 2 * this.filling.length));
    const old = this.filling.subarray(0, this.filled);
    this.filling = Buffer.allocUnsafeSlow(grown);
    this.filling.set(old);
  }

  private async write(): Promise<void> {
    const bytes = this.filling.subarray(0, this.filled);
    await this.writing;
    this.writing = writeAll(this.handle, bytes);
    // The next caller that waits for it receives the error.
    this.writing.catch(() => undefined);
    [this.filling, this.spare] = [this.spare ?? Buffer.alloc(0), this.filling];
    this.filled = 0;
    this.count++;
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  const { bytesWritten } = await handle.writev([bytes]);
  // The kernel may take less at once than it is given.
  if (bytesWritten < bytes.length) await handle.writeFile(bytes.subarray(bytesWritten));
}
