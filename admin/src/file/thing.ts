import { callsOf, type Thing } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { refresh } from "../ui/query.ts";
import { deleteWithUndo } from "../ui/undo.tsx";

/** The unique key of a file or folder, also among pending deletions. */
export const keyOf = ({ noun, path }: Thing): string => `${noun}:${path}`;

/** Reloads folders and files. */
export const rereadFiles = (): Promise<unknown> => refresh("files", "folders", "file");

/** Deletes files and folders, with one undo for all. */
export function deleteThings(things: readonly Thing[]): void {
  const deletions = things.map((thing) => ({
    key: keyOf(thing),
    name: nameOf(thing.path),
    send: (keepalive: boolean) => callsOf(thing).delete(thing.path, { keepalive }),
  }));
  deleteWithUndo(deletions, rereadFiles);
}
