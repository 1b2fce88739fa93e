import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { StagedBlob } from "../core/bytes/blob.ts";
import { mark } from "../core/bytes/disk/blob-mark.ts";
import { type Disk, nodeDisk, syncFolder, translateDiskError, unless } from "../core/bytes/disk/disk.ts";
import { pieces } from "../core/bytes/disk/pieces.ts";
import { refuseFullFor } from "../core/bytes/disk/room.ts";
import { blobMode, inspect, readFile, type StagedFile, type Staging, setMode } from "../core/bytes/disk/staging.ts";
import { sha256Of } from "../core/lib/sha256.ts";
import { problem } from "./problems.ts";
import type { OnSaved, TransferBytes } from "./transfer.ts";

/** The bytes of unfinished uploads, a file each, in the data folder. Linked as a blob at their end, never copied. */
export class TransferFolder implements TransferBytes {
  private readonly folder: string;
  private readonly staging: Staging;
  private readonly disk: Disk;

  /** Created with the first upload. It must be on the file system of the blobs. */
  constructor(folder: string, staging: Staging, disk: Disk = nodeDisk) {
    this.folder = folder;
    this.staging = staging;
    this.disk = disk;
  }

  append(id: string, offset: number, bytes: AsyncIterable<Uint8Array>, onSaved: OnSaved): Promise<void> {
    return translated(async () => {
      const handle = await this.open(id, offset);
      try {
        let at = offset;
        for await (const piece of pieces(bytes)) {
          for await (const chunk of piece) at += await writeAt(handle, chunk, at);
          await handle.datasync();
          await onSaved(at);
        }
      } finally {
        await handle.close();
      }
    });
  }

  stage(id: string, length: number): Promise<StagedBlob> {
    return translated(async (): Promise<StagedFile> => {
      const file = this.fileOf(id);
      // What a request that was refused has left after the end.
      await closing(await this.open(id, length), async (handle) => {
        await handle.truncate(length);
        await setMode(handle, blobMode);
        await mark(handle);
        await handle.sync();
      });
      const open = () => readFile(this.disk, file, length);
      const { hash, size } = await sha256Of(open());
      return { hash, size, file, open, inspect: () => inspect(file, undefined), discard: async () => undefined };
    });
  }

  async remove(id: string): Promise<void> {
    await unless(["ENOENT"], this.disk.unlink(this.fileOf(id)));
  }

  async sweep(hasRow: (id: string) => Promise<boolean>): Promise<void> {
    const ids = (await unless(["ENOENT"], this.disk.readdir(this.folder))) ?? [];
    for (const id of ids) if (!(await hasRow(id))) await this.remove(id);
  }

  async refuseFull(length: number, missing: number): Promise<void> {
    await refuseFullFor(this.folder, length + missing);
  }

  private fileOf(id: string): string {
    return join(this.folder, id);
  }

  /** The file, with at least the bytes before the offset. Throws upload_not_found where somebody removed them. */
  private async open(id: string, offset: number): Promise<FileHandle> {
    const { disk } = this;
    const file = this.fileOf(id);
    const found = await unless(["ENOENT"], disk.lstat(file));
    if ((found?.size ?? 0) < offset) throw problem("upload_not_found", { id });
    if (found) {
      // It may be a blob already, whose file never became known: a blob is not written to.
      if (found.nlink > 1) await this.part(file);
      await disk.chmod(file, pendingMode);
      return disk.open(file, "r+");
    }
    await disk.mkdir(this.folder, { recursive: true, mode: 0o700 });
    const handle = await disk.open(file, "wx", pendingMode);
    await syncFolder(disk, this.folder);
    return handle;
  }

  /** Gives the file bytes of its own. */
  private async part(file: string): Promise<void> {
    const temporary = this.staging.temporaryFile();
    await this.disk.mkdir(this.staging.folder, { recursive: true, mode: 0o700 });
    await this.disk.copyFile(file, temporary);
    await this.disk.rename(temporary, file);
  }
}

const pendingMode = 0o600;

async function writeAt(handle: FileHandle, chunk: Uint8Array, at: number): Promise<number> {
  for (let done = 0; done < chunk.length; ) {
    done += (await handle.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
  }
  return chunk.length;
}

async function closing(handle: FileHandle, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateDiskError(error);
  }
}
