import { randomUUID } from "node:crypto";
import { constants, type PathLike, type Stats } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { codeOf, type Disk, nodeDisk, noLink, syncFolder, unless } from "./disk.ts";

/** Neither a file nor a link, and the unknown uploads are on another file system. */
export class CannotMove extends Error {
  constructor(file: PathLike) {
    super(`${file} is no file and cannot go to another file system: move it by hand`);
  }
}

/**
 * Where files go that lay in the uploads tree and that the service did not make: below a folder of the day, at the same
 * path. Nothing here is ever overwritten or removed by the service; `octavo uploads adopt` makes uploads of them.
 * Decision 22.
 */
export class UnknownUploads {
  readonly folder: string;
  private readonly disk: Disk;
  /** Folders with names that are not durable yet. */
  private readonly unsynced = new Set<string>();
  private moved = 0;
  private firstMoved = "";

  constructor(folder: string, disk: Disk = nodeDisk) {
    this.folder = folder;
    this.disk = disk;
  }

  /**
   * Moves what lies at `from`: a file, a symbolic link (which is not followed), a folder with all in it, anything. Does
   * nothing when it is gone meanwhile. `name`: its last part, where that is no UTF-8. Throws what the disk throws; then it
   * lies where it lay.
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
    throw new Error(`${from} cannot go to ${this.folder}: the name is taken there in every folder of the day`);
  }

  private note(path: string): void {
    this.firstMoved ||= path;
    this.moved++;
  }

  /** Undefined where somebody else has taken it away: another look at the tree, or whoever put it there. */
  private async unlessGone<T>(source: PathLike, step: Promise<T>): Promise<T | undefined> {
    try {
      return await step;
    } catch (error) {
      if (codeOf(error) === "ENOENT" && !(await unless(["ENOENT"], this.disk.lstat(source)))) return undefined;
      throw error;
    }
  }

  /** Makes the names of what was moved durable. */
  async sync(): Promise<void> {
    for (const folder of this.unsynced) {
      await unless(["ENOENT"], syncFolder(this.disk, folder));
      this.unsynced.delete(folder);
    }
  }

  /** What was moved since the last call, as a sentence for the operator; undefined when there was nothing. */
  report(): string | undefined {
    const { moved, firstMoved, folder } = this;
    if (moved === 0) return undefined;
    this.moved = 0;
    this.firstMoved = "";
    const [what, it] = moved === 1 ? [firstMoved, "it"] : [`${firstMoved} and ${moved - 1} more`, "them"];
    return `${what} lay in uploads/ and Octavo did not make ${it}: moved to ${folder}; octavo uploads adopt takes ${it} in`;
  }

  /** How many lie here: files, links, folders with nothing in them. */
  async count(folder = this.folder): Promise<number> {
    const entries = (await unless(["ENOENT"], this.disk.readdir(folder, { withFileTypes: true }))) ?? [];
    let count = 0;
    for (const entry of entries) {
      if (isPart(entry.name)) continue;
      // A folder with nothing in it counts, but for those of a day, which are the service's own.
      const isDay = folder === this.folder;
      if (entry.isDirectory()) count += (await this.count(join(folder, entry.name))) || (isDay ? 0 : 1);
      else count++;
    }
    return count;
  }

  /** False when something has the name. */
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

  /** False where a file is in the way, or a link that leads elsewhere: one that was moved here before. */
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
        // Across file systems an empty one: whoever moves others moves what is in them first.
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

  /** Within one file system. A link takes no name that is taken, which a rename would. */
  private async rename(from: PathLike, to: PathLike): Promise<boolean> {
    const { disk } = this;
    try {
      await disk.link(from, to);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return this.isSameFile(from, to);
      // Linux also lets nobody link what is another user's.
      if (codeOf(error) === "EXDEV" || !noLink.includes(codeOf(error))) throw error;
      return this.renameReserved(from, to);
    }
    await disk.unlink(from);
    return true;
  }

  /** A crash came between the two names: then only the first is to go. */
  private async isSameFile(from: PathLike, to: PathLike): Promise<boolean> {
    const [here, there] = [await this.disk.lstat(from), await this.disk.lstat(to)];
    if (here.ino !== there.ino || here.dev !== there.dev) return false;
    await this.disk.unlink(from);
    return true;
  }

  /** The name is taken by an empty file first, so that nobody else has it. A crash in between leaves that. */
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

  /** Into another file system; the file goes when its copy is durable, and stays when it was written to meanwhile. */
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

/** A copy that was cut off: its original is where it was. */
export const isPart = (name: string): boolean => /^\.part-[0-9a-f-]{36}$/.test(name);
