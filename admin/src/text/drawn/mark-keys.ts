import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { type Command, keymap } from "@codemirror/view";

/** Keys at the start of a line whose mark is not shown as characters. */

const lineMark = /^\s*(?:(?:[-*+]|\d{1,9}[.)]) (?:\[[ xX]\] )?|#{1,6} |(?:> ?)+)/;

/** Where what the line says begins; undefined without a mark, and for a selection. */
function startOf({ doc, selection }: EditorState): { from: number; at: number } | undefined {
  const { from, empty } = selection.main;
  const line = doc.lineAt(from);
  const [mark = ""] = lineMark.exec(line.text) ?? [];
  return empty && mark !== "" ? { from: line.from, at: line.from + mark.length } : undefined;
}

/** Backspace takes the mark away. */
const unmark: Command = ({ state, dispatch }) => {
  const start = startOf(state);
  if (!start || state.readOnly || state.selection.main.from !== start.at) return false;
  const changes = { from: start.from, to: start.at };
  dispatch(state.update({ changes, userEvent: "delete.backward", scrollIntoView: true }));
  return true;
};

/** Home goes to what the line says, and before its mark from there. */
const goToStart: Command = (view) => {
  const { main } = view.state.selection;
  const start = startOf(view.state);
  if (!start || main.head <= start.at || view.moveToLineBoundary(main, false).head > start.at) return false;
  view.dispatch({ selection: { anchor: start.at }, userEvent: "select", scrollIntoView: true });
  return true;
};

export const drawnMarkKeys: Extension = Prec.high(
  keymap.of([
    { key: "Backspace", run: unmark },
    { key: "Home", run: goToStart },
  ]),
);
