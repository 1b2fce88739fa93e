import { join } from "node:path";
import type { Event, EventStore } from "../../domain/event.ts";
import type { FileStore } from "../../domain/file.ts";
import type { FolderStore } from "../../domain/folder.ts";
import { isWithin, joinPath, type Path, parentOf, rootPath } from "../../domain/path.ts";
import { blobFile } from "./blob-folder.ts";
import { codeOf, type Disk, nodeDisk, unless } from "./disk.ts";
import type { Staging } from "./staging.ts";

/**
 * The uploads as a real tree on this machine's disk: hard links to the blobs, so that `dirname` is true, people can
 * look, and a web server or rsync can use it. It is made from the store and never read by the service; what is in it
 * and not in the store is taken away. Decision 4.
 */

export type UploadsTreeOptions = {
  root: string;
  blobFolder: string;
  staging: Staging;
  folders: FolderStore;
  files: FileStore;
  events: EventStore;
  onError: (error: unknown) => void;
  disk?: Disk;
};

const follower = "uploads_tree";
const batchEvents = 1000;
/** How often other processes' writes are looked for. */
const pollMs = 500;
/** How long paths that failed are left alone: at first, and at most. */
const firstRetryMs = 5000;
const lastRetryMs = 300_000;
/** How long a write's reply waits for the tree. */
const waitMs = 1000;
const atOnce = 8;

type UploadsStores = { folders: FolderStore; files: FileStore };

/** The stores with writes that answer when the tree shows them. */
export function whenShown(
  { folders, files }: UploadsStores,
  treeShows: (sequence: number) => Promise<void>,
): UploadsStores {
  const shown = async <T extends { revision: number } | undefined>(write: Promise<T>): Promise<T> => {
    const written = await write;
    if (written) await treeShows(written.revision);
    return written;
  };
  return {
    folders: {
      ...folders,
      create: (...args) => shown(folders.create(...args)),
      move: (...args) => shown(folders.move(...args)),
      copy: (...args) => shown(folders.copy(...args)),
      delete: (...args) => shown(folders.delete(...args)),
    },
    files: {
      ...files,
      put: (...args) => shown(files.put(...args)),
      move: (...args) => shown(files.move(...args)),
      copy: (...args) => shown(files.copy(...args)),
      delete: (...args) => shown(files.delete(...args)),
    },
  };
}

export class UploadsTree {
  private readonly options: UploadsTreeOptions;
  private readonly disk: Disk;
  private sequence = 0;
  private saved = 0;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private waiters: { sequence: number; resolve: () => void }[] = [];
  private readonly failed = new Set<Path>();
  /** Folders that this batch of events has found real, or not in the store. */
  private readonly folders = new Map<Path, Promise<boolean>>();
  private retryMs = firstRetryMs;
  private retryAtMs = 0;
  private isStopped = false;

  constructor(options: UploadsTreeOptions) {
    this.options = options;
    this.disk = options.disk ?? nodeDisk;
  }

  /** Catches up with the log, from the beginning where it does not reach back far enough, and goes on following it. */
  async start(): Promise<void> {
    await this.open();
    this.timer = setInterval(() => void this.follow(), pollMs);
    this.timer.unref();
    void this.follow();
  }

  /**
   * Breaks off what is under way, between two files or folders, and notes how far the tree had come before it: the next
   * start goes on from there. The tree can then be behind the store, by what no reply waited for. Does nothing where it
   * did not start.
   */
  async stop(): Promise<void> {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.isStopped = true;
    await this.running;
    await this.save();
  }

  /** The stores with writes that answer when the tree shows them, or a second later. */
  get stores(): UploadsStores {
    return whenShown(this.options, (sequence) => this.shows(sequence));
  }

