import { redo, undo } from "@codemirror/commands";
import type { Command } from "@codemirror/view";
import { ActionIcon, Group, Menu, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  Bold,
  Code,
  Heading2,
  Image,
  Italic,
  Link2,
  List,
  ListOrdered,
  type LucideIcon,
  Quote,
  Redo2,
  Table,
  Undo2,
} from "lucide-react";
import { lazy, type RefObject, Suspense, useContext, useImperativeHandle, useState } from "react";
import { say } from "../language/say.ts";
import { useMay } from "../session-context.ts";
import type { CodeEditorHandle } from "../ui/code-editor.tsx";
import { ReadOnlyContext } from "../ui/read-only.ts";
import { addColumn, addRow, insertTable, removeColumn, removeRow, tableRights } from "./drawn/table-commands.ts";
import { cycleHeading, insertPicture, startLine, toggleMark } from "./markdown-marks.ts";

const AskAlt = lazy(async () => ({ default: (await import("../picker/ask-alt.tsx")).AskAlt }));
const MediaPicker = lazy(async () => ({ default: (await import("../picker/media-picker.tsx")).MediaPicker }));

type Tool = { label: string; hint?: string; icon: LucideIcon; run: Command };
const marks: Tool[] = [
  { label: say("Heading"), hint: say("Ctrl Alt 2"), icon: Heading2, run: cycleHeading },
  { label: say("Bold"), hint: say("Ctrl B"), icon: Bold, run: toggleMark("**") },
  { label: say("Italic"), hint: say("Ctrl I"), icon: Italic, run: toggleMark("*") },
];
const blocks: Tool[] = [
  { label: say("List"), hint: say("Ctrl Shift 8"), icon: List, run: startLine("- ") },
  { label: say("Numbered list"), hint: say("Ctrl Shift 7"), icon: ListOrdered, run: startLine("1. ") },
  { label: say("Quote"), hint: say("Ctrl Shift 9"), icon: Quote, run: startLine("> ") },
  { label: say("Code"), icon: Code, run: toggleMark("`") },
];
// Not named `Undo`: the offers to undo a removal or a write stand on the same page.
const steps: Tool[] = [
  { label: say("Step back"), hint: say("Undo, Ctrl Z"), icon: Undo2, run: undo },
  { label: say("Step forward"), hint: say("Redo, Ctrl Y"), icon: Redo2, run: redo },
];

type ToolsProps = {
  editor: RefObject<CodeEditorHandle | null>;
  /** The folder of the text's files. */
  home: string;
  /** Filled while a picture can be chosen. */
  openPicture: RefObject<(() => void) | null>;
  onLink(): void;
};

/** The buttons above a text. */
export function Tools({ editor, home, openPicture, onLink }: ToolsProps) {
  const isReadOnly = useContext(ReadOnlyContext);
  const mayPick = useMay("files") && !isReadOnly;
  const run = (command: Command) => () => {
    const view = editor.current?.view;
    if (!view) return;
    command(view);
    view.focus();
  };
  const buttons = (tools: readonly Tool[]) =>
    tools.map(({ run: command, ...tool }) => <ToolButton key={tool.label} {...tool} onClick={run(command)} />);
  return (
    <Group gap={0} className="tools" role="toolbar" aria-label={say("Format")}>
      {buttons(marks)}
      <ToolButton label={say("Link")} icon={Link2} hint={say("Ctrl K on selected text")} onClick={onLink} />
      {buttons(blocks)}
      <TableTool editor={editor} run={run} />
      {mayPick && <PictureTool editor={editor} home={home} openPicture={openPicture} />}
      {buttons(steps)}
    </Group>
  );
}

type ToolButtonProps = { label: string; icon: LucideIcon; hint?: string; onClick(): void };

function ToolButton({ label, hint, icon: Icon, onClick }: ToolButtonProps) {
  return (
    <Tooltip label={hint ? `${label} (${hint})` : label}>
      <ActionIcon aria-label={label} onClick={onClick}>
        <Icon size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

type TableToolProps = Pick<ToolsProps, "editor"> & { run(command: Command): () => void };

function TableTool({ editor, run }: TableToolProps) {
  const [rights, setRights] = useState<ReturnType<typeof tableRights>>();
  const look = (): void => setRights(editor.current?.view && tableRights(editor.current.view.state));
  return (
    <Menu onOpen={look} returnFocus={false}>
      <Menu.Target>
        <ActionIcon aria-label={say("Table")}>
          <Table size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {rights ? (
          <>
            <Menu.Item onClick={run(addRow)}>{say("Add a row below")}</Menu.Item>
            <Menu.Item onClick={run(addColumn)}>{say("Add a column after")}</Menu.Item>
            <Menu.Item onClick={run(removeRow)} disabled={!rights.removeRow}>
              {say("Remove the row")}
            </Menu.Item>
            <Menu.Item onClick={run(removeColumn)} disabled={!rights.removeColumn}>
              {say("Remove the column")}
            </Menu.Item>
          </>
        ) : (
          <Menu.Item onClick={run(insertTable)}>{say("Insert a table")}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const pictures = ["image/*"];

/** Chooses a picture among the files, and puts it at the cursor. */
function PictureTool({ editor, home, openPicture }: Pick<ToolsProps, "editor" | "home" | "openPicture">) {
  const [isOpen, picker] = useDisclosure(false);
  useImperativeHandle(openPicture, () => picker.open);
  const [asked, setAsked] = useState<string>();
  const insert = (words: string): void => {
    setAsked(undefined);
    if (editor.current?.view && asked !== undefined) insertPicture(asked, words)(editor.current.view);
  };
  return (
    <>
      <ToolButton label={say("Picture")} icon={Image} onClick={picker.open} />
      {isOpen && (
        <Suspense>
          <MediaPicker media={pictures} home={home} onPick={setAsked} onClose={picker.close} />
        </Suspense>
      )}
      {asked !== undefined && !isOpen && (
        <Suspense>
          <AskAlt path={asked} onDone={insert} />
        </Suspense>
      )}
    </>
  );
}
