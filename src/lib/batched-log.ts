/** An empty pipe takes 64 KiB (decision 32): the write of a longer batch waits until the pipe's reader has run. */
const maxLength = 60 * 1024;

/**
 * Batches lines and writes them together: before they exceed 60 KiB, after a second, and when flushed. Never splits a
 * line.
 */
export class BatchedLog {
  private lines = "";
  private timer: NodeJS.Timeout | undefined;
  private readonly write: (lines: Buffer) => void;

  /** `write` gets the lines encoded: of a string that was put together Node would first count the bytes, slowly. */
  constructor(write: (lines: Buffer) => void) {
    this.write = write;
  }

  line(text: string): void {
    if (this.lines.length + text.length >= maxLength) this.flush();
    this.lines += text;
    this.lines += "\n";
    this.timer ??= setTimeout(() => this.flush(), 1000).unref();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines === "") return;
    const lines = this.lines;
    this.lines = "";
    this.write(Buffer.from(lines));
  }
}
