import type { Extension } from "@codemirror/state";
import type { Command } from "@codemirror/view";
import { ActionIcon, Group, Tooltip } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useMediaQuery } from "@mantine/hooks";
import { Bold, Code, Heading2, Image, Italic, Link2, List, type LucideIcon, Quote } from "lucide-react";
import { lazy, memo, type RefObject, Suspense, useContext, useId, useMemo, useRef, useState } from "react";
import { readFile } from "../api/file.ts";
import { useMay } from "../session-context.ts";
import { Boundary } from "./boundary.tsx";
import { CodeEditor, type CodeEditorHandle } from "./code-editor.tsx";
import { renderMarkdown } from "./markdown.ts";
import { insertLink, insertPicture, markKeys, startLine, toggleMark } from "./markdown-marks.ts";
import { ReadOnlyContext } from "./read-only.ts";
import { Segments } from "./segments.tsx";
import { notifyFailure } from "./state.tsx";

type MarkdownEditorProps = {
  label: string;
  value: string;
  onChange(text: string): void;
  /** Read once. */
  extension?: Extension;
};
type View = "write" | "both" | "read";

const MediaPicker = lazy(async () => ({ default: (await import("../picker/media-picker.tsx")).MediaPicker }));

/** A Markdown editor with highlighting, a toolbar and a preview. */
export const MarkdownEditor = memo(function MarkdownEditor({
  label,
  value,
  onChange,
  extension = [],
}: MarkdownEditorProps) {
  const [view, setView] = useState<View>("write");
  const isWide = useMediaQuery("(min-width: 75em)", undefined, { getInitialValueInEffect: false });
  const editor = useRef<CodeEditorHandle>(null);
  const id = useId();
  const shown = view === "both" && !isWide ? "write" : view;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout.
    <div role="group" aria-labelledby={id}>
      <Group justify="space-between" mb={4} gap="xs">
        <span id={id} className="field-name">
          {label}
        </span>
        <Group gap={2} wrap="nowrap">
          {shown !== "read" && <Tools editor={editor} />}
          <Segments
            label={`View of ${label}`}
            options={{ write: "Write", ...(isWide && { both: "Both" }), read: "Preview" }}
            value={shown}
            onChange={setView}
            ml={6}
          />
        </Group>
      </Group>
      <div className="markdown" data-view={shown}>
        {/* Hidden in the preview, not unmounted: it keeps the cursor, the undo history, and running uploads. */}
        <CodeEditor
          ref={editor}
          language="markdown"
          label={label}
          value={value}
          onChange={onChange}
          minHeight={320}
          extension={[markKeys, extension]}
        />
        {shown !== "write" && (
          // Tried again with the next change: the text beside it stays.
          <Boundary of={value}>
            <Preview text={value} />
          </Boundary>
        )}
      </div>
    </div>
  );
});

/** The debounce grows with the text: rendering 1 MiB takes a second or two. */
const Preview = memo(function Preview({ text: typed }: { text: string }) {
  const [text] = useDebouncedValue(typed, typed.length / 500);
  const html = useMemo(() => renderMarkdown(text), [text]);
  if (text.trim() === "") return <div className="prose prose-empty">Nothing to show yet.</div>;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised in markdown.ts, and the page's policy runs no script.
  return <div className="prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
});

type Tool = { label: string; key?: string; icon: LucideIcon; run: Command };
const tools: Tool[] = [
  { label: "Heading", icon: Heading2, run: startLine("## ") },
  { label: "Bold", key: "Ctrl B", icon: Bold, run: toggleMark("**") },
  { label: "Italic", key: "Ctrl I", icon: Italic, run: toggleMark("*") },
  { label: "Link", key: "Ctrl K on selected text", icon: Link2, run: insertLink },
  { label: "List", icon: List, run: startLine("- ") },
  { label: "Quote", icon: Quote, run: startLine("> ") },
  { label: "Code", icon: Code, run: toggleMark("`") },
];

type ToolsProps = { editor: RefObject<CodeEditorHandle | null> };

function Tools({ editor }: ToolsProps) {
  const isReadOnly = useContext(ReadOnlyContext);
  const mayPick = useMay("files") && !isReadOnly;
  return (
    <Group gap={0} wrap="nowrap" className="tools">
      {tools.map(({ label, key, icon: Icon, run }) => (
        <Tooltip key={label} label={key ? `${label} (${key})` : label}>
          <ActionIcon aria-label={label} onClick={() => editor.current?.view && run(editor.current.view)}>
            <Icon size={15} />
          </ActionIcon>
        </Tooltip>
      ))}
      {mayPick && <PictureTool editor={editor} />}
    </Group>
  );
}

/** Chooses a picture among the files, and puts it at the cursor. */
function PictureTool({ editor }: ToolsProps) {
  const [isOpen, picker] = useDisclosure(false);
  const insert = async (path: string): Promise<void> => {
    const { alt, description, title } = await readFile(path);
    const words = typeof alt === "string" && alt !== "" ? alt : description || title;
    if (editor.current?.view) insertPicture(path, words)(editor.current.view);
  };
  return (
    <>
      <Tooltip label="Picture">
        <ActionIcon aria-label="Picture" onClick={picker.open}>
          <Image size={15} />
        </ActionIcon>
      </Tooltip>
      {isOpen && (
        <Suspense>
          <MediaPicker
            media={pictures}
            onPick={(path) => void insert(path).catch(notifyFailure)}
            onClose={picker.close}
          />
        </Suspense>
      )}
    </>
  );
}

const pictures = ["image/*"];
