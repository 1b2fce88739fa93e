import { type EditorState, Facet } from "@codemirror/state";
import { type EditorView, runScopeHandlers, WidgetType } from "@codemirror/view";
import { alignments, cellRanges, cellText, escapesNext, withCells } from "../../model/text/table.ts";
import { droppedFiles, pastedFiles } from "../../ui/code-editor.tsx";
import { cellTools, placeTools } from "./cell-tools.ts";
import { appendInline } from "./inline-dom.ts";
import { endOf, type SyntaxNode, type TableLine, tableLines, tableNodes, tableOn } from "./table-nodes.ts";
import { definedAddresses } from "./targets.ts";

/**
 * A table whose cells are edited in their places. A cell that has the focus shows its source; what is typed replaces the
 * text of that cell in its line, and nothing else: the blanks around it stay.
 */
export class TableWidget extends WidgetType {
  readonly source: string;
  /** What its links by label lead to: the text may say it later, or otherwise. */
  private readonly addresses: string;
  private readonly state: EditorState;
  private readonly node: SyntaxNode;
  private readonly rule: string;
  /** The lines that are rows: all but the one below the head. */
  private readonly rows: TableLine[];

  constructor(state: EditorState, node: SyntaxNode) {
    super();
    this.state = state;
    this.node = node;
    const lines = tableLines(state, node);
    this.rule = lines[1]?.text ?? "";
    this.rows = lines.toSpliced(1, 1);
    this.source = state.sliceDoc(node.from, endOf(state, node));
    this.addresses = this.source.includes("[") ? definedAddresses(state) : "";
  }

  override eq(other: TableWidget): boolean {
    return other.source === this.source && other.addresses === this.addresses;
  }

  override get estimatedHeight(): number {
    return this.rows.length * rowHeight;
  }

  toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement("div");
    frame.className = "cm-table";
    const table = document.createElement("table");
    const room = document.createElement("div");
    room.className = "cm-table-room";
    room.append(table);
    frame.append(room);
    const aligned = alignments(this.rule);
    for (const [y, line] of this.rows.entries()) {
      const row = table.insertRow();
      for (let i = 0; i < aligned.length; i++) {
        const cell = document.createElement(y === 0 ? "th" : "td");
        cell.style.textAlign = aligned[i] ?? "";
        cell.dir = "auto";
        row.append(cell);
        this.fill(cell, line, i);
        if (!view.state.readOnly) cell.contentEditable = "true";
      }
    }
    if (!view.state.readOnly) {
      listen(view, frame);
      frame.append(cellTools(view));
    }
    return frame;
  }

  /** In place: the cell that is written in keeps its focus and its cursor. */
  override updateDOM(frame: HTMLElement, _view: EditorView, from: this): boolean {
    const rows = [...frame.querySelectorAll("tr")];
    if (from.rule !== this.rule || this.rows.length !== rows.length) return false;
    for (const [y, line] of this.rows.entries())
      for (const [x, cell] of [...(rows[y] as HTMLTableRowElement).cells].entries()) this.fill(cell, line, x);
    return true;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  private fill(cell: HTMLElement, line: TableLine, index: number): void {
    const range = cellRanges(line.text)[index];
    const source = range ? line.text.slice(range.from, range.to) : "";
    if (cell === document.activeElement) {
      if (cellText(cell.textContent) !== source) showSource(cell, source);
      return;
    }
    const drawn = source + this.addresses;
    if (cell.dataset.drawn === drawn) return;
    cell.dataset.drawn = drawn;
    cell.replaceChildren();
    if (!range) return;
    const [from, to] = [line.from + range.from, line.from + range.to];
    const node = this.cellNode(from, to);
    if (node) appendInline(this.state, node, from, to, cell);
    else cell.textContent = source;
    // One stretch of characters, in which an offset is a place of the source.
    cell.normalize();
  }

  private cellNode(from: number, to: number): SyntaxNode | undefined {
    const rows = [...this.node.getChildren("TableHeader"), ...this.node.getChildren("TableRow")];
    const row = rows.find((each) => each.from <= from && each.to >= to);
    return row?.getChildren("TableCell").find((cell) => cell.from <= from && cell.to >= to);
  }
}

/** Of a row, in pixels, before it is drawn. */
const rowHeight = 36;

function showSource(cell: HTMLElement, source: string): void {
  delete cell.dataset.drawn;
  if (cell.textContent === source && !cell.querySelector("*")) return;
  cell.textContent = source;
  placeCaret(cell, source.length);
}

function placeCaret(cell: HTMLElement, offset: number): void {
  const [text] = cell.childNodes;
  getSelection()?.collapse(text ?? cell, text ? Math.min(offset, text.textContent?.length ?? 0) : 0);
}

type Place = { from: number; to: number };

