import { styleText } from "node:util";

/** Prints a line on standard output. */
export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one JSON object on standard output. */
export function printJson(value: object): void {
  print(JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined));
}

/** Prints a warning on standard error; with `--json` as one JSON object. */
export function warn({ switches }: { switches: ReadonlySet<string> }, text: string): void {
  const line = switches.has("json") ? JSON.stringify({ warning: text }) : `octavo: warning: ${text}`;
  process.stderr.write(`${line}\n`);
}

/** The text in bold where standard output is a terminal and NO_COLOR is not set. */
export const bold = (text: string): string => styleText("bold", text, { stream: process.stdout });

/** The text with `?` for each control character, so that a stored text or a file name cannot control the terminal. */
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");

/** Rows in aligned columns, separated by two spaces; `head` in bold. Control characters are replaced. */
export function formatTable(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(plain));
  const all = head ? [head, ...clean] : clean;
  const width = (cell: string): number => [...cell].length;
  const columns = Math.max(0, ...all.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...all.map((row) => width(row[i] ?? ""))));
  const pad = (cell: string, i: number): string => cell + " ".repeat((widths[i] ?? 0) - width(cell));
  const lines = all.map((row) => row.map(pad).join("  ").trimEnd());
  const [first = ""] = lines;
  return (head ? [bold(first), ...lines.slice(1)] : lines).join("\n");
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
