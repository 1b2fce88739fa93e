import { remove, type Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { refresh } from "../ui/query.ts";
import { deleteWithUndo } from "../ui/undo.tsx";

/** What tells a file or folder from all others, also among what is being deleted. */
export const keyOf = ({ noun, path }: Thing): string => `${noun}:${path}`;

/** Reads folders and files anew. */
export const rereadFiles = (): Promise<unknown> => refresh("files", "folders", "file");

/** Deletes them, with one undo for all. */
export function deleteThings(things: readonly Thing[]): void {
  const deletions = things.map((thing) => ({
    key: keyOf(thing),
    name: nameOf(thing.path),
    send: (keepalive: boolean) => remove(thing, keepalive),
  }));
  deleteWithUndo(deletions, rereadFiles);
}
