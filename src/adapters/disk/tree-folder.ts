import { isUtf8 } from "node:buffer";
import { constants, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin, joinPath, nameOf, type Path, parentOf, rootPath } from "../../domain/path.ts";
import { sha256Of } from "../../lib/sha256.ts";
import { blobFile } from "./blob-folder.ts";
import { isMarked, mark } from "./blob-mark.ts";
import { codeOf, type Disk, syncFolder, unless } from "./disk.ts";
import { blobMode, type Staging, setMode } from "./staging.ts";
import type { UnknownUploads } from "./unknown-uploads.ts";

export type TreeFolderOptions = {
  root: string;
  blobFolder: string;
  staging: Staging;
  /** Where everything goes that the service did not make. */
  unknown: UnknownUploads;
  /** Whether nobody but the service may read. */
  isPrivate: boolean;
  disk: Disk;
};

/** A path that no path of the store can be: its row was not written by the service. */
export class UnsafePath extends Error {
  constructor(path: string) {
    super(`${JSON.stringify(path.slice(0, 200))} is no path of an upload and is not shown; octavo verify says more`);
  }
}

const folderMode = (isPrivate: boolean): number => (isPrivate ? 0o700 : 0o755);
const onlyFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Nor does it wait for whoever writes into a pipe. */
const onlyFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** How often what turns up under a name is moved away before it is given up for now. */
const maxTries = 3;

/**
 * The uploads tree on the disk. Every path of the store becomes one of the disk in `place` and `folder`, and nowhere
 * besides: the path must be one that the store can have, and the folder that it lies in a real one below the root. Node
 * has no call that works relative to an open folder, so whoever may write into the tree can still put a link in the place
 * of a folder between that look and the call after it. Those are the service's user and root.
 *
 * What the service made, it may remove: links to blobs and copies of them, which their mark tells (decision 21). All else
 * is moved, never removed (decision 22).
 */
export class TreeFolder {
  private readonly options: TreeFolderOptions;
  private readonly disk: Disk;
  private realRoot: string | undefined;
  /** Folders with names that are not durable yet. */
  private readonly unsynced = new Set<Path>();

  constructor(options: TreeFolderOptions) {
    this.options = options;
    this.disk = options.disk;
  }

  /** Makes a folder, the root too. Whatever else has its name gives way, a symbolic link as well. */
  async makeFolder(path: Path): Promise<void> {
    if (path === rootPath) return this.makeRoot();
    const at = await this.place(path);
    const stat = await unless(["ENOENT"], this.disk.lstat(at));
    if (stat?.isDirectory()) return;
    if (stat) await this.giveWay(path, at, stat);
    // Another process may have made it meanwhile.
    await unless(["EEXIST"], this.disk.mkdir(at, { mode: 0o755 }));
    await this.setFolderMode(at, 0o755);
    this.unsynced.add(parentOf(path));
  }

  /** The names in a folder. */
  async names(path: Path): Promise<string[]> {
    return this.disk.readdir(await this.folder(path));
  }

  /** Shows a blob under a path whose folder is there. Throws what the disk throws, also when the blob is missing. */
  async showFile(path: Path, hash: string): Promise<void> {
    const { disk } = this;
    const blob = blobFile(this.options.blobFolder, hash);
    const at = await this.place(path);
    for (let tries = 0; tries < maxTries; tries++) {
      // Mostly there is nothing yet.
      if (await isDone(disk.link(blob, at))) return void this.unsynced.add(parentOf(path));
      const [there, wanted] = [await unless(["ENOENT"], disk.lstat(at)), await disk.lstat(blob)];
      if (there && (isSameFile(there, wanted) || isCopyOf(there, wanted, hash))) return;
      if (!there || (await this.isOwn(at, there))) return this.replace(path, at, hash);
      if (await this.holds(at, there, wanted, hash)) return this.replaceByWhole(path, at, hash);
      await this.remove(path, true);
    }
    throw new Error(`${at} is taken again and again`);
  }

  /** Moves a folder with all in it. False where there is none, or something has the new name. */
  async moveFolder(from: Path, to: Path): Promise<boolean> {
    const [source, target] = [await this.place(from), await this.place(to)];
    if (await unless(["ENOENT"], this.disk.lstat(target))) return false;
    if (!(await this.disk.lstat(source)).isDirectory()) return false;
    await this.disk.rename(source, target);
    for (const path of this.unsynced) {
      if (isWithin(path, from)) this.unsynced.add(`${to}${path.slice(from.length)}` as Path);
    }
    this.unsynced.add(parentOf(from)).add(parentOf(to));
    return true;
  }

