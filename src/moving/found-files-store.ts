import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf, type Disk, nodeDisk, plainFile, unless } from "../core/bytes/disk/disk.ts";
import { isPart } from "../upload/unknown-store.ts";
import type { UploadSource } from "./adopt.ts";

const dayFolder = /^\d{4}-\d\d-\d\d(-\d+)?$/;

/** `removes`: whether adopted files are removed, and folders that become empty, up to and including `folder`. */
export type FoundOptions = { folder: string; removes: boolean; disk?: Disk };

/** The content of a folder, recursively, sorted by name. Links are not followed. A file stays open until the next one. */
export async function* findFiles({ folder, removes, disk = nodeDisk }: FoundOptions): AsyncGenerator<UploadSource> {
  yield* new Finder(folder, removes, disk).below("", folder);
}

/** The content of the unknown uploads, oldest day first. Paths are relative to the folder of the day. */
export async function* findUnknown(folder: string, disk: Disk = nodeDisk): AsyncGenerator<UploadSource> {
  const names = (await unless(["ENOENT"], disk.readdir(folder))) ?? [];
  const finder = new Finder(folder, true, disk);
  for (const name of names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }))) {
    if (dayFolder.test(name)) yield* finder.below("", join(folder, name));
  }
  yield* finder.below("", folder, (name) => !dayFolder.test(name) && !isPart(name));
  await unless(["ENOENT", "ENOTEMPTY", "EEXIST"], disk.rmdir(folder));
}

class Finder {
  private readonly top: string;
  private readonly removes: boolean;
  private readonly disk: Disk;

  constructor(top: string, removes: boolean, disk: Disk) {
    this.top = top;
    this.removes = removes;
    this.disk = disk;
  }

  /** `path` is the relative path of `folder`, empty for the root of all paths. */
  async *below(path: string, folder: string, isMeant = (_: string) => true): AsyncGenerator<UploadSource> {
    for (const raw of await this.namesIn(folder)) {
      const name = raw.toString();
      if (!isMeant(name)) continue;
      const here = path === "" ? name : `${path}/${name}`;
      if (!isUtf8(raw)) yield { path: here, kind: "other", why: "its name is not UTF-8: rename it" };
      else yield* this.one(here, join(folder, name));
    }
  }

  private async namesIn(folder: string): Promise<Buffer[]> {
    const names = await unless(["ENOENT", "ENOTDIR"], this.disk.readdir(folder, { encoding: "buffer" }));
    return (names ?? []).sort(Buffer.compare);
  }

  private async *one(path: string, at: string): AsyncGenerator<UploadSource> {
    const stat = await unless(["ENOENT"], this.disk.lstat(at));
    if (!stat) return;
    if (stat.isFile()) yield* this.file(path, at);
    else if (!stat.isDirectory()) yield { path, kind: "other", why: `${kindOf(stat)}: never followed nor read` };
    else if ((await this.namesIn(at)).length === 0) yield { path, kind: "folder", done: () => this.removeFolder(at) };
    else yield* this.below(path, at);
  }

  private async *file(path: string, at: string): AsyncGenerator<UploadSource> {
    let handle: FileHandle;
    try {
      handle = await this.disk.open(at, plainFile);
    } catch (error) {
      yield { path, kind: "other", why: `it cannot be read (${codeOf(error)})` };
      return;
    }
    try {
      const before = await handle.stat();
      const bytes = handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 });
      yield { path, kind: "file", bytes, done: () => this.removeFile(at, before) };
    } finally {
      await handle.close();
    }
  }

  /** False when the file was replaced or written to since it was read. */
  private async removeFile(at: string, before: Stats): Promise<boolean> {
    const now = await unless(["ENOENT"], this.disk.lstat(at));
    if (now?.ino !== before.ino || now.size !== before.size || now.mtimeMs !== before.mtimeMs) return false;
    if (!this.removes) return true;
    await this.disk.unlink(at);
    await this.removeEmpty(dirname(at));
    return true;
  }

  private async removeFolder(at: string): Promise<boolean> {
    if (this.removes) await this.removeEmpty(at);
    return true;
  }

  private async removeEmpty(folder: string): Promise<void> {
    for (let at = folder; at.startsWith(this.top); at = dirname(at)) {
      const removed = this.disk.rmdir(at).then(() => true as const);
      if (!(await unless(["ENOTEMPTY", "EEXIST", "ENOENT", "EBUSY"], removed))) return;
    }
  }
}

function kindOf(stat: Stats): string {
  if (stat.isSymbolicLink()) return "a symbolic link";
  return stat.isFIFO() ? "a pipe" : stat.isSocket() ? "a socket" : "a device";
}
