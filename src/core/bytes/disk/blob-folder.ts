import { hash as hashOf } from "node:crypto";
import { fstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ByteCache, lengthOf } from "../../lib/byte-cache.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { sha256Of } from "../../lib/sha256.ts";
import {
  type BlobStore,
  type ByteRange,
  type Bytes,
  ChangedBlob,
  type HeldBlob,
  type HeldBlobs,
  type StagedBlob,
} from "../blob.ts";
import { isMarked, mark } from "./blob-mark.ts";
import { BlobWatch } from "./blob-watch.ts";
import { codeOf, type Disk, nodeDisk, noLink, syncFolder, translateDiskError, unless } from "./disk.ts";
import { readPart } from "./read-part.ts";
import { blobMode, type StagedFile, type Staging, setMode } from "./staging.ts";

/**
 * The file of a blob, in one of 256 subfolders named by the first byte of its hash. Throws unless `hash` is a SHA-256 in
 * hex: a row of a hostile backup may hold any text, and this path is read, linked and removed.
 */
export function blobFile(folder: string, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`${JSON.stringify(hash.slice(0, 100))} is not the hash of a blob`);
  return join(folder, hash.slice(0, 2), hash);
}

/** Removes a blob's bytes; does nothing when they do not exist. */
export async function removeBlobFile(folder: string, hash: string, disk: Disk = nodeDisk): Promise<void> {
  await unless(["ENOENT"], disk.unlink(blobFile(folder, hash)));
}

/** Blobs up to this size are read completely and checked against their hash. */
const smallBytes = 128 * 1024;
const chunkBytes = 256 * 1024;

/** Reports of a folder of blobs. */
export type BlobCallbacks = {
  /** A changed blob was replaced by a good one; hard links to the old file still show the wrong bytes. */
  onRepaired?: (hash: string) => Promise<void>;
  /** A background check found a changed blob, or onRepaired failed. */
  onFault?: (error: unknown) => void;
};

/** Blobs as read-only files on this machine's disk. */
export class BlobFolder implements BlobStore, HeldBlobs {
  readonly folder: string;
  private readonly staging: Staging;
  private readonly disk: Disk;
  private readonly callbacks: BlobCallbacks;
  /** The folders in use, made durable and kept open: an upload only has to sync one. */
  private readonly shards = new Map<string, Promise<FileHandle>>();
  /** Holds only bytes that matched their hash, so a repair by another process needs no invalidation here. */
  private readonly cache: ByteCache<Uint8Array>;
  private readonly watch: BlobWatch;

  /** The staging folder must be on the same file system. */
  constructor(
    folder: string,
    staging: Staging,
    cacheBytes: number,
    disk: Disk = nodeDisk,
    callbacks: BlobCallbacks = {},
  ) {
    this.folder = folder;
    this.staging = staging;
    this.cache = new ByteCache(cacheBytes, lengthOf);
    this.disk = disk;
    this.callbacks = callbacks;
    const onFault = (error: unknown) => callbacks.onFault?.(error);
    this.watch = new BlobWatch({ isWhole: (hash, size) => this.markWhole(hash, size), onFault });
  }

