import type { Stats } from "node:fs";
import { ChangedBlob } from "../../domain/blob.ts";
import { isMarked } from "./blob-mark.ts";

export type BlobWatchOptions = {
  /** Reads all of a blob; true when it is whole. */
  isWhole(hash: string, size: number): Promise<boolean>;
  /** Hears of a blob that is not. */
  onFault(error: ChangedBlob): void;
};

type Seen = Pick<Stats, "ino" | "size" | "mtimeMs">;

/** Blobs whose state is remembered, and that wait to be read, at most. */
const maxKnown = 10_000;

/**
 * Notices blobs that somebody has written to behind the service's back: the file has lost its mark, so all of it is read
 * once. What was put before there were marks, or was copied from another disk, is read once as well. Decision 21.
 */
export class BlobWatch {
  private readonly options: BlobWatchOptions;
  private readonly known = new Map<string, { state: string; isWhole: boolean }>();
  private readonly waiting = new Set<string>();
  private last: Promise<void> = Promise.resolve();

  constructor(options: BlobWatchOptions) {
    this.options = options;
  }

  /** Throws ChangedBlob when the file is known to be one; has it read in the background when it is not known. */
  look(hash: string, size: number, stat: Seen): void {
    if (!this.isTrusted(hash, size, stat)) this.read(hash, size, stat);
  }

  /** False where it has to be read first. */
  private isTrusted(hash: string, size: number, stat: Seen): boolean {
    if (stat.size === size && isMarked(stat)) return true;
    const known = this.known.get(hash);
    if (known?.state !== stateOf(stat)) return false;
    if (!known.isWhole) throw new ChangedBlob(hash);
    return true;
  }

  /** One blob at a time: it is work for the disk and the processor that no client has asked for. */
  private read(hash: string, size: number, stat: Seen): void {
    if (this.waiting.has(hash) || this.waiting.size >= maxKnown) return;
    this.waiting.add(hash);
    // One that cannot be read now is looked at again by whoever opens it next.
    const note = () => this.note(hash, size, stat).catch(() => undefined);
    this.last = this.last.then(note).finally(() => this.waiting.delete(hash));
  }

  private async note(hash: string, size: number, stat: Seen): Promise<void> {
    const isWhole = await this.options.isWhole(hash, size);
    if (this.known.size >= maxKnown) this.known.clear();
    this.known.set(hash, { state: stateOf(stat), isWhole });
    if (!isWhole) this.options.onFault(new ChangedBlob(hash));
  }
}

const stateOf = ({ ino, size, mtimeMs }: Seen): string => `${ino} ${size} ${mtimeMs}`;
