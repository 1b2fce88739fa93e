import { styleText } from "node:util";
import type { Io } from "./command.ts";

/** What a command prints goes to the streams of its call. */
export type Printer = { io: Pick<Io, "stdout" | "stderr"> };

/** Prints a line on standard output. */
export function print({ io }: Printer, line = ""): void {
  io.stdout.write(`${line}\n`);
}

/** Prints one JSON object on standard output. */
export function printJson(call: Printer, value: object): void {
  print(call, JSON.stringify(value, null, call.io.stdout.isTTY ? 2 : undefined));
}

/** Prints a warning on standard error; with `--json` as one JSON object. */
export function warn({ io, switches }: Printer & { switches: ReadonlySet<string> }, text: string): void {
  const line = switches.has("json") ? JSON.stringify({ warning: text }) : `octavo: warning: ${text}`;
  io.stderr.write(`${line}\n`);
}

/** The text in bold where standard output is a terminal and NO_COLOR is not set. */
export const bold = ({ io }: Printer, text: string): string => styleText("bold", text, { stream: io.stdout });

/** A secret, in bold, with facts about what it is of. */
export const formatSecret = (
  call: Printer,
  secret: string,
  facts: readonly (readonly string[])[],
  until = "The secret is shown this once.",
): string => [bold(call, secret), formatTable(facts), until].join("\n\n");

/** The text with `?` for each control character, so that a stored text or a file name cannot control the terminal. */
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");

/** Prints rows in aligned columns below their heads, which are bold. */
export function printTable(call: Printer, heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const [first = "", ...lines] = formatTable([heads, ...rows]).split("\n");
  print(call, [bold(call, first), ...lines].join("\n"));
}

/** Rows in aligned columns, separated by two spaces. Control characters are replaced. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(plain));
  const width = (cell: string): number => [...cell].length;
  const columns = Math.max(0, ...clean.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...clean.map((row) => width(row[i] ?? ""))));
  const pad = (cell: string, i: number): string => cell + " ".repeat((widths[i] ?? 0) - width(cell));
  return clean.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

const byteUnits = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Bytes in a human-readable unit: `1.4 GiB`. */
export function readableBytes(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && unit < byteUnits.length - 1; unit++) size /= 1024;
  return `${unit === 0 ? size : size.toFixed(1)} ${byteUnits[unit]}`;
}

/** Unix seconds as `2026-05-01 10:30:00Z`, or `never`. */
export function formatTime(seconds: number | null): string {
  return seconds === null ? "never" : new Date(seconds * 1000).toISOString().replace("T", " ").replace(".000", "");
}

/** A number with its word: `1 file`, `2 files`. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
