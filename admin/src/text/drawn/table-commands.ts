import type { EditorState } from "@codemirror/state";
import type { Command } from "@codemirror/view";
import { cellRanges, emptyRow, emptyTable, withColumn, withoutColumn } from "../../model/text/table.ts";
import { type TableLine, tableLines, tableOn } from "./table-nodes.ts";

/** Where the cursor is in a table: lines are counted from its head, the second is the one below that. */
type TableCursor = { lines: TableLine[]; at: number; cell: number; width: number };

/** The table around the cursor. */
function tableAt(state: EditorState): TableCursor | undefined {
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  const node = tableOn(state, line);
  if (!node) return undefined;
  const lines = tableLines(state, node);
  const at = lines.findIndex((each) => each.line.number === line.number);
  const { from, text } = lines[at] as TableLine;
  const ranges = cellRanges(text);
  const cell = ranges.findIndex(({ to }) => head - from <= to);
  return {
    ...{ lines, at, width: cellRanges(lines[1]?.text ?? "").length },
    cell: Math.max(0, cell < 0 ? ranges.length - 1 : cell),
  };
}

/** What can be done with the table at the cursor; undefined outside of one. Its head and its only column stay. */
export function tableRights(state: EditorState): { removeRow: boolean; removeColumn: boolean } | undefined {
  const table = tableAt(state);
  return table && { removeRow: table.at > 1, removeColumn: table.width > 1 };
}

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

type Change = { from: number; to?: number; insert?: string };
/** The changes, and the line and the cell to go to. */
type Step = { changes: Change | Change[]; at: number; cell: number };

/** A change of the table at the cursor: what it does not concern stays as it is, blanks too. */
const onTable =
  (stepOf: (table: TableCursor, state: EditorState) => Step | undefined): Command =>
  (view) => {
    const table = tableAt(view.state);
    const step = table && stepOf(table, view.state);
    if (!step) return false;
    const changes = view.state.changes(step.changes);
    const first = (table.lines[0] as TableLine).line.number;
    const line = changes.apply(view.state.doc).line(first + step.at);
    // What stands before a row in a list or a quote stands before the line below the head, too.
    const lead = step.at === 0 ? leadOf(table.lines[0]) : leadOf(table.lines[1]);
    const inLine = cellRanges(line.text.slice(lead.length))[step.cell]?.from ?? 0;
    const anchor = line.from + lead.length + inLine;
    view.dispatch({ changes, selection: { anchor }, userEvent: "input", scrollIntoView: true });
    view.focus();
    return true;
  };

const leadOf = (line: TableLine | undefined): string => line?.line.text.slice(0, line.from - line.line.from) ?? "";

/** Below the cursor. */
export const addRow = onTable(({ lines, at, width }) => {
  // Below the head comes the line under it.
  const before = Math.max(at, 1);
  const insert = `\n${leadOf(lines[1])}${emptyRow(width)}`;
  return { changes: { from: (lines[before] as TableLine).line.to, insert }, at: before + 1, cell: 0 };
});

export const removeRow = onTable(({ lines, at, cell }, { doc }) => {
  if (at < 2) return undefined;
  const { from, to } = (lines[at] as TableLine).line;
  const changes = to < doc.length ? { from, to: to + 1 } : { from: from - 1, to };
  const next = at + 1 < lines.length ? at : at - 1;
  return { changes, at: next === 1 ? 0 : next, cell };
});

/** After the cursor. */
export const addColumn = onTable(({ lines, at, cell }) => ({
  changes: changed(lines, (text, i) => withColumn(text, cell + 1, i === 1 ? " --- " : "  ")),
  ...{ at, cell: cell + 1 },
}));

export const removeColumn = onTable(({ lines, at, cell, width }) => {
  if (width < 2) return undefined;
  return { changes: changed(lines, (text) => withoutColumn(text, cell)), at, cell: Math.max(0, cell - 1) };
});

const changed = (lines: readonly TableLine[], change: (text: string, i: number) => string): Change[] =>
  lines.map(({ line, from, text }, i) => ({ from, to: line.to, insert: change(text, i) }));
