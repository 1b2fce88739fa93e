import type { EditorState, Extension, TransactionSpec } from "@codemirror/state";
import { type Command, type EditorView, keymap } from "@codemirror/view";
import { octavo } from "../api/octavo.ts";

/** Toggles Markdown marks around the selection, by commands and key bindings. */

type Mark = "**" | "*" | "`";

/** Adds the marks around the selection, or removes them if present. */
export const toggleMark = (mark: Mark): Command => withSelection((state) => toggled(state, mark));

function toggled(state: EditorState, mark: Mark): TransactionSpec {
  const { from, to } = state.selection.main;
  const size = mark.length;
  if (isMarked(state, mark)) {
    return {
      changes: [
        { from: from - size, to: from },
        { from: to, to: to + size },
      ],
    };
  }
  return {
    changes: [
      { from, insert: mark },
      { from: to, insert: mark },
    ],
    selection: { anchor: from + size, head: to + size },
  };
}

/** Asterisks stand for both: one is italic, two are bold, three are both. */
function isMarked({ doc, selection }: EditorState, mark: Mark): boolean {
  const { from, to } = selection.main;
  const before = doc.sliceString(Math.max(0, from - 3), from);
  const after = doc.sliceString(to, to + 3);
  const count = Math.min(marksIn(/[*`]*$/, before, mark), marksIn(/^[*`]*/, after, mark));
  return mark === "**" ? count >= 2 : count % 2 === 1;
}

/** The number of mark characters that the pattern matches. */
const marksIn = (pattern: RegExp, text: string, [char]: string): number =>
  [...(pattern.exec(text)?.[0] ?? "")].filter((one) => one === char).length;

/** Turns the selection into the text of a link, or into its URL if it is one, and selects the missing part. */
export const insertLink: Command = withSelection(({ doc, selection }) => {
  const { from, to } = selection.main;
  const text = doc.sliceString(from, to);
  const isAddress = /^(https?:\/\/|mailto:|\/)\S+$/.test(text);
  const address = isAddress ? text : "https://";
  const insert = `[${isAddress ? "" : text}](${address})`;
  const at = from + (text === "" || isAddress ? 1 : text.length + 3);
  const isTextGiven = text !== "" && !isAddress;
  return {
    changes: { from, to, insert },
    selection: { anchor: at, head: isTextGiven ? at + address.length : at },
  };
});

/** A link to a file. Its URL has no host, so it survives a change of the host. */
export function linkMark(path: string, text: string): string {
  const url = octavo.fileUrl(path).replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));
  return `[${text.replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&")}](${url})`;
}

export const pictureMark = (path: string, alt: string): string => `!${linkMark(path, alt)}`;

/** Puts a picture in the place of the selection, whose text, if there is any, is its alternative text. */
export const insertPicture = (path: string, alt: string): Command =>
  withSelection(({ doc, selection }) => {
    const { from, to } = selection.main;
    const insert = pictureMark(path, doc.sliceString(from, to).trim() || alt);
    return { changes: { from, to, insert }, selection: { anchor: from + insert.length } };
  });

/** Adds the mark at the start of the line. */
export const startLine = (mark: string): Command =>
  withSelection(({ doc, selection }) => ({ changes: { from: doc.lineAt(selection.main.from).from, insert: mark } }));

/** A command that changes the text around the selection. */
function withSelection(change: (state: EditorState) => TransactionSpec): Command {
  return (view: EditorView) => {
    view.dispatch({ ...change(view.state), userEvent: "input", scrollIntoView: true });
    view.focus();
    return true;
  };
}

/** Ctrl B, Ctrl I, and Ctrl K with a selection: without one it opens the finder of the page. */
export const markKeys: Extension = keymap.of([
  { key: "Mod-b", run: toggleMark("**") },
  { key: "Mod-i", run: toggleMark("*") },
  { key: "Mod-k", run: (view) => !view.state.selection.main.empty && insertLink(view), stopPropagation: true },
]);
