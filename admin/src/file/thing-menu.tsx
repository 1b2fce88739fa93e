import { ActionIcon } from "@mantine/core";
import { EllipsisVertical } from "lucide-react";
import { copy, move, remove, type Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { PathMenu } from "../ui/path-menu.tsx";
import { refresh } from "../ui/query.ts";
import { deleteWithUndo } from "../ui/undo.tsx";

type ThingMenuProps = { thing: Thing; path: string; onMoved?(path: string): void; onDeleted?(): void };

const reread = (): Promise<unknown> => refresh("files", "folders", "file");

/** What is done with a file or folder as a whole. */
export function ThingMenu({ thing, path, onMoved, onDeleted }: ThingMenuProps) {
  const name = nameOf(path);
  return (
    <PathMenu
      button={
        <ActionIcon className="above-link" aria-label={`Actions for ${name}`}>
          <EllipsisVertical size={16} />
        </ActionIcon>
      }
      path={path}
      label="New path"
      help={thing === "folder" ? "All that is in it goes along." : undefined}
      onMove={async (newPath) => {
        await move(thing, path, newPath);
        onMoved?.(newPath);
        await reread();
      }}
      onCopy={async (newPath) => {
        await copy(thing, path, newPath);
        await reread();
      }}
      onDelete={() => {
        const send = (keepalive: boolean) => remove(thing, path, keepalive);
        deleteWithUndo({ key: `${thing}:${path}`, name, send, onSent: reread });
        onDeleted?.();
      }}
    />
  );
}
