import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { after, type MaybePromise } from "../../lib/maybe-promise.ts";
import { codeOf, type Disk, nodeDisk, unless } from "./disk.ts";

export type FileCacheOptions = {
  folder: string;
  /** Of all files in the folder, whichever process put them. */
  maxBytes: number;
  /** How many processes put files into it; 1 when left out. */
  processes?: number;
  disk?: Disk;
};

/** `atMs`: when it was asked for here, else when it was made. */
type Kept = { size: number; atMs: number };

/**
 * Files of this machine's disk that can be had again, by name, within a byte budget: whoever was not asked for longest
 * goes first. They lie in one of 256 folders, named by the first letters of their names; what is kept is known from
 * these, so that nothing is lost when the folder is deleted.
 *
 * Processes that share the folder share the budget: each looks again at what all of them have put when it has put its
 * part of an eighth of it. So they exceed it by no more than an eighth and what is put while one looks. What only
 * another process was asked for is as old here as its file.
 */
export class FileCache {
  private readonly folder: string;
  private readonly maxBytes: number;
  /** How much may be put here before the folder is looked at again. */
  private readonly blindBytes: number;
  private readonly disk: Disk;
  /** By name, the one asked for longest ago first. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;
  /** Put here since the last look. */
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

  /** The path of the file with this name. Throws for a name with a slash: a hash of a hostile backup may be any text. */
  at(name: string): string {
    if (name.includes("/")) throw new Error(`${JSON.stringify(name.slice(0, 100))} is not a file name`);
    return join(this.folder, name.slice(0, 2), name);
  }

  /** The size of the file, which counts as asked for now; undefined when it is not kept. */
  find(name: string): MaybePromise<number | undefined> {
    return after(this.ready(), () => {
      const size = this.kept.get(name)?.size;
      if (size === undefined) return this.adopt(name);
      this.note(name, size);
      return size;
    });
  }

  /** Takes over one that another process of this machine has put. */
  private async adopt(name: string): Promise<number | undefined> {
    const stat = await unless(["ENOENT"], this.disk.lstat(this.at(name)));
    if (!stat?.isFile()) return undefined;
    this.note(name, stat.size);
    return stat.size;
  }

  /** As the youngest. */
  private note(name: string, size: number): void {
    this.forget(name);
    this.kept.set(name, { size, atMs: Date.now() });
    this.bytes += size;
  }

  /** Moves a file into the cache, also when this throws. Racing puts of one name all succeed. */
  async put(name: string, file: string, size: number): Promise<void> {
    try {
      await this.ready();
      await this.place(file, this.at(name));
    } finally {
      // Mostly there is nothing left of it; what cannot be removed now is tidied up later.
      await this.disk.unlink(file).catch(() => undefined);
    }
    this.note(name, size);
    this.putBytes += size;
    if (this.putBytes > this.blindBytes) this.looking ??= this.lookAgain();
    // One process evicts for all; that may take long, and no request waits for it.
    if (!this.looking) await this.evict();
  }

  /** The folder is there but for the first of its names: a look beforehand would be for nothing. */
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

  /** Written under another name first, so that no reader finds half a file. */
  private async copy(file: string, target: string): Promise<void> {
    const copy = `${target}.${randomUUID()}`;
    try {
      await this.disk.copyFile(file, copy);
      await this.disk.rename(copy, target);
    } finally {
      await this.disk.unlink(copy).catch(() => undefined);
    }
  }

  /** Notes that the file went away meanwhile: evicted or cleared by another process. */
  forget(name: string): void {
    this.bytes -= this.kept.get(name)?.size ?? 0;
    this.kept.delete(name);
  }

  /** Removes the file with this name, if it is there. */
  async drop(name: string): Promise<void> {
    await this.ready();
    await this.remove(name);
  }

  /** Drops all there are; answers how many. */
  async clear(): Promise<number> {
    await this.ready();
    const names = [...this.kept.keys()];
    for (const name of names) await this.remove(name);
    return names.length;
  }

  /** What there is, as far as this process knows. */
  async usage(): Promise<{ count: number; bytes: number }> {
    await this.ready();
    await this.looking;
    return { count: this.kept.size, bytes: this.bytes };
  }

  /** The youngest stays whatever its size: somebody is waiting for it. */
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

  /** What an earlier run has left, the oldest file first. After a failure the next caller tries again. */
  private ready(): MaybePromise<void> {
    if (this.isLoaded) return undefined;
    this.opening ??= this.load().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** One that fails is due again with the next put. */
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
