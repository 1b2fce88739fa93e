import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { pastedFiles } from "../ui/code-editor.tsx";
import { notifyFailure } from "../ui/state.tsx";

/** Pastes what was copied from Word, Google Docs or a page as Markdown; an address onto a selection becomes its link. */
export const pasteHtml: Extension = EditorView.domEventHandlers({
  paste(event, view) {
    const { clipboardData: data } = event;
    if (!data || view.state.readOnly || pastedFiles(event).length > 0 || isInCode(view.state)) return false;
    const plain = data.getData("text/plain");
    const html = data.getData("text/html");
    const linked = linkOf(plain.trim(), view.state);
    if (linked !== undefined) insert(view, linked);
    else if (/<\w/.test(html)) void convert(view, html, plain);
    else return false;
    event.preventDefault();
    return true;
  },
});

const isInCode = (state: EditorState): boolean =>
  /Code/.test(syntaxTree(state).resolveInner(state.selection.main.from, -1).name);

/** The selected text as a link to a pasted address. */
function linkOf(text: string, { doc, selection }: EditorState): string | undefined {
  const selected = doc.sliceString(selection.main.from, selection.main.to);
  const isAddress = /^(?:https?:\/\/|mailto:)[^\s()<>]+$/.test(text);
  return isAddress && selected !== "" && !/[\n[\]]|:\/\//.test(selected) ? `[${selected}](${text})` : undefined;
}

/** The plain text, when the converter cannot be loaded. */
async function convert(view: EditorView, html: string, plain: string): Promise<void> {
  try {
    const { markdownOf } = await import("../model/text/html-to-markdown.ts");
    const text = markdownOf(html);
    insert(view, text === undefined ? plain : apart(text, view.state));
  } catch (error) {
    insert(view, plain);
    notifyFailure(error);
  }
}

/** Blocks stand apart from the text around them. */
function apart(text: string, { doc, selection }: EditorState): string {
  if (!/\n|^(?:#{1,6} |[-*>|] |\d+\. |```)/.test(text)) return text;
  const { from, to } = selection.main;
  const before = doc.lineAt(from);
  const isAtStart = doc.sliceString(before.from, from).trim() === "";
  const lineBefore = before.number > 1 ? doc.line(before.number - 1).text.trim() : "";
  const lead = !isAtStart ? "\n\n" : lineBefore === "" ? "" : "\n";
  const after = doc.lineAt(to);
  const rest = doc.sliceString(to, after.to).trim();
  const lineAfter = after.number < doc.lines ? doc.line(after.number + 1).text.trim() : "";
  return lead + text + (rest !== "" ? "\n\n" : lineAfter === "" ? "" : "\n");
}

function insert(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.paste", scrollIntoView: true });
}
