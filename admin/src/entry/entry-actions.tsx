import { Eye, EyeOff, FilePen, FolderInput, Trash2 } from "lucide-react";
import { useState } from "react";
import type { BatchOperation, MoveOptions } from "../../../client/src/client.ts";
import { type Entry, titleOf } from "../api/entry.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { MoveDialog } from "../reference/move-dialog.tsx";
import { plural } from "../ui/format.ts";
import type { Selection } from "../ui/selection.ts";
import { SelectionAction } from "../ui/selection-bar.tsx";
import { doTogether } from "../ui/together.ts";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";
import { deleteEntries, topmost } from "./delete-entries.ts";
import { rereadAll } from "./query.ts";
import { isDoneAlready, type StateChange, StateDialog } from "./state-dialog.tsx";

type EntryActionsProps = { path: string; selection: Selection<Entry>; rest(): void };

const countOf = (entries: readonly unknown[]): string => plural(entries.length, "entry", "entries");

const moveOf = (id: string, new_id: string, { updateReferences }: MoveOptions): BatchOperation => ({
  call: "PUT /api/entries",
  args: { id, new_id, ...(updateReferences !== undefined && { update_references: updateReferences }) },
});

/** Bulk actions on the selected entries, each of all of them or none. If one fails, it is named, and all stay selected. */
export function EntryActions({ path, selection: { things, select }, rest }: EntryActionsProps) {
  const [isMoving, setMoving] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [change, setChange] = useState<StateChange>();
  const move = async (goal: string, options: MoveOptions): Promise<void> => {
    const moves = topmost(things).map(({ slug }) => ({ slug, goal: joinPath(goal, nameOf(slug)) }));
    const { failed, message, errors } = await doTogether(topmost(things), titleOf, ({ slug }) =>
      moveOf(slug, joinPath(goal, nameOf(slug)), options),
    );
    await rereadAll();
    select(failed.length > 0 ? things : []);
    if (failed.length > 0) throw new AggregateError(errors, message);
    const undo = async (): Promise<void> => {
      const back = ({ slug, goal }: { slug: string; goal: string }) => moveOf(goal, slug, options);
      notifyFailed("Not moved back", await doTogether(moves.toReversed(), ({ goal }) => goal, back));
      await rereadAll();
    };
    offerUndo("Moved", countOf(moves), () => void undo());
  };
  const ask = (change: StateChange): void => {
    if (!isDoneAlready(change, things)) setChange(change);
  };
  return (
    <>
      <SelectionAction label="Move to…" icon={FolderInput} onAct={() => setMoving(true)} />
      <SelectionAction label="Publish" icon={Eye} onAct={() => ask("publish")} />
      <SelectionAction label="Hide" icon={EyeOff} onAct={() => ask("hide")} />
      <SelectionAction label="Draft" icon={FilePen} onAct={() => ask("draft")} />
      <SelectionAction
        label="Delete"
        icon={Trash2}
        isBusy={isDeleting}
        onAct={async () => {
          setDeleting(true);
          if (await deleteEntries(things)) rest();
          setDeleting(false);
        }}
      />
      {change && (
        <StateDialog
          change={change}
          entries={things}
          onDone={select}
          onClose={() => {
            setChange(undefined);
            rest();
          }}
        />
      )}
      {isMoving && (
        <MoveDialog
          title={`Move ${countOf(things)}`}
          things={topmost(things).map(({ slug }) => ({ noun: "entry", path: slug }))}
          placeOf={(thing, goal) => joinPath(goal, nameOf(thing.path))}
          label="Below"
          initial={path}
          help="The id of the new parent; empty for the top level. All descendants move along."
          isEmptyAllowed
          onSubmit={move}
          onClose={() => {
            setMoving(false);
            rest();
          }}
        />
      )}
    </>
  );
}
