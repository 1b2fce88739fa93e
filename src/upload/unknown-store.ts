import { randomUUID } from "node:crypto";
import { constants, type PathLike, type Stats } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { codeOf, type Disk, nodeDisk, noLink, syncFolder, unless } from "../core/bytes/disk/disk.ts";

/** A pipe, socket or device that would have to be moved to another file system. */
export class CannotMove extends Error {
  constructor(file: PathLike) {
    super(`${file} is not a regular file and cannot be moved to another file system: move it by hand`);
  }
}

/**
 * Files that were found in the uploads tree and not created by the service, below a folder of the day, at the same path.
 * The service never overwrites or removes anything here; `octavo uploads adopt` turns them into uploads. Decision 22.
 */
export class UnknownUploads {
  readonly folder: string;
  private readonly disk: Disk;
  /** Folders whose entries are not durable yet. */
  private readonly unsynced = new Set<string>();
  private moved = 0;
  private firstMoved = "";

  constructor(folder: string, disk: Disk = nodeDisk) {
    this.folder = folder;
    this.disk = disk;
  }

  /**
   * Moves a file, a symbolic link (not followed), a folder with its content or a special file. Does nothing when it is
   * gone meanwhile. `name`: the last segment, when it is not UTF-8. When this throws, nothing was moved.
   */
  async take(from: string, path: string, name?: Buffer): Promise<void> {
    const day = new Date().toISOString().slice(0, 10);
    const source = named(from, name);
    const stat = await unless(["ENOENT"], this.disk.lstat(source));
    if (!stat) return;
    for (let n = 1; n < maxFolders; n++) {
      const to = join(this.folder, n === 1 ? day : `${day}-${n}`, path);
      if (!(await this.makeFolder(dirname(to)))) continue;
      const moved = await this.unlessGone(source, this.move(source, named(to, name), stat));
      if (moved === false) continue;
      if (moved) this.note(path);
      return;
    }
    throw new Error(`${from} cannot be moved to ${this.folder}: the name is taken in every folder of the day`);
  }

  private note(path: string): void {
    this.firstMoved ||= path;
    this.moved++;
  }

  /** Undefined when the source disappeared meanwhile: a parallel look at the tree moved it, or its owner removed it. */
  private async unlessGone<T>(source: PathLike, step: Promise<T>): Promise<T | undefined> {
    try {
      return await step;
    } catch (error) {
      if (codeOf(error) === "ENOENT" && !(await unless(["ENOENT"], this.disk.lstat(source)))) return undefined;
      throw error;
    }
  }

  /** Makes all moves durable. */
  async sync(): Promise<void> {
    for (const folder of this.unsynced) {
      await unless(["ENOENT"], syncFolder(this.disk, folder));
      this.unsynced.delete(folder);
    }
  }

  /** A sentence for the operator about what was moved since the last call; undefined when nothing was. */
  report(): string | undefined {
    const { moved, firstMoved, folder } = this;
    if (moved === 0) return undefined;
    this.moved = 0;
    this.firstMoved = "";
    const [what, it] = moved === 1 ? [`${firstMoved} was`, "it"] : [`${firstMoved} and ${moved - 1} more were`, "them"];
    return `${what} in uploads/ but not created by Octavo: moved to ${folder}; octavo uploads adopt takes ${it} in`;
  }

  /** The number of files, links, special files and empty folders. */
  async count(folder = this.folder): Promise<number> {
    const entries = (await unless(["ENOENT"], this.disk.readdir(folder, { withFileTypes: true }))) ?? [];
    let count = 0;
    for (const entry of entries) {
      if (isPart(entry.name)) continue;
      // The folder of a day is the service's own and does not count when empty.
      const isDay = folder === this.folder;
      if (entry.isDirectory()) count += (await this.count(join(folder, entry.name))) || (isDay ? 0 : 1);
      else count++;
    }
    return count;
  }

  /** False when the name is taken. */
  private async move(from: PathLike, to: PathLike, stat: Stats): Promise<boolean> {
    if (stat.isDirectory()) return this.moveFolder(from, to);
    if (stat.isSymbolicLink()) return this.moveLink(from, to);
    try {
      return await this.rename(from, to);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
      return this.copy(from, to, stat);
    }
  }

