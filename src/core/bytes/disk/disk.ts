import { constants } from "node:fs";
import * as promises from "node:fs/promises";
import { caused, Problem, problem } from "../../problem.ts";

/**
 * The file system calls of the disk adapters. A test passes an implementation that fails, or one that records what was
 * synced.
 */
export type Disk = Pick<
  typeof promises,
  | "open"
  | "link"
  | "symlink"
  | "readlink"
  | "rename"
  | "unlink"
  | "rm"
  | "mkdir"
  | "rmdir"
  | "copyFile"
  | "chmod"
  | "utimes"
  | "lstat"
  | "realpath"
  | "readdir"
>;

export const nodeDisk: Disk = promises;

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException)?.code ?? "";

/** Runs the step; answers undefined where it failed with one of the codes. */
export async function unless<T>(codes: readonly string[], step: Promise<T>): Promise<T | undefined> {
  try {
    return await step;
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Errors of systems and file systems without hard links, or with no more of them for this file. */
export const noLink: readonly string[] = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Flags for reading a file: follows no symbolic link and does not wait for the writer of a pipe. */
export const plainFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Failures to set a mode or a time: a file of another user, or a file system without them. */
export const cannotSet: readonly string[] = ["EPERM", "EACCES", "EROFS", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"];

/** What `storage_full` says, by the code of the failure. */
export const fullReasons = {
  ENOSPC: "the disk of the data folder is full",
  EDQUOT: "the quota of the data folder's disk is used up",
};

/** Turns disk failures that an operator can fix into `storage_full` or `busy`; passes every other error on. */
export function translateDiskError(error: unknown): unknown {
  const code = codeOf(error);
  const reason = Object.hasOwn(fullReasons, code) ? fullReasons[code as keyof typeof fullReasons] : undefined;
  if (reason !== undefined) return caused(problem("storage_full", { reason }), error);
  const isMendable = /^E(FBIG|IO|ROFS|MFILE|NFILE|ACCES|PERM)$/.test(code);
  if (error instanceof Problem || !isMendable) return error;
  return caused(problem("busy", { reason: "the disk cannot take it" }), error);
}

/** Makes the names in a folder durable (fsync). */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  const handle = await disk.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
