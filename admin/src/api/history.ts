import type { HistoryRow } from "../../../client/src/api.ts";
import { etagOf, type Page } from "../../../client/src/client.ts";
import type { Entry, TaggedEntry } from "./entry.ts";
import type { File } from "./file.ts";
import type { Json } from "./json.ts";
import { octavo } from "./octavo.ts";

/** The calls of history, under the page's own types. */

export type HistoryPage = Page<HistoryRow>;

const limit = 50;

export const entryHistory = (id: string, cursor?: string): Promise<HistoryPage> =>
  octavo.entries.history(id, { cursor, limit });

export const entryAt = async (id: string, revision: number): Promise<Entry> =>
  (await octavo.entries.at(id, revision)) as Entry;

/** Throws revision_mismatch after a concurrent change. */
export async function restoreEntry(
  id: string,
  revision: number,
  options: { ifMatch: string; state: boolean },
): Promise<TaggedEntry> {
  const entry = await octavo.entries.restore(id, revision, options);
  return { entry: entry as Entry, tag: etagOf(entry) ?? "" };
}

export const fileHistory = (path: string, cursor?: string): Promise<HistoryPage> =>
  octavo.files.history(path, { cursor, limit });

export const fileAt = async (path: string, revision: number): Promise<File> =>
  (await octavo.files.at(path, revision)) as File;

/** Throws revision_mismatch after a concurrent change. */
export async function restoreFile(
  path: string,
  revision: number,
  ifMatch: string,
): Promise<{ file: File; tag: string }> {
  const file = await octavo.files.restore(path, revision, { ifMatch });
  return { file: file as File, tag: etagOf(file) ?? "" };
}

export const itemHistory = (id: string, cursor?: string): Promise<HistoryPage> =>
  octavo.registry.history(id, { cursor, limit });

export const itemAt = async (id: string, revision: number): Promise<Json> =>
  (await octavo.registry.at<Json>(id, revision)).value;
