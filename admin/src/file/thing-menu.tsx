import { ActionIcon, Menu } from "@mantine/core";
import { Copy, EllipsisVertical, FolderInput, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { nameOf } from "../api/entry.ts";
import { copy, move, remove, type Thing } from "../api/file.ts";
import { PathDialog } from "../ui/path-dialog.tsx";
import { refresh } from "../ui/query.ts";
import { deleteWithUndo } from "../ui/undo.tsx";

type ThingMenuProps = {
  thing: Thing;
  path: string;
  /** More to choose from, above the rest. */
  children?: ReactNode;
  onMoved?(path: string): void;
  onDeleted?(): void;
};

const reread = (): Promise<unknown> => refresh("files", "folders", "file");

/** What is done with a file or folder as a whole. */
export function ThingMenu({ thing, path, children, onMoved, onDeleted }: ThingMenuProps) {
  const [asked, setAsked] = useState<"move" | "copy">();
  const place = async (newPath: string): Promise<void> => {
    await (asked === "move" ? move : copy)(thing, path, newPath);
    if (asked === "move") onMoved?.(newPath);
    await reread();
  };
  const drop = (): void => {
    const send = (keepalive: boolean) => remove(thing, path, keepalive);
    deleteWithUndo({ key: `${thing}:${path}`, name: nameOf(path), send, onSent: reread });
    onDeleted?.();
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon className="above-link" aria-label={`Actions for ${nameOf(path)}`}>
            <EllipsisVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {children}
          <Menu.Item leftSection={<FolderInput size={15} />} onClick={() => setAsked("move")}>
            Rename or move
          </Menu.Item>
          <Menu.Item leftSection={<Copy size={15} />} onClick={() => setAsked("copy")}>
            Copy
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="var(--mantine-color-error)" leftSection={<Trash2 size={15} />} onClick={drop}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked && (
        <PathDialog
          title={`${asked === "move" ? "Rename or move" : "Copy"} ${nameOf(path)}`}
          submit={asked === "move" ? "Move" : "Copy"}
          label="New path"
          initial={path}
          help={thing === "folder" ? "All that is in it goes along." : undefined}
          onSubmit={place}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