  /** Settles when the tree shows what the event of this sequence did, or a second later. */
  async shows(sequence: number): Promise<void> {
    if (this.sequence >= sequence || this.isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.waiters.push({ sequence, resolve });
    void this.follow();
    await promise;
    clearTimeout(timer);
  }

  /** Makes the whole tree what the store says. `onFolder` hears of each folder that was looked at. */
  async rebuild(onFolder: (path: Path) => void = () => undefined): Promise<void> {
    const { newest } = await this.options.events.bounds();
    await this.reconcileFolder(rootPath, onFolder);
    if (this.isStopped) return;
    this.sequence = newest;
    await this.save();
  }

  private async open(): Promise<void> {
    const { events } = this.options;
    await this.makeFolder(rootPath);
    const { oldest } = await events.bounds();
    const position = (await events.position(follower)) ?? 0;
    // What was dropped from the log cannot be followed: then everything is looked at.
    if (position >= oldest - 1) this.sequence = this.saved = position;
    else this.running = this.guarded(() => this.rebuild());
  }

  /** One run at a time; what comes meanwhile is seen by its next look. */
  private follow(): Promise<void> {
    this.running ??= this.guarded(() => this.catchUp());
    return this.running;
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.running = undefined;
      this.release();
      // Somebody came after the last look at the log.
      if (this.waiters.length > 0 && !this.isStopped) void this.follow();
    } catch (error) {
      this.running = undefined;
      this.options.onError(error);
    }
  }

  private async catchUp(): Promise<void> {
    await this.retryFailed();
    for (;;) {
      const events = await this.options.events.list(this.sequence, batchEvents);
      const last = events.at(-1);
      if (!last) break;
      await this.apply(events);
      // Perhaps not all of it was done; what is followed twice does no harm.
      if (this.isStopped) return;
      this.sequence = last.sequence;
      this.release();
    }
    // Each note is a commit; what is followed twice after a crash does no harm.
    if (this.sequence - this.saved >= batchEvents) await this.save();
  }

  private release(): void {
    const reached = this.waiters.filter(({ sequence }) => sequence <= this.sequence);
    this.waiters = this.waiters.filter(({ sequence }) => sequence > this.sequence);
    for (const { resolve } of reached) resolve();
  }

  private async save(): Promise<void> {
    if (this.failed.size > 0 || this.saved === this.sequence) return;
    const { sequence } = this;
    await this.options.events.savePosition(follower, sequence);
    this.saved = sequence;
  }

  private async retryFailed(): Promise<void> {
    if (this.failed.size === 0 || Date.now() < this.retryAtMs) return;
    const paths = [...this.failed];
    this.failed.clear();
    for (const path of paths) await this.tryPath(path);
    // Perhaps not all of it was done.
    if (this.isStopped) for (const path of paths) this.failed.add(path);
    this.retryMs = this.failed.size > 0 ? Math.min(this.retryMs * 2, lastRetryMs) : firstRetryMs;
  }

