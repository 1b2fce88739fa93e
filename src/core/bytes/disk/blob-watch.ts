import type { Stats } from "node:fs";
import { ChangedBlob } from "../blob.ts";
import { isMarked } from "./blob-mark.ts";

export type BlobWatchOptions = {
  /** Reads the blob; answers whether its hash matches. */
  isWhole(hash: string, size: number): Promise<boolean>;
  /** Called for each changed blob that is found. */
  onFault(error: ChangedBlob): void;
};

type BlobStat = Pick<Stats, "ino" | "size" | "mtimeMs">;

/** Maximum number of blobs with a known state, and of blobs that wait to be read. */
const maxKnown = 10_000;

/**
 * Detects blobs that were written to outside the service. A blob without its mark is read once in the background; this
 * also happens to blobs stored before marks existed and after the data folder was copied. Decision 4.
 */
export class BlobWatch {
  private readonly options: BlobWatchOptions;
  private readonly known = new Map<string, { state: string; isWhole: boolean }>();
  private readonly waiting = new Set<string>();
  private last: Promise<void> = Promise.resolve();

  constructor(options: BlobWatchOptions) {
    this.options = options;
  }

  /** Throws ChangedBlob for a blob known to be changed; queues a read when its state is unknown. */
  look(hash: string, size: number, stat: BlobStat): void {
    if (!this.isTrusted(hash, size, stat)) this.read(hash, size, stat);
  }

  /** False when its state is unknown. */
  private isTrusted(hash: string, size: number, stat: BlobStat): boolean {
    if (stat.size === size && isMarked(stat)) return true;
    const known = this.known.get(hash);
    if (known?.state !== stateOf(stat)) return false;
    if (!known.isWhole) throw new ChangedBlob(hash);
    return true;
  }

  /** One blob at a time: no client waits for it, and it must not compete with requests. */
  private read(hash: string, size: number, stat: BlobStat): void {
    if (this.waiting.has(hash) || this.waiting.size >= maxKnown) return;
    this.waiting.add(hash);
    // After a failed read the next open queues it again.
    const note = () => this.note(hash, size, stat).catch(() => undefined);
    this.last = this.last.then(note).finally(() => this.waiting.delete(hash));
  }

  private async note(hash: string, size: number, stat: BlobStat): Promise<void> {
    const isWhole = await this.options.isWhole(hash, size);
    if (this.known.size >= maxKnown) this.known.clear();
    this.known.set(hash, { state: stateOf(stat), isWhole });
    if (!isWhole) this.options.onFault(new ChangedBlob(hash));
  }
}

const stateOf = ({ ino, size, mtimeMs }: BlobStat): string => `${ino} ${size} ${mtimeMs}`;
