import { Writable } from "node:stream";

/**
 * The service's log: each line is one JSON object with `time` and `level`. `error`: a fault, to be acted on; `warn`: to be
 * looked at, such as a sentence about the store or a reply that failed; `info`: everything else.
 */
export type Level = "info" | "warn" | "error";

// toISOString costs more than the rest of the line; most lines of a busy service share their millisecond.
let lastMs = 0;
let lastText = "";
function timeText(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}

/** What each line begins with: the open object, for lines that are put together by hand. */
export const lineHead = (level: Level): string => `{"time":"${timeText()}","level":"${level}"`;

const logLine = (level: Level, facts: object): string => `${lineHead(level)},${JSON.stringify(facts).slice(1)}\n`;

/** A place for words, and whether somebody reads them there as they come. */
type LogStream = { isTTY?: boolean; write(text: string): unknown };

/** Says something of the service: in words at a terminal, elsewhere as a line of the log. */
export function say(place: LogStream, level: Level, message: string): void {
  place.write(place.isTTY ? `octavo: ${message}\n` : logLine(level, { message }));
}

/** What is printed, as lines of the log with the level `info`. */
export const asLog = (place: LogStream): Writable =>
  new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      for (const line of text.split("\n"))
        if (line.trim() !== "") place.write(logLine("info", { message: line.trim() }));
      done();
    },
  });

// And the code of a link, which is in the fragment: some clients send that.
const secretText = /oct_[dmpia]_[A-Za-z0-9_-]{20,}|(?<=code(?:=|%3D))[A-Za-z0-9_-]{40,}/g;

/** The text without the secrets that it holds by mistake. */
export const withoutSecrets = (text: string): string => text.replace(secretText, "[redacted]");

/**
 * Logs, on standard error, an error that nobody else gets, with its causes and their stacks; or a sentence for the operator.
 * `id` is that of the request, or says what of the service it is about. What is only said, as `info`, is a `message`.
 */
export function logError(
  id: string,
  error: unknown,
  level: Level = typeof error === "string" ? "warn" : "error",
): void {
  const causes: string[] = [];
  for (let at: unknown = error; at !== undefined && causes.length < 5; at = (at as Error).cause) {
    causes.push(at instanceof Error ? (at.stack ?? at.message) : String(at));
  }
  const text = withoutSecrets(causes.join("\ncaused by: "));
  process.stderr.write(logLine(level, level === "info" ? { id, message: text } : { id, error: text }));
}

// ------------------------------------------------------------------------------------------ lines together

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
