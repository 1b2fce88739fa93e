import type { HistoryRow } from "../../../client/src/api.ts";
import { etagOf, type Page } from "../../../client/src/client.ts";
import { pageOf } from "../../../client/src/collection.ts";
import type { Entry, TaggedEntry } from "./entry.ts";
import type { File } from "./file.ts";
import type { Json } from "./json.ts";
import { octavo } from "./octavo.ts";

/** The calls of history, under the page's own types. */

export type HistoryPage = Page<HistoryRow>;

const limit = 50;

export const entryHistory = (id: string, cursor?: string, locale?: string): Promise<HistoryPage> =>
  octavo
    .request<HistoryRow[]>("GET /api/entries/history", {
      id,
      limit,
      ...(cursor && { cursor }),
      ...(locale && { locale }),
    })
    .then(pageOf<HistoryRow>);

/** In a locale with today's source where that said nothing. */
export const entryAt = async (id: string, revision: number, locale?: string): Promise<Entry> =>
  (await octavo.request<Entry>("GET /api/management/entries", { id, revision, ...(locale && { locale }) })).data;

/** Throws revision_mismatch after a concurrent change. */
export async function restoreEntry(
  id: string,
  revision: number,
  { ifMatch, state, locale }: { ifMatch: string; state: boolean; locale?: string | undefined },
): Promise<TaggedEntry> {
  const args = { id, revision, state, ...(locale && { locale }) };
  const { data } = await octavo.request<Entry>("POST /api/entries/restore", args, { ifMatch });
  return { entry: data, tag: etagOf(data) ?? "" };
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
