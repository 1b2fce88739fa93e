/** Tables of Markdown (GFM). The first row is the head. */

/** A table of these cells, each a text of Markdown. */
export function tableOf(grid: readonly (readonly string[])[]): string {
  const width = Math.max(1, ...grid.map((row) => row.length));
  const [head = [], ...rows] = grid;
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, i) => cellOf(cells[i] ?? "")).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(width)}`, ...rows.map(line)].join("\n");
}

/** A bar, or an escaped character: of two backslashes before a bar the second is escaped, and the bar ends the cell. */
const bar = /\\.|\|/g;
const isBar = ([text]: RegExpExecArray): boolean => text === "|";
const escapeBar = (text: string): string => (text === "|" ? "\\|" : text);

/** A cell is one line. */
const cellOf = (text: string): string =>
  text
    .trim()
    .replace(/\\?\n\s*/g, "<br>")
    .replace(/(?:<br>){2,}/g, "<br>")
    .replace(bar, escapeBar);

/** The cells of a line of a table. */
function cellsOf(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** A row without words. */
export const emptyRow = (width: number): string => `|${"  |".repeat(width)}`;

/** A line of a table between its bars; the cells have the blanks around them. */
type Parts = { before: string; cells: string[]; after: string };

function partsOf(line: string): Parts {
  const edges = edgesOf(line);
  const cells = edges.slice(1).map((end, i) => line.slice((edges[i] as number) + 1, end));
  return { before: line.slice(0, (edges[0] as number) + 1), cells, after: line.slice(edges.at(-1)) };
}

/** The line with one more cell, a short one only where it reaches. The others stay as they are. */
export function withColumn(line: string, at: number, filler: string): string {
  const { before, cells, after } = partsOf(line);
  if (cells.length < at) return line;
  // Without a bar at the end an empty cell would be none.
  const end = at === cells.length ? after || "|" : after;
  return before + cells.toSpliced(at, 0, filler).join("|") + end;
}

/** The line with empty cells behind its own, up to this many. */
export function withCells(line: string, width: number): string {
  let filled = line;
  for (let n = cellRanges(line).length; n < width; n++) filled = withColumn(filled, n, "  ");
  return filled;
}

export function withoutColumn(line: string, at: number): string {
  const { before, cells, after } = partsOf(line);
  if (cells.length <= at) return line;
  const rest = cells.toSpliced(at, 1);
  const hasBar = rest.length > 1 || /\|/.test(before + after);
  return hasBar && rest.length > 0 ? before + rest.join("|") + after : `| ${rest.join("").trim()} |`;
}

export const emptyTable = tableOf([
  ["", ""],
  ["", ""],
]);

/** Where the text of a cell stands in its line, without the blanks around it. */
type CellRange = { from: number; to: number };

/** The cells of a line, also of one that begins or ends without a bar. */
export function cellRanges(line: string): CellRange[] {
  const edges = edgesOf(line);
  return edges.slice(1).map((end, i) => withoutBlanks(line, (edges[i] as number) + 1, end));
}

/** The bars around the cells; where there is none at the start or the end, the places of those. */
function edgesOf(line: string): number[] {
  const bars = [...line.matchAll(bar)].filter(isBar).map(({ index }) => index);
  const first = line.search(/\S/);
  const last = line.trimEnd().length;
  const starts = bars[0] === first ? [] : [-1];
  const ends = bars.at(-1) === last - 1 ? [] : [line.length];
  return [...starts, ...bars, ...ends];
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
    .replace(bar, escapeBar);

/** True when the character that follows the text would be escaped by its end. */
export const escapesNext = (text: string): boolean => /(?<!\\)(?:\\\\)*\\$/.test(text);

/** How each column is aligned, by the line below the head. */
export const alignments = (rule: string): ("left" | "center" | "right" | undefined)[] =>
  cellsOf(rule).map((cell) => {
    const [isLeft, isRight] = [cell.startsWith(":"), cell.endsWith(":")];
    return isLeft && isRight ? "center" : isRight ? "right" : isLeft ? "left" : undefined;
  });