  /**
   * Takes away what the service made at the path and below; everything besides goes to the unknown uploads. `isKnown`: the
   * store had something of this path, so that a folder with nothing in it was the service's own.
   */
  async remove(path: Path, isKnown: boolean): Promise<void> {
    if (isLostAndFound(path)) return;
    const at = await unless(["ENOENT"], this.place(path));
    if (at === undefined) return;
    const stat = await unless(["ENOENT"], this.disk.lstat(at));
    if (!stat) return nameOf(path).includes("\ufffd") ? this.removeOdd(parentOf(path)) : undefined;
    if (!stat.isDirectory()) return this.giveWay(path, at, stat);
    const names = (await unless(["ENOENT"], this.names(path))) ?? [];
    if (names.length === 0 && !isKnown) return this.options.unknown.take(at, path);
    for (const name of names) await this.remove(joinPath(path, name), isKnown);
    this.unsynced.delete(path);
    this.unsynced.add(parentOf(path));
    // What is left was put there meanwhile: it goes with its folder. A look at the folder above may be as far as this one.
    const removed = unless(["ENOENT"], this.disk.rmdir(at)).then(() => true as const);
    if (!(await unless(["ENOTEMPTY", "EEXIST"], removed))) await this.options.unknown.take(at, path);
  }

  /** Moves what has a name that is no UTF-8: no path of the store leads there, nor any text of JavaScript. */
  private async removeOdd(folder: Path): Promise<void> {
    const at = await this.folder(folder);
    for (const name of await this.disk.readdir(at, { encoding: "buffer" })) {
      const text = name.toString();
      if (!isUtf8(name)) await this.options.unknown.take(join(at, text), joinPath(folder, text), name);
    }
    this.unsynced.add(folder);
  }

  /** Makes all that was done durable. What was moved out of the tree before what is missing in it. */
  async sync(): Promise<void> {
    await this.options.unknown.sync();
    for (const path of this.unsynced) {
      await unless(["ENOENT", "ENOTDIR"], this.syncReal(path));
      this.unsynced.delete(path);
    }
  }

  /** What somebody has put in the place of a folder has no names of ours. */
  private async syncReal(path: Path): Promise<void> {
    if (await this.isReal(path)) await syncFolder(this.disk, join(this.options.root, path));
  }

  // ------------------------------------------------------------------------------------------ from path to disk

  /** The name on the disk that a path has; the folder around it was looked at just now. */
  private async place(path: Path): Promise<string> {
    if (path === rootPath) throw new UnsafePath(path);
    refuseUnsafe(path);
    return join(await this.folder(parentOf(path)), nameOf(path));
  }

  /** A folder on the disk: a real one, not by way of a link. */
  private async folder(path: Path): Promise<string> {
    const at = join(this.options.root, path);
    if (!(await this.isReal(path))) throw new Error(`${at} is reached by a link that leads elsewhere`);
    return at;
  }

  /** Throws ENOENT where there is none. */
  private async isReal(path: Path): Promise<boolean> {
    refuseUnsafe(path);
    const { root } = this.options;
    this.realRoot ??= join(await this.disk.realpath(dirname(root)), basename(root));
    return (await this.disk.realpath(join(root, path))) === join(this.realRoot, path);
  }

  // ------------------------------------------------------------------------------------------ whose is it

  /** Removes what is the service's own, and moves all else. No folder. */
  private async giveWay(path: Path, at: string, stat: Stats): Promise<void> {
    this.unsynced.add(parentOf(path));
    if (isOwnTemporary(path) || (await this.isOwn(at, stat))) await unless(["ENOENT"], this.disk.unlink(at));
    else await this.options.unknown.take(at, path);
  }

  /**
   * True for a link to a blob, of one that was swept or mended too, and for a copy that was made where there are no links.
   * The mark says so at once; what has none (a blob of before there were marks, a data folder that was copied) is read:
   * its bytes name the blob that it must be a link to.
   */
  private async isOwn(at: string, stat: Stats): Promise<boolean> {
    const isWritable = (stat.mode & 0o222) !== 0;
    if (!stat.isFile() || (isWritable && stat.nlink === 1)) return false;
    if (isMarked(stat)) return true;
    const hash = await this.hashOf(at);
    if (isMarked(stat, hash)) return true;
    const blob = await unless(["ENOENT"], this.disk.lstat(blobFile(this.options.blobFolder, hash)));
    return blob !== undefined && isSameFile(blob, stat);
  }

