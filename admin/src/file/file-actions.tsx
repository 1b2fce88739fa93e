import { Copy, FolderInput, Trash2 } from "lucide-react";
import { useState } from "react";
import { callsOf, type Thing } from "../api/file.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { MoveDialog } from "../reference/move-dialog.tsx";
import { doEach } from "../ui/each.ts";
import { plural } from "../ui/format.ts";
import { PathDialog } from "../ui/path-dialog.tsx";
import type { Selection } from "../ui/selection.ts";
import { SelectionAction } from "../ui/selection-bar.tsx";
import { deleteThings, rereadFiles } from "./thing.ts";

type FileActionsProps = { folder: string; selection: Selection<Thing>; rest(): void };

/** Bulk actions on the selected files and folders. */
export function FileActions({ folder, selection: { things, select }, rest }: FileActionsProps) {
  const [action, setAction] = useState<"move" | "copy">();
  const [isDeleting, setDeleting] = useState(false);
  const placeOf = ({ path }: Pick<Thing, "path">, goal: string): string => joinPath(goal, nameOf(path));
  const place = async (act: (thing: Thing) => Promise<unknown>): Promise<void> => {
    const { failed, message, errors } = await doEach(things, ({ path }) => nameOf(path), act);
    await rereadFiles();
    select(failed);
    if (failed.length > 0) throw new AggregateError(errors, message);
  };
  const dialog = {
    label: "Folder",
    initial: folder,
    help: "Created when it is missing; empty for the top folder.",
    isEmptyAllowed: true,
    onClose: () => {
      setAction(undefined);
      rest();
    },
  };
  return (
    <>
      <SelectionAction label="Move to…" icon={FolderInput} onAct={() => setAction("move")} />
      <SelectionAction label="Copy to…" icon={Copy} onAct={() => setAction("copy")} />
      <SelectionAction
        label="Delete"
        icon={Trash2}
        isBusy={isDeleting}
        onAct={async () => {
          setDeleting(true);
          if (await deleteThings(things)) rest();
          setDeleting(false);
        }}
      />
      {action === "move" && (
        <MoveDialog
          {...dialog}
          title={`Move ${plural(things.length, "item")}`}
          things={things}
          placeOf={placeOf}
          onSubmit={(goal, options) => place((thing) => callsOf(thing).move(thing.path, placeOf(thing, goal), options))}
        />
      )}
      {action === "copy" && (
        <PathDialog
          {...dialog}
          title={`Copy ${plural(things.length, "item")}`}
          submit="Copy"
          onSubmit={(goal) => place((thing) => callsOf(thing).copy(thing.path, placeOf(thing, goal)))}
        />
      )}
    </>
  );
}
