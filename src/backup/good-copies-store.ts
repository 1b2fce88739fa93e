import { join } from "node:path";
import { type Disk, nodeDisk, plainFile, unless } from "../core/bytes/disk/disk.ts";
import type { Candidate, CandidateSource } from "./repair.ts";

/** All files below these folders that have the size of a wanted blob. Links are not followed. */
export function goodCopies(folders: readonly string[], disk: Disk = nodeDisk): CandidateSource {
  return async function* (wanted) {
    const sizes = new Set([...wanted.values()].map(({ size }) => size));
    for (const folder of folders) {
      for await (const { file, size } of filesBelow(folder, disk)) {
        const candidate = sizes.has(size) ? await open(file, disk) : undefined;
        if (candidate) yield candidate;
      }
    }
  };
}

/** Undefined when the file is gone or cannot be read. */
async function open(file: string, disk: Disk): Promise<Candidate | undefined> {
  const handle = await unless(["ENOENT", "ELOOP", "EACCES", "EIO"], disk.open(file, plainFile));
  if (!handle) return undefined;
  return { from: file, bytes: handle.createReadStream({ highWaterMark: 256 * 1024 }) };
}

async function* filesBelow(folder: string, disk: Disk): AsyncGenerator<{ file: string; size: number }> {
  const entries = await unless(["ENOENT", "ENOTDIR", "EACCES"], disk.readdir(folder, { withFileTypes: true }));
  for (const entry of entries ?? []) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(file, disk);
    const stat = entry.isFile() ? await unless(["ENOENT"], disk.lstat(file)) : undefined;
    if (stat) yield { file, size: stat.size };
  }
}
