import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, Prec, StateField } from "@codemirror/state";
import { type Command, Decoration, type DecorationSet, EditorView, keymap } from "@codemirror/view";
import { endOf, type SyntaxNode } from "./table-nodes.ts";
import { drawnTableNodes, focusCell, TableWidget } from "./table-widget.ts";

/** Draws the tables of a text, and leads the cursor into their cells. */

const drawnTables = StateField.define<DecorationSet>({
  create: tablesOf,
  update(drawn, { docChanged, startState, state }) {
    return docChanged || syntaxTree(startState) !== syntaxTree(state) ? tablesOf(state) : drawn;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function tablesOf(state: EditorState): DecorationSet {
  return Decoration.set(
    drawnTableNodes(state).map((node) => {
      const [{ from }, to] = [state.doc.lineAt(node.from), endOf(state, node)];
      return Decoration.replace({ widget: new TableWidget(state, node), block: true }).range(from, to);
    }),
  );
}

/** The drawn table that has this position, or ends or begins there. */
function tableAt(state: EditorState, at: number): SyntaxNode | undefined {
  let found = false;
  if (at < 0 || at > state.doc.length) return undefined;
  state.field(drawnTables).between(at, at, () => {
    found = true;
    return false;
  });
  if (!found) return undefined;
  return drawnTableNodes(state).find((node) => state.doc.lineAt(node.from).from <= at && endOf(state, node) >= at);
}

const leadIn = EditorView.updateListener.of(({ view, state, selectionSet, focusChanged }) => {
  const { main } = state.selection;
  if ((!selectionSet && !focusChanged) || !view.hasFocus || !main.empty) return;
  const table = tableAt(state, main.head);
  // The browser has the focus once the update is over.
  if (table) queueMicrotask(() => view.state.selection.main.eq(main) && focusCell(view, table, main.head));
});

/** A key at the edge of a line that would join it and a table goes into the table. */
const goIn =
  (step: -1 | 1): Command =>
  ({ state, dispatch }) => {
    const { empty, head } = state.selection.main;
    const line = state.doc.lineAt(head);
    if (!empty || head !== (step < 0 ? line.from : line.to) || !tableAt(state, head + step)) return false;
    if (tableAt(state, head) !== undefined) return false;
    dispatch(state.update({ selection: { anchor: head + step } }));
    return true;
  };

/** An arrow leads into a table above or below the line, over which the editor would go. */
const goTo =
  (step: -1 | 1): Command =>
  (view) => {
    const { main } = view.state.selection;
    const line = view.state.doc.lineAt(main.head);
    const at = step < 0 ? line.from - 1 : line.to + 1;
    if (!main.empty || !tableAt(view.state, at) || tableAt(view.state, main.head)) return false;
    const { head } = view.moveVertically(main, step > 0);
    if (head >= line.from && head <= line.to && head !== main.head) return false;
    view.dispatch({ selection: { anchor: view.state.doc.lineAt(at).from } });
    return true;
  };

/** A text right below a table would be a row of it: an empty line comes between. */
const apart = EditorView.inputHandler.of((view, from, to, text) => {
  const line = view.state.doc.lineAt(from);
  if (view.composing || from !== to || line.length > 0 || line.number === 1) return false;
  if (!tableAt(view.state, line.from - 1)) return false;
  const insert = `\n${text}`;
  view.dispatch({ changes: { from, insert }, selection: { anchor: from + insert.length }, userEvent: "input.type" });
  return true;
});

export const tables: Extension = [
  drawnTables,
  leadIn,
  apart,
  Prec.high(
    keymap.of([
      { key: "Backspace", run: goIn(-1) },
      { key: "Delete", run: goIn(1) },
      { key: "ArrowUp", run: goTo(-1) },
      { key: "ArrowDown", run: goTo(1) },
    ]),
  ),
];
