import type { Bytes } from "../../domain/blob.ts";
import type { Format } from "../../domain/modifier.ts";
import { type Rendition, type RenditionStore, renditionName } from "../../domain/rendition.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import { type Disk, nodeDisk, translateDiskError, unless } from "./disk.ts";
import { FileCache } from "./file-cache.ts";
import { readPart } from "./read-part.ts";

const chunkBytes = 256 * 1024;

/** Renditions as files of this machine's disk, the small ones in memory too. */
export class RenditionFolder implements RenditionStore {
  private readonly files: FileCache;
  private readonly cache: ByteCache;
  private readonly disk: Disk;

  constructor(folder: string, maxBytes: number, cacheBytes: number, disk: Disk = nodeDisk) {
    this.files = new FileCache(folder, maxBytes, disk);
    this.cache = new ByteCache(cacheBytes);
    this.disk = disk;
  }

  async find(key: string, format: Format): Promise<Rendition | undefined> {
    const size = await this.files.find(renditionName({ key, format }));
    return size === undefined ? undefined : { key, format, size };
  }

  async open(rendition: Rendition): Promise<Bytes | undefined> {
    const name = renditionName(rendition);
    const cached = this.cache.get(name);
    if (cached) return cached;
    try {
      const handle = await unless(["ENOENT"], this.disk.open(this.files.at(name), "r"));
      if (!handle) return void this.files.forget(name);
      if (rendition.size > chunkBytes) return handle.createReadStream({ highWaterMark: chunkBytes });
      const bytes = await readPart(handle, 0, rendition.size);
      this.cache.put(name, bytes);
      return bytes;
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  async put(key: string, format: Format, file: string, size: number): Promise<Rendition> {
    try {
      await this.files.put(renditionName({ key, format }), file, size);
      return { key, format, size };
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  clear(): Promise<number> {
    return this.files.clear();
  }

  async usage(): Promise<{ count: number; bytes: number }> {
    return this.files.usage();
  }
}
