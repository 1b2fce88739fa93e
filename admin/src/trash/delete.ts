import { octavo } from "../api/octavo.ts";
import { hasTrash } from "../api/session.ts";
import { findTrashed, type TrashNoun } from "../api/trash.ts";
import { plural } from "../ui/format.ts";
import { refresh } from "../ui/query.ts";
import { type Deletion, deleteWithUndo, type Undo } from "../ui/undo.tsx";
import { askFirst } from "./question.tsx";

/** An entry, a folder or a file to delete. */
type Trashable = Pick<Deletion, "key" | "name"> & { noun: TrashNoun; path: string; remove(): Promise<void> };

/** Moves things to the trash, with one undo for all; without a trash it asks first. `reread` reloads the lists. */
export function moveToTrash(things: readonly Trashable[], reread: () => Promise<unknown>): void {
  const deletions = things.map((thing) => ({ ...thing, send: () => send(thing) }));
  const words = {
    done: hasTrash() ? (["Moved", "to the trash"] as const) : (["Deleted", "for good"] as const),
    reread: () => Promise.all([reread(), refresh("trash")]),
  };
  const act = (): void => void deleteWithUndo(deletions, words);
  if (hasTrash()) act();
  else askFirst(things.length === 1 ? `“${things[0]?.name}”` : plural(things.length, "item"), act);
}

/** Deletes a thing. The reply does not name the item of the trash, so this looks for it. */
async function send({ noun, path, remove }: Trashable): Promise<Undo | undefined> {
  await remove();
  if (!hasTrash()) return undefined;
  // It is deleted all the same; the page Trash restores it.
  const item = await findTrashed(noun, path).catch(() => undefined);
  return item && { run: () => octavo.trash.restore(item.id), more: besides(noun, item.count - 1) };
}

function besides(noun: TrashNoun, count: number): string | undefined {
  if (count < 1) return undefined;
  return noun === "entry" ? `and ${plural(count, "entry", "entries")} below it` : `with ${plural(count, "item")} in it`;
}
