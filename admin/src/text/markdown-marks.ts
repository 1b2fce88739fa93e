import type { EditorState, Extension, TransactionSpec } from "@codemirror/state";
import { type Command, type EditorView, keymap } from "@codemirror/view";
import { octavo } from "../api/octavo.ts";
import { entryUrl, type LinkTarget, wordsOf } from "../model/text/link.ts";
import { continueList } from "./list-keys.ts";

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

/** Links the selected text, or the words of the target where nothing is selected. */
export const insertLink = (target: LinkTarget): Command =>
  withSelection(({ doc, selection }) => {
    const { from, to } = selection.main;
    const words = doc.sliceString(from, to) || escapeWords(wordsOf(target));
    const insert = `[${words}](${urlOf(target)})`;
    return { changes: { from, to, insert }, selection: { anchor: from + insert.length } };
  });

const urlOf = (target: LinkTarget): string =>
  "entry" in target ? entryUrl(target.entry) : "file" in target ? fileUrl(target.file) : target.address;

/** Also in a cell of a table, which a bar would end. */
const escapeWords = (text: string): string => text.replace(/\s+/g, " ").replace(/[[\]\\|]/g, "\\$&");

const fileUrl = (path: string): string =>
  octavo.fileUrl(path).replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));

/** A link to a file. Its URL has no host, so it survives a change of the host. */
export const linkMark = (path: string, text: string): string => `[${escapeWords(text)}](${fileUrl(path)})`;

export const pictureMark = (path: string, alt: string): string => `!${linkMark(path, alt)}`;

/** Puts a picture in the place of the selection, whose text, if there is any, is its alternative text. */
export const insertPicture = (path: string, alt: string): Command =>
  withSelection(({ doc, selection }) => {
    const { from, to } = selection.main;
    const insert = pictureMark(path, doc.sliceString(from, to).trim() || alt);
    return { changes: { from, to, insert }, selection: { anchor: from + insert.length } };
  });

const lineMark = /^(?:[-*+] |\d+\. |> )/;

/** Puts the mark before each selected line, in the place of another one; takes it away where all have it. */
export const startLine = (mark: string): Command =>
  withSelection(({ doc, selection }) => {
    const { from, to } = selection.main;
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    const lines = Array.from({ length: last - first + 1 }, (_, i) => doc.line(first + i));
    const has = (text: string): boolean => (mark === "1. " ? /^\d+\. /.test(text) : text.startsWith(mark));
    const isOff = lines.every(({ text }) => has(text));
    const shown = (i: number): string => (isOff ? "" : mark === "1. " ? `${i + 1}. ` : mark);
    return {
      changes: lines.map((line, i) => ({
        from: line.from,
        to: line.from + (lineMark.exec(line.text)?.[0].length ?? 0),
        insert: shown(i),
      })),
    };
  });

const mostHeading = 4;

/** A heading of the second level, then of the next ones, then none. */
export const cycleHeading: Command = withSelection(({ doc, selection }) => {
  const line = doc.lineAt(selection.main.from);
  const [before = ""] = /^#{1,6} +/.exec(line.text) ?? [];
  const level = before.trim().length;
  const next = level === 0 ? 2 : level + 1;
  const insert = next > mostHeading ? "" : `${"#".repeat(next)} `;
  return { changes: { from: line.from, to: line.from + before.length, insert } };
});

/** A command that changes the text around the selection. */
function withSelection(change: (state: EditorState) => TransactionSpec): Command {
  return (view: EditorView) => {
    view.dispatch({ ...change(view.state), userEvent: "input", scrollIntoView: true });
    view.focus();
    return true;
  };
}

/** Those of word processors; and Ctrl K with a selection: without one it opens the finder of the page. */
export const markKeys = (onLink: () => void): Extension =>
  keymap.of([
    { key: "Mod-b", run: toggleMark("**") },
    { key: "Mod-i", run: toggleMark("*") },
    { key: "Mod-Alt-2", run: cycleHeading },
    { key: "Mod-Shift-7", run: startLine("1. ") },
    { key: "Mod-Shift-8", run: startLine("- ") },
    { key: "Mod-Shift-9", run: startLine("> ") },
    { key: "Enter", run: continueList },
    {
      key: "Mod-k",
      run: (view) => {
        if (view.state.selection.main.empty) return false;
        onLink();
        return true;
      },
      stopPropagation: true,
    },
  ]);