  /**
   * Each event says where to look; what must be there the store says, now. So events may be followed twice, or late,
   * and the tree still ends as the store is.
   */
  private async apply(events: readonly Event[]): Promise<void> {
    const paths = new Set<Path>();
    // Looked at once in a batch, for all that lies in them.
    this.folders.clear();
    for (const { kind, subject, target } of events) {
      if (!kind.startsWith("folder.") && !kind.startsWith("file.")) continue;
      if (kind === "folder.move" && (await this.renameFolder(subject as Path, target as Path))) {
        // What lay there as it should lies as it should now. Only what was still to be done there is left to do.
        const isPending = (path: Path) => isWithin(path, subject as Path);
        if (![...paths, ...this.failed].some(isPending)) continue;
      }
      paths.add(subject as Path);
      if (target !== null) paths.add(target as Path);
    }
    const queue = [...paths];
    const worker = async () => {
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) await this.tryPath(path);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, worker));
  }

  private async tryPath(path: Path): Promise<void> {
    try {
      await this.reconcile(path);
    } catch (error) {
      this.failed.add(path);
      this.retryAtMs = Date.now() + this.retryMs;
      this.options.onError(error);
    }
  }

  // -------------------------------------------------------------------------------------------- making it so

  private at(path: Path): string {
    return path === rootPath ? this.options.root : join(this.options.root, path);
  }

  private async reconcile(path: Path): Promise<void> {
    if (path !== rootPath && !(await this.reconcileParents(parentOf(path)))) return;
    const file = path === rootPath ? undefined : await this.options.files.find(path);
    if (file) await this.linkFile(path, file.hash);
    else await this.reconcileFolder(path);
  }

  /** Makes the folders above real ones, as far as the store has them. False when it has not all of them. */
  private reconcileParents(path: Path): Promise<boolean> {
    let known = this.folders.get(path);
    if (!known) {
      known = this.reconcileParent(path);
      this.folders.set(path, known);
    }
    return known;
  }

  private async reconcileParent(path: Path): Promise<boolean> {
    if (path !== rootPath && !(await this.reconcileParents(parentOf(path)))) return false;
    if (await this.options.folders.find(path)) {
      await this.makeFolder(path);
      return true;
    }
    if (!(await this.options.files.find(path))) await this.remove(path);
    return false;
  }

  /** The folder with all below it, or nothing where the store has none; a part of that once this is stopped. */
  private async reconcileFolder(path: Path, onFolder: (path: Path) => void = () => undefined): Promise<void> {
    if (this.isStopped) return;
    const content = await this.options.files.content(path);
    if (!content) return this.remove(path);
    await this.makeFolder(path);
    const child = (name: string): Path => joinPath(path, name);
    const known = new Set([...content.folders, ...content.files.map(({ name }) => name)]);
    for (const name of await this.disk.readdir(this.at(path))) if (!known.has(name)) await this.remove(child(name));
    for (const { name, hash } of content.files) {
      if (this.isStopped) return;
      await this.linkFile(child(name), hash);
    }
    onFolder(path);
    for (const name of content.folders) await this.reconcileFolder(child(name), onFolder);
  }

  /**
   * The cheap way for a folder with much in it. False where it cannot be gone: the look at both places does it then,
   * and says what is wrong.
   */
  private async renameFolder(from: Path, to: Path): Promise<boolean> {
    const { folders } = this.options;
    if ((await folders.find(from)) || !(await folders.find(to))) return false;
    try {
      if (!(await this.reconcileParents(parentOf(to)))) return false;
      if (await unless(["ENOENT", "ENOTDIR"], this.disk.lstat(this.at(to)))) return false;
      await this.disk.rename(this.at(from), this.at(to));
      return true;
    } catch {
      return false;
    }
  }

  /** A real folder: whatever else has the name gives way, a symbolic link too, or writing below it would lead out. */
  private async makeFolder(path: Path): Promise<void> {
    const stat = await unless(["ENOENT"], this.disk.lstat(this.at(path)));
    if (stat?.isDirectory()) return;
    if (stat) await this.disk.unlink(this.at(path));
    await unless(["EEXIST"], this.disk.mkdir(this.at(path), { recursive: path === rootPath, mode: 0o755 }));
  }

  private async remove(path: Path): Promise<void> {
    await this.disk.rm(this.at(path), { recursive: true, force: true });
  }

  private async linkFile(path: Path, hash: string): Promise<void> {
    const { disk } = this;
    const blob = blobFile(this.options.blobFolder, hash);
    const target = this.at(path);
    // Mostly there is nothing yet.
    if (await isDone(disk.link(blob, target))) return;
    const [there, wanted] = [await unless(["ENOENT"], disk.lstat(target)), await disk.lstat(blob)];
    const isSame = there?.ino === wanted.ino && there.dev === wanted.dev;
    const isOfBlob = Math.abs((there?.mtimeMs ?? 0) - copyTimeMs(wanted.mtimeMs, hash)) < 0.005;
    const isCopy = there?.isFile() && there.nlink === 1 && there.size === wanted.size && isOfBlob;
    if (isSame || isCopy) return;
    if (there?.isDirectory()) await this.remove(path);
    // Under another name first: whoever reads the tree sees the old bytes or the new ones, whole.
    const temporary = this.options.staging.temporaryFile();
    try {
      await this.linkOrCopy(blob, temporary, hash);
      await disk.rename(temporary, target);
    } catch (error) {
      await unless(["ENOENT"], disk.unlink(temporary));
      throw error;
    }
  }

  private async linkOrCopy(blob: string, file: string, hash: string): Promise<void> {
    const { disk } = this;
    try {
      await disk.link(blob, file);
    } catch (error) {
      if (codeOf(error) === "ENOENT") throw error;
      await disk.copyFile(blob, file);
      await disk.chmod(file, 0o444);
      const { atime, mtimeMs } = await disk.lstat(blob);
      await disk.utimes(file, atime, copyTimeMs(mtimeMs, hash) / 1000);
    }
  }
}

/**
 * A copy has the time of its blob in seconds, and behind the point what its hash begins with, to a hundredth of a
 * millisecond: uploads of the same length can come in the same moment, and it must be known whose copy it is.
 */
const copyTimeMs = (blobMs: number, hash: string): number =>
  Math.floor(blobMs / 1000) * 1000 + (Number.parseInt(hash.slice(0, 8), 16) % 100_000) / 100;

/** True when the step was taken, false whatever stood in its way. */
const isDone = (step: Promise<unknown>): Promise<boolean> =>
  step.then(
    () => true,
    () => false,
  );
