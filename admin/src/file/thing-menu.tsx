import { ActionIcon } from "@mantine/core";
import { EllipsisVertical } from "lucide-react";
import { callsOf, type Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { say } from "../language/say.ts";
import { PathMenu } from "../move/path-menu.tsx";
import { deleteThings, forgetFiles, rereadFiles } from "./thing.ts";

type ThingMenuProps = { thing: Thing; onMoved?(path: string): void; onDeleted?(): void };

/** Actions on a whole file or folder. */
export function ThingMenu({ thing, onMoved, onDeleted }: ThingMenuProps) {
  const { noun, path } = thing;
  return (
    <PathMenu
      button={
        <ActionIcon className="above-link" aria-label={say("Actions for {name}", { name: nameOf(path) })}>
          <EllipsisVertical size={16} />
        </ActionIcon>
      }
      thing={thing}
      label={say("New path")}
      help={noun === "folder" ? say("Its contents move along.") : undefined}
      onMove={async (newPath, options) => {
        await callsOf(thing).move(path, newPath, options);
        forgetFiles(path);
        onMoved?.(newPath);
        await rereadFiles();
      }}
      onCopy={async (newPath) => {
        await callsOf(thing).copy(path, newPath);
        await rereadFiles();
      }}
      onDelete={async () => {
        if (await deleteThings([thing])) onDeleted?.();
      }}
    />
  );
}
