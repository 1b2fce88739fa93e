import type { Types } from "../type/check.ts";
import { objectOf } from "../working-copy/staged-base.ts";
import type { Locales } from "./locale.ts";
import { localizedOf } from "./shared.ts";
import { outdatedKeysOf, type TranslatedEntry } from "./translation.ts";

/** How far an entry is translated. Contract §24, Outdated translations. */

/** A locale under the wire's names. */
export type TranslationState = {
  locale: string;
  exists: boolean;
  name: string | null;
  visibility: string | null;
  published_at: number | null;
  revision: number | null;
  modified_at: number | null;
  modified_by: string | null;
  keys: string[];
  missing: string[];
  outdated: string[];
  staged: string[];
};

/** Of each locale but the source. */
export async function statesOf(
  locales: Locales,
  { entry, translations, staged }: TranslatedEntry,
  types: Types | undefined,
): Promise<TranslationState[]> {
  const source = await objectOf(entry.data);
  const localized = await localizedOf(types, entry);
  const states = locales.all.slice(1).map(async (locale): Promise<TranslationState> => {
    const found = translations.find((each) => each.locale === locale);
    const keys = found ? [...(await objectOf(found.data)).keys()] : [];
    const wanted = localized
      ? [...localized.keys].filter((key) => source.has(key) && !(key === "content" && source.get(key) === ""))
      : [];
    return {
      locale,
      exists: found !== undefined,
      name: found?.name ?? null,
      visibility: found?.visibility ?? null,
      published_at: found?.publishedAt ?? null,
      revision: found?.revision ?? null,
      modified_at: found?.modifiedAt ?? null,
      modified_by: found?.modifiedBy ?? null,
      keys,
      missing: wanted.filter((key) => !keys.includes(key)),
      outdated: found ? await outdatedKeysOf(entry, found) : [],
      staged: [...(staged.get(locale) ?? [])],
    };
  });
  return Promise.all(states);
}
