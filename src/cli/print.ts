import { styleText } from "node:util";

/** Prints a line on standard output. */
export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Prints one JSON object on standard output. */
export function printJson(value: object): void {
  print(JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined));
}

/** The text in bold where standard output is a terminal and NO_COLOR is not set. */
export const bold = (text: string): string => styleText("bold", text, { stream: process.stdout });

/** The text dimmed, under the same condition as bold. */
export const dim = (text: string): string => styleText("dim", text, { stream: process.stdout });

/**
 * Rows under each other in aligned columns, two blanks between; `head` in bold. Control characters are shown as `?`,
 * so that a stored text cannot steer the terminal.
 */
export function formatTable(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map((cell) => cell.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?")));
  const all = head ? [head, ...clean] : clean;
  const widths: number[] = [];
  for (const row of all) row.forEach((cell, i) => void (widths[i] = Math.max(widths[i] ?? 0, [...cell].length)));
  const lines = all.map((row) =>
    row
      .map((cell, i) => cell + " ".repeat((widths[i] ?? 0) - [...cell].length))
      .join("  ")
      .trimEnd(),
  );
  const [first = ""] = lines;
  return (head ? [bold(first), ...lines.slice(1)] : lines).join("\n");
}

/** Unix seconds as `2026-05-01 10:30:00Z`, or `never`. */
export function formatTime(seconds: number | null): string {
  return seconds === null ? "never" : new Date(seconds * 1000).toISOString().replace("T", " ").replace(".000", "");
}
