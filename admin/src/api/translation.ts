import type { Api, Translation, TranslationCounts, TranslationRow, XliffOutcome } from "../../../client/src/api.ts";
import { condition, type Page } from "../../../client/src/client.ts";
import { pageOf } from "../../../client/src/collection.ts";
import { type Entry, listEntries, orMissing, type TranslatedState } from "./entry.ts";
import { entryAt, entryHistory } from "./history.ts";
import { isSame, type Json, type JsonObject } from "./json.ts";
import { octavo } from "./octavo.ts";
import type { Translated } from "./staged.ts";

/** The calls of translations. Contract, part four, §24. */

const url = "/api/entries/translations";

type Place = { slug: string; locale: string };

/** Says that these still fit what the source says now. */
export const checkTranslation = async ({ slug: id, locale }: Place, checked: string[]): Promise<void> =>
  void (await octavo.request(`PATCH ${url}`, { id, locale, checked }));

/** Gives the entry a name of its own in the path of the locale; null takes it away. Throws name_taken, path_invalid. */
export const nameTranslation = async ({ slug: id, locale }: Place, name: string | null): Promise<void> =>
  void (await octavo.request(`PATCH ${url}`, { id, locale, name }));

/** The locales in which alone the entry is public; null for all. */
export const readOnlyLocales = async (id: string): Promise<readonly string[] | null> =>
  (await octavo.request<Translation[]>(`GET ${url}`, { id })).only_locales ?? null;

/** Sets them. */
export const restrictEntry = async (id: string, locales: string[] | null): Promise<void> =>
  void (await octavo.translations.restrict(id, locales));

/** Versions of the source that are looked at for an older value. */
const mostVersions = 10;

/**
 * What the source said of these keys before it changed: when the translation was last written, else the last that differs
 * from now. Without those that history has no more.
 */
export async function sourcesBefore(
  { source, row: { revision } }: Pick<Translated, "source" | "row">,
  keys: readonly string[],
): Promise<JsonObject> {
  const { slug } = source;
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

/** How what an entry says in a locale stands. */
export type TranslationStanding = Omit<Translation, "locale" | "name" | "keys">;

/** Each is asked for alone; how more stand is read with all that are below their path. */
const mostAlone = 20;
const mostRows = 1000;

/** How these entries, all below the path, stand in a locale. Without those that do not exist any more. */
export async function readTranslations(
  slugs: readonly string[],
  path: string,
  locale: string,
): Promise<Map<string, TranslationStanding>> {
  const found = new Map<string, TranslationStanding>();
  if (slugs.length <= mostAlone) {
    for (const id of slugs) {
      const row = (await orMissing(octavo.translations.of(id)))?.find((each) => each.locale === locale);
      if (row) found.set(id, row);
    }
    return found;
  }
  const wanted = new Set(slugs);
  let cursor: string | undefined;
  do {
    const page = await octavo.translations.list(path, { locale, limit: mostRows, cursor });
    for (const row of page.items) if (wanted.has(row.id)) found.set(row.id, row);
    cursor = page.cursor;
  } while (cursor !== undefined && found.size < wanted.size);
  return found;
}

/** As many values as a condition takes. */
const mostListed = 100;

/** How far these entries, all below the path, are translated into a locale. */
export async function readTranslated(
  slugs: readonly string[],
  path: string,
  locale: string,
): Promise<Map<string, TranslatedState[]>> {
  const found = new Map(slugs.map((slug) => [slug, [] as TranslatedState[]]));
  const states = ["outdated", "missing"] as const;
  for (let at = 0; at < slugs.length; at += mostListed) {
    const filter = condition("slug", "in", slugs.slice(at, at + mostListed));
    const query = { filter, depth: "*", locale, limit: mostListed } as const;
    const pages = await Promise.all(states.map((translation) => listEntries(path, { ...query, translation })));
    for (const [i, { items }] of pages.entries())
      for (const { slug } of items) found.get(slug)?.push(states[i] as TranslatedState);
  }
  for (const each of found.values()) if (each.length === 0) each.push("done");
  return found;
}

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
