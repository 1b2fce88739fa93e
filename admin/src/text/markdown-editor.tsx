import type { Extension } from "@codemirror/state";
import { ActionIcon, FocusTrap, Group, Text, Tooltip } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useMediaQuery } from "@mantine/hooks";
import { Maximize2, Minimize2 } from "lucide-react";
import { type KeyboardEvent, lazy, memo, type RefObject, Suspense, useId, useMemo, useRef, useState } from "react";
import { say, sayMany } from "../language/say.ts";
import type { LinkTarget } from "../model/text/link.ts";
import { usePreference } from "../session/preference.ts";
import { Boundary } from "../ui/boundary.tsx";
import { CodeEditor, type CodeEditorHandle } from "../ui/code-editor.tsx";
import { Prose } from "../ui/prose.tsx";
import { Segments } from "../ui/segments.tsx";
import { askWords, describePicture } from "./attach-files.ts";
import { drawing } from "./drawn/drawing.ts";
import { insertLink, markKeys } from "./markdown-marks.ts";
import { pasteHtml } from "./paste-html.ts";
import { slashMenu } from "./slash-menu.ts";
import { Tools } from "./tools.tsx";

type MarkdownEditorProps = {
  label: string;
  value: string;
  onChange(text: string): void;
  /** The folder of its files. */
  home?: string;
  /** Read once. */
  extension?: Extension;
};
type View = "write" | "source" | "both" | "read";
/** `isWide`: there is room for both. */
type ChosenView = { shown: View; isWide: boolean; show(view: View): void };

const AskAlt = lazy(async () => ({ default: (await import("../picker/ask-alt.tsx")).AskAlt }));
const LinkDialog = lazy(async () => ({ default: (await import("./link-dialog.tsx")).LinkDialog }));

/** A Markdown editor: the text as it will read, its source with highlighting, a toolbar and a preview. */
export const MarkdownEditor = memo(function MarkdownEditor({
  label,
  value,
  onChange,
  home = "",
  extension = [],
}: MarkdownEditorProps) {
  const [isFull, full] = useDisclosure(false);
  const [isLinking, linking] = useDisclosure(false);
  const view = useView();
  const { shown } = view;
  const [undescribed, setUndescribed] = useState<readonly string[]>([]);
  const ask = (path: string): void => setUndescribed((paths) => [...paths, path]);
  const { editor, openPicture, extensions } = useTools(linking.open, [extension, askWords.of(ask)]);
  const id = useId();
  const link = (target: LinkTarget) => editor.current?.view && insertLink(target)(editor.current.view);
  const leave = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && isFull && !event.defaultPrevented && !isLinking) full.close();
  };
  return (
    <FocusTrap active={isFull}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout. */}
      <div
        role="group"
        aria-labelledby={id}
        className="markdown-field"
        data-full={isFull || undefined}
        onKeyDown={leave}
      >
        <Head id={id} label={label} view={view} isFull={isFull} onFull={full.toggle} />
        {shown !== "read" && <Tools {...{ editor, home, openPicture }} onLink={linking.open} />}
        <div className="markdown" data-view={shown}>
          {/* Hidden in the preview, not unmounted: it keeps the cursor, the undo history, and running uploads. */}
          <CodeEditor
            ref={editor}
            language="markdown"
            label={label}
            value={value}
            onChange={onChange}
            minHeight={320}
            extension={extensions}
            look={shown === "write" ? drawing : undefined}
          />
          {(shown === "both" || shown === "read") && <Preview text={value} />}
        </div>
        <Words text={value} />
        <Undescribed paths={undescribed} editor={editor} onDone={() => setUndescribed((paths) => paths.slice(1))} />
        {isLinking && (
          <Suspense>
            <LinkDialog onPick={link} onClose={linking.close} />
          </Suspense>
        )}
      </div>
    </FocusTrap>
  );
});

type UndescribedProps = { paths: readonly string[]; editor: RefObject<CodeEditorHandle | null>; onDone(): void };

/** Asks what the first of the pictures shows that were dropped or pasted. */
function Undescribed({ paths: [path], editor, onDone }: UndescribedProps) {
  if (path === undefined) return null;
  const describe = (words: string): void => {
    if (editor.current?.view) describePicture(editor.current.view, path, words);
    onDone();
  };
  return (
    <Suspense>
      <AskAlt key={path} path={path} onDone={describe} />
    </Suspense>
  );
}

/** What toolbar, keys and the menu of a slash share. */
function useTools(onLink: () => void, extension: Extension) {
  const editor = useRef<CodeEditorHandle>(null);
  const openPicture = useRef<() => void>(null);
  const [extensions] = useState(() => {
    const menu = slashMenu({ link: onLink, picture: () => openPicture.current ?? undefined });
    return [markKeys(onLink), pasteHtml, menu, extension];
  });
  return { editor, openPicture, extensions };
}

/** Which view is chosen; both only where there is room. Who writes the source does so in the next text, too. */
function useView(): ChosenView {
  const [written, setWritten] = usePreference<View>("text", "write");
  const [view, setShown] = useState<View>(written);
  const show = (next: View): void => {
    setShown(next);
    if (next === "write" || next === "source") setWritten(next);
  };
  const isWide = useMediaQuery("(min-width: 75em)", undefined, { getInitialValueInEffect: false }) === true;
  return { shown: view === "both" && !isWide ? "source" : view, show, isWide };
}

type HeadProps = {
  /** Of the label. */
  id: string;
  label: string;
  view: ChosenView;
  isFull: boolean;
  onFull(): void;
};

const Head = ({ id, label, view, isFull, onFull }: HeadProps) => (
  <Group justify="space-between" mb={4} gap="xs">
    <span id={id} className="field-name">
      {label}
    </span>
    <Group gap={2} wrap="nowrap">
      <FullButton isFull={isFull} onClick={onFull} />
      <Segments
        label={say("View of {label}", { label })}
        options={{
          write: say("Write"),
          source: say("Source"),
          ...(view.isWide && { both: say("Both") }),
          read: say("Preview"),
        }}
        value={view.shown}
        onChange={view.show}
        ms={6}
      />
    </Group>
  </Group>
);

function FullButton({ isFull, onClick }: { isFull: boolean; onClick(): void }) {
  const [label, Icon] = isFull ? [say("Leave full screen"), Minimize2] : [say("Full screen"), Maximize2];
  return (
    <Tooltip label={isFull ? say("{label} (Escape)", { label }) : label}>
      <ActionIcon aria-label={label} onClick={onClick}>
        <Icon size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The number of words, without the addresses of links. */
const Words = memo(function Words({ text: typed }: { text: string }) {
  const [text] = useDebouncedValue(typed, 300);
  const count = useMemo(
    () => text.replace(/\]\([^)\s]*/g, "]").match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0,
    [text],
  );
  return (
    <Text size="xs" c="dimmed" ta="end" mt={2} className="markdown-words">
      {sayMany(count, "{count} word", "{count} words")}
    </Text>
  );
});

/** The debounce grows with the text, as its rendering does. A text that cannot be shown is followed by the next one. */
const Preview = memo(function Preview({ text: typed }: { text: string }) {
  const [text] = useDebouncedValue(typed, typed.length / 500);
  if (text.trim() === "") return <div className="prose prose-empty">{say("Nothing to show yet.")}</div>;
  return (
    // The text that is drawn, not the one that is typed: a fault may come when the next is typed and not yet drawn.
    <Boundary of={text}>
      <Prose text={text} />
    </Boundary>
  );
});
