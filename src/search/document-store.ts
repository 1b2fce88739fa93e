import { parseCanonical } from "../core/lib/canonical-json.ts";
import type { JsonObject } from "../core/lib/json.ts";
import type { ReadSql } from "../core/sql/sql.ts";
import { listing } from "../entry/listing-rows.ts";
import type { StoredEntry } from "../entry/rows.ts";
import { sourceLocale } from "../translation/locale.ts";
import { allTranslations, type StoredTranslation } from "../translation/rows.ts";
import { layTranslations } from "../translation/translation.ts";
import { anyLocale, shelfOf } from "./shelf.ts";
import type { Way } from "./way.ts";

/** What an entry says on a shelf. */
export type Page = {
  shelf: string;
  data: JsonObject;
  /** In which locale the value of a key is written. */
  localeOf(key: string): string;
};

/** What an entry says to its readers: one page for all, unless it reads otherwise in some locale, or for some of them. */
export async function pagesOf(sql: ReadSql, entry: StoredEntry, { source, chains }: Way): Promise<Page[]> {
  const isPublic = isListed(entry.listing) && entry.visibility === "visible";
  const only = entry.onlyLocales ? (JSON.parse(entry.onlyLocales) as string[]) : undefined;
  const isIn = (locale: string) => isPublic && (!only || only.includes(locale));
  const translations = chains.length > 0 ? await allTranslations(sql, entry) : [];
  if (translations.length === 0) {
    const page = pageOf(entry, [], source);
    if (!isPublic) return [{ ...page, shelf: shelfOf("drafts", anyLocale) }];
    if (!only) return [{ ...page, shelf: shelfOf("all", anyLocale) }];
    const locales = [sourceLocale, ...chains.map(([own = ""]) => own)].filter(isIn);
    const open = locales.map((locale) => ({ ...page, shelf: shelfOf("public", locale) }));
    return [{ ...page, shelf: shelfOf("drafts", anyLocale) }, ...open];
  }
  const pages: Page[] = [];
  for (const chain of [[], ...chains]) {
    const [locale = sourceLocale] = chain;
    const all = layersOf(translations, chain);
    const open = all.filter((each) => isListed(each.listing) && each.visibility === "visible");
    const page = pageOf(entry, all, source);
    if (!isIn(locale)) pages.push({ ...page, shelf: shelfOf("drafts", locale) });
    else if (open.length === all.length) pages.push({ ...page, shelf: shelfOf("all", locale) });
    else {
      pages.push({ ...page, shelf: shelfOf("drafts", locale) });
      pages.push({ ...pageOf(entry, open, source), shelf: shelfOf("public", locale) });
    }
  }
  return pages;
}

const isListed = (listed: number): boolean => listed === listing.listed || listed === listing.elsewhere;

const layersOf = (translations: readonly StoredTranslation[], chain: readonly string[]): StoredTranslation[] =>
  chain.flatMap((locale) => translations.filter((each) => each.locale === locale));

/** An entry as it is read with these translations. */
function pageOf(entry: StoredEntry, layers: readonly StoredTranslation[], source: string): Omit<Page, "shelf"> {
  const laid = layers.length > 0 ? layTranslations(entry, layers, false) : entry;
  return seenPage(laid, source);
}

/** An entry that was read in a locale already. */
export function seenPage(entry: StoredEntry, source: string): Omit<Page, "shelf"> {
  const data = parseCanonical(entry.data) as JsonObject;
  const layers = (entry.layers ?? []).map(({ locale, data: own }) => ({ locale, keys: keysOf(own) }));
  return { data, localeOf: (key) => layers.find(({ keys }) => keys.has(key))?.locale ?? source };
}

const keysOf = (data: string): ReadonlySet<string> => new Set((parseCanonical(data) as JsonObject).keys());
