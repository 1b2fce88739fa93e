import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { sha256Of } from "../../core/lib/sha256.ts";

/** Times of a file system may be as coarse as this: a write so soon after another could leave them as they were. */
const settleMs = 2000;
const maxKnown = 1000;

/** By hash: the state of the file that had it. */
const known = new Map<string, string>();

/**
 * Whether the file has this SHA-256 (hex). Reads it once in this process, and again when it was written to, replaced or
 * linked since, whatever its modification time says: a picture is drawn in several sizes one after the other.
 * Bits that rot meanwhile are not found. Decision 4.
 */
export async function hasHash(file: string, hash: string, nowMs = Date.now()): Promise<boolean> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  const state = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  if (known.get(hash) === state) return true;
  const found = await sha256Of(createReadStream(file, { highWaterMark: 256 * 1024 }));
  if (found.hash !== hash) return false;
  if (nowMs - Number(ctimeNs / 1_000_000n) < settleMs) return true;
  if (known.size >= maxKnown) known.clear();
  known.set(hash, state);
  return true;
}