/** Where the text of a cell is; the end of its line, where the line is too short for it. */
function placeOf(view: EditorView, cell: HTMLTableCellElement): Place | undefined {
  const line = lineOf(view, cell);
  if (!line) return undefined;
  const end = line.text.length;
  const range = cellRanges(line.text)[cell.cellIndex] ?? { from: end, to: end };
  return { from: line.from + range.from, to: line.from + range.to };
}

function lineOf(view: EditorView, cell: HTMLTableCellElement): TableLine | undefined {
  const node = nodeOf(view, cell);
  const row = cell.closest("tr")?.rowIndex;
  return node && row !== undefined ? tableLines(view.state, node)[row === 0 ? 0 : row + 1] : undefined;
}

/** The table of the text that a cell is in. */
function nodeOf(view: EditorView, cell: HTMLElement): SyntaxNode | undefined {
  const frame = cell.closest<HTMLElement>(".cm-table");
  return frame ? tableOn(view.state, view.state.doc.lineAt(view.posAtDOM(frame))) : undefined;
}

function listen(view: EditorView, frame: HTMLElement): void {
  const on = <K extends keyof HTMLElementEventMap>(
    name: K,
    run: (event: HTMLElementEventMap[K], cell: HTMLTableCellElement) => void,
  ): void =>
    frame.addEventListener(name, (event) => {
      const cell = (event.target as Element).closest?.<HTMLTableCellElement>("td, th");
      if (cell) run(event, cell);
    });
  on("focusin", (_event, cell) => {
    const place = placeOf(view, cell);
    if (!place) return;
    showSource(cell, view.state.sliceDoc(place.from, place.to));
    // The tools of tables find it by the cursor of the text.
    view.dispatch({ selection: { anchor: place.from } });
    placeTools(view, frame, cell);
  });
  on("focusout", (_event, cell) => {
    select(view, cell);
    redraw(view, cell);
  });
  on("input", (_event, cell) => write(view, cell));
  on("beforeinput", (event) => {
    if (/^(?:format|insertParagraph|insertLineBreak|insertFromDrop)/.test(event.inputType)) event.preventDefault();
  });
  on("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  on("drop", (event, cell) => take(view, cell, event, droppedFiles(event)));
  on("paste", (event, cell) => {
    const files = pastedFiles(event);
    if (files.length > 0) return take(view, cell, event, files);
    event.preventDefault();
    document.execCommand("insertText", false, event.clipboardData?.getData("text/plain").replace(/\s+/g, " ") ?? "");
  });
  on("keydown", (event, cell) => press(view, cell, event));
}

/** Uploads files, and links them at a place. */
export const linkFiles = Facet.define<(view: EditorView, files: globalThis.File[], at: number) => void>();

/** Takes files at the end of the cell: the text around the table does not see what is dropped on it. */
function take(view: EditorView, cell: HTMLTableCellElement, event: Event, files: globalThis.File[]): void {
  if (files.length === 0) return;
  event.preventDefault();
  const line = lineOf(view, cell);
  if (line && !cellRanges(line.text)[cell.cellIndex]) lengthen(view, line, cell.cellIndex);
  const place = placeOf(view, cell);
  if (place) for (const link of view.state.facet(linkFiles)) link(view, files, place.to);
}

/** Gives a cell a text in its line, which is too short for it. */
function lengthen(view: EditorView, line: TableLine, index: number, written = ""): void {
  const whole = withCells(line.text, index + 1);
  const { from, to } = cellRanges(whole)[index] as Place;
  view.dispatch({
    changes: {
      from: line.from,
      to: line.from + line.text.length,
      insert: whole.slice(0, from) + written + whole.slice(to),
    },
    selection: { anchor: line.from + from + written.length },
    userEvent: "input.type",
  });
}

function write(view: EditorView, cell: HTMLTableCellElement): void {
  const line = lineOf(view, cell);
  if (!line) return;
  const insert = cellText(cell.textContent);
  const range = cellRanges(line.text)[cell.cellIndex];
  if (!range) {
    if (insert !== "") lengthen(view, line, cell.cellIndex, insert);
    return;
  }
  const [from, to] = [line.from + range.from, line.from + range.to];
  if (view.state.sliceDoc(from, to) === insert) return;
  // The bar behind it ends the cell.
  const blank = escapesNext(insert) && view.state.sliceDoc(to, to + 1) === "|" ? " " : "";
  view.dispatch({
    changes: { from, to, insert: insert + blank },
    selection: { anchor: from + insert.length },
    userEvent: "input.type",
  });
}

/** Selects in the text what is selected in the cell, for the commands of the editor. */
function select(view: EditorView, cell: HTMLTableCellElement): void {
  const [place, selection] = [placeOf(view, cell), getSelection()];
  if (!place || !selection || !cell.contains(selection.anchorNode)) return;
  const at = (node: Node | null, offset: number): number => {
    const before = document.createRange();
    before.setStart(cell, 0);
    if (node) before.setEnd(node, offset);
    return Math.min(place.to, place.from + before.toString().length);
  };
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  view.dispatch({ selection: { anchor: at(anchorNode, anchorOffset), head: at(focusNode, focusOffset) } });
}

/** As it reads, once the focus has left. */
function redraw(view: EditorView, cell: HTMLTableCellElement): void {
  const frame = cell.closest<HTMLElement>(".cm-table");
  const node = nodeOf(view, cell);
  if (!frame || !node) return;
  const widget = new TableWidget(view.state, node);
  queueMicrotask(() => frame.isConnected && widget.updateDOM(frame, view, widget));
}

/** The tables that are drawn: one beside the mark of a list is its source. */
export const drawnTableNodes = (state: EditorState): SyntaxNode[] =>
  tableNodes(state).filter(({ from }) => /^[\s>]*$/.test(state.sliceDoc(state.doc.lineAt(from).from, from)));

function press(view: EditorView, cell: HTMLTableCellElement, event: KeyboardEvent): void {
  const { key, shiftKey: isShifted } = event;
  if (event.isComposing) return;
  const isCommand = event.ctrlKey || event.metaKey;
  // All of the cell, not of the text around it.
  if (isCommand && key === "a") {
    event.preventDefault();
    getSelection()?.selectAllChildren(cell);
    return;
  }
  if (isCommand && /^[bikzy]$/i.test(key)) {
    select(view, cell);
    // A step back may draw the table anew: the text has the focus until then.
    if (/[zy]/i.test(key)) view.focus();
    if (runScopeHandlers(view, event, "editor")) event.preventDefault();
    return;
  }
  const next = nextCell(cell, key, isShifted);
  if (next === undefined) return;
  event.preventDefault();
  if (next instanceof HTMLElement) next.focus();
  else leave(view, cell, next);
}

type Way = "up" | "down";

/** Where a key leads: to another cell, or out of the table; undefined when it is the cell's. */
function nextCell(cell: HTMLTableCellElement, key: string, isShifted: boolean): HTMLElement | Way | undefined {
  const cells = [...(cell.closest("table")?.querySelectorAll<HTMLElement>("[contenteditable]") ?? [])];
  const rows = [...(cell.closest("table")?.rows ?? [])];
  const row = rows.indexOf(cell.parentElement as HTMLTableRowElement);
  const [above, below] = [rows[row - 1]?.cells[cell.cellIndex], rows[row + 1]?.cells[cell.cellIndex]];
  if (key === "Tab") return cells[cells.indexOf(cell) + (isShifted ? -1 : 1)] ?? (isShifted ? "up" : "down");
  if (key === "ArrowUp") return above ?? "up";
  if (key === "ArrowDown" || key === "Enter") return below ?? "down";
  return key === "Escape" ? "down" : undefined;
}

/** To the line above, or to the one behind the blank line that ends the table; makes it where there is none. */
function leave(view: EditorView, cell: HTMLTableCellElement, way: Way): void {
  const node = nodeOf(view, cell);
  if (!node) return;
  // First: a cell that loses the focus selects its text.
  view.focus();
  const { doc } = view.state;
  const { from } = doc.lineAt(node.from);
  if (way === "up" && from > 0) view.dispatch({ selection: { anchor: from - 1 } });
  else if (way === "up") view.dispatch({ changes: { from, insert: "\n" }, selection: { anchor: 0 } });
  else {
    const end = endOf(view.state, node);
    const blanks = /^\n{0,2}/.exec(doc.sliceString(end, end + 2))?.[0].length ?? 0;
    view.dispatch({
      changes: { from: end + blanks, insert: "\n".repeat(2 - blanks) },
      ...{ selection: { anchor: end + 2 }, scrollIntoView: true },
    });
  }
}

/** Puts the cursor into the cell that has this position of the text. */
export function focusCell(view: EditorView, table: SyntaxNode, at: number): void {
  const start = view.state.doc.lineAt(table.from);
  const frames = [...view.contentDOM.querySelectorAll<HTMLElement>(".cm-table")];
  const frame = frames.find((each) => view.posAtDOM(each) === start.from);
  const number = view.state.doc.lineAt(at).number - start.number;
  const { from, text } = tableLines(view.state, table)[number] as TableLine;
  const row = Math.max(0, number - 1);
  const ranges = cellRanges(text);
  const index = ranges.findIndex(({ to }) => at - from <= to);
  const column = index < 0 ? ranges.length - 1 : index;
  const cells = frame?.querySelectorAll("tr")[row]?.cells;
  const cell = cells?.[Math.min(column, cells.length - 1)];
  if (!cell?.isContentEditable) return;
  cell.focus();
  placeCaret(cell, Math.max(0, at - from - (ranges[column]?.from ?? 0)));
  // The text has the same cursor, wherever the focus goes next.
  select(view, cell);
}
