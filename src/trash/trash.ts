import type { Reach } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import { foldText } from "../core/list/find.ts";
import type { Path } from "../core/path.ts";

/**
 * The trash: what a DELETE of an entry, a folder or a file took away, as one item, until it is restored or purged. What
 * is in it is nowhere else: no list, search, image or delivery finds it. Contract, part two, §11; decision 51.
 */

export const trashNouns = ["entry", "folder", "file"] as const;
export type TrashNoun = (typeof trashNouns)[number];

/** One DELETE. Times are Unix seconds. */
export type TrashItem = {
  /** The sequence of the event that deleted it. */
  readonly id: number;
  readonly noun: TrashNoun;
  /** Where it was. */
  readonly path: Path;
  /** The number of entries, or of folders and files. */
  readonly count: number;
  /** The size of the data of entries, or of the bytes of files. */
  readonly bytes: number;
  readonly deletedAtSeconds: number;
  /** The id of the token that deleted it. */
  readonly deletedBy: string;
  /** Of a translation that was deleted alone. */
  readonly locale?: string;
};

/** What a restore answers: the item, at the path where it is now. */
export type RestoredItem = TrashItem & { readonly revision: number };

/** Which items: of these nouns and paths, from before the item `before`, at most `limit`. */
export type TrashQuery = {
  readonly nouns: readonly TrashNoun[];
  /** Only items that were at or below one of these paths; null for all. */
  readonly paths: readonly Path[] | null;
  /** Only translations in this locale that were deleted alone; "" for all but these. */
  readonly locale?: string | undefined;
  /** Only items whose path has this text, in any case. */
  readonly search?: string | undefined;
  readonly before: number | undefined;
  readonly limit: number;
};

/** Where an item goes; `dropNames`: names of translations that are taken are left out. */
export type RestoreTarget = {
  newPath: Path | undefined;
  extensions: readonly string[];
  dropNames?: boolean | undefined;
};

/** Where a deletion moves things. `restricted`: it throws in_use while an entry in this reach refers to one of them. */
export type Deletion = { to: "trash" | "nowhere"; restricted?: Reach | undefined };

/**
 * Where deleted things are kept. The stores of entries, folders and files put them there, in the transactions of their
 * deletes.
 */
export interface TrashStore {
  /** Items, newest first. */
  list(query: TrashQuery): Promise<TrashItem[]>;
  /** The item; undefined for one that does not exist or was purged or restored. */
  find(id: number): Promise<TrashItem | undefined>;
  /**
   * Puts everything of the item back, below `newPath` if it is given: uuids, times and history come back, revisions are
   * new. Creates missing folders. `extensions` are those accepted for a file under another name. Throws
   * trash_item_not_found, entry_exists, folder_exists, file_exists, path_invalid, file_type_refused; of two racing
   * restores the second one throws trash_item_not_found.
   */
  restore(id: number, target: RestoreTarget, context: WriteContext): Promise<RestoredItem>;
  /** Deletes the item for good, with the history of what is in it. Throws trash_item_not_found. */
  purge(id: number, context: WriteContext): Promise<void>;
  /** Purges the items that were deleted before `beforeSeconds`. Answers how many. */
  expire(beforeSeconds: number, context: WriteContext): Promise<number>;
  /** Removes the rows of purged items, some in each transaction. They are invisible already. */
  clear(nowSeconds: number): Promise<void>;
  /** Adds what a restore left out to the field indexes, some rows in each transaction. It only affects speed. */
  indexRestored(): Promise<void>;
  /** The number of items and their size. */
  totals(): Promise<{ items: number; bytes: number }>;
}

const daySeconds = 24 * 3600;

/** When the item is purged: `keepDays` after it was deleted. */
export const expiryOf = ({ deletedAtSeconds }: TrashItem, keepDays: number): number =>
  deletedAtSeconds + keepDays * daySeconds;

/** True when the path has the text, in any case. */
export const isFound = ({ path }: TrashItem, search: string): boolean => foldText(path).includes(foldText(search));

/** An item under the wire's names. */
export const trashFields = (item: TrashItem, keepDays: number) => ({
  id: item.id,
  noun: item.noun,
  path: item.path,
  count: item.count,
  bytes: item.bytes,
  deleted_at: item.deletedAtSeconds,
  deleted_by: item.deletedBy,
  expires_at: expiryOf(item, keepDays),
  ...(item.locale !== undefined && { locale: item.locale }),
});
