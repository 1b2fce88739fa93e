/** Tables of Markdown (GFM). The first row is the head. */

/** A table of these cells, each a text of Markdown. */
export function tableOf(grid: readonly (readonly string[])[]): string {
  const width = Math.max(1, ...grid.map((row) => row.length));
  const [head = [], ...rows] = grid;
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, i) => cellOf(cells[i] ?? "")).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(width)}`, ...rows.map(line)].join("\n");
}

/** A cell is one line. */
const cellOf = (text: string): string =>
  text
    .trim()
    .replace(/\\?\n\s*/g, "<br>")
    .replace(/(?:<br>){2,}/g, "<br>")
    .replace(/(?<!\\)\|/g, "\\|");

/** The cells of a line of a table. */
export function cellsOf(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

export const isTableLine = (line: string): boolean => /^\s*\|/.test(line);
const isRule = (line: string): boolean => /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line);

export type TableChange = { text: string; row: number; cell: number };

/**
 * The lines of a table with one more row below the one at `row`, or one more column after `cell`; and where the cursor is
 * to go.
 */
export function grown(lines: readonly string[], row: number, cell: number, what: "row" | "column"): TableChange {
  const width = Math.max(...lines.map((line) => cellsOf(line).length));
  if (what === "row") {
    // Below the head comes the line under it.
    const at = Math.max(row, 1) + 1;
    return { text: lines.toSpliced(at, 0, `|${"  |".repeat(width)}`).join("\n"), row: at, cell: 0 };
  }
  const at = Math.min(cell, width - 1) + 1;
  const wide = lines.map((line) => {
    const cells = cellsOf(line);
    while (cells.length < width) cells.push("");
    return `| ${cells.toSpliced(at, 0, isRule(line) ? "---" : "").join(" | ")} |`;
  });
  return { text: wide.join("\n"), row, cell: at };
}

export const emptyTable = tableOf([
  ["", ""],
  ["", ""],
]);
