import type { BlobStore } from "../core/bytes/blob.ts";
import type { ReadAt } from "../core/lib/read-at.ts";

/** Reads parts of the bytes of a file; shorter ones at its end. */
export function blobReader(blobs: BlobStore, { hash, size }: { hash: string; size: number }): ReadAt {
  return async (offset, length) => {
    const end = Math.min(size, offset + length) - 1;
    if (end < offset) return Buffer.alloc(0);
    const bytes = await blobs.open(hash, size, { start: offset, end });
    if (bytes instanceof Uint8Array) return Buffer.from(bytes);
    // Copied one by one: the memory of a chunk is reused for the next.
    let read = Buffer.alloc(0);
    for await (const piece of bytes) read = Buffer.concat([read, piece]);
    return read;
  };
}