  stage(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedBlob> {
    return this.staging.stage(bytes, maxBytes);
  }

  async put(staged: StagedBlob): Promise<void> {
    const { file, hash, size } = staged as StagedFile;
    const target = blobFile(this.folder, hash);
    try {
      const shard = await this.shard(hash.slice(0, 2));
      const isRepaired = await this.place(file, target, hash, size);
      // Also when the file existed: the process that put it may not have reached this line yet.
      await shard.sync();
      if (isRepaired) await this.reportRepaired(hash);
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  /**
   * Links the staged file, which stays in case a sweep removes the new name. An existing blob is read and replaced unless
   * its hash matches; always replacing it would give it a new inode and detach every link to it in `uploads/`. Answers whether a
   * changed blob was replaced. Decision 4.
   */
  private async place(file: string, target: string, hash: string, size: number): Promise<boolean> {
    const { disk } = this;
    try {
      await disk.link(file, target);
      return false;
    } catch (error) {
      if (codeOf(error) !== "EEXIST" && !noLink.includes(codeOf(error))) throw error;
    }
    // An unreadable blob is replaced like a changed one.
    const state = await this.check(hash, size).catch(() => "changed");
    if (state === "whole") return false;
    const temporary = this.staging.temporaryFile();
    try {
      await this.linkOrCopy(file, temporary);
      await disk.rename(temporary, target);
    } finally {
      // rename(2) does nothing when both names are links to the same file.
      await unless(["ENOENT"], disk.unlink(temporary));
    }
    return state === "changed";
  }

  private async linkOrCopy(file: string, to: string): Promise<void> {
    try {
      await this.disk.link(file, to);
    } catch (error) {
      if (!noLink.includes(codeOf(error))) throw error;
      await this.copy(file, to);
    }
  }

  private async reportRepaired(hash: string): Promise<void> {
    try {
      await this.callbacks.onRepaired?.(hash);
    } catch (error) {
      // The upload itself succeeded.
      this.callbacks.onFault?.(error);
    }
  }

  private async copy(file: string, to: string): Promise<void> {
    await this.disk.copyFile(file, to);
    const handle = await this.disk.open(to, "r");
    try {
      await setMode(handle, blobMode);
      await mark(handle);
      await handle.sync();
    } finally {
      await handle.close();
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
    const made = await this.disk.mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(this.disk, this.folder);
    // The first blob of a store: the folder itself is new, too.
    if (made === this.folder) await syncFolder(this.disk, dirname(this.folder));
    return this.disk.open(folder, "r");
  }

  /** Closes the folders. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.shards.values());
    this.shards.clear();
    for (const shard of opened) if (shard.status === "fulfilled") await shard.value.close();
  }

  open(hash: string, size: number, range: ByteRange = { start: 0, end: size - 1 }): MaybePromise<Bytes> {
    const length = range.end - range.start + 1;
    if (length <= 0) return new Uint8Array(0);
    return this.cache.get(hash)?.subarray(range.start, range.end + 1) ?? this.read(hash, size, range, length);
  }

  private async read(hash: string, size: number, range: ByteRange, length: number): Promise<Bytes> {
    try {
      const handle = await this.disk.open(blobFile(this.folder, hash), "r");
      if (size <= smallBytes) return (await this.readWhole(handle, hash, size)).subarray(range.start, range.end + 1);
      await this.lookAt(handle, hash, size);
      if (length > smallBytes) return handle.createReadStream({ ...range, highWaterMark: chunkBytes });
      return await readPart(handle, range.start, length);
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  /** Reads a small blob and checks it against its hash, whichever range was requested. */
  private async readWhole(handle: FileHandle, hash: string, size: number): Promise<Uint8Array> {
    const bytes = await readPart(handle, 0, size);
    if (hashOf("sha256", bytes) !== hash) throw new ChangedBlob(hash);
    this.cache.put(hash, bytes);
    return bytes;
  }

  private async lookAt(handle: FileHandle, hash: string, size: number): Promise<void> {
    try {
      this.watch.look(hash, size, fstatSync(handle.fd));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The blob file itself: it exists for as long as a file refers to it, plus the grace period. */
  async hold(hash: string): Promise<HeldBlob> {
    return { file: blobFile(this.folder, hash), release: async () => undefined };
  }

  async check(hash: string, size: number): Promise<"whole" | "missing" | "changed"> {
    const handle = await unless(["ENOENT"], this.disk.open(blobFile(this.folder, hash), "r"));
    if (!handle) return "missing";
    const found = await sha256Of(handle.createReadStream({ highWaterMark: chunkBytes }));
    return found.size === size && found.hash === hash ? "whole" : "changed";
  }

  /** Reads a blob and marks it if its hash matches and it was not written to during the read. */
  private async markWhole(hash: string, size: number): Promise<boolean> {
    const file = blobFile(this.folder, hash);
    const before = await this.disk.lstat(file);
    const state = await this.check(hash, size);
    if (state !== "whole") return state === "missing";
    const handle = await this.disk.open(file, "r");
    try {
      const { ino, mtimeMs } = fstatSync(handle.fd);
      const isSame = ino === before.ino && mtimeMs === before.mtimeMs;
      if (isSame && !isMarked(before)) await mark(handle);
    } finally {
      await handle.close();
    }
    return true;
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
