import { Menu } from "@mantine/core";
import { Copy, FolderInput, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { nameOf } from "../api/path.ts";
import { PathDialog } from "./path-dialog.tsx";

type PathMenuProps = {
  /** The button that opens it. */
  button: ReactNode;
  path: string;
  /** What the field for another path is called. */
  label: string;
  /** What goes along. */
  help?: string;
  /** The path that is suggested to a copy. */
  copyPath?: string;
  /** What is not saved can be neither moved nor copied. */
  isDirty?: boolean;
  onMove(newPath: string): Promise<void>;
  onCopy(newPath: string): Promise<void>;
  onDelete(): void;
  /** More to choose from, above the rest. */
  children?: ReactNode;
};

/** What is done with anything that has a path: it is moved, copied, deleted. */
export function PathMenu({ button, path, copyPath = path, isDirty, onMove, onCopy, onDelete, ...rest }: PathMenuProps) {
  const [asked, setAsked] = useState<"move" | "copy">();
  const dialog = { label: rest.label, help: rest.help, onClose: () => setAsked(undefined) };
  return (
    <>
      <Menu>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          {rest.children}
          <Menu.Item leftSection={<FolderInput size={15} />} disabled={isDirty} onClick={() => setAsked("move")}>
            Rename or move
          </Menu.Item>
          <Menu.Item leftSection={<Copy size={15} />} disabled={isDirty} onClick={() => setAsked("copy")}>
            Copy
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--mantine-color-error)" leftSection={<Trash2 size={15} />} onClick={onDelete}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === "move" && (
        <PathDialog
          title={`Rename or move ${nameOf(path)}`}
          submit="Move"
          initial={path}
          onSubmit={onMove}
          {...dialog}
        />
      )}
      {asked === "copy" && (
        <PathDialog title={`Copy ${nameOf(path)}`} submit="Copy" initial={copyPath} onSubmit={onCopy} {...dialog} />
      )}
    </>
  );
}
