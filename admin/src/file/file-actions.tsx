import { Copy, FolderInput, Trash2 } from "lucide-react";
import { useState } from "react";
import { callsOf, type Thing } from "../api/file.ts";
import { joinPath, nameOf } from "../api/path.ts";
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
  const place = async (goal: string): Promise<void> => {
    const { failed, message } = await doEach(
      things,
      ({ path }) => nameOf(path),
      (thing) => callsOf(thing)[action as "move" | "copy"](thing.path, joinPath(goal, nameOf(thing.path))),
    );
    await rereadFiles();
    select(failed);
    if (failed.length > 0) throw new Error(message);
  };
  return (
    <>
      <SelectionAction label="Move to…" icon={FolderInput} onAct={() => setAction("move")} />
      <SelectionAction label="Copy to…" icon={Copy} onAct={() => setAction("copy")} />
      <SelectionAction
        label="Delete"
        icon={Trash2}
        onAct={() => {
          deleteThings(things);
          rest();
        }}
      />
      {action && (
        <PathDialog
          title={`${action === "move" ? "Move" : "Copy"} ${plural(things.length, "item")}`}
          submit={action === "move" ? "Move" : "Copy"}
          label="Folder"
          initial={folder}
          help="Created when it is missing; empty for the top folder."
          isEmptyAllowed
          onSubmit={place}
          onClose={() => {
            setAction(undefined);
            rest();
          }}
        />
      )}
    </>
  );
}
