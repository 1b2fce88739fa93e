import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  defineLanguageFacet,
  HighlightStyle,
  Language,
  LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { GFM, type MarkdownConfig, parser } from "@lezer/markdown";
import { type Ref, type RefObject, useContext, useEffect, useImperativeHandle, useRef, useState } from "react";
import { footnotes } from "./footnotes.ts";
import { lineDirections } from "./line-direction.ts";
import { keepEnds, replaceAll, storedText } from "./line-ends.ts";
import { nonce } from "./nonce.ts";
import { ReadOnlyContext } from "./read-only.ts";
import { useWriting } from "./writing.ts";

export type CodeEditorHandle = { view: EditorView | undefined };

type CodeEditorProps = {
  language: "markdown" | "json" | "text";
  label: string;
  value: string;
  minHeight: number;
  maxHeight?: number;
  onChange(text: string): void;
  /** An extension, read once. Its key bindings precede the editor's. */
  extension?: Extension;
  /** How the text is shown, also where it is only read. */
  look?: Extension;
  ref?: Ref<CodeEditorHandle>;
};

/** Lists and quotes within each other that are highlighted: the highlighter takes the stack for each. */
const maxDepth = 50;
/** Characters of a paragraph whose marks are paired: the time for it grows with their square, at each key. */
const maxPaired = 10_000;
const bounded: MarkdownConfig = {
  parseInline: [
    {
      name: "TooLong",
      before: "Escape",
      parse: ({ text }, next, at) =>
        text.length > maxPaired && "*_~[".includes(String.fromCharCode(next)) ? at + 1 : -1,
    },
  ],
  parseBlock: [
    {
      name: "TooDeep",
      before: "IndentedCode",
      parse(context, line) {
        if (context.depth < maxDepth) return false;
        const { lineStart } = context;
        context.addElement(context.elt("Paragraph", lineStart + line.pos, lineStart + line.text.length));
        context.nextLine();
        return true;
      },
    },
  ],
};

/** Without the grammars of HTML, CSS and JavaScript that the packaged one includes. */
const grammar = parser.configure([GFM, footnotes, bounded]);
const markdown = new LanguageSupport(new Language(defineLanguageFacet(), grammar, [], "markdown"));

const languages: Record<CodeEditorProps["language"], () => Extension> = {
  markdown: () => [markdown, EditorView.lineWrapping],
  json: () => [json(), bracketMatching()],
  text: () => EditorView.lineWrapping,
};

/** Colours are variables of style.css, so that they follow the page's colour scheme. */
const colours = HighlightStyle.define([
  { tag: tags.heading, color: "var(--code-heading)", fontWeight: "650" },
  { tag: [tags.strong], fontWeight: "700" },
  { tag: [tags.emphasis], fontStyle: "italic" },
  { tag: [tags.link, tags.url], color: "var(--code-link)" },
  { tag: [tags.monospace, tags.string], color: "var(--code-text)" },
  { tag: [tags.propertyName, tags.keyword], color: "var(--code-name)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.quote, tags.comment, tags.processingInstruction, tags.contentSeparator], color: "var(--code-mark)" },
]);

/** The dropped files. */
export const droppedFiles = ({ dataTransfer }: DragEvent): globalThis.File[] => [...(dataTransfer?.files ?? [])];

/** The pasted files; none if the clipboard has a text, too: office programs add a picture of it. */
export const pastedFiles = ({ clipboardData: data }: ClipboardEvent): globalThis.File[] =>
  data?.types.includes("text/plain") && data.types.includes("text/html") ? [] : [...(data?.files ?? [])];

/** Ignores dropped files that no extension handles: their bytes are not text to insert. */
const noFiles = EditorView.domEventHandlers({
  drop: (event) => droppedFiles(event).length > 0,
  paste: (event) => pastedFiles(event).length > 0,
});

/** A text editor with syntax highlighting. Tab leaves it, as in any field. */
export function CodeEditor({
  language,
  label,
  value,
  minHeight,
  maxHeight,
  onChange,
  extension = [],
  look = plain,
  ref,
}: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const looks = useLook(view, look);
  const [isReadOnly, writing] = [useContext(ReadOnlyContext), useWriting()];
  const changed = useRef(onChange);
  changed.current = onChange;
  useImperativeHandle(ref, () => ({
    get view() {
      return view.current;
    },
  }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once for each mode; its text is synchronised below.
  useEffect(() => {
    const extensions = [
      EditorView.cspNonce.of(nonce),
      history(),
      keepEnds(value),
      drawSelection(),
      isReadOnly ? EditorState.readOnly.of(true) : extension,
      noFiles,
      keymap.of([...defaultKeymap, ...historyKeymap]),
      languages[language](),
      language === "json" ? [] : lineDirections(writing.dir),
      looks.of(look),
      syntaxHighlighting(colours),
      EditorView.contentAttributes.of({
        ...attributesOf(label, language),
        ...(isReadOnly && readOnly),
        ...(language !== "json" && writing),
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) changed.current(storedText(update.state));
      }),
      EditorView.theme({
        ".cm-content": { minHeight: `${minHeight}px` },
        ...(maxHeight !== undefined && { "& .cm-scroller": { maxHeight: `${maxHeight}px` } }),
      }),
    ];
    const state = EditorState.create({ doc: value, extensions });
    view.current = new EditorView({ state, parent: host.current as HTMLDivElement });
    return () => view.current?.destroy();
  }, [isReadOnly]);
  useEffect(() => {
    const state = view.current?.state;
    if (state && storedText(state) !== value) view.current?.dispatch(replaceAll(state, value));
  }, [value]);
  return <div ref={host} className="code-editor" data-language={language} />;
}

const attributesOf = (label: string, language: CodeEditorProps["language"]): Record<string, string> => ({
  "aria-label": label,
  "aria-multiline": "true",
  // As an editable element has it without: for tools that look for the attribute.
  tabindex: "0",
  spellcheck: String(language !== "json"),
});
const readOnly = { "aria-readonly": "true" };

const plain: Extension = [];

/** The place of the look among the extensions. */
function useLook(view: RefObject<EditorView | undefined>, look: Extension): Compartment {
  const [looks] = useState(() => new Compartment());
  useEffect(() => view.current?.dispatch({ effects: looks.reconfigure(look) }), [view, look, looks]);
  return looks;
}
