import { etagOf } from "../../../client/src/client.ts";
import type { Entry, TaggedEntry } from "./entry.ts";
import type { File } from "./file.ts";
import type { Json } from "./json.ts";
import { type ListPage, readList } from "./list.ts";
import { octavo } from "./octavo.ts";

/** The calls of history. Contract, part two, §11. */

/** A content that a later one replaced. Times are Unix seconds. */
export type HistoryRow = {
  revision: number;
  /** Null when it is not known. */
  at: number | null;
  /** The id of a token; null when it is not known. */
  actor: string | null;
  replaced_at: number;
  replaced_by: string;
  bytes: number;
};
export type HistoryPage = ListPage<HistoryRow>;

const rowsPage = 50;
const read = async <T>(operation: string, args: object): Promise<T> => (await octavo.request<T>(operation, args)).data;

export const entryHistory = (id: string, cursor?: string): Promise<HistoryPage> =>
  readList("GET /api/entries/history", { id, cursor, limit: rowsPage });

export const entryAt = (id: string, revision: number): Promise<Entry> =>
  read("GET /api/management/entries", { id, revision });

/** Throws revision_mismatch after a concurrent change. */
export async function restoreEntry(id: string, revision: number, ifMatch: string): Promise<TaggedEntry> {
  const { data } = await octavo.request<Entry>("POST /api/entries/restore", { id, revision }, { ifMatch });
  return { entry: data, tag: etagOf(data) ?? "" };
}

/** Restores all entries at and below a path, "" for all, to a time. Answers how many differed. */
export const restoreSubtree = async (id: string, at: number): Promise<number> =>
  (await read<{ restored: number }>("POST /api/entries/restore", { id, at, subtree: true })).restored;

export const fileHistory = (path: string, cursor?: string): Promise<HistoryPage> =>
  readList("GET /api/files/history", { path, cursor, limit: rowsPage });

export const fileAt = (path: string, revision: number): Promise<File> =>
  read("GET /api/files/history/state", { path, revision });

/** The URL of the bytes that a file had. */
export const bytesAt = (path: string, revision: number): string =>
  `/api/files/history/bytes?${new URLSearchParams({ path, revision: String(revision) })}`;

/** Throws revision_mismatch after a concurrent change. */
export async function restoreFile(
  path: string,
  revision: number,
  ifMatch: string,
): Promise<{ file: File; tag: string }> {
  const { data } = await octavo.request<File>("POST /api/files/restore", { path, revision }, { ifMatch });
  return { file: data, tag: etagOf(data) ?? "" };
}

export const itemHistory = (id: string, cursor?: string): Promise<HistoryPage> =>
  readList("GET /api/registry/history", { id, cursor, limit: rowsPage });

export const itemAt = async (id: string, revision: number): Promise<Json> =>
  (await read<{ value: Json }>("GET /api/registry/history/state", { id, revision })).value;

/** Also creates a deleted item again. */
export const restoreItem = (id: string, revision: number): Promise<unknown> =>
  read("POST /api/registry/restore", { id, revision });
