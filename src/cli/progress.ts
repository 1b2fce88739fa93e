import { formatBytes } from "./print.ts";

const everyMs = 100;
const barWidth = 24;

/** A line that says how far the work is, on standard error where that is a terminal; else nothing. */
export class Progress {
  private shownMs = 0;
  private width = 0;

  /** Shows the step; a few times a second at most, and always when it is done. */
  show = (what: "rows" | "bytes", done: number, total: number): void => {
    const now = performance.now();
    if (!process.stderr.isTTY || (done < total && now - this.shownMs < everyMs)) return;
    this.shownMs = now;
    this.write(formatProgress(what, done, total));
  };

  /** Says what is under way where nobody can say how far. */
  say(text: string): void {
    if (process.stderr.isTTY) this.write(text);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.width > 0) process.stderr.write(`\r${" ".repeat(this.width)}\r`);
    this.width = 0;
  }

  private write(text: string): void {
    process.stderr.write(`\r${text.padEnd(this.width)}`);
    this.width = text.length;
  }
}

/** `[######------------------]  25%  250 of 1000 rows`. */
export function formatProgress(what: "rows" | "bytes", done: number, total: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const bar = "#".repeat(Math.floor(part * barWidth)).padEnd(barWidth, "-");
  const figures = what === "rows" ? `${done} of ${total} rows` : `${formatBytes(done)} of ${formatBytes(total)}`;
  return `[${bar}] ${String(Math.floor(part * 100)).padStart(3)}%  ${figures}`;
}
