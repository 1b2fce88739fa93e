import { Memo } from "../core/lib/memo.ts";
import type { Types } from "../type/check.ts";
import { hashOf, objectOf } from "../working-copy/staged-base.ts";
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

export const progressStates = ["missing", "outdated", "done", "staged"] as const;
/** How far an entry is in a locale; it may be both `missing` and `outdated`, and `staged` besides. */
export type ProgressState = (typeof progressStates)[number];

/** `missing`: there is no translation, or keys of it are. */
export function isInState(
  { exists, missing, outdated, staged }: Pick<TranslationState, "exists" | "missing" | "outdated" | "staged">,
  state: ProgressState,
): boolean {
  const isMissing = !exists || missing.length > 0;
  if (state === "staged") return staged.length > 0;
  if (state === "outdated") return outdated.length > 0;
  return state === "missing" ? isMissing : !isMissing && outdated.length === 0;
}

/** What several locales have in common; most entries have fewer keys. */
const maxHashes = 1000;
const noKeys: TranslatedEntry["staged"] = new Map();

/** Of each of these locales, of which the source is none. */
export async function statesOf(
  locales: readonly string[],
  { entry, translations, staged = noKeys }: Pick<TranslatedEntry, "entry" | "translations"> & Partial<TranslatedEntry>,
  types: Types | undefined,
): Promise<TranslationState[]> {
  const source = await objectOf(entry.data);
  const localized = await localizedOf(types, entry);
  const hashes = new Memo<string, Promise<string>>(maxHashes);
  const hashNow = (key: string) => hashes.get(key, () => hashOf(source.get(key)));
  const states = locales.map(async (locale): Promise<TranslationState> => {
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
      outdated: found ? await outdatedKeysOf(keys, found, hashNow) : [],
      staged: [...(staged.get(locale) ?? [])],
    };
  });
  return Promise.all(states);
}
