import { type ListPage, readList } from "./list.ts";
import { octavo } from "./octavo.ts";

/** The calls of the trash. Contract, part two, §11. */

export const trashNouns = ["entry", "folder", "file"] as const;
export type TrashNoun = (typeof trashNouns)[number];

/** One deletion. Times are Unix seconds. */
export type TrashItem = {
  id: number;
  noun: TrashNoun;
  path: string;
  /** The number of entries, or of folders and files. */
  count: number;
  bytes: number;
  deleted_at: number;
  deleted_by: string;
  expires_at: number;
};

export type TrashQuery = { noun?: TrashNoun; search?: string; cursor?: string; limit?: number };

/** Items, newest first. */
export const listTrash = (query: TrashQuery): Promise<ListPage<TrashItem>> => readList("GET /api/trash", query);

/** The newest item of a path, if it is one of the newest whose paths contain it. */
export const findTrashed = async (noun: TrashNoun, path: string): Promise<TrashItem | undefined> =>
  (await listTrash({ noun, search: path, limit: 100 })).rows.find((item) => item.path === path);

/** Restores an item, to `newId` if it is given. Answers it with its path. Throws entry_exists and the like. */
export const restoreTrashed = async (id: number, newId?: string): Promise<TrashItem> =>
  (await octavo.request<TrashItem>("POST /api/trash/restore", { id, new_id: newId })).data;

/** Deletes an item for good. Throws trash_item_not_found. */
export const purgeTrashed = async (id: number): Promise<void> =>
  void (await octavo.request("DELETE /api/trash", { id }));
