import type { Api, Translation, TranslationCounts, TranslationRow, XliffOutcome } from "../../../client/src/api.ts";
import type { Page, UpdateOptions } from "../../../client/src/client.ts";
import { pageOf } from "../../../client/src/collection.ts";
import { type Entry, type EntryPatch, orMissing, readEntry } from "./entry.ts";
import { entryAt, entryHistory } from "./history.ts";
import { isSame, type Json, type JsonObject } from "./json.ts";
import { octavo } from "./octavo.ts";
import { type OpenedEntry, opened } from "./staged.ts";

/** The calls of translations. Contract, part four, §24. */

/** What an entry says in a locale, with its working copy laid over; its tag is that of the translation and the copy. */
export type OpenedTranslation = Pick<OpenedEntry, "tag" | "copy"> & {
  slug: string;
  locale: string;
  /** The entry as it is published: what is translated. */
  source: Entry;
  /** The translated keys. */
  own: JsonObject;
  /** How far the live translation is. */
  row: Translation;
};

const url = "/api/entries/translations";

/** Throws entry_not_found. */
export async function openTranslation(slug: string, locale: string): Promise<OpenedTranslation> {
  const [{ entry: source }, reply, rows] = await Promise.all([
    readEntry(slug),
    octavo.request<object>("GET /api/entries/staged", { id: slug, locale }),
    octavo.request<Translation[]>(`GET ${url}`, { id: slug }),
  ]);
  const { entry, tag, copy } = opened(reply);
  const row = rows.data.find((each) => each.locale === locale) as Translation;
  const fallback = reply.headers.get("Octavo-Fallback")?.split(", ").map(decodeURIComponent) ?? [];
  // The header ends after a hundred keys: what is neither live nor staged is not translated either.
  const isOwn = (key: string): boolean =>
    !fallback.includes(key) && (row.keys.includes(key) || row.staged.includes(key)) && Object.hasOwn(entry, key);
  const own = Object.entries(entry).filter(([key]) => isOwn(key));
  return { slug, locale, source, own: Object.fromEntries(own), row, tag, copy };
}

type Opened = Pick<OpenedTranslation, "slug" | "locale" | "tag">;

/** Changes the working copy of a translation, in a release; makes both. Throws revision_mismatch, data_invalid. */
export const stageTranslation = async (
  { slug: id, locale, tag }: Opened,
  { data, isMergePatch }: EntryPatch,
  release?: string,
): Promise<string> => {
  const args = { id, locale, data, ...(release !== undefined && { release }) };
  const options: UpdateOptions = { ifMatch: tag, mergePatch: isMergePatch };
  return opened(await octavo.request<object>("PATCH /api/entries/staged", args, options)).tag;
};

/** Publishes what is staged. Throws revision_mismatch, nothing_staged, staged_outdated, data_invalid. */
export const publishTranslation = async ({ slug: id, locale, tag }: Opened): Promise<void> =>
  void (await octavo.request("POST /api/entries/publish", { id, locale, current: true }, { ifMatch: tag }));

/** Drops the working copy of a translation. Throws revision_mismatch, nothing_staged. */
export const discardTranslation = async ({ slug: id, locale, tag }: Opened): Promise<void> =>
  void (await octavo.request("DELETE /api/entries/staged", { id, locale }, { ifMatch: tag }));

/** Says that these still fit what the source says now. */
export const checkTranslation = async ({ slug: id, locale }: Opened, checked: string[]): Promise<void> =>
  void (await octavo.request(`PATCH ${url}`, { id, locale, checked }));

/** Versions of the source that are looked at for an older value. */
const mostVersions = 10;

/**
 * What the source said of these keys before it changed: when the translation was last written, else the last that differs
 * from now. Without those that history has no more.
 */
export async function sourcesBefore(
  { slug, source, row: { revision } }: OpenedTranslation,
  keys: readonly string[],
): Promise<JsonObject> {
  const found = new Map<string, Json>();
  const take = (entry: Entry | undefined): void => {
    for (const key of keys)
      if (entry?.[key] !== undefined && !found.has(key) && !isSame(entry[key], source[key])) found.set(key, entry[key]);
  };
  if (revision !== null) take(await orMissing(entryAt(slug, revision)));
  if (found.size < keys.length)
    for (const version of (await entryHistory(slug)).items.slice(0, mostVersions)) {
      if (found.size === keys.length) break;
      take(await orMissing(entryAt(slug, version.revision)));
    }
  return Object.fromEntries(found);
}

// ---------------------------------------------------------------------------------------------- how far it is

export type TranslationState = NonNullable<Api["GET /api/entries/translations/list"]["arguments"]["state"]>;

/** One page of the entries at and below an id, in one locale. */
export async function listTranslations(
  id: string,
  { locale, state, cursor }: { locale: string; state: TranslationState | undefined; cursor: string | undefined },
): Promise<Page<TranslationRow>> {
  const args = { id, locale, limit: 50, ...(state && { state }), ...(cursor && { cursor }) };
  return pageOf<TranslationRow>(await octavo.request<TranslationRow[]>(`GET ${url}/list`, args));
}

/** Throws filter_too_costly where there are too many entries. */
export const countTranslations = async (id: string): Promise<Record<string, TranslationCounts>> =>
  (await octavo.request<Record<string, TranslationCounts>>(`GET ${url}/summary`, { id })).data;

// ---------------------------------------------------------------------------------------------- translators' files

const xliff = "/api/translations/xliff";
type XliffQuery = { id: string; locale: string; state: TranslationState | undefined; version: "2.1" | "1.2" };

/** Where the browser fetches the file. */
export function xliffAddress({ id, locale, state, version }: XliffQuery): string {
  const query = { id, locale, version, ...(state && state !== "staged" && { state }) };
  return `${xliff}?${new URLSearchParams(query)}`;
}

/** Stages the translations of a file. Throws xliff_invalid, file_too_large. */
export const importXliff = async (file: globalThis.File): Promise<XliffOutcome> =>
  (await octavo.request<XliffOutcome>(`POST ${xliff}`, { file })).data;
