import type { BatchOperation, MoveOptions } from "../../../client/src/client.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { say, sayMany } from "../language/say.ts";
import { doTogether } from "../model/bulk/together.ts";
import { messageOf } from "../model/message.ts";
import { rereadAll } from "../query/entry.ts";
import { typesQuery } from "../query/types-query.ts";
import { queries } from "../ui/query.ts";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";

/** Moves of entries to another place, all or none. */

type Named = { slug: string; name: string };

const moveOf = (id: string, new_id: string, { updateReferences }: MoveOptions): BatchOperation => ({
  call: "PUT /api/entries",
  args: { id, new_id, ...(updateReferences !== undefined && { update_references: updateReferences }) },
});

/** Moves entries with their descendants below `goal`, and offers to undo it. Throws AggregateError when none is moved. */
export async function moveBelow(things: readonly Named[], goal: string, options: MoveOptions): Promise<void> {
  const moves = things.map(({ slug, name }) => ({ slug, name, goal: joinPath(goal, nameOf(slug)) }));
  const { failed, message, errors } = await doTogether(
    moves,
    ({ name }) => name,
    (move) => moveOf(move.slug, move.goal, options),
  );
  await rereadAll();
  if (failed.length > 0) throw new AggregateError(errors, message);
  const undo = async (): Promise<void> => {
    const back = ({ slug, goal }: { slug: string; goal: string }) => moveOf(goal, slug, options);
    notifyFailed(say("Not moved back"), await doTogether(moves.toReversed(), ({ goal }) => goal, back));
    await rereadAll();
  };
  const [only] = moves.length === 1 ? moves : [];
  offerUndo(say("Moved"), only?.name ?? sayMany(moves.length, "{count} entry", "{count} entries"), () => void undo());
}

/** Moves one entry, as by dragging it: references follow where there are types. Says why when it is refused. */
export async function dropBelow(thing: Named, goal: string): Promise<boolean> {
  try {
    const types = await queries.fetchQuery(typesQuery);
    await moveBelow([thing], goal, types.length > 0 ? { updateReferences: true } : {});
    return true;
  } catch (error) {
    notifyFailed(say("Not moved"), { failed: [thing], message: messageOf(error) });
    return false;
  }
}
