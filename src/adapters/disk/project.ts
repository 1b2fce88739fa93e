import { isUtf8 } from "node:buffer";
import {
  closeSync,
  createReadStream,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { type Found, type Project, UnreadableFile } from "../../domain/import-project.ts";
import { codeOf, plainFile } from "./disk.ts";

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
  open: (path) => createReadStream("", { fd: openPlain(join(top, path)), highWaterMark: 256 * 1024 }),
});

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

function* walk(top: string, folder: string, enters: (path: string) => boolean, depth: number): Generator<Found> {
  const names = namesIn(join(top, folder));
  if (!names) yield { path: folder, kind: "other", why: "a folder that cannot be read" };
  for (const raw of names ?? []) {
    const path = folder === "" ? raw.toString() : `${folder}/${raw}`;
    const stat = isUtf8(raw) ? statIf(join(top, path)) : undefined;
    if (!isUtf8(raw)) yield { path, kind: "other", why: "its name is not UTF-8" };
    else if (!stat) yield { path, kind: "other", why: "it cannot be read" };
    else if (stat.isFile()) yield { path, kind: "file", size: stat.size, modifiedSeconds: secondsOf(stat) };
    else if (!stat.isDirectory()) yield { path, kind: "other", why: `${specialKind(stat)}: never followed nor read` };
    else if (!enters(path)) continue;
    else if (depth >= maxDepth) yield { path, kind: "other", why: `a folder deeper than ${maxDepth} levels` };
    else {
      yield { path, kind: "folder" };
      yield* walk(top, path, enters, depth + 1);
    }
  }
}

function namesIn(at: string): Buffer[] | undefined {
  try {
    return readdirSync(at, { encoding: "buffer" }).sort(Buffer.compare);
  } catch {
    return undefined;
  }
}

const secondsOf = ({ mtimeMs }: Stats): number => Math.max(0, Math.floor(mtimeMs / 1000));

function specialKind(stat: Stats): string {
  if (stat.isSymbolicLink()) return "a symbolic link";
  return stat.isFIFO() ? "a pipe" : stat.isSocket() ? "a socket" : "a device";
}

/** Opens a plain file: it may have been replaced since it was listed. */
function openPlain(at: string): number {
  let file: number;
  try {
    file = openSync(at, plainFile);
  } catch (error) {
    throw new UnreadableFile(`it cannot be read (${codeOf(error)})`);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new UnreadableFile("it is no plain file");
}

function readWhole(at: string, maxBytes: number): Uint8Array {
  const file = openPlain(at);
  try {
    const { size } = fstatSync(file);
    if (size > maxBytes) throw new UnreadableFile(`it has ${size} bytes; at most ${maxBytes} are read`);
    const bytes = Buffer.allocUnsafe(size);
    let done = 0;
    for (let read = -1; read !== 0 && done < size; done += read) read = readSync(file, bytes, done, size - done, done);
    return bytes.subarray(0, done);
  } finally {
    closeSync(file);
  }
}
