import type { ReactNode } from "react";
import { type BatchOperation, OctavoProblem } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { findReferrers, knowsReferences } from "../api/referrers.ts";
import { hasTrash } from "../api/session.ts";
import { findTrashed, type TrashNoun } from "../api/trash.ts";
import { sayMany } from "../language/say.ts";
import { doTogether } from "../model/bulk/together.ts";
import { refresh } from "../ui/query.ts";
import { sayParts } from "../ui/say-parts.tsx";
import { type Deletion, deleteWithUndo, type Undo } from "../ui/undo.tsx";
import { askFirst, mostReferences, type Uses } from "./question.tsx";

/** An entry, a folder or a file to delete. */
type Trashable = Pick<Deletion, "key" | "name"> & {
  noun: TrashNoun;
  path: string;
  /** Of what the entry says in this locale alone. */
  locale?: string;
};

/**
 * Moves things to the trash, all or none, with one undo for all; where entries refer to them, or without a trash, it asks first.
 * `reread` reloads the lists. Resolves when the deletion begins, to true, or to false if the user keeps them.
 */
export async function moveToTrash(things: readonly Trashable[], reread: () => Promise<unknown>): Promise<boolean> {
  const uses = await readUses(things);
  if ((uses || !hasTrash()) && !(await askFirst({ things, uses }))) return false;
  const deletions = things.map((thing) => ({ ...thing, send: () => undoOf(thing) }));
  const words = {
    done: (name: ReactNode) =>
      hasTrash() ? sayParts("Moved {name} to the trash", { name }) : sayParts("Deleted {name} for good", { name }),
    reread: () => Promise.all([reread(), refresh("trash")]),
    together: () => doTogether(things, ({ name }) => name, deletionOf),
  };
  void deleteWithUndo(deletions, words);
  return true;
}

/** Who refers to the things, for the question; undefined when nobody does, or when this session cannot know of it. */
async function readUses(things: readonly Trashable[]): Promise<Uses | undefined> {
  try {
    const whole = things.filter(({ locale }) => locale === undefined);
    const references = knowsReferences() && whole.length > 0 ? await findReferrers(whole, mostReferences + 1) : [];
    return references.length > 0 ? { references } : undefined;
  } catch (error) {
    // What is gone is not referred to: the deletion reports it.
    return error instanceof OctavoProblem && error.status === 404 ? undefined : { error };
  }
}

function deletionOf({ noun, path, locale }: Trashable): BatchOperation {
  if (locale !== undefined) return { call: "DELETE /api/entries/translations", args: { id: path, locale } };
  if (noun === "entry") return { call: "DELETE /api/entries", args: { id: path } };
  return { call: noun === "file" ? "DELETE /api/files" : "DELETE /api/folders", args: { path } };
}

/** How to undo the deletion of a thing. The reply to it does not name the item of the trash, so this looks for it. */
async function undoOf({ noun, path, locale }: Trashable): Promise<Undo | undefined> {
  if (!hasTrash()) return undefined;
  // It is deleted all the same; the page Trash restores it.
  const item = await findTrashed(noun, path, locale).catch(() => undefined);
  return item && { run: () => octavo.trash.restore(item.id), more: besides(noun, item.count - 1) };
}

function besides(noun: TrashNoun, count: number): string | undefined {
  if (count < 1) return undefined;
  return noun === "entry"
    ? sayMany(count, "and {count} entry below it", "and {count} entries below it")
    : sayMany(count, "with {count} item in it", "with {count} items in it");
}
