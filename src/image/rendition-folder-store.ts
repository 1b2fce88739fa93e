import type { Bytes } from "../core/bytes/blob.ts";
import { type Disk, nodeDisk, translateDiskError, unless } from "../core/bytes/disk/disk.ts";
import { FileCache, type FileCacheOptions } from "../core/bytes/disk/file-cache.ts";
import { readChunks } from "../core/bytes/disk/read-chunks.ts";
import { readPart } from "../core/bytes/disk/read-part.ts";
import { ByteCache, lengthOf } from "../core/lib/byte-cache.ts";
import { after, type MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Format } from "./modifier.ts";
import { type Rendition, type RenditionStore, renditionName } from "./rendition.ts";

const cachedBytes = 256 * 1024;
const maxUnread = 10_000;

/** Renditions as files on this machine's disk, with an in-memory cache of the small ones. */
export class RenditionFolder implements RenditionStore {
  private readonly files: FileCache;
  private readonly cache: ByteCache<Uint8Array>;
  private readonly disk: Disk;
  /** Generated here and not read since. Most are never read again: only those read again are cached in memory. */
  private readonly unread = new Set<string>();

  /** `cacheBytes`: memory budget of this process for small renditions. */
  constructor(files: FileCacheOptions, cacheBytes: number) {
    this.files = new FileCache(files);
    this.cache = new ByteCache(cacheBytes, lengthOf);
    this.disk = files.disk ?? nodeDisk;
  }

  find(key: string, format: Format): MaybePromise<Rendition | undefined> {
    const found = this.files.find(renditionName({ key, format }));
    return after(translated(found), (size) => (size === undefined ? undefined : { key, format, size }));
  }

  open(rendition: Rendition): MaybePromise<Bytes | undefined> {
    const name = renditionName(rendition);
    return this.cache.get(name) ?? this.read(name, rendition.size);
  }

  private async read(name: string, size: number): Promise<Bytes | undefined> {
    const isFirst = this.unread.delete(name);
    try {
      const handle = await unless(["ENOENT"], this.disk.open(this.files.at(name), "r"));
      if (!handle) return void this.files.forget(name);
      if (isFirst || size > cachedBytes) return readChunks(handle, size);
      const bytes = await readPart(handle, 0, size);
      this.cache.put(name, bytes);
      return bytes;
    } catch (error) {
      throw translateDiskError(error);
    }
  }

  async put(key: string, format: Format, file: string, size: number): Promise<Rendition> {
    const name = renditionName({ key, format });
    await translated(this.files.put(name, file, size));
    // Only bounds the set: a forgotten name is cached in memory one read earlier.
    if (this.unread.size >= maxUnread) this.unread.clear();
    this.unread.add(name);
    return { key, format, size };
  }

  async clear(): Promise<number> {
    this.unread.clear();
    return translated(this.files.clear());
  }

  async usage(): Promise<{ count: number; bytes: number }> {
    return translated(this.files.usage());
  }
}

/** Keeps a synchronous result synchronous. */
function translated<T>(step: MaybePromise<T>): MaybePromise<T> {
  if (!(step instanceof Promise)) return step;
  return step.catch((error: unknown) => {
    throw translateDiskError(error);
  });
}