  /** True for a file of somebody's that has the very bytes. */
  private async holds(at: string, there: Stats, wanted: Stats, hash: string): Promise<boolean> {
    if (!there.isFile() || there.size !== wanted.size) return false;
    return (await this.hashOf(at)) === hash;
  }

  private async hashOf(at: string): Promise<string> {
    const handle = await this.disk.open(at, onlyFile);
    return (await sha256Of(handle.createReadStream({ highWaterMark: 256 * 1024 }))).hash;
  }

  // ------------------------------------------------------------------------------------------ making it so

  /** Nothing is lost when a link to a blob takes the place of the same bytes; of a blob that is not whole they are the better copy. */
  private async replaceByWhole(path: Path, at: string, hash: string): Promise<void> {
    if ((await this.hashOf(blobFile(this.options.blobFolder, hash))) === hash) await this.replace(path, at, hash);
  }

  /** Under another name first: whoever reads the tree sees the old bytes or the new ones, whole. */
  private async replace(path: Path, at: string, hash: string): Promise<void> {
    const { staging, root } = this.options;
    try {
      await this.rename(staging.temporaryFile(), at, hash);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
      // The tree is a mount of its own.
      await this.rename(join(root, ownPrefix + basename(staging.temporaryFile())), at, hash);
    }
    this.unsynced.add(parentOf(path));
  }

  private async rename(temporary: string, at: string, hash: string): Promise<void> {
    try {
      await this.linkOrCopy(temporary, hash);
      await this.disk.rename(temporary, at);
    } catch (error) {
      await unless(["ENOENT"], this.disk.unlink(temporary));
      throw error;
    }
  }

  private async linkOrCopy(file: string, hash: string): Promise<void> {
    const { disk } = this;
    const blob = blobFile(this.options.blobFolder, hash);
    try {
      await disk.link(blob, file);
    } catch (error) {
      if (codeOf(error) === "ENOENT") throw error;
      await disk.copyFile(blob, file);
      const { mtimeMs } = await disk.lstat(blob);
      const handle = await disk.open(file, "r");
      try {
        await setMode(handle, blobMode);
        await mark(handle, hash, Math.floor(mtimeMs / 1000));
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  }

  /** A link in the place of the root is moved as well: what lies behind it is not the service's to put in order. */
  private async makeRoot(): Promise<void> {
    const { root, unknown, isPrivate } = this.options;
    const stat = await unless(["ENOENT"], this.disk.lstat(root));
    if (stat?.isDirectory()) {
      // 0700 is what the setting left when it was on. Any other mode is the operator's, as long as it is no looser.
      const mode = stat.mode & 0o777;
      if (isPrivate ? mode & 0o077 : mode === 0o700) await this.setFolderMode(root, folderMode(isPrivate));
      return;
    }
    if (stat) await unknown.take(root, basename(root));
    await unless(["EEXIST"], this.disk.mkdir(root, { recursive: true, mode: folderMode(isPrivate) }));
    await this.setFolderMode(root, folderMode(isPrivate));
    await syncFolder(this.disk, dirname(root));
  }

  /** Whatever the umask took. */
  private async setFolderMode(folder: string, mode: number): Promise<void> {
    const handle = await this.disk.open(folder, onlyFolder);
    try {
      await setMode(handle, mode);
    } finally {
      await handle.close();
    }
  }
}

const ownPrefix = ".octavo-";

/** Throws UnsafePath where a part of the path is no name. What lies in the tree may have names that the store would refuse. */
function refuseUnsafe(path: Path): void {
  if (path === rootPath) return;
  if (path.includes("\0") || path.split("/").some((name) => ["", ".", ".."].includes(name))) throw new UnsafePath(path);
}

/** A file that was to be renamed when the process ended. */
const isOwnTemporary = (path: Path): boolean => /^\.octavo-\w+-\d+-[0-9a-f]{18}$/.test(path);

/** What mkfs leaves at the top of a file system. */
const isLostAndFound = (path: Path): boolean => path === "lost+found";

const isSameFile = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev;

/** A copy of this state of the blob has its second and the mark of its hash. */
function isCopyOf(there: Stats, blob: Stats, hash: string): boolean {
  const isOfSecond = Math.floor(there.mtimeMs / 1000) === Math.floor(blob.mtimeMs / 1000);
  return there.isFile() && there.nlink === 1 && there.size === blob.size && isOfSecond && isMarked(there, hash);
}

/** True when the step was taken, false whatever stood in its way. */
const isDone = (step: Promise<unknown>): Promise<boolean> =>
  step.then(
    () => true,
    () => false,
  );
