import type { EditorState } from "@codemirror/state";
import type { Command } from "@codemirror/view";
import { cellsOf, emptyTable, grown, isTableLine } from "../model/text/table.ts";

type TableCursor = { from: number; to: number; lines: string[]; row: number; cell: number };

/** The table around the cursor. */
function tableAt({ doc, selection }: EditorState): TableCursor | undefined {
  const { head } = selection.main;
  const line = doc.lineAt(head);
  const isIn = (number: number): boolean => number >= 1 && number <= doc.lines && isTableLine(doc.line(number).text);
  if (!isIn(line.number)) return undefined;
  let [first, last] = [line.number, line.number];
  while (isIn(first - 1)) first--;
  while (isIn(last + 1)) last++;
  const [{ from }, { to }] = [doc.line(first), doc.line(last)];
  const before = doc.sliceString(line.from, head);
  return {
    ...{ from, to, lines: doc.sliceString(from, to).split("\n"), row: line.number - first },
    cell: Math.max(0, cellsOf(`${before}x`).length - 1),
  };
}

export const isInTable = (state: EditorState): boolean => tableAt(state) !== undefined;

/** Puts an empty table below the line, and the cursor into its first cell. */
export const insertTable: Command = (view) => {
  const { doc, selection } = view.state;
  const line = doc.lineAt(selection.main.head);
  const lead = line.text.trim() === "" ? "" : "\n\n";
  const next = line.number < doc.lines ? doc.line(line.number + 1).text.trim() : "";
  const insert = `${lead}${emptyTable}${next === "" ? "" : "\n"}`;
  view.dispatch({
    changes: { from: line.to, insert },
    selection: { anchor: line.to + lead.length + 2 },
    ...{ userEvent: "input", scrollIntoView: true },
  });
  view.focus();
  return true;
};

/** Adds a row below the cursor, or a column after it, and goes into its cell. */
export const growTable =
  (what: "row" | "column"): Command =>
  (view) => {
    const table = tableAt(view.state);
    if (!table) return false;
    const { text, row, cell } = grown(table.lines, table.row, table.cell, what);
    const lines = text.split("\n");
    const before = lines.slice(0, row).reduce((sum, line) => sum + line.length + 1, 0);
    const inLine = cellStart(lines[row] ?? "", cell);
    view.dispatch({
      changes: { from: table.from, to: table.to, insert: text },
      selection: { anchor: table.from + before + inLine },
      ...{ userEvent: "input", scrollIntoView: true },
    });
    view.focus();
    return true;
  };

/** Where the text of a cell begins in its line. */
function cellStart(line: string, cell: number): number {
  const pipes = [...line.matchAll(/(?<!\\)\|/g)].map(({ index }) => index);
  const pipe = pipes[cell] ?? pipes[0] ?? 0;
  return Math.min(line.length, pipe + 2);
}
