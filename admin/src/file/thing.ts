import type { Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { moveToTrash } from "../trash/delete.ts";
import { queries, refresh } from "../ui/query.ts";

/** The unique key of a file or folder, also among pending deletions. */
export const keyOf = ({ noun, path }: Thing): string => `${noun}:${path}`;

/** Of what has moved from a path: until the page has followed, it is not read again there. */
export const forgetFiles = (path: string): void =>
  queries.removeQueries({
    predicate: ({ queryKey: [noun, at] }) =>
      noun === "file" && (at === path || (typeof at === "string" && at.startsWith(`${path}/`))),
  });

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
