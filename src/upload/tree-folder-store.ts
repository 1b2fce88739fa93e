import { isUtf8 } from "node:buffer";
import { constants, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { blobFile } from "../core/bytes/disk/blob-folder.ts";
import { isMarked, mark } from "../core/bytes/disk/blob-mark.ts";
import { codeOf, type Disk, plainFile, syncFolder, unless } from "../core/bytes/disk/disk.ts";
import { blobMode, type Staging, setMode } from "../core/bytes/disk/staging.ts";
import { sha256Of } from "../core/lib/sha256.ts";
import { isWithin, joinPath, nameOf, type Path, parentOf, rootPath } from "../core/path.ts";
import type { UnknownUploads } from "./unknown-store.ts";

export type TreeFolderOptions = {
  root: string;
  blobFolder: string;
  staging: Staging;
  /** Receives everything that the service did not create. */
  unknown: UnknownUploads;
  /** Whether only the service's user may read the tree. */
  isPrivate: boolean;
  disk: Disk;
};

/** A path that the service cannot have stored: its row comes from outside. */
export class UnsafePath extends Error {
  constructor(path: string) {
    super(`${JSON.stringify(path.slice(0, 200))} is not the path of an upload and is not shown; see octavo verify`);
  }
}

const folderMode = (isPrivate: boolean): number => (isPrivate ? 0o700 : 0o755);
const onlyFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** How often an unknown file under one name is moved away before the call fails. */
const maxTries = 3;

/**
 * The uploads tree on the disk. `place` and `folder` are the only places where a path of the store becomes a path of the
 * disk: no segment may be empty, `.` or `..`, and the parent folder must be a real folder below the root. Node has no
 * openat(2), so a user who may write into the tree (the service's own, and root) can still replace a folder by a symbolic
 * link between this check and the call after it.
 *
 * The service removes only what it created: links to blobs and copies of them, recognised by their mark (decision 4).
 * Everything else is moved to the unknown uploads (decision 22).
 */
export class TreeFolder {
  private readonly options: TreeFolderOptions;
  private readonly disk: Disk;
  private realRoot: string | undefined;
  /** Folders whose entries are not durable yet. */
  private readonly unsynced = new Set<Path>();

  constructor(options: TreeFolderOptions) {
    this.options = options;
    this.disk = options.disk;
  }

  /** Creates a folder, or the root. Any other file of that name, including a symbolic link, is removed or moved. */
  async makeFolder(path: Path): Promise<void> {
    if (path === rootPath) return this.makeRoot();
    const at = await this.place(path);
    const stat = await unless(["ENOENT"], this.disk.lstat(at));
    if (stat?.isDirectory()) return;
    if (stat) await this.clear(path, at, stat);
    // Another process may have created it meanwhile.
    await unless(["EEXIST"], this.disk.mkdir(at, { mode: 0o755 }));
    await this.setFolderMode(at, 0o755);
    this.unsynced.add(parentOf(path));
  }

  /** The names of a folder's entries. */
  async names(path: Path): Promise<string[]> {
    return this.disk.readdir(await this.folder(path));
  }

  /** Links a blob at a path whose folder exists. Throws what the disk throws, ENOENT when the blob is missing. */
  async showFile(path: Path, hash: string): Promise<void> {
    const { disk } = this;
    const blob = blobFile(this.options.blobFolder, hash);
    const at = await this.place(path);
    for (let tries = 0; tries < maxTries; tries++) {
      // Usually the name is free.
      if (await isDone(disk.link(blob, at))) return void this.unsynced.add(parentOf(path));
      const [there, wanted] = [await unless(["ENOENT"], disk.lstat(at)), await disk.lstat(blob)];
      if (there && (isSameFile(there, wanted) || isCopyOf(there, wanted, hash))) return;
      if (!there || (await this.isOwn(at, there))) return this.replace(path, at, hash);
      if (await this.holds(at, there, wanted, hash)) return this.replaceByWhole(path, at, hash);
      await this.remove(path, true);
    }
    throw new Error(`${at} is replaced again and again`);
  }

  /** Renames a folder. False when it is not there or the new name is taken. */
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
   * Removes what the service created at the path and below, and moves everything else to the unknown uploads. `isKnown`:
   * the store had this path, so an empty folder here was created by the service.
   */
  async remove(path: Path, isKnown: boolean): Promise<void> {
    if (isLostAndFound(path)) return;
    const at = await unless(["ENOENT"], this.place(path));
    if (at === undefined) return;
    const stat = await unless(["ENOENT"], this.disk.lstat(at));
    if (!stat) return nameOf(path).includes("\ufffd") ? this.removeOdd(parentOf(path)) : undefined;
    if (!stat.isDirectory()) return this.clear(path, at, stat);
    const look = async () => (await unless(["ENOENT"], this.names(path))) ?? [];
    let names = await look();
    if (names.length === 0 && !isKnown) return this.options.unknown.take(at, path);
    this.unsynced.delete(path);
    this.unsynced.add(parentOf(path));
    for (let tries = 0; tries < maxTries; tries++) {
      for (const name of names) await this.remove(joinPath(path, name), isKnown);
      // A parallel check of the parent may have removed it already, one of what is below it may have added to it.
      const removed = unless(["ENOENT"], this.disk.rmdir(at)).then(() => true as const);
      if (await unless(["ENOTEMPTY", "EEXIST"], removed)) return;
      names = await look();
    }
    await this.options.unknown.take(at, path);
  }

  /** Moves entries whose names are not UTF-8 and so have no exact text in JavaScript. */
  private async removeOdd(folder: Path): Promise<void> {
    const at = await this.folder(folder);
    for (const name of await this.disk.readdir(at, { encoding: "buffer" })) {
      const text = name.toString();
      if (!isUtf8(name)) await this.options.unknown.take(join(at, text), joinPath(folder, text), name);
    }
    this.unsynced.add(folder);
  }

  /** Makes all changes durable: first what was moved out of the tree, then what is missing in it. */
  async sync(): Promise<void> {
    await this.options.unknown.sync();
    for (const path of this.unsynced) {
      await unless(["ENOENT", "ENOTDIR"], this.syncReal(path));
      this.unsynced.delete(path);
    }
  }

  /** A folder that was replaced from outside holds no changes of the service. */
  private async syncReal(path: Path): Promise<void> {
    if (await this.isReal(path)) await syncFolder(this.disk, join(this.options.root, path));
  }

  // ------------------------------------------------------------------------------------------ from path to disk

  /** The disk path of an entry, whose parent folder has just been checked. Throws UnsafePath. */
  private async place(path: Path): Promise<string> {
    if (path === rootPath) throw new UnsafePath(path);
    refuseUnsafe(path);
    return join(await this.folder(parentOf(path)), nameOf(path));
  }

  /** The disk path of a folder, which is a real one and not reached through a symbolic link. Throws UnsafePath. */
  private async folder(path: Path): Promise<string> {
    const at = join(this.options.root, path);
    if (!(await this.isReal(path))) throw new Error(`${at} is reached through a symbolic link`);
    return at;
  }

  /** Rejects with ENOENT when it does not exist. */
  private async isReal(path: Path): Promise<boolean> {
    refuseUnsafe(path);
    const { root } = this.options;
    this.realRoot ??= join(await this.disk.realpath(dirname(root)), basename(root));
    return (await this.disk.realpath(join(root, path))) === join(this.realRoot, path);
  }

  // ------------------------------------------------------------------------------------------ ownership

  /** Removes a file of the service, moves anything else. Not for folders. */
  private async clear(path: Path, at: string, stat: Stats): Promise<void> {
    this.unsynced.add(parentOf(path));
    if (isOwnTemporary(path) || (await this.isOwn(at, stat))) await unless(["ENOENT"], this.disk.unlink(at));
    else await this.options.unknown.take(at, path);
  }

  /**
   * True for a link to a blob, including one that was swept or replaced since, and for a copy that the service made where
   * hard links do not work. Usually the mark decides. An unmarked file (stored before marks existed, or in a data folder
   * that was copied) is hashed: it is the service's when it is a link to the blob of that hash.
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

  /** True for a foreign file that has exactly the bytes of the blob. */
  private async holds(at: string, there: Stats, wanted: Stats, hash: string): Promise<boolean> {
    if (!there.isFile() || there.size !== wanted.size) return false;
    return (await this.hashOf(at)) === hash;
  }

  private async hashOf(at: string): Promise<string> {
    const handle = await this.disk.open(at, plainFile);
    return (await sha256Of(handle.createReadStream({ highWaterMark: 256 * 1024 }))).hash;
  }

  // ------------------------------------------------------------------------------------------ changes

  /** Replaces a file of the same bytes by the link. If the blob is damaged, the file is the better copy and stays. */
  private async replaceByWhole(path: Path, at: string, hash: string): Promise<void> {
    if ((await this.hashOf(blobFile(this.options.blobFolder, hash))) === hash) await this.replace(path, at, hash);
  }

  /** Through a temporary name, so that readers of the tree see the old bytes or the new ones, never a part. */
  private async replace(path: Path, at: string, hash: string): Promise<void> {
    const { staging, root } = this.options;
    try {
      await this.rename(staging.temporaryFile(), at, hash);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
      // The tree is on a separate file system: copy into its root, then rename.
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

  /** A symbolic link in place of the root is moved away, too: the service must not reorganise the folder behind it. */
  private async makeRoot(): Promise<void> {
    const { root, unknown, isPrivate } = this.options;
    const stat = await unless(["ENOENT"], this.disk.lstat(root));
    if (stat?.isDirectory()) {
      // 0700 is what uploads_private=on sets. Any other tighter mode was chosen by the operator and stays.
      const mode = stat.mode & 0o777;
      if (isPrivate ? mode & 0o077 : mode === 0o700) await this.setFolderMode(root, folderMode(isPrivate));
      return;
    }
    if (stat) await unknown.take(root, basename(root));
    await unless(["EEXIST"], this.disk.mkdir(root, { recursive: true, mode: folderMode(isPrivate) }));
    await this.setFolderMode(root, folderMode(isPrivate));
    await syncFolder(this.disk, dirname(root));
  }

  /** Independent of the umask. */
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

/** Throws UnsafePath when a segment is not a name. Other rules of the store do not apply: foreign files may break them. */
function refuseUnsafe(path: Path): void {
  if (path === rootPath) return;
  if (path.includes("\0") || path.split("/").some((name) => ["", ".", ".."].includes(name))) throw new UnsafePath(path);
}

/** A temporary file that a crash left in the root. */
const isOwnTemporary = (path: Path): boolean => /^\.octavo-\w+-\d+-[0-9a-f]{18}$/.test(path);

/** Created by mkfs at the root of a file system. */
const isLostAndFound = (path: Path): boolean => path === "lost+found";

const isSameFile = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev;

/** True for a copy of this state of the blob: same second, and the mark with the hash as salt. */
function isCopyOf(there: Stats, blob: Stats, hash: string): boolean {
  const isOfSecond = Math.floor(there.mtimeMs / 1000) === Math.floor(blob.mtimeMs / 1000);
  return there.isFile() && there.nlink === 1 && there.size === blob.size && isOfSecond && isMarked(there, hash);
}

/** True when the step succeeded, false whatever the failure. */
const isDone = (step: Promise<unknown>): Promise<boolean> =>
  step.then(
    () => true,
    () => false,
  );
