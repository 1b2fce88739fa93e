import type { Bytes } from "../core/bytes/blob.ts";
import type { StagedFile, Staging } from "../core/bytes/disk/staging.ts";
import type { Bucket } from "../core/bytes/s3/bucket.ts";
import { translateBucketError } from "../core/bytes/s3/bucket-error.ts";
import { putFile } from "../core/bytes/s3/multipart.ts";
import { memoFor } from "../core/lib/memo.ts";
import type { Format } from "./modifier.ts";
import { type Rendition, type RenditionStore, renditionName } from "./rendition.ts";

const renditions = "renditions/";
const keyOf = (rendition: { key: string; format: Format }): string => {
  const name = renditionName(rendition);
  return `${renditions}${name.slice(0, 2)}/${name}`;
};

const countedForMs = 60_000;
const removedAtOnce = 8;

export type RenditionBucketOptions = {
  bucket: Bucket;
  /** The cache on this machine's disk, which is read first. */
  local: RenditionStore;
  /** Best on the same file system: across file systems, files are copied. */
  staging: Staging;
  onError: (error: unknown) => void;
};

/**
 * Renditions as objects of a bucket, shared by many machines: no machine generates what another one has stored. Evicts
 * nothing: a lifecycle rule of the bucket does that. A rendition can be generated again, so failures of the bucket are
 * only reported.
 */
export class RenditionBucket implements RenditionStore {
  private readonly options: RenditionBucketOptions;
  /** The usage of the bucket, cached for a minute: listing takes a request for each thousand objects. */
  readonly usage = memoFor(() => this.count(), countedForMs);

  constructor(options: RenditionBucketOptions) {
    this.options = options;
  }

  async find(key: string, format: Format): Promise<Rendition | undefined> {
    const { bucket, local } = this.options;
    const kept = await local.find(key, format);
    if (kept) return kept;
    const size = await this.tried(bucket.head(keyOf({ key, format })));
    return size === undefined ? undefined : { key, format, size };
  }

  async open(rendition: Rendition): Promise<Bytes | undefined> {
    const { local } = this.options;
    const bytes = await local.open(rendition);
    if (bytes) return bytes;
    const isFetched = await this.tried(this.fetch(rendition));
    return isFetched ? local.open(rendition) : undefined;
  }

  async put(key: string, format: Format, file: string, size: number): Promise<Rendition> {
    const { bucket, local } = this.options;
    await this.tried(putFile(bucket, keyOf({ key, format }), file, size));
    return local.put(key, format, file, size);
  }

  /** Copies on other machines' disks stay until those machines evict them. */
  async clear(): Promise<number> {
    const { bucket, local } = this.options;
    await local.clear();
    let cleared = 0;
    const objects = bucket.list(renditions);
    const worker = async () => {
      for (let next = await objects.next(); !next.done; next = await objects.next()) {
        await bucket.remove(next.value.key);
        cleared++;
      }
    };
    try {
      await Promise.all(Array.from({ length: removedAtOnce }, worker));
      return cleared;
    } catch (error) {
      throw translateBucketError(error);
    }
  }

  private async count(): Promise<{ count: number; bytes: number }> {
    const usage = { count: 0, bytes: 0 };
    try {
      for await (const { size } of this.options.bucket.list(renditions)) {
        usage.count++;
        usage.bytes += size;
      }
      return usage;
    } catch (error) {
      throw translateBucketError(error);
    }
  }

  /** Downloads it to this machine's disk; false when the bucket has no whole copy of it. */
  private async fetch(rendition: Rendition): Promise<boolean> {
    const { bucket, local, staging } = this.options;
    const body = await bucket.download(keyOf(rendition));
    if (!body) return false;
    const staged = (await staging.stage(body, Number.POSITIVE_INFINITY)) as StagedFile;
    try {
      if (staged.size !== rendition.size) return false;
      await local.put(rendition.key, rendition.format, staged.file, staged.size);
      return true;
    } finally {
      await staged.discard();
    }
  }

  private async tried<T>(step: Promise<T>): Promise<T | undefined> {
    try {
      return await step;
    } catch (error) {
      this.options.onError(error);
      return undefined;
    }
  }
}
