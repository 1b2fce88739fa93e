import { codeOf, type Disk, nodeDisk, unless } from "../core/bytes/disk/disk.ts";
import type { Staging } from "../core/bytes/disk/staging.ts";
import type { Event, EventStore, WriteContext } from "../core/event.ts";
import { growingWaits } from "../core/lib/retry.ts";
import { isPath, isWithin, joinPath, type Path, parentOf, rootPath } from "../core/path.ts";
import { EventFollower, type EventHandler } from "../feed/event-follower.ts";
import type { FileStore } from "../file/file.ts";
import type { FolderStore } from "../file/folder.ts";
import type { TrashStore } from "../trash/trash.ts";
import { PendingPaths, uploadPaths } from "./pending-paths-store.ts";
import { TreeFolder, UnsafePath } from "./tree-folder-store.ts";
import { CannotMove, UnknownUploads } from "./unknown-store.ts";

/**
 * The uploads as a real tree on this machine's disk: hard links to the blobs, so that `dirname` is true, people can
 * look at them, and a web server or rsync can use them. The tree is derived from the store and never read to answer
 * requests. Files of the service that the store no longer has are removed; foreign files are moved away, never removed.
 * Decisions 4, 22.
 */

export type UploadsTreeOptions = {
  root: string;
  blobFolder: string;
  staging: Staging;
  folders: FolderStore;
  files: FileStore;
  trash: TrashStore;
  events: EventStore;
  onError: (error: unknown) => void;
  /** Whether only the service's user may read the tree; default false. */
  isPrivate?: boolean;
  /** Receives files that the service did not create; default: a folder beside the root. */
  unknown?: UnknownUploads;
  /** Called with a sentence about files that were moved there. */
  onMoved?: (what: string) => void;
  disk?: Disk;
};

/** The name of the tree's position in the event log. */
export const uploadsFollower = "uploads_tree";

/** How long paths that failed are not retried. */
const retryMs = growingWaits(5000, 300_000);
/** How long a write's reply waits for the tree. */
const waitMs = 1000;
const atOnce = 8;

type UploadsStores = { folders: FolderStore; files: FileStore; trash: TrashStore };

/** The stores, with writes that answer when the tree shows them. */
export function whenShown(
  { folders, files, trash }: UploadsStores,
  treeShows: (sequence: number) => Promise<void>,
): UploadsStores {
  const shown =
    <Rest extends readonly [...unknown[], WriteContext], T extends { revision: number } | null>(
      write: (...rest: Rest) => Promise<T>,
    ) =>
    async (...rest: Rest): Promise<T> => {
      const written = await write(...rest);
      const { unit } = rest.at(-1) as WriteContext;
      if (written && !unit?.isDryRun) await treeShows(written.revision);
      return written;
    };
  return {
    folders: {
      ...folders,
      create: shown(folders.create),
      move: shown(folders.move),
      copy: shown(folders.copy),
      delete: shown(folders.delete),
    },
    files: {
      ...files,
      put: shown(files.put),
      move: shown(files.move),
      copy: shown(files.copy),
      delete: shown(files.delete),
      restore: shown(files.restore),
    },
    trash: { ...trash, restore: shown(trash.restore) },
  };
}

export class UploadsTree implements EventHandler {
  private readonly options: UploadsTreeOptions;
  private readonly tree: TreeFolder;
  private readonly unknown: UnknownUploads;
  private readonly pending: PendingPaths;
  private readonly follower: EventFollower;
  private readonly failed = new Set<Path>();
  /** Messages of failures that no retry fixes, reported once each. */
  private readonly refused = new Set<string>();
  /** Folders that were checked while applying this batch of events: real, or not in the store. */
  private readonly folders = new Map<Path, Promise<boolean>>();
  private failures = 0;
  private retryAtMs = 0;

