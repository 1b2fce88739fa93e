import { notifications } from "@mantine/notifications";
import { Eye, FolderInput, Trash2 } from "lucide-react";
import { useState } from "react";
import type { MoveOptions } from "../../../client/src/client.ts";
import { type Entry, publishEntry, titleOf } from "../api/entry.ts";
import { octavo } from "../api/octavo.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { MoveDialog } from "../reference/move-dialog.tsx";
import { doEach } from "../ui/each.ts";
import { plural } from "../ui/format.ts";
import { refresh } from "../ui/query.ts";
import type { Selection } from "../ui/selection.ts";
import { SelectionAction } from "../ui/selection-bar.tsx";
import { deleteEntries, topmost } from "./delete-entries.ts";
import { rereadEntries } from "./query.ts";
import { stateOf } from "./visibility.tsx";

type EntryActionsProps = { path: string; selection: Selection<Entry>; rest(): void };

const countOf = (entries: readonly Entry[]): string => plural(entries.length, "entry", "entries");

/** Bulk actions on the selected entries. Entries for which an action fails are named and stay selected. */
export function EntryActions({ path, selection: { things, select }, rest }: EntryActionsProps) {
  const [isMoving, setMoving] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [isPublishing, setPublishing] = useState(false);
  const move = async (goal: string, options: MoveOptions): Promise<void> => {
    const { failed, message, errors } = await doEach(topmost(things), titleOf, ({ slug }) =>
      octavo.entries.move(slug, joinPath(goal, nameOf(slug)), options),
    );
    await reread();
    select(failed);
    if (failed.length > 0) throw new AggregateError(errors, message);
  };
  const publish = async (): Promise<void> => {
    setPublishing(true);
    const waiting = things.filter((entry) => stateOf(entry.visibility, entry.published_at).label !== "Public");
    const { failed, message } = await doEach(waiting, titleOf, publishEntry);
    await reread();
    setPublishing(false);
    select(failed);
    rest();
    const done = waiting.filter((entry) => !failed.includes(entry));
    if (done.length > 0) notifications.show({ message: `Published ${countOf(done)}` });
    if (waiting.length === 0) notifications.show({ message: "Already public" });
    const classNames = { description: "lines" };
    if (failed.length > 0)
      notifications.show({ color: "red", title: "Not published", message, autoClose: false, classNames });
  };
  return (
    <>
      <SelectionAction label="Move to…" icon={FolderInput} onAct={() => setMoving(true)} />
      <SelectionAction label="Publish" icon={Eye} isBusy={isPublishing} onAct={() => void publish()} />
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

const reread = (): Promise<unknown> => Promise.all([rereadEntries(), refresh("entry")]);
