import { Copy, FolderInput, MessageSquareText, Trash2 } from "lucide-react";
import { useState } from "react";
import type { BatchOperation, MoveOptions } from "../../../client/src/client.ts";
import { type File, isPicture, pathOf, type Thing } from "../api/file.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { say, sayMany } from "../language/say.ts";
import { doTogether } from "../model/bulk/together.ts";
import { MoveDialog } from "../move/move-dialog.tsx";
import { PathDialog, type PathDialogProps } from "../move/path-dialog.tsx";
import { FolderTree } from "../move/place-tree.tsx";
import { useMay } from "../session-context.ts";
import type { Selection } from "../ui/selection.ts";
import { SelectionAction } from "../ui/selection-bar.tsx";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";
import { DescribeDialog } from "./describe-all.tsx";
import { deleteThings, rereadFiles } from "./thing.ts";

type FileActionsProps = { folder: string; files: readonly File[]; selection: Selection<Thing>; rest(): void };

const moveOf = (
  { noun }: Thing,
  path: string,
  new_path: string,
  { updateReferences }: MoveOptions,
): BatchOperation => ({
  call: noun === "file" ? "PUT /api/files" : "PUT /api/folders",
  args: { path, new_path, ...(updateReferences !== undefined && { update_references: updateReferences }) },
});

const copyOf = ({ noun, path }: Thing, new_path: string): BatchOperation => ({
  call: noun === "file" ? "PUT /api/files/copy" : "PUT /api/folders/copy",
  args: { path, new_path },
});

/** Where a thing goes in another folder. */
const placeOf = ({ path }: Pick<Thing, "path">, goal: string): string => joinPath(goal, nameOf(path));

const pickFolder: PathDialogProps["picker"] = (typed, onPick) => <FolderTree place={typed} onPick={onPick} />;

/** Bulk actions on the selected files and folders, each of all of them or none. */
export function FileActions({ folder, files, selection, rest }: FileActionsProps) {
  const { things } = selection;
  const [action, setAction] = useState<"move" | "copy" | "describe">();
  const mayFolders = useMay("folders");
  const chosen = new Set(things.map(({ path }) => path));
  const pictures = files.filter((file) => isPicture(file) && chosen.has(pathOf(file)));
  const { move, copy } = usePlacing(selection);
  const dialog = {
    label: say("Folder"),
    initial: folder,
    help: say("Created when it is missing; empty for the top folder."),
    isEmptyAllowed: true,
    picker: mayFolders ? pickFolder : undefined,
    onClose: () => {
      setAction(undefined);
      rest();
    },
  };
  return (
    <>
      <SelectionAction label={say("Move to…")} icon={FolderInput} onAct={() => setAction("move")} />
      <SelectionAction label={say("Copy to…")} icon={Copy} onAct={() => setAction("copy")} />
      {pictures.length > 0 && (
        <SelectionAction label={say("Describe…")} icon={MessageSquareText} onAct={() => setAction("describe")} />
      )}
      <DeleteAction things={things} rest={rest} />
      {action === "describe" && <DescribeDialog files={pictures} onClose={dialog.onClose} />}
      {action === "move" && (
        <MoveDialog
          {...dialog}
          title={sayMany(things.length, "Move {count} item", "Move {count} items")}
          things={things}
          placeOf={placeOf}
          onSubmit={move}
        />
      )}
      {action === "copy" && (
        <PathDialog
          {...dialog}
          title={sayMany(things.length, "Copy {count} item", "Copy {count} items")}
          submit={say("Copy")}
          onSubmit={copy}
        />
      )}
    </>
  );
}

/** Moves or copies what is selected to another folder; what failed stays selected. */
function usePlacing({ things, select }: Selection<Thing>) {
  const place = async (operationOf: (thing: Thing) => BatchOperation): Promise<void> => {
    const { failed, message, errors } = await doTogether(things, ({ path }) => nameOf(path), operationOf);
    await rereadFiles();
    select(failed);
    if (failed.length > 0) throw new AggregateError(errors, message);
  };
  const move = async (goal: string, options: MoveOptions): Promise<void> => {
    const moves = things.map((thing) => ({ ...thing, goal: placeOf(thing, goal) }));
    await place((thing) => moveOf(thing, thing.path, placeOf(thing, goal), options));
    const undo = async (): Promise<void> => {
      const back = (moved: Thing & { goal: string }) => moveOf(moved, moved.goal, moved.path, options);
      notifyFailed(say("Not moved back"), await doTogether(moves.toReversed(), ({ goal }) => nameOf(goal), back));
      await rereadFiles();
    };
    offerUndo(say("Moved"), sayMany(moves.length, "{count} item", "{count} items"), () => void undo());
  };
  return { move, copy: (goal: string) => place((thing) => copyOf(thing, placeOf(thing, goal))) };
}

function DeleteAction({ things, rest }: { things: readonly Thing[]; rest(): void }) {
  const [isDeleting, setDeleting] = useState(false);
  const remove = async (): Promise<void> => {
    setDeleting(true);
    if (await deleteThings(things)) rest();
    setDeleting(false);
  };
  return <SelectionAction label={say("Delete")} icon={Trash2} isBusy={isDeleting} onAct={remove} />;
}
