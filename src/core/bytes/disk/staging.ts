import { createHash, randomBytes } from "node:crypto";
import { fstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { problem } from "../../problem.ts";
import type { StagedBlob } from "../blob.ts";
import type { Inspection } from "../media-type.ts";
import { Batches } from "./batches.ts";
import { mark } from "./blob-mark.ts";
import { cannotSet, type Disk, nodeDisk, translateDiskError, unless } from "./disk.ts";
import { readChunks } from "./read-chunks.ts";

/** Incoming uploads: temporary files before they are stored in any blob store. */

export type StagedFile = StagedBlob & { readonly file: string };

/** Mode of blobs: private through the folders above them, readable for all through their links in `uploads/`. */
export const blobMode = 0o444;

/** Sets the mode of an open file that the umask reduced; does nothing on file systems without modes. */
export async function setMode(handle: FileHandle, mode: number): Promise<void> {
  if ((fstatSync(handle.fd).mode & 0o777) !== mode) await unless(cannotSet, handle.chmod(mode));
}

export class Staging {
  readonly folder: string;
  private readonly disk: Disk;

  /** Creates the folder when it is first needed. */
  constructor(folder: string, disk: Disk = nodeDisk) {
    this.folder = folder;
    this.disk = disk;
  }

  /** A name that no other process uses. It names its owner, so that leftovers of a crash can be recognised. */
  temporaryFile(): string {
    return join(this.folder, `${owner}-${process.pid}-${randomBytes(9).toString("hex")}`);
  }

  /** Writes, counts and hashes in one pass; answers when all of it is durable. BlobStore.stage. */
  async stage(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StagedFile> {
    const { disk } = this;
    const file = this.temporaryFile();
    // A file that cannot be removed now is swept later: a request that succeeded must not fail for it.
    const discard = () => disk.unlink(file).catch(() => undefined);
    try {
      const { hash, size, whole } = await this.write(file, bytes, maxBytes);
      return { hash, size, file, discard, open: () => readFile(disk, file, size), inspect: () => inspect(file, whole) };
    } catch (error) {
      await discard();
      throw translateDiskError(error);
    }
  }

  /** `whole` is all of the bytes, if they are few. */
  private async write(file: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number) {
    const sha256 = createHash("sha256");
    const handle = await this.create(file);
    const batches = new Batches(handle);
    try {
      for await (const chunk of bytes) {
        if (batches.size + chunk.length > maxBytes) throw problem("file_too_large", { limit: maxBytes });
        sha256.update(chunk);
        await batches.add(chunk);
      }
      const whole = await batches.end();
      await setMode(handle, blobMode);
      await mark(handle);
      await handle.sync();
      return { hash: sha256.digest("hex"), size: batches.size, whole };
    } finally {
      await batches.settled();
      await handle.close();
    }
  }

  /** Read-only from the start for everything but this handle: hard links will share this inode. */
  private async create(file: string): Promise<FileHandle> {
    const open = () => this.disk.open(file, "wx", blobMode);
    const handle = await unless(["ENOENT"], open());
    if (handle) return handle;
    await this.disk.mkdir(this.folder, { recursive: true, mode: 0o700 });
    return open();
  }

  /**
   * Removes the leftovers of this machine's processes that have ended, and any file older than a day. A file dated more
   * than a day ahead comes from a wrong clock and is removed too: it cannot be an upload in progress.
   */
  async tidy(nowMs: number): Promise<void> {
    const names = (await unless(["ENOENT"], this.disk.readdir(this.folder))) ?? [];
    for (const name of names) {
      const file = join(this.folder, name);
      const stat = await unless(["ENOENT"], this.disk.lstat(file));
      if (stat && (isLeftBehind(name) || Math.abs(nowMs - stat.mtimeMs) > dayMs)) {
        await this.disk.rm(file, { recursive: true, force: true });
      }
    }
  }
}

/** Reads a file that is there. */
export async function* readFile(disk: Disk, file: string, size: number): AsyncGenerator<Uint8Array, void> {
  yield* readChunks(await disk.open(file, "r"), size);
}

/** Loads the format readers with the first upload, to keep the start fast. */
export async function inspect(file: string, whole: Buffer | undefined): Promise<Inspection> {
  const { inspectBytes, inspectFile } = await import("./inspect.ts");
  return whole ? inspectBytes(whole, file) : inspectFile(file);
}

const dayMs = 24 * 3600 * 1000;

/** The machine named in the file's name. */
const owner = hostname().replace(/[^\w]/g, "_");

function isLeftBehind(name: string): boolean {
  const [machine, pid] = name.split("-");
  if (machine !== owner || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
