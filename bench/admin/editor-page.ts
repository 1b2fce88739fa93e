import type { EditorView } from "@codemirror/view";
import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { drawing } from "../../admin/src/text/drawn/drawing.ts";
import { CodeEditor, type CodeEditorHandle } from "../../admin/src/ui/code-editor.tsx";

/** The editor of the admin page by itself, for bench/editor.ts: opens a text, writes in one of its words as a key does. */

/** What became of a text: undefined when all was as it must be, else what was not. */
type Edited = { fault?: string; isInTable: boolean };

const added = "xyz";
/** How long a change may take to arrive. */
const mostMs = 2000;

async function edit(text: string, seed: number): Promise<Edited> {
  const host = document.body.appendChild(document.createElement("div"));
  const root = createRoot(host);
  const editor: { current: CodeEditorHandle | null } = { current: null };
  let [value, changes] = [text, 0];
  const onChange = (changed: string): void => {
    value = changed;
    changes++;
  };
  const shared = { language: "markdown", label: "Text", minHeight: 100, look: drawing } as const;
  flushSync(() => root.render(createElement(CodeEditor, { ...shared, value: text, onChange, ref: editor })));
  const view = editor.current?.view as EditorView;
  try {
    if (changes > 0) return { fault: "changed when it was opened", isInTable: false };
    const place = placeIn(text, seed);
    if (!place) return { isInTable: false };
    view.focus();
    view.dispatch({ selection: { anchor: place.inEditor }, scrollIntoView: true });
    await settled();
    const isInTable = document.activeElement !== view.contentDOM;
    document.execCommand("insertText", false, added);
    await until(() => changes > 0);
    const expected = text.slice(0, place.inText) + added + text.slice(place.inText);
    return { ...(value !== expected && { fault: differenceOf(value, expected) }), isInTable };
  } finally {
    root.unmount();
    host.remove();
  }
}

/** The end of one of the words, in the text and in the editor, which counts each line end as one. */
function placeIn(text: string, seed: number): { inText: number; inEditor: number } | undefined {
  const words = [...text.matchAll(/\p{L}[\p{L}\p{M}]{2,}/gu)];
  const word = words[seed % words.length];
  if (!word) return undefined;
  const inText = word.index + word[0].length;
  return { inText, inEditor: text.slice(0, inText).replace(/\r\n/g, "\n").length };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + mostMs; !isSo() && performance.now() < end; ) await settled();
}

function differenceOf(value: string, expected: string): string {
  let at = 0;
  while (value[at] === expected[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 30));
  return `${around(value)} in the place of ${around(expected)}`;
}

Object.assign(globalThis, { edit });
