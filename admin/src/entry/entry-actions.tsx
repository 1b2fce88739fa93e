import { Eye, EyeOff, FilePen, FolderInput, Trash2 } from "lucide-react";
import { useState } from "react";
import type { MoveOptions } from "../../../client/src/client.ts";
import { type Entry, titleOf } from "../api/entry.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { BulkMenu } from "../desk/bulk-menu.tsx";
import type { DeskColumn } from "../desk/column.ts";
import { moveBelow } from "../desk/move.ts";
import { say, sayMany } from "../language/say.ts";
import type { Copies } from "../model/entry/copies.ts";
import type { StateChange } from "../model/entry/state-change.ts";
import { MoveDialog } from "../move/move-dialog.tsx";
import { PlaceTree } from "../move/place-tree.tsx";
import { deleteEntries, topmost } from "../trash/delete-entries.ts";
import type { FieldHint } from "../type/typed-list.tsx";
import type { Selection } from "../ui/selection.ts";
import { SelectionAction } from "../ui/selection-bar.tsx";
import { notifyFailure } from "../ui/state.tsx";
import { copiesFor, StateDialog } from "./state-dialog.tsx";

type EntryActionsProps = {
  path: string;
  selection: Selection<Entry>;
  /** The fields of their type. */
  hints: readonly FieldHint[];
  /** The columns of the table. */
  shown: readonly DeskColumn[];
  rest(): void;
};

const countOf = (entries: readonly unknown[]): string => sayMany(entries.length, "{count} entry", "{count} entries");

/** Bulk actions on the selected entries, each of all of them or none. If one fails, it is named, and all stay selected. */
export function EntryActions({ path, selection: { things, select }, hints, shown, rest }: EntryActionsProps) {
  const [isMoving, setMoving] = useState(false);
  const [asked, setAsked] = useState<{ change: StateChange; copies: Copies }>();
  const ask = async (change: StateChange): Promise<void> => {
    const copies = await copiesFor(change, things).catch(notifyFailure);
    if (copies) setAsked({ change, copies });
  };
  return (
    <>
      <SelectionAction label={say("Move to…")} icon={FolderInput} onAct={() => setMoving(true)} />
      <SelectionAction label={say("Publish")} icon={Eye} onAct={() => void ask("publish")} />
      <SelectionAction label={say("Hide")} icon={EyeOff} onAct={() => void ask("hide")} />
      <SelectionAction label={say("Unpublish")} icon={FilePen} onAct={() => void ask("draft")} />
      <DeleteAction things={things} rest={rest} />
      <BulkMenu {...{ things, hints, shown, rest }} onSchedule={() => void ask("schedule")} onDone={select} />
      {asked && (
        <StateDialog
          {...asked}
          entries={things}
          onDone={select}
          onClose={() => {
            setAsked(undefined);
            rest();
          }}
        />
      )}
      {isMoving && (
        <MoveEntries
          path={path}
          things={things}
          onMoved={() => select([])}
          onClose={() => {
            setMoving(false);
            rest();
          }}
        />
      )}
    </>
  );
}

function DeleteAction({ things, rest }: { things: readonly Entry[]; rest(): void }) {
  const [isDeleting, setDeleting] = useState(false);
  const remove = async (): Promise<void> => {
    setDeleting(true);
    if (await deleteEntries(things)) rest();
    setDeleting(false);
  };
  return <SelectionAction label={say("Delete")} icon={Trash2} isBusy={isDeleting} onAct={remove} />;
}

type MoveEntriesProps = { path: string; things: readonly Entry[]; onMoved(): void; onClose(): void };

function MoveEntries({ path, things, onMoved, onClose }: MoveEntriesProps) {
  const move = async (goal: string, options: MoveOptions): Promise<void> => {
    const named = topmost(things).map((entry) => ({ slug: entry.slug, name: titleOf(entry) }));
    await moveBelow(named, goal, options);
    onMoved();
  };
  return (
    <MoveDialog
      title={say("Move {count}", { count: countOf(things) })}
      things={topmost(things).map(({ slug }) => ({ noun: "entry", path: slug }))}
      placeOf={(thing, goal) => joinPath(goal, nameOf(thing.path))}
      label={say("Below")}
      initial={path}
      help={say("The id of the new parent; empty for the top level. All descendants move along.")}
      isEmptyAllowed
      picker={(place, onPick) => <PlaceTree place={place} onPick={onPick} />}
      onSubmit={move}
      onClose={onClose}
    />
  );
}
