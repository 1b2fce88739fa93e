import type { Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { moveToTrash } from "../trash/delete.ts";
import { refresh } from "../ui/query.ts";

/** The unique key of a file or folder, also among pending deletions. */
export const keyOf = ({ noun, path }: Thing): string => `${noun}:${path}`;

/** Reloads folders and files. */
export const rereadFiles = (): Promise<unknown> => refresh("files", "folders", "file");

/** Moves files and folders to the trash, with one undo for all. Resolves to false if the user keeps them. */
export function deleteThings(things: readonly Thing[]): Promise<boolean> {
  const deletions = things.map((thing) => ({
    ...thing,
    key: keyOf(thing),
    name: nameOf(thing.path),
  }));
  return moveToTrash(deletions, rereadFiles);
}
