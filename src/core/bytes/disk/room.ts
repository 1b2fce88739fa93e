import { type StatsFs, statfsSync } from "node:fs";
import { access, constants, mkdir, open, statfs, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { caused, isProblem, problem } from "../../problem.ts";
import { StoreError } from "../../store-error.ts";
import { codeOf, fullReasons, translateDiskError, unless } from "./disk.ts";

/**
 * The largest size of an entry. With less free space the disk counts as full, though a small write may still succeed.
 */
export const minFreeBytes = 1024 * 1024;

/** One block: a smaller probe may fit where nothing more does. */
const probe = Buffer.alloc(4096);

/**
 * Throws storage_full when the disk is full or the user's quota is used up, and busy, with the reason, when it is read-only. `file` is an unused file name in a folder of the data folder; the folder is created if it is missing. Does
 * nothing where no data folder exists yet.
 */
export async function refuseFullDisk(file: string): Promise<void> {
  try {
    const folder = dirname(file);
    await unless(["EEXIST"], mkdir(folder, { mode: 0o700 }));
    // Each of them may be a mount point.
    for (const place of [dirname(folder), folder]) {
      await access(place, constants.W_OK);
      await refuseFull(place);
    }
    await write(file);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return;
    if (code !== "EROFS") throw translateDiskError(error);
    throw caused(problem("busy", { reason: "the disk of the data folder is read-only" }), error);
  }
}

/**
 * The same at the start of a service, before it opens anything: throws StoreError for a full disk and nothing else. Whether
 * SQLite can be read on one depends on which of its files are there, so a service that starts never tries. Decision 65.
 */
export async function refuseFullStart(file: string): Promise<void> {
  const error = await refuseFullDisk(file).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!isProblem(error, "storage_full")) return;
  throw new StoreError(`${error.params.reason}; a start needs 1 MiB: free space, then start again`, { cause: error });
}

/** Throws storage_full unless the disk of the folder has room for so many bytes more. The folder may not exist yet. */
export async function refuseFullFor(folder: string, length: number): Promise<void> {
  const room = (await unless(["ENOENT"], statfs(folder))) ?? (await unless(["ENOENT"], statfs(dirname(folder))));
  if (!room || roomIn(room) - length >= minFreeBytes) return;
  const reason = `the disk of the data folder has no room for ${length} bytes more`;
  throw problem("storage_full", { reason, free: roomIn(room) });
}

/** How many bytes the disk of the data folder has for more; undefined where it cannot be asked. */
export function freeBytes(folder: string): number | undefined {
  try {
    return roomIn(statfsSync(folder));
  } catch {
    return undefined;
  }
}

async function refuseFull(folder: string): Promise<void> {
  const room = await statfs(folder);
  // Some file systems do not count their inodes and report zero of zero.
  if (roomIn(room) >= minFreeBytes && !(room.files > 0 && room.ffree === 0)) return;
  throw problem("storage_full", { reason: fullReasons.ENOSPC, free: roomIn(room) });
}

/** In bytes. Root may use the reserved blocks. */
const roomIn = ({ bavail, bfree, bsize }: StatsFs): number => (process.getuid?.() === 0 ? bfree : bavail) * bsize;

async function write(file: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.write(probe);
  } finally {
    await handle.close();
    await unlink(file);
  }
}
