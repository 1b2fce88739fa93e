import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { notifications } from "@mantine/notifications";
import { say } from "../language/say.ts";
import { pastedFiles } from "../ui/code-editor.tsx";
import { notifyFailure } from "../ui/state.tsx";
import { attach } from "./attach-files.ts";

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

/** The plain text, when the converter cannot be loaded. Pictures that the text holds are uploaded to where they stand. */
async function convert(view: EditorView, html: string, plain: string): Promise<void> {
  try {
    const { heldAddress, markdownOf } = await import("../model/text/html-to-markdown.ts");
    const { text, pictures, lost } = markdownOf(html);
    const { from } = view.state.selection.main;
    const parts = (text === undefined ? plain : apart(text, view.state)).split(
      new RegExp(`!\\[((?:\\\\.|[^\\]\\\\])*)\\]\\(${heldAddress}(\\d+)(?: "[^"]*")?\\)`),
    );
    const files: Parameters<typeof attach>[1] = [];
    let kept = parts[0] as string;
    for (let i = 1; i < parts.length; i += 3) {
      const [words, number, next] = parts.slice(i, i + 3) as [string, string, string];
      const file = fileOf(pictures[Number(number)] ?? "");
      if (file) files.push({ file, at: from + kept.length, words: words.replace(/\\(.)/g, "$1") });
      kept += next;
    }
    insert(view, kept);
    const isWhole = files.length === 0 || attach(view, files);
    if (!isWhole || lost > 0 || files.length < pictures.length) tellLost();
  } catch (error) {
    insert(view, plain);
    notifyFailure(error);
  }
}

const tellLost = (): void =>
  void notifications.show({
    color: "yellow",
    title: say("Pictures are missing in the pasted text"),
    message: say(
      "The program that they come from did not hand them over. Drop their files here, or copy each by itself.",
    ),
  });

/** The file that a `data:` address holds; undefined for one that cannot be read. */
function fileOf(address: string): File | undefined {
  const [, type = "", body = ""] = /^data:(image\/[\w.+-]+)(?:;[^,;]*)*;base64,(.*)$/is.exec(address) ?? [];
  if (body === "") return undefined;
  try {
    const bytes = Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
    const extension = type.replace("image/", "").replace("jpeg", "jpg").replace(/\+.*/, "");
    return new File([bytes], `picture.${extension}`, { type });
  } catch {
    return undefined;
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
