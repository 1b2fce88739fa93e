import type { Stores } from "../stores.ts";
import { readableBytes } from "./print.ts";

const everyMs = 100;
const barWidth = 24;

/** A line that says how far the work is, on standard error where that is a terminal; else nothing. */
export class Progress {
  private shownMs = 0;
  private width = 0;

  /** Shows the step; some times a second at most, and always when it is done. */
  show = (what: "rows" | "bytes", done: number, total: number): void => {
    if (done >= total || this.isDue()) this.say(formatProgress(what, done, total));
  };

  /** The same when the total is unknown. */
  count(what: string, done: number): void {
    if (this.isDue()) this.say(`${done} ${what}`);
  }

  /** Says what is under way. */
  say(text: string): void {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r${text.padEnd(this.width)}`);
    this.width = text.length;
  }

  /** Verifies the store: its rows, whose number is not known beforehand, then its bytes. */
  verify = (stores: Stores): Promise<string[]> => {
    this.say("Reading the rows");
    return stores.verify((done, total) => this.show("bytes", done, total));
  };

  /** Takes the line away. */
  clear(): void {
    if (this.width > 0) process.stderr.write(`\r${" ".repeat(this.width)}\r`);
    this.width = 0;
  }

  private isDue(): boolean {
    const now = performance.now();
    if (now - this.shownMs < everyMs) return false;
    this.shownMs = now;
    return true;
  }
}

/** `[######------------------]  25%  250 of 1000 rows`. */
function formatProgress(what: "rows" | "bytes", done: number, total: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const bar = "#".repeat(Math.floor(part * barWidth)).padEnd(barWidth, "-");
  const figures = what === "rows" ? `${done} of ${total} rows` : `${readableBytes(done)} of ${readableBytes(total)}`;
  return `[${bar}] ${String(Math.floor(part * 100)).padStart(3)}%  ${figures}`;
}
