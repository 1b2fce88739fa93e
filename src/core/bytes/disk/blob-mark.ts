import { hash } from "node:crypto";
import { fstatSync, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { cannotSet, unless } from "./disk.ts";

/**
 * The mark of a file that the service wrote and that was not written to since: the microseconds of its modification time
 * are derived from inode, size and second. A write changes the time and a copy has another inode, so neither matches. One
 * file in a million matches by chance. Not detected: a write after which the time is set back, and bit rot. Decision 4.
 */

const perSecond = 1_000_000;

type Marked = Pick<Stats, "ino" | "size" | "mtimeMs">;

/** True when the file carries the mark. `salt` must be the one it was marked with. */
export function isMarked(stat: Marked, salt = ""): boolean {
  const micros = Math.round(stat.mtimeMs * 1000);
  return micros % perSecond === markOf(stat, Math.floor(micros / perSecond), salt);
}

/**
 * Marks an open file after its last write; durable with the next sync. `second` (Unix time) defaults to that of the last
 * write. Where times cannot be set (a file of another user, some file systems) the file stays unmarked.
 */
export async function mark(handle: FileHandle, salt = "", second?: number): Promise<void> {
  // Synchronous: the inode of an open file is in memory, and a call through the thread pool costs fifty times as much.
  const stat = fstatSync(handle.fd);
  const whole = second ?? Math.floor(stat.mtimeMs / 1000);
  await unless(cannotSet, handle.utimes(stat.atimeMs / 1000, whole + markOf(stat, whole, salt) / perSecond));
}

function markOf({ ino, size }: Marked, second: number, salt: string): number {
  return Number.parseInt(hash("sha256", `${ino} ${size} ${second} ${salt}`).slice(0, 12), 16) % perSecond;
}
