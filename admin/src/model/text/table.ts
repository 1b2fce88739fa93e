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

/** Where the text of a cell stands in its line, without the blanks around it. */
type CellRange = { from: number; to: number };

/** The cells of a line, also of one that begins or ends without a bar. */
export function cellRanges(line: string): CellRange[] {
  const bars = [...line.matchAll(/(?<!\\)\|/g)].map(({ index }) => index);
  const first = line.search(/\S/);
  const last = line.trimEnd().length;
  const starts = bars[0] === first ? [] : [-1];
  const ends = bars.at(-1) === last - 1 ? [] : [line.length];
  const edges = [...starts, ...bars, ...ends];
  return edges.slice(1).map((end, i) => withoutBlanks(line, (edges[i] as number) + 1, end));
}

/** An empty cell is after the first blank. */
function withoutBlanks(line: string, from: number, to: number): CellRange {
  const text = line.slice(from, to);
  if (text.trim() === "") return { from: Math.min(from + 1, to), to: Math.min(from + 1, to) };
  return { from: from + text.search(/\S/), to: from + text.trimEnd().length };
}

/** A typed text as that of a cell: one line, without bars that would end it, and else as it is. */
export const cellText = (typed: string): string =>
  typed
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/(?<!\\)\|/g, "\\|");

/** How each column is aligned, by the line below the head. */
export const alignments = (rule: string): ("left" | "center" | "right" | undefined)[] =>
  cellsOf(rule).map((cell) => {
    const [isLeft, isRight] = [cell.startsWith(":"), cell.endsWith(":")];
    return isLeft && isRight ? "center" : isRight ? "right" : isLeft ? "left" : undefined;
  });
