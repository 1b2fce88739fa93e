import { ActionIcon, Group, SegmentedControl, Tooltip } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { Bold, Code, Heading2, Italic, Link2, List, type LucideIcon, Quote } from "lucide-react";
import { memo, useId, useMemo, useRef, useState } from "react";
import { CodeEditor, type CodeEditorHandle } from "./code-editor.tsx";
import { renderMarkdown } from "./markdown.ts";

type MarkdownEditorProps = { label: string; value: string; onChange(text: string): void };
type View = "write" | "both" | "read";

/** Markdown with highlighting, a few buttons, and what it will look like. */
export const MarkdownEditor = memo(function MarkdownEditor({ label, value, onChange }: MarkdownEditorProps) {
  const [view, setView] = useState<View>("write");
  const isWide = useMediaQuery("(min-width: 75em)", undefined, { getInitialValueInEffect: false });
  const editor = useRef<CodeEditorHandle>(null);
  const id = useId();
  const shown = view === "both" && !isWide ? "write" : view;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as this is.
    <div role="group" aria-labelledby={id}>
      <Group justify="space-between" mb={4} gap="xs">
        <span id={id} className="field-name">
          {label}
        </span>
        <Group gap={2} wrap="nowrap">
          {shown !== "read" && <Tools editor={editor} />}
          <SegmentedControl
            size="xs"
            ml={6}
            aria-label={`View of ${label}`}
            data={[
              { value: "write", label: "Write" },
              ...(isWide ? [{ value: "both", label: "Both" }] : []),
              { value: "read", label: "Preview" },
            ]}
            value={shown}
            onChange={(chosen) => setView(chosen as View)}
          />
        </Group>
      </Group>
      <div className="markdown" data-view={shown}>
        {shown !== "read" && (
          <CodeEditor
            ref={editor}
            language="markdown"
            label={label}
            value={value}
            onChange={onChange}
            minHeight={320}
          />
        )}
        {shown !== "write" && <Preview text={value} />}
      </div>
    </div>
  );
});

/** The longer the text, the longer it waits for a pause: drawing 1 MiB takes a second or two. */
const Preview = memo(function Preview({ text: typed }: { text: string }) {
  const [text] = useDebouncedValue(typed, typed.length / 500);
  const html = useMemo(() => renderMarkdown(text), [text]);
  if (text.trim() === "") return <div className="prose prose-empty">Nothing to show yet.</div>;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised in markdown.ts, and the page's policy runs no script.
  return <div className="prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
});

type Tool = { label: string; icon: LucideIcon; before: string; after?: string };
const tools: Tool[] = [
  { label: "Heading", icon: Heading2, before: "## " },
  { label: "Bold", icon: Bold, before: "**", after: "**" },
  { label: "Italic", icon: Italic, before: "*", after: "*" },
  { label: "Link", icon: Link2, before: "[", after: "](https://)" },
  { label: "List", icon: List, before: "- " },
  { label: "Quote", icon: Quote, before: "> " },
  { label: "Code", icon: Code, before: "`", after: "`" },
];

function Tools({ editor }: { editor: { current: CodeEditorHandle | null } }) {
  return (
    <Group gap={0} wrap="nowrap" className="tools">
      {tools.map((tool) => (
        <Tooltip key={tool.label} label={tool.label}>
          <ActionIcon aria-label={tool.label} onClick={() => apply(editor.current, tool)}>
            <tool.icon size={15} />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  );
}

/** Puts the marks around the selection, or in front of its line. */
function apply(handle: CodeEditorHandle | null, { before, after }: Tool): void {
  const view = handle?.view;
  if (!view) return;
  const { from, to } = view.state.selection.main;
  if (after === undefined) view.dispatch({ changes: { from: view.state.doc.lineAt(from).from, insert: before } });
  else {
    view.dispatch({
      changes: [
        { from, insert: before },
        { from: to, insert: after },
      ],
      selection: { anchor: from + before.length, head: to + before.length },
    });
  }
  view.focus();
}
