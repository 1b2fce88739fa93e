import { ActionIcon } from "@mantine/core";
import { EllipsisVertical } from "lucide-react";
import { copy, move, remove, type Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { PathMenu } from "../ui/path-menu.tsx";
import { deleteWithUndo } from "../ui/undo.tsx";
import { rereadFiles } from "./query.ts";

type ThingMenuProps = { thing: Thing; path: string; onMoved?(path: string): void; onDeleted?(): void };

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
        await rereadFiles();
      }}
      onCopy={async (newPath) => {
        await copy(thing, path, newPath);
        await rereadFiles();
      }}
      onDelete={() => {
        const send = (keepalive: boolean) => remove(thing, path, keepalive);
        deleteWithUndo({ key: `${thing}:${path}`, name, send, onSent: rereadFiles });
        onDeleted?.();
      }}
    />
  );
}
