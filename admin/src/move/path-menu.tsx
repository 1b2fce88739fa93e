import { Menu } from "@mantine/core";
import { Copy, FolderInput } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { MoveOptions } from "../../../client/src/client.ts";
import { joinPath, nameOf, parentOf } from "../api/path.ts";
import type { Referred } from "../api/referrers.ts";
import { say } from "../language/say.ts";
import { useMay, useWritesLive } from "../session-context.ts";
import { RemovalItem } from "../ui/row-menu.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { PathDialog, type PathDialogProps } from "./path-dialog.tsx";
import { FolderTree, PlaceTree } from "./place-tree.tsx";

type PathMenuProps = {
  /** The button that opens it. */
  button: ReactNode;
  thing: Referred;
  /** The label of the field for a new path. */
  label: string;
  /** What moves along. */
  help?: string;
  /** The suggested path of a copy. */
  copyPath?: string;
  /** With unsaved changes it can be neither moved nor copied nor deleted. */
  isDirty?: boolean;
  onMove(newPath: string, options: MoveOptions): Promise<void>;
  onCopy(newPath: string): Promise<void>;
  onDelete(): void;
  /** More menu items, above the others. They are all that a token whose writes are staged gets. */
  children?: ReactNode;
};

/** A menu to move, copy or delete anything that has a path. */
export function PathMenu({ button, thing, isDirty, onMove, onCopy, onDelete, ...rest }: PathMenuProps) {
  const { path } = thing;
  const [asked, setAsked] = useState<"move" | "copy">();
  const mayPublish = useWritesLive();
  const mayFolders = useMay("folders");
  const hasTree = thing.noun === "entry" || mayFolders;
  const dialog = { label: rest.label, help: rest.help, onClose: () => setAsked(undefined) };
  if (!mayPublish && !rest.children) return null;
  return (
    <>
      <Menu>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          {rest.children}
          {mayPublish && (
            <>
              <Menu.Item leftSection={<FolderInput size={15} />} disabled={isDirty} onClick={() => setAsked("move")}>
                {say("Rename or move")}
              </Menu.Item>
              <Menu.Item leftSection={<Copy size={15} />} disabled={isDirty} onClick={() => setAsked("copy")}>
                {say("Copy")}
              </Menu.Item>
              <RemovalItem disabled={isDirty} onClick={onDelete} />
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {asked === "move" && (
        <MoveDialog
          title={say("Rename or move {name}", { name: nameOf(path) })}
          things={[thing]}
          placeOf={(_, newPath) => newPath}
          initial={path}
          picker={hasTree ? placePicker(thing.noun) : undefined}
          onSubmit={onMove}
          {...dialog}
        />
      )}
      {asked === "copy" && (
        <PathDialog
          title={say("Copy {name}", { name: nameOf(path) })}
          submit={say("Copy")}
          initial={rest.copyPath ?? path}
          onSubmit={onCopy}
          {...dialog}
        />
      )}
    </>
  );
}

/** The tree in which another place for the same name is chosen. */
const placePicker =
  (noun: Referred["noun"]): PathDialogProps["picker"] =>
  (typed, onPick) => {
    const Tree = noun === "entry" ? PlaceTree : FolderTree;
    return <Tree place={parentOf(typed)} onPick={(place) => onPick(joinPath(place, nameOf(typed)))} />;
  };