  /** False if a file has the name, or a symbolic link that was moved here before. */
  private async makeFolder(folder: string): Promise<boolean> {
    const { disk } = this;
    await disk.mkdir(this.folder, { recursive: true, mode: 0o700 });
    const made = disk.mkdir(folder, { recursive: true, mode: 0o700 }).then(() => true as const);
    if (!(await unless(["EEXIST", "ENOTDIR"], made))) return false;
    const below = relative(this.folder, folder);
    if ((await disk.realpath(folder)) !== join(await disk.realpath(this.folder), below)) return false;
    this.unsynced.add(dirname(this.folder)).add(this.folder);
    for (let depth = below.split(sep).length; depth > 0; depth--) {
      this.unsynced.add(join(this.folder, ...below.split(sep).slice(0, depth)));
    }
    return true;
  }

  private async moveFolder(from: PathLike, to: PathLike): Promise<boolean> {
    const taken = ["ENOTEMPTY", "EEXIST", "ENOTDIR"];
    const move = async (): Promise<true> => {
      try {
        await this.disk.rename(from, to);
      } catch (error) {
        if (codeOf(error) !== "EXDEV") throw error;
        // Between file systems folders are moved when they are empty: their content was moved before.
        await this.disk.mkdir(to, { mode: 0o700 });
        await this.sync();
        await this.disk.rmdir(from);
      }
      return true;
    };
    return (await unless(taken, move())) ?? false;
  }

  private async moveLink(from: PathLike, to: PathLike): Promise<boolean> {
    const { disk } = this;
    const made = disk.symlink(await disk.readlink(from), to).then(() => true as const);
    if (!(await unless(["EEXIST"], made))) return false;
    await this.sync();
    await disk.unlink(from);
    return true;
  }

  /** Within one file system. link(2) never overwrites, unlike rename(2). */
  private async rename(from: PathLike, to: PathLike): Promise<boolean> {
    const { disk } = this;
    try {
      await disk.link(from, to);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return this.isSameFile(from, to);
      // Linux also refuses links to files of other users (fs.protected_hardlinks).
      if (codeOf(error) === "EXDEV" || !noLink.includes(codeOf(error))) throw error;
      return this.renameReserved(from, to);
    }
    await disk.unlink(from);
    return true;
  }

  /** True after a crash between link and unlink: both names are the same file, and the first is removed now. */
  private async isSameFile(from: PathLike, to: PathLike): Promise<boolean> {
    const [here, there] = [await this.disk.lstat(from), await this.disk.lstat(to)];
    if (here.ino !== there.ino || here.dev !== there.dev) return false;
    await this.disk.unlink(from);
    return true;
  }

  /** Reserves the name with an empty file, then renames over it. A crash in between leaves the empty file. */
  private async renameReserved(from: PathLike, to: PathLike): Promise<boolean> {
    const { disk } = this;
    const handle = await unless(["EEXIST"], disk.open(to, "wx", 0o600));
    if (!handle) return false;
    await handle.close();
    try {
      await disk.rename(from, to);
    } catch (error) {
      await disk.unlink(to);
      throw error;
    }
    return true;
  }

  /** To another file system: removes the file once its copy is durable. Throws when it is being written to. */
  private async copy(from: PathLike, to: PathLike, before: Stats): Promise<boolean> {
    const { disk } = this;
    if (!before.isFile()) throw new CannotMove(from);
    const part = join(this.folder, partName());
    try {
      await disk.copyFile(from, part, constants.COPYFILE_EXCL);
      const handle = await disk.open(part, "r");
      await handle.utimes(before.atimeMs / 1000, before.mtimeMs / 1000).catch(() => undefined);
      await handle.sync().finally(() => handle.close());
      const after = await disk.lstat(from);
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs)
        throw new Error(`${from} is being written to`);
      if (!(await this.rename(part, to))) return false;
      await this.sync();
      await disk.unlink(from);
      return true;
    } finally {
      await unless(["ENOENT"], disk.unlink(part));
    }
  }
}

const maxFolders = 1000;

const named = (file: string, name: Buffer | undefined): PathLike =>
  name ? Buffer.concat([Buffer.from(`${dirname(file)}/`), name]) : file;

const partName = (): string => `.part-${randomUUID()}`;

/** A copy that a crash cut off; its source was not removed. */
export const isPart = (name: string): boolean => /^\.part-[0-9a-f-]{36}$/.test(name);
