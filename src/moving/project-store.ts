import { isUtf8 } from "node:buffer";
import {
  closeSync,
  createReadStream,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { codeOf, plainFile } from "../core/bytes/disk/disk.ts";
import { type Project, type ProjectItem, UnreadableFile } from "./moving.ts";

/**
 * A folder that is imported. Links are never followed, special files never opened. Reads are synchronous, which is several
 * times as fast for many small files; only a command uses them. Gap: a folder above a file that is replaced by a link
 * while the import runs is followed; whoever can do that can also write the files.
 */
export const diskProject = (top: string): Project => ({
  walk: (folder, enters) => walk(top, folder, enters, 0),
  kindOf: (path) => {
    const stat = statOf(top, path);
    if (stat?.isFile()) return "file";
    return stat?.isDirectory() ? "folder" : undefined;
  },
  read: (path, maxBytes) => readWhole(join(top, path), maxBytes),
  open: (path) => open(join(top, path)),
});

/** Files up to this size are read at once: a stream takes longer than their bytes. */
const chunkBytes = 256 * 1024;

async function* open(at: string): AsyncGenerator<Uint8Array> {
  const { file, size } = openPlain(at);
  if (size > chunkBytes) yield* createReadStream("", { fd: file, highWaterMark: chunkBytes });
  else yield readAndClose(file, size);
}

/** Deeper than every valid path, and than the parts of long names make it. */
const maxDepth = 300;

/** The stat of the path, undefined where it or a folder above it is missing or a link. */
function statOf(top: string, path: string): Stats | undefined {
  const parts = path.split("/");
  for (let end = 1; end < parts.length; end++) {
    if (!statIf(join(top, ...parts.slice(0, end)))?.isDirectory()) return undefined;
  }
  return statIf(join(top, path));
}

function statIf(at: string): Stats | undefined {
  try {
    return lstatSync(at, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function* walk(top: string, folder: string, enters: (path: string) => boolean, depth: number): Generator<ProjectItem> {
  const rows = rowsIn(join(top, folder));
  if (!rows) yield { path: folder, kind: "other", why: "a folder that cannot be read" };
  for (const row of rows ?? []) {
    const path = folder === "" ? row.name.toString() : `${folder}/${row.name}`;
    const stat = row.isFile() ? statIf(join(top, path)) : undefined;
    if (!isUtf8(row.name)) yield { path, kind: "other", why: "its name is not UTF-8" };
    else if (stat?.isFile()) yield { path, kind: "file", size: stat.size, modifiedSeconds: secondsOf(stat) };
    else if (row.isFile()) yield { path, kind: "other", why: "it cannot be read" };
    else if (!row.isDirectory()) yield { path, kind: "other", why: `${specialKind(row)}: never followed nor read` };
    else if (!enters(path)) continue;
    else if (depth >= maxDepth) yield { path, kind: "other", why: `a folder deeper than ${maxDepth} levels` };
    else {
      yield { path, kind: "folder" };
      yield* walk(top, path, enters, depth + 1);
    }
  }
}

/** What the folder holds, sorted by name. */
function rowsIn(at: string): Dirent<NonSharedBuffer>[] | undefined {
  try {
    const rows = readdirSync(at, { encoding: "buffer", withFileTypes: true });
    return rows.sort((a, b) => Buffer.compare(a.name, b.name));
  } catch {
    return undefined;
  }
}

const secondsOf = ({ mtimeMs }: Stats): number => Math.max(0, Math.floor(mtimeMs / 1000));

function specialKind(row: Dirent<NonSharedBuffer>): string {
  if (row.isSymbolicLink()) return "a symbolic link";
  return row.isFIFO() ? "a pipe" : row.isSocket() ? "a socket" : "a device";
}

/** Opens a plain file: it may have been replaced since it was listed. */
function openPlain(at: string): { file: number; size: number } {
  let file: number;
  try {
    file = openSync(at, plainFile);
  } catch (error) {
    throw new UnreadableFile(`it cannot be read (${codeOf(error)})`);
  }
  const stat = fstatSync(file);
  if (stat.isFile()) return { file, size: stat.size };
  closeSync(file);
  throw new UnreadableFile("it is no plain file");
}

function readWhole(at: string, maxBytes: number): Uint8Array {
  const { file, size } = openPlain(at);
  if (size <= maxBytes) return readAndClose(file, size);
  closeSync(file);
  throw new UnreadableFile(`it has ${size} bytes; at most ${maxBytes} are read`);
}

function readAndClose(file: number, size: number): Uint8Array {
  try {
    const bytes = Buffer.allocUnsafe(size);
    let done = 0;
    for (let read = -1; read !== 0 && done < size; done += read) read = readSync(file, bytes, done, size - done, done);
    return bytes.subarray(0, done);
  } finally {
    closeSync(file);
  }
}
