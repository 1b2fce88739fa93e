import { problem } from "../domain/problem.ts";

/**
 * Room for uploads of callers nobody knows yet: the original took the tokens behind the file, so such a file has to be
 * taken in before anybody can say whether it may come. So many at once, and so many bytes of them together. Contract §2.
 */
export class SpoolRoom {
  private count = 0;
  private bytes = 0;
  private readonly maxCount: number;
  private readonly maxBytes: number;

  constructor(maxCount: number, maxBytes: number) {
    this.maxCount = maxCount;
    this.maxBytes = maxBytes;
  }

  /** Takes a place. Throws busy when there is none. */
  enter(): Spool {
    if (this.count >= this.maxCount) throw full();
    this.count++;
    let own = 0;
    let isOpen = true;
    return {
      counted: (bytes) =>
        counting(bytes, (length) => {
          own += length;
          this.bytes += length;
          if (this.bytes > this.maxBytes) throw full();
        }),
      leave: () => {
        if (!isOpen) return;
        isOpen = false;
        this.count--;
        this.bytes -= own;
      },
    };
  }
}

/** One place in the room. */
export type Spool = {
  /** The same bytes, counted as they pass. Throws busy when the room is full. */
  counted(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Gives the place back; may be called more than once. */
  leave(): void;
};

async function* counting(bytes: AsyncIterable<Uint8Array>, count: (length: number) => void): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    count(chunk.length);
    yield chunk;
  }
}

const full = () =>
  problem("busy", { reason: "too many uploads wait for their tokens; send the tokens before the file" });
