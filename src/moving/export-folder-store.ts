import {
  closeSync,
  createReadStream,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { BackupBlob } from "../backup/backup.ts";
import { codeOf } from "../core/bytes/disk/disk.ts";
import { sha256Of } from "../core/lib/sha256.ts";
import type { ExportWriter } from "./export.ts";
import { exportMarker } from "./moving.ts";

/** Why the folder is not written to. */
export class ExportFolderError extends Error {}

const project = "project";
const parts = ["entries", "uploads"];
const temporary = `${project}/.octavo-export.tmp`;
const lockName = "export";
const lockFile = `${lockName}.lock`;

/** Does the work unless another process does work of this name in the folder; answers whether it did. */
type Alone = (folder: string, name: string, work: () => Promise<void>) => Promise<boolean>;

/**
 * Does the work on the folder of an export while nobody else exports into it. The folder may be missing, empty, or hold
 * nothing but an interrupted export, which is continued; with `replaces` anything beside a folder `project` that an export
 * wrote. Throws ExportFolderError for any other folder, while another export into it runs, and for what the disk refuses.
 */
export async function inExportFolder<T>(
  top: string,
  replaces: boolean,
  alone: Alone,
  work: (folder: ExportFolder) => Promise<T>,
): Promise<T> {
  const folder = new ExportFolder(top);
  folder.refuse(replaces);
  const lock = lockOf(folder, top);
  const results: T[] = [];
  const whileLocked = async () => {
    // Its holder removed it at the end: this one is of a file that is gone.
    if (!lock.isThere()) throw busy(top);
    try {
      // The other one may have completed it meanwhile.
      folder.refuse(replaces);
      folder.begin();
      results.push(await work(folder));
    } finally {
      folder.removeTemporary();
    }
  };
  const isFirst = await alone(lock.folder, lockName, whileLocked).catch((error) => {
    throw folder.hasBegun ? error : lockError(top, error);
  });
  if (!isFirst) throw busy(top);
  return results[0] as T;
}

function lockOf(folder: ExportFolder, top: string) {
  try {
    return folder.makeLock();
  } catch (error) {
    throw codeOf((error as Error).cause) === "ENOENT" ? busy(top) : error;
  }
}

const busy = (top: string) => new ExportFolderError(`another export into ${top} is running`);

function lockError(top: string, error: unknown): unknown {
  // The other one has just ended and removed the folder of the lock.
  if (codeOf(error) === "ENOENT") return busy(top);
  if (codeOf(error) !== "ERR_SQLITE_ERROR") return error;
  const { message } = error as Error;
  return new ExportFolderError(`${top} cannot be locked (${message}): export into a folder of a local disk`);
}

/**
 * The folder of an export. Writes below `project` only, and follows no link there. The marker says whether the export is
 * complete, so that one that was interrupted can be repeated and is not imported. Files that are the same already are not
 * written again. Gap: a folder that is replaced by a link while the export runs is followed.
 */
class ExportFolder implements ExportWriter {
  /** Whether anything but the lock was written. */
  hasBegun = false;
  private readonly top: string;
  /** What the export holds; the rest of an earlier one is removed. */
  private readonly written = new Set<string>();
  private readonly folders = new Set<string>();

  constructor(top: string) {
    this.top = top;
    this.onDisk("", () => makeTop(top));
  }

  /** Throws ExportFolderError unless the folder may be written to. */
  refuse(replaces: boolean): void {
    const names = this.onDisk("", () => readdirSync(this.top));
    const state = this.state();
    const isOurs = names.length === 0 || (state === "interrupted" && names.length === 1);
    if (!replaces && !isOurs) {
      throw new ExportFolderError(
        `${this.top} is not empty; --replace replaces the folder project of an earlier export in it`,
      );
    }
    if (state === "foreign")
      throw new ExportFolderError(`${join(this.top, project)} is no export of Octavo, so it is not replaced`);
  }

  private state(): "missing" | "interrupted" | "complete" | "foreign" {
    const stat = this.statOf(project);
    if (!stat) return "missing";
    const marker = stat.isDirectory() ? this.statOf(`${project}/${exportMarker}`) : undefined;
    if (marker?.isFile())
      return this.isSame(`${project}/${exportMarker}`, marker, markerOf(false)) ? "interrupted" : "complete";
    // One that was interrupted before its marker was written.
    const isBegun = stat.isDirectory() && readdirSync(this.at(project)).every((name) => temporary.endsWith(`/${name}`));
    return isBegun ? "interrupted" : "foreign";
  }

  /** The file that whoever exports into the folder locks. It is below the folder for temporary files. */
  makeLock(): { folder: string; isThere(): boolean } {
    const path = `${temporary}/${lockFile}`;
    const inode = this.onDisk(path, () => {
      this.makeFolder(temporary);
      const stat = this.statOf(path);
      if (stat && !stat.isFile()) rmSync(this.at(path), { recursive: true });
      if (!stat?.isFile()) closeSync(openSync(this.at(path), "a", 0o600));
      return this.statOf(path)?.ino;
    });
    return { folder: this.at(temporary), isThere: () => inode !== undefined && this.statOf(path)?.ino === inode };
  }

  /** Says that what is there is not complete. */
  begin(): void {
    this.hasBegun = true;
    this.mark(false);
  }

  folder(path: string): void {
    this.written.add(path);
    this.onDisk(path, () => this.makeFolder(path));
  }

  file(path: string, text: string): void {
    this.written.add(path);
    const bytes = Buffer.from(text);
    this.onDisk(path, () => {
      this.makeParent(path);
      const stat = this.statOf(path);
      if (stat && this.isSame(path, stat, bytes)) return;
      writeFileSync(this.temporaryFile(), bytes);
      this.rename(path, stat);
    });
  }

  async bytes(path: string, blob: BackupBlob, open: () => AsyncIterable<Uint8Array>): Promise<void> {
    this.written.add(path);
    this.onDisk(path, () => this.makeParent(path));
    if (await this.holds(path, blob)) return;
    const file = this.onDisk(path, () => openSync(this.temporaryFile(), "w"));
    try {
      for await (const chunk of open()) {
        this.onDisk(path, () => {
          for (let done = 0; done < chunk.length; ) done += writeSync(file, chunk, done);
        });
      }
    } finally {
      closeSync(file);
    }
    this.onDisk(path, () => this.rename(path, this.statOf(path)));
  }

  /** Removes what an earlier export had and this one has not, and marks this one as complete. */
  finish(): void {
    for (const part of parts) this.onDisk(`${project}/${part}`, () => this.sweep(`${project}/${part}`));
    this.mark(true);
  }

  /** With the lock, last of all. What cannot be removed stays: the next export does it. */
  removeTemporary(): void {
    const folder = this.at(temporary);
    try {
      for (const name of readdirSync(folder))
        if (name !== lockFile) rmSync(join(folder, name), { recursive: true, force: true });
      // One by one: from here on another export may make a lock of its own, which must stay.
      unlinkSync(join(folder, lockFile));
      rmdirSync(folder);
    } catch {
      // It holds the lock of another export, or the disk refuses.
    }
  }

  private sweep(folder: string): void {
    for (const name of readdirSync(this.at(folder))) {
      const path = `${folder}/${name}`;
      if (this.statOf(path)?.isDirectory()) this.sweep(path);
      else if (!this.written.has(path)) unlinkSync(this.at(path));
    }
    const isLeft = !this.written.has(folder) && readdirSync(this.at(folder)).length === 0;
    if (isLeft) rmdirSync(this.at(folder));
  }

  private mark(complete: boolean): void {
    this.file(`${project}/${exportMarker}`, markerOf(complete).toString());
  }

  private makeParent(path: string): void {
    this.makeFolder(path.slice(0, path.lastIndexOf("/")));
  }

  private makeFolder(path: string): void {
    if (path === "" || this.folders.has(path)) return;
    const slash = path.lastIndexOf("/");
    if (slash > 0) this.makeFolder(path.slice(0, slash));
    const stat = this.statOf(path);
    // A file or a link of an earlier state: a link must not lead the export elsewhere.
    if (stat && !stat.isDirectory()) unlinkSync(this.at(path));
    if (!stat?.isDirectory()) mkdirSync(this.at(path));
    this.folders.add(path);
  }

  private temporaryFile(): string {
    return this.at(`${temporary}/file`);
  }

  private rename(path: string, there: Stats | undefined): void {
    if (there?.isDirectory()) rmSync(this.at(path), { recursive: true });
    renameSync(this.temporaryFile(), this.at(path));
  }

  private statOf(path: string): Stats | undefined {
    return lstatSync(this.at(path), { throwIfNoEntry: false });
  }

  private isSame(path: string, stat: Stats, bytes: Buffer): boolean {
    return stat.isFile() && stat.size === bytes.length && readFileSync(this.at(path)).equals(bytes);
  }

  /** Of a service only the first digits of the hash are known. */
  private async holds(path: string, { hash, size }: BackupBlob): Promise<boolean> {
    const stat = this.onDisk(path, () => this.statOf(path));
    if (!stat?.isFile() || stat.size !== size) return false;
    try {
      return (await sha256Of(createReadStream(this.at(path)))).hash.startsWith(hash);
    } catch {
      // It is written again, which says what is wrong with it.
      return false;
    }
  }

  /** Says which path the disk refused, and why. */
  private onDisk<T>(path: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof ExportFolderError || (error as NodeJS.ErrnoException).errno === undefined) throw error;
      const said = reasons[codeOf(error)] ?? codeOf(error);
      throw new ExportFolderError(`${this.at(path)} cannot be written: ${said}`, { cause: error });
    }
  }

  private at(path: string): string {
    return join(this.top, path);
  }
}

/** One level at a time: Node's recursive mkdir loops forever where a parent refuses (/proc). */
function makeTop(top: string): void {
  const isFolder = () => statSync(top, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder()) return;
  const parent = dirname(top);
  if (parent !== top) makeTop(parent);
  try {
    mkdirSync(top);
  } catch (error) {
    // Another export that begins at the same moment may have made it.
    if (!isFolder()) throw error;
  }
}

const markerOf = (complete: boolean): Buffer =>
  Buffer.from(`${JSON.stringify({ what: "export of Octavo", format: 1, complete }, null, 2)}\n`);

const reasons: Record<string, string> = {
  EACCES: "this user may not",
  EPERM: "this user may not",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is full",
  ENAMETOOLONG: "the path is longer than this system allows",
  EEXIST: "it is a file; expected a folder",
  ENOTDIR: "a part of this path is a file; expected a folder",
  ENOENT: "it is gone, or no folder can be made there",
};
