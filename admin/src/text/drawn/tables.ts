import { syntaxTree } from "@codemirror/language";
import { EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { type Command, Decoration, type DecorationSet, EditorView, keymap } from "@codemirror/view";
import { endOf, type SyntaxNode } from "./table-nodes.ts";
import { drawnTableNodes, focusCell, TableWidget } from "./table-widget.ts";

/** Draws the tables of a text, and leads the cursor into their cells. */

const composed = StateEffect.define<null>();

const drawnTables = StateField.define<DecorationSet>({
  create: tablesOf,
  update(drawn, transaction) {
    const { docChanged, startState, state, changes, effects } = transaction;
    // The line that is composed is the browser's: in the place of it a table would lose what is written.
    if (transaction.isUserEvent("input.type.compose")) return drawn.map(changes);
    const isStale = docChanged || syntaxTree(startState) !== syntaxTree(state);
    return isStale || effects.some((effect) => effect.is(composed)) ? tablesOf(state) : drawn;
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

/** The start of an empty line right below a table. */
function startBelow(state: EditorState, at: number): number | undefined {
  const line = state.doc.lineAt(at);
  return line.text.trim() === "" && tableAt(state, line.from - 1) ? line.from : undefined;
}

/** A text right below a table would be a row of it: an empty line comes between. */
const apart = EditorState.transactionFilter.of((transaction) => {
  const { startState, changes, docChanged } = transaction;
  if (!docChanged || !transaction.isUserEvent("input") || transaction.isUserEvent("input.type.compose"))
    return transaction;
  let below: number | undefined;
  changes.iterChanges((from, to, _from, _to, inserted) => {
    if (to <= startState.doc.lineAt(from).to && inserted.line(1).text.trim() !== "")
      below ??= startBelow(startState, from);
  });
  return below === undefined ? transaction : [{ changes: { from: below, insert: "\n" } }, transaction];
});

/** Before the first character is composed: then the line is the browser's. */
const composing = EditorView.domEventHandlers({
  compositionstart: (_event, view) => {
    const { main } = view.state.selection;
    const below = main.empty && !view.state.readOnly ? startBelow(view.state, main.head) : undefined;
    if (below !== undefined)
      view.dispatch({
        changes: { from: below, insert: "\n" },
        selection: { anchor: main.head + 1 },
        userEvent: "input",
      });
    return false;
  },
  compositionend: (_event, view) => {
    setTimeout(() => view.dispatch({ effects: composed.of(null) }), composedMs);
    return false;
  },
});

/** After it the editor has read what was composed. */
const composedMs = 100;

export const tables: Extension = [
  drawnTables,
  leadIn,
  apart,
  composing,
  Prec.high(
    keymap.of([
      { key: "Backspace", run: goIn(-1) },
      { key: "Delete", run: goIn(1) },
      { key: "ArrowUp", run: goTo(-1) },
      { key: "ArrowDown", run: goTo(1) },
    ]),
  ),
];
