import { Eye, EyeOff, FilePen, FolderInput, Trash2 } from "lucide-react";
import { useState } from "react";
import type { MoveOptions } from "../../../client/src/client.ts";
import { type Entry, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { MoveDialog } from "../reference/move-dialog.tsx";
import { doEach } from "../ui/each.ts";
import { plural } from "../ui/format.ts";
import type { Selection } from "../ui/selection.ts";
import { SelectionAction } from "../ui/selection-bar.tsx";
import { deleteEntries, topmost } from "./delete-entries.ts";
import { rereadAll } from "./query.ts";
import { isDoneAlready, type StateChange, StateDialog } from "./state-dialog.tsx";

type EntryActionsProps = { path: string; selection: Selection<Entry>; rest(): void };

const countOf = (entries: readonly Entry[]): string => plural(entries.length, "entry", "entries");

/** Bulk actions on the selected entries. Entries for which an action fails are named and stay selected. */
export function EntryActions({ path, selection: { things, select }, rest }: EntryActionsProps) {
  const [isMoving, setMoving] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [change, setChange] = useState<StateChange>();
  const move = async (goal: string, options: MoveOptions): Promise<void> => {
    const { failed, message, errors } = await doEach(topmost(things), titleOf, ({ slug }) =>
      octavo.entries.move(slug, joinPath(goal, nameOf(slug)), options),
    );
    await rereadAll();
    select(failed);
    if (failed.length > 0) throw new AggregateError(errors, message);
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
