import { access, constants, mkdir, open, statfs, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { problem } from "../../domain/problem.ts";
import { codeOf, translateDiskError, unless } from "./disk.ts";

/** An entry may have as much. With less a disk counts as full, though a small write may still succeed. */
const minFreeBytes = 1024 * 1024;

/** A block: less of it may find room where nothing else does. */
const probe = Buffer.alloc(4096);

/**
 * Throws busy, with the reason, when the disk takes no more: it is full or read-only, or the user's quota is used up.
 * `file` is one that nobody has, in a folder of the data folder, which is made if it is missing; where there is no data
 * folder yet nothing is said.
 */
export async function refuseFullDisk(file: string): Promise<void> {
  try {
    const folder = dirname(file);
    await unless(["EEXIST"], mkdir(folder, { mode: 0o700 }));
    // Either may be a mount of its own.
    for (const place of [dirname(folder), folder]) {
      await access(place, constants.W_OK);
      if (await isFull(place)) throw problem("busy", { reason: reasons.ENOSPC as string });
    }
    await write(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return;
    throw reasons[code] === undefined ? translateDiskError(error) : refusal(reasons[code], error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk of the data folder is full",
  EDQUOT: "the quota of the data folder's disk is used up",
  EROFS: "the disk of the data folder is read-only",
};

function refusal(reason: string, cause: unknown) {
  const busy = problem("busy", { reason });
  busy.cause = cause;
  return busy;
}

async function isFull(folder: string): Promise<boolean> {
  const { bavail, bfree, bsize, ffree, files } = await statfs(folder);
  // The superuser may take the blocks that are kept for it. Some file systems do not count their files: zero of zero.
  const blocks = process.getuid?.() === 0 ? bfree : bavail;
  return blocks * bsize < minFreeBytes || (files > 0 && ffree === 0);
}

async function write(file: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.write(probe);
  } finally {
    await handle.close();
    await unlink(file);
  }
}
