import { dirname, join } from "node:path";
import type { Bytes } from "../../domain/blob.ts";
import type { Format } from "../../domain/modifier.ts";
import type { Rendition, RenditionStore } from "../../domain/rendition.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import { after, type Later } from "../../lib/later.ts";
import { type Disk, nodeDisk, translateDiskError, unless } from "./disk.ts";
import { readChunks } from "./read-chunks.ts";
import { readPart } from "./read-part.ts";

const cachedBytes = 256 * 1024;

/** Renditions as files of this machine's disk, one of 256 folders each; what is kept is known from their names. */
export class RenditionFolder implements RenditionStore {
  private readonly folder: string;
  private readonly maxBytes: number;
  private readonly disk: Disk;
  private readonly cache: ByteCache;
  /** By file name, the one asked for longest ago first. */
  private readonly kept = new Map<string, Rendition>();
  /** Made here and not read again yet. Most never are, and those kept in memory are to be the others. */
  private readonly unread = new Set<string>();
  private bytes = 0;
  private opening: Promise<void> | undefined;
  private isLoaded = false;

  constructor(folder: string, maxBytes: number, cacheBytes: number, disk: Disk = nodeDisk) {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.cache = new ByteCache(cacheBytes);
    this.disk = disk;
  }

  find(key: string, format: Format): Later<Rendition | undefined> {
    return after(this.ready(), () => this.touch(nameOf({ key, format })));
  }

  private touch(name: string): Rendition | undefined {
    const found = this.kept.get(name);
    if (!found) return undefined;
    this.kept.delete(name);
    this.kept.set(name, found);
    return found;
  }

  open(rendition: Rendition): Later<Bytes | undefined> {
    const name = nameOf(rendition);
    return this.cache.get(name) ?? this.read(name, rendition.size);
  }

  private async read(name: string, size: number): Promise<Bytes | undefined> {
    try {
      const handle = await unless(["ENOENT"], this.disk.open(this.at(name), "r"));
      if (!handle) return void this.forget(name);
      if (this.unread.delete(name) || size > cachedBytes) return readChunks(handle, size);
      const bytes = await readPart(handle, 0, size);
      this.cache.put(name, bytes);
      return bytes;
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  async put(key: string, format: Format, file: string, size: number): Promise<Rendition> {
    await this.ready();
    const rendition = { key, format, size };
    const name = nameOf(rendition);
    try {
      await this.place(file, this.at(name));
    } catch (error) {
      throw translateDiskError(error);
    }
    this.forget(name);
    this.kept.set(name, rendition);
    this.unread.add(name);
    this.bytes += size;
    await this.evict();
    return rendition;
  }

  /** The folder is there but for the first of its names: a look beforehand would be for nothing. */
  private async place(file: string, target: string): Promise<void> {
    const rename = async (): Promise<true> => {
      await this.disk.rename(file, target);
      return true;
    };
    if (await unless(["ENOENT"], rename())) return;
    await this.disk.mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename();
  }

  async clear(): Promise<number> {
    await this.ready();
    const names = [...this.kept.keys()];
    for (const name of names) await this.remove(name);
    return names.length;
  }

  usage(): { count: number; bytes: number } {
    return { count: this.kept.size, bytes: this.bytes };
  }

  private at(name: string): string {
    return join(this.folder, name.slice(0, 2), name);
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

  private forget(name: string): void {
    this.bytes -= this.kept.get(name)?.size ?? 0;
    this.kept.delete(name);
    this.unread.delete(name);
  }

  /** What an earlier run has left, the oldest file first. */
  private ready(): Later<void> {
    if (this.isLoaded) return undefined;
    this.opening ??= this.load();
    return this.opening;
  }

  private async load(): Promise<void> {
    const found: { rendition: Rendition; atMs: number }[] = [];
    for (const shard of (await unless(["ENOENT"], this.disk.readdir(this.folder))) ?? []) {
      for (const name of (await unless(["ENOTDIR"], this.disk.readdir(join(this.folder, shard)))) ?? []) {
        const [key = "", format] = name.split(".") as [string, Format];
        const stat = await unless(["ENOENT"], this.disk.lstat(this.at(name)));
        if (stat?.isFile()) found.push({ rendition: { key, format, size: stat.size }, atMs: stat.mtimeMs });
      }
    }
    for (const { rendition } of found.sort((a, b) => a.atMs - b.atMs)) {
      this.kept.set(nameOf(rendition), rendition);
      this.bytes += rendition.size;
    }
    this.isLoaded = true;
  }
}

const nameOf = ({ key, format }: { key: string; format: Format }): string => `${key}.${format}`;
