import { createHash } from "node:crypto";
import { type FileHandle, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore, ByteRange, Bytes, HeldBlob, HeldBlobs, StagedBlob } from "../../domain/blob.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import { codeOf, type Disk, nodeDisk, noLink, syncFolder, translateDiskError, unless } from "./disk.ts";
import { readPart } from "./read-part.ts";
import type { StagedFile, Staging } from "./staging.ts";

/** Where a blob lies below the folder: in one of 256, named by the first byte of its hash. */
export const blobFile = (folder: string, hash: string): string => join(folder, hash.slice(0, 2), hash);

/** Removes a blob's bytes; nothing when they are not there. */
export const removeBlobFile = (folder: string, hash: string): Promise<void> =>
  rm(blobFile(folder, hash), { force: true });

/** Below this a blob is read at once. */
const smallBytes = 128 * 1024;
const chunkBytes = 256 * 1024;

/** Blobs as read-only files on this machine's disk. */
export class BlobFolder implements BlobStore, HeldBlobs {
  readonly folder: string;
  private readonly staging: Staging;
  private readonly disk: Disk;
  /** The folders in use, made durable and kept open: an upload only has to sync one. */
  private readonly shards = new Map<string, Promise<FileHandle>>();

  private readonly cache: ByteCache;

  /** The staging folder is to be on the same file system. */
  constructor(folder: string, staging: Staging, cacheBytes: number, disk: Disk = nodeDisk) {
    this.folder = folder;
    this.staging = staging;
    this.cache = new ByteCache(cacheBytes);
    this.disk = disk;
  }

  stage(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedBlob> {
    return this.staging.stage(bytes, maxBytes);
  }

  async put(staged: StagedBlob): Promise<void> {
    const { file, hash, size } = staged as StagedFile;
    const target = blobFile(this.folder, hash);
    try {
      const shard = await this.shard(hash.slice(0, 2));
      await this.place(file, target, size);
      // Also where the file was there: whoever put it may not have come to this line yet.
      await shard.sync();
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  /** A link keeps the staged file, for the case that a sweep takes the new name away. */
  private async place(file: string, target: string, size: number): Promise<void> {
    const { disk } = this;
    try {
      await disk.link(file, target);
    } catch (error) {
      if (codeOf(error) === "EEXIST") {
        // The same name is the same bytes, unless somebody has cut them.
        if ((await unless(["ENOENT"], disk.lstat(target)))?.size === size) return;
      } else if (!noLink.includes(codeOf(error))) throw error;
      await this.copy(file, target);
    }
  }

  private async copy(file: string, target: string): Promise<void> {
    const { disk } = this;
    const copy = this.staging.temporaryFile();
    try {
      await disk.copyFile(file, copy);
      const handle = await disk.open(copy, "r");
      await handle.sync().finally(() => handle.close());
      await disk.rename(copy, target);
    } finally {
      await unless(["ENOENT"], disk.unlink(copy));
    }
  }

  private async shard(name: string): Promise<FileHandle> {
    const known = this.shards.get(name);
    if (known) return known;
    const opening = this.openShard(join(this.folder, name));
    this.shards.set(name, opening);
    opening.catch(() => this.shards.delete(name));
    return opening;
  }

  private async openShard(folder: string): Promise<FileHandle> {
    await this.disk.mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(this.disk, this.folder);
    return this.disk.open(folder, "r");
  }

  /** Lets go of the folders. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.shards.values());
    this.shards.clear();
    for (const shard of opened) if (shard.status === "fulfilled") await shard.value.close();
  }

  async open(hash: string, size: number, range: ByteRange = { start: 0, end: size - 1 }): Promise<Bytes> {
    const length = range.end - range.start + 1;
    if (length <= 0) return new Uint8Array(0);
    const cached = this.cache.get(hash);
    if (cached) return cached.subarray(range.start, range.end + 1);
    try {
      const handle = await this.disk.open(blobFile(this.folder, hash), "r");
      if (length > smallBytes) return handle.createReadStream({ ...range, highWaterMark: chunkBytes });
      const bytes = await readPart(handle, range.start, length);
      if (length === size) this.cache.put(hash, bytes);
      return bytes;
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  /** The blob itself: it stays as long as a file has it, and the grace. */
  async hold(hash: string): Promise<HeldBlob> {
    return { file: blobFile(this.folder, hash), release: async () => undefined };
  }

  async check(hash: string, size: number): Promise<"whole" | "missing" | "changed"> {
    const handle = await unless(["ENOENT"], this.disk.open(blobFile(this.folder, hash), "r"));
    if (!handle) return "missing";
    const sha256 = createHash("sha256");
    let seen = 0;
    for await (const chunk of handle.createReadStream({ highWaterMark: chunkBytes })) {
      sha256.update(chunk as Buffer);
      seen += (chunk as Buffer).length;
    }
    return seen === size && sha256.digest("hex") === hash ? "whole" : "changed";
  }

  async *list(): AsyncIterable<string> {
    for (const shard of await this.names(this.folder)) {
      for (const name of await this.names(join(this.folder, shard))) if (/^[0-9a-f]{64}$/.test(name)) yield name;
    }
  }

  private async names(folder: string): Promise<string[]> {
    return (await unless(["ENOENT", "ENOTDIR"], this.disk.readdir(folder))) ?? [];
  }
}
