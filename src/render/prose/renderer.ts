import type { Prose, ProseAsker, ProseRenderer } from "../render.ts";
import { Lane } from "./lane.ts";

/**
 * Renders prose in two threads, one for short texts and one for long ones, so that a short text, as most are, never waits
 * for long ones. In each, clients have their turns. Decision 57.
 */

export type ThreadOptions = {
  /** The time limit of a text, once its thread has begun with it. */
  timeoutMs: number;
  /** How long a read waits for the turn of one of its texts. */
  maxWaitMs: number;
  /** A thread ends after this time without work. */
  idleMs: number;
};

/** A text of this length takes at most some 80 ms. */
const maxShortLength = 32 * 1024;
const heapMib = { short: 64, long: 256 };

export class ThreadRenderer implements ProseRenderer {
  private readonly short: Lane;
  private readonly long: Lane;

  constructor(options: ThreadOptions) {
    this.short = new Lane({ ...options, maxHeapMib: heapMib.short });
    this.long = new Lane({ ...options, maxHeapMib: heapMib.long });
  }

  render(texts: readonly Prose[], asker: ProseAsker): Promise<string | undefined>[] {
    const isShort = ({ text }: Prose) => text.length <= maxShortLength;
    const short = this.short.render(texts.filter(isShort), asker);
    const long = this.long.render(
      texts.filter((prose) => !isShort(prose)),
      asker,
    );
    return texts.map((prose) => (isShort(prose) ? short : long).shift() as Promise<string | undefined>);
  }

  /** Ends the threads; what waits is refused with `busy`. */
  async close(): Promise<void> {
    await Promise.all([this.short.close(), this.long.close()]);
  }
}
