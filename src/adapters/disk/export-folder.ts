import { createHash } from "node:crypto";
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
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { BackupBlob } from "../../domain/backup.ts";
import type { ExportWriter } from "../../domain/export.ts";
import { exportMarker } from "../../domain/import-project.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** Why the folder is not written to. */
export class ExportFolderError extends Error {}

const project = "project";
const parts = ["entries", "uploads"];
const temporary = `${project}/.octavo-export.tmp`;

/**
 * The folder of an export. Writes below `project` only, and follows no link there. The marker says whether the export is
 * complete, so that one that was interrupted can be repeated and is not imported. Files that are the same already are not
 * written again.
 */
export class ExportFolder implements ExportWriter {
  private readonly top: string;
  /** What the export holds; the rest of an earlier one is removed. */
  private readonly written = new Set<string>();
  private readonly folders = new Set<string>();

  /** Throws ExportFolderError for a folder that is not empty; with `replaces` for a project that is no export. */
  constructor(top: string, replaces: boolean) {
    this.top = top;
    mkdirSync(top, { recursive: true });
    if (!replaces && readdirSync(top).length > 0) {
      throw new ExportFolderError(
        `${top} is not empty; --replace replaces the folder project of an earlier export in it`,
      );
    }
    const hasMarker = this.statOf(project)?.isDirectory() && this.statOf(`${project}/${exportMarker}`)?.isFile();
    if (this.statOf(project) && !hasMarker) {
      throw new ExportFolderError(`${join(top, project)} is no export of Octavo, so it is not replaced`);
    }
    this.makeFolder(project);
    this.mark(false);
  }

  folder(path: string): void {
    this.written.add(path);
    this.makeFolder(path);
  }

  file(path: string, text: string): void {
    this.makeParent(path);
    const stat = this.statOf(path);
    const bytes = Buffer.from(text);
    if (stat?.isFile() && stat.size === bytes.length && readFileSync(this.at(path)).equals(bytes)) return;
    writeFileSync(this.temporaryFile(), bytes);
    this.rename(path, stat);
  }

  async bytes(path: string, blob: BackupBlob, open: () => Promise<AsyncIterable<Uint8Array>>): Promise<void> {
    this.makeParent(path);
    const stat = this.statOf(path);
    if (stat?.isFile() && stat.size === blob.size && (await this.hashOf(path)) === blob.hash) return;
    const file = openSync(this.temporaryFile(), "w");
    try {
      const sha256 = createHash("sha256");
      for await (const chunk of await open()) {
        sha256.update(chunk);
        for (let done = 0; done < chunk.length; ) done += writeSync(file, chunk, done);
      }
      // A damaged blob must not look like a good file.
      if (sha256.digest("hex") !== blob.hash)
        throw new ExportFolderError(`the bytes of ${path} are damaged; octavo verify`);
    } finally {
      closeSync(file);
    }
    this.rename(path, stat);
  }

  /** Removes what an earlier export had and this one has not, and marks this one as complete. */
  finish(): void {
    for (const part of parts) this.sweep(`${project}/${part}`);
    this.mark(true);
    rmSync(this.at(temporary), { recursive: true, force: true });
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
    const marker = `${JSON.stringify({ what: "export of Octavo", format: 1, complete }, null, 2)}\n`;
    this.file(`${project}/${exportMarker}`, marker);
  }

  private makeParent(path: string): void {
    this.written.add(path);
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
    this.makeFolder(temporary);
    return this.at(`${temporary}/${process.pid}`);
  }

  private rename(path: string, there: Stats | undefined): void {
    if (there?.isDirectory()) rmSync(this.at(path), { recursive: true });
    renameSync(this.temporaryFile(), this.at(path));
  }

  private statOf(path: string): Stats | undefined {
    return lstatSync(this.at(path), { throwIfNoEntry: false });
  }

  private async hashOf(path: string): Promise<string> {
    return (await sha256Of(createReadStream(this.at(path)))).hash;
  }

  private at(path: string): string {
    return join(this.top, path);
  }
}
