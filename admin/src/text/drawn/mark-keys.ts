import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { type Command, keymap } from "@codemirror/view";
import { isBelowText, isInCodeBlock, quoteOf } from "./line-lead.ts";

/** Keys at the start of a line whose mark is not shown as characters. */

const itemOrHeading = /^\s*(?:(?:[-*+]|\d{1,9}[.)]) (?:\[[ xX]\] )?|#{1,6} )/;

/** The innermost mark: what the line says begins at `at`. `quote` stays before it. */
type Start = { from: number; at: number; quote: string };

/** Undefined without a mark, and for a selection. */
function startOf(state: EditorState): Start | undefined {
  const { from: head, empty } = state.selection.main;
  const { from, text } = state.doc.lineAt(head);
  const quote = quoteOf(text);
  const [mark = ""] = itemOrHeading.exec(text.slice(quote.length)) ?? [];
  const at = from + quote.length + mark.length;
  if (!empty || at === from || isInCodeBlock(state)) return undefined;
  return mark === "" ? { from, at, quote: "" } : { from: at - mark.length, at, quote };
}

/** Backspace takes the mark away. A blank line comes between, where the words would be a part of the line above. */
const unmark: Command = ({ state, dispatch }) => {
  const start = startOf(state);
  if (!start || state.readOnly || state.selection.main.from !== start.at) return false;
  const { from, at, quote } = start;
  const isBelow = isBelowText(state, state.doc.lineAt(from).number);
  const lead = isBelow ? `${quote.trimEnd()}\n${quote}` : quote;
  const changes = { from: from - quote.length, to: at, insert: lead };
  const selection = { anchor: from - quote.length + lead.length };
  dispatch(state.update({ changes, selection, userEvent: "delete.backward", scrollIntoView: true }));
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