  constructor(options: UploadsTreeOptions) {
    this.options = options;
    const { root, blobFolder, staging, isPrivate = false, disk = nodeDisk } = options;
    this.pending = new PendingPaths(options.events);
    this.follower = new EventFollower({ name: uploadsFollower, ...options, handler: this });
    this.unknown = options.unknown ?? new UnknownUploads(`${root}.unknown`, disk);
    this.tree = new TreeFolder({ root, blobFolder, staging, unknown: this.unknown, isPrivate, disk });
  }

  /**
   * Catches up with the event log, with a full check if the log does not reach back far enough, and keeps following it.
   */
  async start(): Promise<void> {
    await this.tree.makeFolder(rootPath);
    await this.follower.start();
  }

  /**
   * Stops the work in progress between two files or folders, and saves the position that the tree had reached: the next
   * start continues from there. The tree can then lag behind the store, but only by writes whose replies did not wait
   * for it. Does nothing if it was not started.
   */
  stop(): Promise<void> {
    return this.follower.stop();
  }

  /** The stores, with writes that answer when the tree shows them, or a second later. */
  get stores(): UploadsStores {
    return whenShown(this.options, (sequence) => this.shows(sequence));
  }

  /** Settles when the tree shows the effect of the event with this sequence, or a second later. */
  async shows(sequence: number): Promise<void> {
    await this.follower.reached(sequence, waitMs);
  }

  /** Makes the whole tree match the store; failures go to onError. Calls `onFolder` for each folder. */
  rebuild(onFolder?: (path: Path) => void): Promise<void> {
    return this.follower.walk((newest) => this.begin(newest, onFolder));
  }

  /**
   * Links all files with these bytes again after their blob was replaced. Also works in processes that do not follow
   * the log. Failures go to onError; folders that do not exist yet are skipped, since their files are linked when the
   * folders are created.
   */
  async renew(hash: string): Promise<void> {
    const { files } = this.options;
    for (const path of await files.pathsOf(hash)) {
      await this.attempt(path, async () => {
        if ((await files.find(path))?.hash === hash) await unless(["ENOENT"], this.tree.showFile(path, hash));
      });
    }
    this.sayMoved();
  }

  // ------------------------------------------------------------------------------------------ following the log

  /** Also at the first start: foreign files may have been put here before. */
  async begin(newest: number, onFolder?: (path: Path) => void): Promise<void> {
    this.pending.showTo(newest);
    await this.reconcileFolder(rootPath, true, onFolder).finally(() => this.sayMoved());
  }

  async resume(): Promise<void> {
    this.pending.showTo(this.follower.sequence);
    if (this.failed.size === 0 || Date.now() < this.retryAtMs) return;
    const paths = [...this.failed];
    this.failed.clear();
    for (const path of paths) await this.tryPath(path);
    this.sayMoved();
    // They may be incomplete.
    if (this.follower.isStopped) for (const path of paths) this.failed.add(path);
    this.failures = this.failed.size > 0 ? this.failures + 1 : 0;
  }

  /** Events up to the saved position are not followed again, so their effect must survive a power loss. */
  async settle(): Promise<boolean> {
    if (this.failed.size > 0) return false;
    await this.tree.sync();
    return true;
  }

