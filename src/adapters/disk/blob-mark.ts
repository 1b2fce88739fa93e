import { hash } from "node:crypto";
import { fstatSync, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { cannotSet, unless } from "./disk.ts";

/**
 * The mark of a file that the service wrote and nobody has written to since: the microseconds of its modification time
 * are made of its inode, its length and its second. A write moves the time, a copy has another inode: neither fits. One
 * in a million fits by chance. Whoever sets the time back by hand is not noticed, nor is a disk that forgets. Decision 21.
 */

const perSecond = 1_000_000;

type Marked = Pick<Stats, "ino" | "size" | "mtimeMs">;

/** True when the file has its mark. `salt` is the one it was marked with. */
export function isMarked(stat: Marked, salt = ""): boolean {
  const micros = Math.round(stat.mtimeMs * 1000);
  return micros % perSecond === markOf(stat, Math.floor(micros / perSecond), salt);
}

/**
 * Marks an open file whose bytes are all written; durable with its next sync. `second` of the Unix time is that of the
 * last write unless it is said. Where times cannot be set (another user's file, some file systems) it stays without.
 */
export async function mark(handle: FileHandle, salt = "", second?: number): Promise<void> {
  // Of an open file, so from memory: a call through the thread pool would cost fifty times as much.
  const stat = fstatSync(handle.fd);
  const whole = second ?? Math.floor(stat.mtimeMs / 1000);
  await unless(cannotSet, handle.utimes(stat.atimeMs / 1000, whole + markOf(stat, whole, salt) / perSecond));
}

function markOf({ ino, size }: Marked, second: number, salt: string): number {
  return Number.parseInt(hash("sha256", `${ino} ${size} ${second} ${salt}`).slice(0, 12), 16) % perSecond;
}
