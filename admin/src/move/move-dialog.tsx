import { Checkbox, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { MoveOptions } from "../../../client/src/client.ts";
import { findReferrers, isWithin, type Referred } from "../api/referrers.ts";
import { say, sayMany } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { objectOf } from "../model/referred-words.ts";
import { useMay } from "../session-context.ts";
import { queries, refresh } from "../ui/query.ts";
import { MoveRefusal } from "./move-refusal.tsx";
import { PathDialog, type PathDialogProps } from "./path-dialog.tsx";

type MoveDialogProps = Omit<PathDialogProps, "submit" | "onSubmit" | "remedy" | "children"> & {
  things: readonly Referred[];
  /** The new path of a thing, for the path that was typed. */
  placeOf(thing: Referred, path: string): string;
  onSubmit(path: string, options: MoveOptions): Promise<void>;
};

/** Asks where to move things, and whether the references to them are updated. */
export function MoveDialog({ things, placeOf, onSubmit, ...dialog }: MoveDialogProps) {
  const isKnown = useMay("entries");
  const [isWanted, setWanted] = useState(true);
  const [goal, setGoal] = useState("");
  const move = async (path: string): Promise<void> => {
    setGoal(path);
    // What is not counted yet is asked for no more: it is elsewhere then.
    await queries.cancelQueries({ queryKey: ["references", "count"] });
    if (!isKnown) return onSubmit(path, {});
    await onSubmit(path, { updateReferences: isWanted });
    await refresh("entry", "collection");
  };
  // A refusal undoes the move: an entry that it names by its new id has the old one.
  const presentOf = (id: string): string => {
    const moved = things.find((thing) => thing.noun === "entry" && isWithin(id, placeOf(thing, goal)));
    return moved ? `${moved.path}${id.slice(placeOf(moved, goal).length)}` : id;
  };
  return (
    <PathDialog
      {...dialog}
      submit={say("Move")}
      onSubmit={move}
      remedy={(error) => <MoveRefusal error={error} presentOf={presentOf} />}
    >
      {isKnown && <UpdateReferences things={things} isWanted={isWanted} onChange={setWanted} />}
    </PathDialog>
  );
}

/** As many as one page can hold. */
const mostCounted = 1000;

type UpdateReferencesProps = { things: readonly Referred[]; isWanted: boolean; onChange(isWanted: boolean): void };

function UpdateReferences({ things, isWanted, onChange }: UpdateReferencesProps) {
  const { data: found, error } = useQuery({
    queryKey: ["references", "count", things.map(({ noun, path }) => [noun, path])],
    queryFn: ({ signal }) => findReferrers(things, mostCounted, { signal }),
    staleTime: 0,
  });
  const object = objectOf(things);
  // What entries refer to among themselves moves with them; files refer to nothing.
  const hasOwn = things.some(({ noun }) => noun === "entry");
  if (found?.length === 0 && !hasOwn)
    return (
      <Text size="sm" role="status">
        {say("No entry refers to {object}.", { object })}
      </Text>
    );
  const counted =
    found?.length === 0
      ? say("No other entry refers to {object}. References within are updated.", { object })
      : found?.length === mostCounted
        ? sayMany(
            mostCounted,
            "{count} entry or more refer to {object}.",
            "{count} entries or more refer to {object}.",
            { object },
          )
        : sayMany(found?.length ?? 0, "{count} entry refers to {object}.", "{count} entries refer to {object}.", {
            object,
          });
  return (
    <Checkbox
      label={found?.length === 0 ? say("Update references") : say("Update these references")}
      description={
        <span role="status">
          {error
            ? say("Who refers to {object} cannot be read: {reason}", { object, reason: messageOf(error) })
            : found
              ? counted
              : say("Looking for entries that refer to {object}…", { object })}
        </span>
      }
      checked={isWanted}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
