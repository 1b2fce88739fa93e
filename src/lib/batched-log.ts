/** A pipe takes this much in one write; smaller batches cost more writes (decision 32). */
const batchLength = 64 * 1024;

/**
 * Batches lines and writes them together: at 64 KiB, after a second, and when flushed. Never splits a line.
 */
export class BatchedLog {
  private lines = "";
  private timer: NodeJS.Timeout | undefined;
  private readonly write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.write = write;
  }

  line(text: string): void {
    this.lines += text;
    this.lines += "\n";
    if (this.lines.length >= batchLength) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), 1000).unref();
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.lines === "") return;
    const lines = this.lines;
    this.lines = "";
    this.write(lines);
  }
}
