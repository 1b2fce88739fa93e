/**
 * Lines gathered and written together: at 4 KiB, after a second, and when flushed. A write per request costs more than
 * the request (bench). Lines are UTF-8 and never cut in two.
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
    if (this.lines.length >= 4096) this.flush();
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