  /**
   * An event only names the path to check; the store defines its current state. So events may be applied twice or
   * late, and the tree still ends up equal to the store.
   */
  async handle(events: readonly Event[]): Promise<void> {
    this.pending.showTo(this.follower.sequence);
    const paths = new Set<Path>();
    // Checked once per batch, for all paths below them.
    this.folders.clear();
    for (const event of events) {
      const { kind, subject, target } = event;
      if (kind === "folder.move" && (await this.renameFolder(subject as Path, target as Path))) {
        // A path that was right before the move is right after it. Only the failed paths below it must be checked
        // again.
        const isPending = (path: Path) => isWithin(path, subject as Path);
        if (![...paths, ...this.failed].some(isPending)) continue;
      }
      for (const path of uploadPaths(event)) paths.add(path);
    }
    const queue = [...paths];
    const worker = async () => {
      for (let path = queue.pop(); path !== undefined; path = queue.pop()) await this.tryPath(path);
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, worker));
    this.sayMoved();
  }

  private async tryPath(path: Path): Promise<void> {
    await this.attempt(path, () => this.reconcile(path));
  }

  /** Reports a failure and schedules a retry, unless no retry can help. */
  private async attempt(path: Path, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof UnsafePath) return this.refuse(error);
      this.failed.add(path);
      this.retryAtMs = Date.now() + retryMs(this.failures + 1);
      this.options.onError(error);
    }
  }

  private refuse(error: Error): void {
    if (this.refused.has(error.message)) return;
    this.refused.add(error.message);
    this.options.onError(error);
  }

  private sayMoved(): void {
    const what = this.unknown.report();
    if (what !== undefined) this.options.onMoved?.(what);
  }

  // -------------------------------------------------------------------------------------------- making it so

  private async reconcile(path: Path): Promise<void> {
    if (path !== rootPath && !(await this.reconcileParents(parentOf(path)))) return;
    const file = path === rootPath ? undefined : await this.options.files.find(path);
    if (file) await this.tree.showFile(path, file.hash);
    else await this.reconcileFolder(path, true);
  }

  /** Creates real folders for the parents that the store has. False when the store lacks one of them. */
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
      await this.tree.makeFolder(path);
      return true;
    }
    if (!(await this.options.files.find(path))) await this.tree.remove(path, true);
    return false;
  }

  /**
   * Makes the folder and all below it match the store, or removes it if the store has no such folder; ends early when
   * stopped. `isKnown`: the store has the path now or, according to an event, had it.
   */
  private async reconcileFolder(
    path: Path,
    isKnown: boolean,
    onFolder: (path: Path) => void = () => undefined,
  ): Promise<void> {
    if (this.follower.isStopped) return;
    const content = await this.options.files.content(path);
    if (!content) return this.tree.remove(path, isKnown);
    await this.tree.makeFolder(path);
    const folders = content.folders.filter((name) => this.isName(path, name));
    const files = content.files.filter(({ name }) => this.isName(path, name));
    const known = new Set([...folders, ...files.map(({ name }) => name)]);
    for (const name of await this.tree.names(path)) {
      if (!known.has(name)) await this.attempt(path, () => this.clear(joinPath(path, name)));
    }
    for (const { name, hash } of files) {
      if (this.follower.isStopped) return;
      await this.attempt(joinPath(path, name), () => this.tree.showFile(joinPath(path, name), hash));
    }
    onFolder(path);
    for (const name of folders) {
      const below = joinPath(path, name);
      await this.attempt(below, () => this.reconcileFolder(below, true, onFolder));
    }
  }

  /**
   * For entries that the store does not have. What a pending event concerns the store may have had, and may have again: it
   * is shown when that event is applied. A folder of another user may be impossible to empty: it stays.
   */
  private async clear(path: Path): Promise<void> {
    try {
      await this.tree.remove(path, await this.pending.has(path));
    } catch (error) {
      if (!(error instanceof CannotMove || ["EACCES", "EPERM"].includes(codeOf(error)))) throw error;
      this.refuse(error as Error);
    }
  }

  /** Reports a name that would lead out of its folder, and answers false. */
  private isName(folder: Path, name: string): boolean {
    const isOne = isPath(name) && name !== rootPath && !name.includes("/");
    if (!isOne) this.refuse(new UnsafePath(joinPath(folder, name)));
    return isOne;
  }

  /**
   * Renames the folder, which is cheap for a large one. False where that is not possible: the check of both paths does
   * the work then, and reports what is wrong.
   */
  private async renameFolder(from: Path, to: Path): Promise<boolean> {
    const { folders } = this.options;
    if ((await folders.find(from)) || !(await folders.find(to))) return false;
    try {
      return (await this.reconcileParents(parentOf(to))) && (await this.tree.moveFolder(from, to));
    } catch {
      return false;
    }
  }
}
