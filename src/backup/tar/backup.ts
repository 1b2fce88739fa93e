import { randomUUID } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, type Headers, pack } from "tar-stream";
import type { Bytes } from "../../core/bytes/blob.ts";
import { Batches } from "../../core/bytes/disk/batches.ts";
import { type Disk, nodeDisk, syncFolder } from "../../core/bytes/disk/disk.ts";
import {
  type BackupBlob,
  BackupError,
  type BackupReader,
  type BackupWriter,
  type Member,
  memberNames,
} from "../backup.ts";
import type { CandidateSource } from "../repair.ts";

/** A backup as a tar file, for its owner alone. Decision 17. */

const chunkBytes = 256 * 1024;

/** A backup in progress: `FILE.partial` until it is complete and durable. */
export class TarWriter implements BackupWriter {
  private readonly file: string;
  private readonly part: FileHandle;
  private readonly aside: FileHandle;
  private readonly disk: Disk;
  private readonly tar = pack();
  private readonly written: Promise<void>;
  private readonly mtime: Date;
  private isFinished = false;

  /** Removes the file of an interrupted backup. Throws what the disk throws. */
  static async create(file: string, atSeconds: number, disk: Disk = nodeDisk): Promise<TarWriter> {
    await disk.rm(partOf(file), { force: true });
    const part = await disk.open(partOf(file), "wx", 0o600);
    return new TarWriter(file, part, await openNameless(file, disk), atSeconds, disk);
  }

  private constructor(file: string, part: FileHandle, aside: FileHandle, atSeconds: number, disk: Disk) {
    this.file = file;
    this.part = part;
    this.aside = aside;
    this.disk = disk;
    this.mtime = new Date(atSeconds * 1000);
    this.written = pipeline(this.tar, (bytes: AsyncIterable<Uint8Array>) => writeAll(part, bytes));
    // The current or next write receives the error.
    this.written.catch(() => undefined);
  }

  async add(name: string, size: number, bytes: Bytes): Promise<void> {
    const header: Headers = { name, size, mode: 0o600, mtime: this.mtime };
    const source = Readable.from(bytes instanceof Uint8Array ? [bytes] : bytes);
    try {
      await pipeline(source, this.tar.entry(header));
    } catch (error) {
      // Whichever failed, source or file, has destroyed the other with its error; a destroyed tar does not report it.
      await this.written;
      throw error;
    }
  }

  async list(blobs: readonly BackupBlob[]): Promise<void> {
    await this.aside.appendFile(blobs.map(({ hash, size }) => `${hash} ${size}\n`).join(""));
  }

  async *listed(): AsyncIterable<BackupBlob> {
    for await (const line of this.aside.readLines({ start: 0, autoClose: false })) {
      const [hash = "", size] = line.split(" ");
      yield { hash, size: Number(size) };
    }
  }

  async finish(): Promise<void> {
    this.tar.finalize();
    await this.written;
    await this.part.sync();
    await this.part.close();
    await this.disk.rename(partOf(this.file), this.file);
    this.isFinished = true;
    await this.aside.close();
    await syncFolder(this.disk, dirname(this.file));
  }

  async discard(): Promise<void> {
    if (this.isFinished) return;
    this.tar.destroy();
    await this.written.catch(() => undefined);
    // Closing a handle twice rejects, which is harmless here.
    for (const handle of [this.part, this.aside]) await handle.close().catch(() => undefined);
    await this.disk.rm(partOf(this.file), { force: true }).catch(() => undefined);
  }
}

async function writeAll(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const batches = new Batches(handle);
  try {
    for await (const chunk of bytes) await batches.add(chunk);
    await batches.end();
  } finally {
    await batches.settled();
  }
}

const partOf = (file: string): string => `${file}.partial`;

/** An unlinked file on this file system: it disappears with the process, however that ends. */
async function openNameless(beside: string, disk: Disk): Promise<FileHandle> {
  const file = `${beside}.${randomUUID()}`;
  const handle = await disk.open(file, "wx+", 0o600);
  await disk.rm(file);
  return handle;
}

/** A finished backup, or a file that is said to be one. */
export class TarReader implements BackupReader {
  readonly size: number;
  private readonly file: string;

  /** Throws what the disk throws when the file does not exist. */
  constructor(file: string) {
    this.file = file;
    this.size = statSync(file).size;
  }

  async *members(): AsyncGenerator<Member> {
    const tar = extract();
    const failure = pipeline(createReadStream(this.file, { highWaterMark: chunkBytes }), tar).then(
      () => undefined,
      (error: unknown) => error,
    );
    try {
      for await (const entry of tar) {
        yield { name: entry.header.name, size: entry.header.size ?? 0, bytes: explained(entry, failure) };
      }
    } catch {
      throw explain(await failure);
    }
  }
}

/** The wanted blobs of a backup. Yields those before a damaged part, then throws BackupError. */
export function copiesInBackup(file: string): CandidateSource {
  return async function* (wanted) {
    for await (const { name, bytes } of new TarReader(file).members()) {
      const hash = name.slice(name.lastIndexOf("/") + 1);
      if (name === memberNames.blob(hash) && wanted.has(hash)) yield { from: `${file}: ${name}`, bytes };
      else for await (const _ of bytes);
    }
  };
}

async function* explained(bytes: AsyncIterable<Uint8Array>, failure: Promise<unknown>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch {
    throw explain(await failure);
  }
}

/** Disk errors are shown to the operator as they are; all others are the tar's. */
function explain(failure: unknown): unknown {
  const { message = "", syscall } = failure as NodeJS.ErrnoException;
  if (syscall) return failure;
  return new BackupError(
    message.startsWith("Unexpected end") ? "it is cut off" : "it is no tar file, or it is damaged",
  );
}
