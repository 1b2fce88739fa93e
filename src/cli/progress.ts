import type { Stores } from "../stores.ts";
import { readableBytes } from "./print.ts";

const everyMs = 100;
/** For a log. Shorter commands print nothing there. */
const lineEveryMs = 2000;
const barWidth = 24;

/** Where progress is shown. */
type ProgressOutput = { isTTY?: boolean; write(text: string): unknown };

/** A progress line on standard error where that is a terminal; elsewhere only what `count` says. */
export class Progress {
  private readonly place: ProgressOutput;
  private readonly nowMs: () => number;
  private shownMs = Number.NEGATIVE_INFINITY;
  private printedMs: number;
  private width = 0;

  constructor(place: ProgressOutput, nowMs = () => performance.now()) {
    this.place = place;
    this.nowMs = nowMs;
    this.printedMs = nowMs();
  }

  /** Shows the step; at most a few times a second, and always when it is complete. */
  show = (what: "rows" | "bytes", done: number, total: number): void => {
    if (done >= total || this.isDue()) this.say(formatProgress(what, done, total));
  };

  /** The same when the total is unknown. Where standard error is no terminal, a line every two seconds. */
  count(what: string, done: number): void {
    if (this.place.isTTY) {
      if (this.isDue()) this.say(`${done} ${what}`);
      return;
    }
    const now = this.nowMs();
    if (now - this.printedMs < lineEveryMs) return;
    this.printedMs = now;
    this.place.write(`${done} ${what}\n`);
  }

  /** Shows a message. */
  say(text: string): void {
    if (!this.place.isTTY) return;
    this.place.write(`\r${text.padEnd(this.width)}`);
    this.width = text.length;
  }

  /** Verifies the store with progress: its rows, whose total is unknown, then its bytes. */
  verify = (stores: Stores): Promise<string[]> => {
    this.say("Reading the rows");
    return stores.verify((done, total) => this.show("bytes", done, total));
  };

  /** Removes the line. */
  clear(): void {
    if (this.width > 0) this.place.write(`\r${" ".repeat(this.width)}\r`);
    this.width = 0;
  }

  private isDue(): boolean {
    const now = this.nowMs();
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
