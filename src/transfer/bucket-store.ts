import type { StagedBlob } from "../core/bytes/blob.ts";
import { pieces } from "../core/bytes/disk/pieces.ts";
import { refuseFullFor } from "../core/bytes/disk/room.ts";
import type { Staging } from "../core/bytes/disk/staging.ts";
import type { Bucket, ListedObject } from "../core/bytes/s3/bucket.ts";
import { translated } from "../core/bytes/s3/bucket-error.ts";
import { putFile } from "../core/bytes/s3/multipart.ts";
import { problem } from "./problems.ts";
import type { OnSaved, TransferBytes } from "./transfer.ts";

const pending = "pending/";

/** Keys are in the order of their offsets. */
const keyOf = (id: string, offset: number): string => `${pending}${id}/${String(offset).padStart(15, "0")}`;

/**
 * The bytes of unfinished uploads as objects, named by their offsets, so that any node goes on. Not as a multipart upload,
 * whose parts must have 5 MiB. At their end they are staged on this machine, as a form upload is.
 */
export class TransferBucket implements TransferBytes {
  private readonly bucket: Bucket;
  private readonly staging: Staging;

  constructor(bucket: Bucket, staging: Staging) {
    this.bucket = bucket;
    this.staging = staging;
  }

  async append(id: string, offset: number, bytes: AsyncIterable<Uint8Array>, onSaved: OnSaved): Promise<void> {
    let at = offset;
    for await (const piece of pieces(bytes)) {
      const staged = await this.staging.stage(piece, Number.MAX_SAFE_INTEGER);
      try {
        await translated(() => putFile(this.bucket, keyOf(id, at), staged.file, staged.size, staged.hash));
      } finally {
        await staged.discard();
      }
      at += staged.size;
      await onSaved(at);
    }
  }

  stage(id: string, length: number): Promise<StagedBlob> {
    return this.staging.stage(this.read(id, length), length);
  }

  /**
   * An object that begins where the one before ends. Others are left from requests that did not get so far as to say that
   * they are durable; whoever went on there has replaced the one at the same offset.
   */
  private async *read(id: string, length: number): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (const { key, size } of await this.objects(id)) {
      if (key !== keyOf(id, at)) continue;
      const body = await translated(() => this.bucket.download(key));
      for await (const chunk of body ?? []) yield chunk as Uint8Array;
      at += size;
    }
    if (at !== length) throw problem("upload_not_found", { id });
  }

  async remove(id: string): Promise<void> {
    for (const { key } of await this.objects(id)) await translated(() => this.bucket.remove(key));
  }

  async sweep(hasRow: (id: string) => Promise<boolean>): Promise<void> {
    const objects = await translated(() => Array.fromAsync(this.bucket.list(pending)));
    const ids = new Set(objects.map(({ key }) => key.split("/")[1] as string));
    for (const id of ids) if (!(await hasRow(id))) await this.remove(id);
  }

  /** Of the disk, which has the whole upload at its end. */
  async refuseFull(length: number): Promise<void> {
    await refuseFullFor(this.staging.folder, length);
  }

  private objects(id: string): Promise<ListedObject[]> {
    return translated(() => Array.fromAsync(this.bucket.list(`${pending}${id}/`)));
  }
}
