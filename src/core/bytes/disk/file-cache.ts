import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { after, type MaybePromise } from "../../lib/maybe-promise.ts";
import { codeOf, type Disk, nodeDisk, unless } from "./disk.ts";

export type FileCacheOptions = {
  folder: string;
  /** Byte budget for all files in the folder, whichever process put them. */
  maxBytes: number;
  /** How many processes put files into it; default 1. */
  processes?: number;
  disk?: Disk;
};

/** `atMs`: time of the last request in this process, otherwise the modification time. */
type Kept = { size: number; atMs: number };

/**
 * A cache of files that can be fetched or generated again, by name, within a byte budget; evicts the least recently
 * used. Files are in one of 256 folders, named by the first letters of their names. The index is read from these
 * folders, so deleting the folder loses nothing.
 *
 * Processes that share the folder share the budget: each lists the folder again whenever it has put its part of an
 * eighth of the budget. They exceed the budget by at most that eighth plus what is put during a listing. A use by
 * another process is not seen here: such a file has the age of its modification time.
 */
export class FileCache {
  private readonly folder: string;
  private readonly maxBytes: number;
  /** How many bytes may be put here before the folder is listed again. */
  private readonly blindBytes: number;
  private readonly disk: Disk;
  /** By name, least recently used first. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;
  /** Bytes put here since the last listing. */
  private putBytes = 0;
  private opening: Promise<void> | undefined;
  private looking: Promise<void> | undefined;
  private isLoaded = false;

  constructor({ folder, maxBytes, processes = 1, disk = nodeDisk }: FileCacheOptions) {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.blindBytes = processes === 1 ? Number.POSITIVE_INFINITY : maxBytes / (8 * processes);
    this.disk = disk;
  }

  /**
   * The path of the file with this name. Throws for a name with a slash: the hash in a hostile backup may be any text.
   */
  at(name: string): string {
    if (name.includes("/")) throw new Error(`${JSON.stringify(name.slice(0, 100))} is not a file name`);
    return join(this.folder, name.slice(0, 2), name);
  }

  /** The size of the file, and marks it as just used; undefined when it is not cached. */
  find(name: string): MaybePromise<number | undefined> {
    return after(this.ready(), () => {
      const size = this.kept.get(name)?.size;
      if (size === undefined) return this.adopt(name);
      this.note(name, size);
      return size;
    });
  }

  /** Adds a file that another process of this machine has put. */
  private async adopt(name: string): Promise<number | undefined> {
    const stat = await unless(["ENOENT"], this.disk.lstat(this.at(name)));
    if (!stat?.isFile()) return undefined;
    this.note(name, stat.size);
    return stat.size;
  }

  /** Adds it as the most recently used. */
  private note(name: string, size: number): void {
    this.forget(name);
    this.kept.set(name, { size, atMs: Date.now() });
    this.bytes += size;
  }

  /**
   * Moves a file into the cache; the source file is gone afterwards, also when this throws. Racing puts of one name all
   * succeed.
   */
  async put(name: string, file: string, size: number): Promise<void> {
    try {
      await this.ready();
      await this.place(file, this.at(name));
    } finally {
      // Usually the file is already moved. A file that cannot be removed now is swept later.
      await this.disk.unlink(file).catch(() => undefined);
    }
    this.note(name, size);
    this.putBytes += size;
    if (this.putBytes > this.blindBytes) this.looking ??= this.lookAgain();
    // One process evicts for all. Eviction can take long, and no request waits for it.
    if (!this.looking) await this.evict();
  }

  /**
   * Creates the folder only after a failure: it is missing only for its first file, so a check before each put would be
   * wasted.
   */
  private async place(file: string, target: string): Promise<void> {
    const move = async (): Promise<true> => {
      await this.move(file, target);
      return true;
    };
    if (await unless(["ENOENT"], move())) return;
    await this.disk.mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await move();
  }

  /** Copies when the folder is on another file system. */
  private async move(file: string, target: string): Promise<void> {
    try {
      await this.disk.rename(file, target);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
      await this.copy(file, target);
    }
  }

  /** Writes under a temporary name first, so that no reader finds a partial file. */
  private async copy(file: string, target: string): Promise<void> {
    const copy = `${target}.${randomUUID()}`;
    try {
      await this.disk.copyFile(file, copy);
      await this.disk.rename(copy, target);
    } finally {
      await this.disk.unlink(copy).catch(() => undefined);
    }
  }

  /** Records that the file is gone: evicted or cleared by another process. */
  forget(name: string): void {
    this.bytes -= this.kept.get(name)?.size ?? 0;
    this.kept.delete(name);
  }

  /** Removes the file with this name, if it exists. */
  async drop(name: string): Promise<void> {
    await this.ready();
    await this.remove(name);
  }

  /** Removes all files; answers how many. */
  async clear(): Promise<number> {
    await this.ready();
    const names = [...this.kept.keys()];
    for (const name of names) await this.remove(name);
    return names.length;
  }

  /** Number and bytes of the cached files, as far as this process knows. */
  async usage(): Promise<{ count: number; bytes: number }> {
    await this.ready();
    await this.looking;
    return { count: this.kept.size, bytes: this.bytes };
  }

  /** Never evicts the most recently used, whatever its size: a caller is waiting for it. */
  private async evict(): Promise<void> {
    for (const name of this.kept.keys()) {
      if (this.bytes <= this.maxBytes || this.kept.size === 1) return;
      await this.remove(name);
    }
  }

  private async remove(name: string): Promise<void> {
    this.forget(name);
    await unless(["ENOENT"], this.disk.unlink(this.at(name)));
  }

  /** Reads the files of earlier runs, oldest first. After a failure the next caller tries again. */
  private ready(): MaybePromise<void> {
    if (this.isLoaded) return undefined;
    this.opening ??= this.load().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** After a failed listing the next put tries again. */
  private async lookAgain(): Promise<void> {
    try {
      await this.load();
      await this.evict();
    } catch {
      this.putBytes = Number.POSITIVE_INFINITY;
    } finally {
      this.looking = undefined;
    }
  }

  private async load(): Promise<void> {
    const beganMs = Date.now();
    this.putBytes = 0;
    const found = new Map<string, Kept>();
    for (const shard of (await unless(["ENOENT"], this.disk.readdir(this.folder))) ?? []) {
      for (const name of (await unless(["ENOENT", "ENOTDIR"], this.disk.readdir(join(this.folder, shard)))) ?? []) {
        const stat = await unless(["ENOENT"], this.disk.lstat(this.at(name)));
        if (stat?.isFile()) found.set(name, { size: stat.size, atMs: stat.mtimeMs });
      }
    }
    for (const [name, file] of this.kept) if (found.has(name) || file.atMs >= beganMs) found.set(name, file);
    this.kept.clear();
    this.bytes = 0;
    for (const [name, file] of [...found].sort(([, a], [, b]) => a.atMs - b.atMs)) {
      this.kept.set(name, file);
      this.bytes += file.size;
    }
    this.isLoaded = true;
  }
}
