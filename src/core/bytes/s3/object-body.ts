import type { IncomingMessage } from "node:http";
import { finished, Readable } from "node:stream";
import { translateBucketError, unanswered } from "./bucket-error.ts";
import { dismiss } from "./exchange.ts";

/** How many connections in a row may break without delivering a byte. */
const maxBreaks = 5;

/**
 * The body of an object, as it arrives. Objects never change under their keys, so a broken download continues over
 * another connection, unnoticed by the reader. Destroying the stream ends the download.
 */
export class ObjectBody extends Readable {
  readonly size: number;
  private readonly reopen: (at: number) => Promise<IncomingMessage>;
  private response: IncomingMessage;
  private seen = 0;
  private breaks = 0;

  constructor(first: IncomingMessage, size: number, reopen: (at: number) => Promise<IncomingMessage>) {
    super({ highWaterMark: 256 * 1024 });
    this.size = size;
    this.reopen = reopen;
    this.response = first;
    this.follow(first);
  }

  override _read(): void {
    this.response.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    dismiss(this.response);
    done(error);
  }

  private follow(response: IncomingMessage): void {
    this.response = response;
    response.on("data", (chunk: Buffer) => {
      this.seen += chunk.length;
      this.breaks = 0;
      if (!this.push(chunk)) response.pause();
    });
    finished(response, (error) => void this.end(error));
  }

  private async end(error: Error | null | undefined): Promise<void> {
    if (this.destroyed) return;
    if (this.seen >= this.size) return void this.push(null);
    try {
      if (++this.breaks > maxBreaks) throw unanswered("GET to its end", error ?? new Error("it ended early"));
      const next = await this.reopen(this.seen);
      if (this.destroyed) dismiss(next);
      else this.follow(next);
    } catch (failure) {
      this.destroy(translateBucketError(failure) as Error);
    }
  }
}
