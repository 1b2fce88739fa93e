import { type Access, accessAt, isOpenAt, type LocaleSight, laysOver } from "../core/access/access.ts";
import type { Links } from "../core/sql/noun.ts";
import type { ReadSql } from "../core/sql/sql.ts";
import { laidOver, mergedSources } from "../entry/next.ts";
import type { StoredEntry } from "../entry/rows.ts";
import type { Types } from "../type/check.ts";
import { presentTypes } from "../type/rows.ts";
import { releasedEntry } from "../working-copy/staged.ts";
import { blankTranslation, isBlank, type StoredTranslation, translationsIn } from "./rows.ts";
import { sharedKeysOf } from "./shared.ts";
import { isInState, type ProgressState, statesOf } from "./state.ts";
import { isUsable, layTranslations } from "./translation.ts";

/** What entries say in the locale of a reader. Lists, includes and reads take it from here. */

/** Where it is read. */
type Seeing = { readonly sql: ReadSql; readonly links: Pick<Links, "stagedCopies"> };

/** The entries as they are read in the locale of the access, in their order. `byId`: see TranslationStore.findAll. */
export async function inLocale(
  on: Seeing,
  entries: readonly StoredEntry[],
  access: Access,
  byId = false,
): Promise<readonly StoredEntry[]> {
  const { sql } = on;
  const { locale } = access;
  if (!locale || locale.chain.length === 0) return entries;
  const chain = locale.isStrict ? locale.chain.slice(0, 1) : locale.chain;
  const live = await translationsIn(sql, entries, chain);
  const found = laysOver(access) ? await withCopies(on, entries, chain, live, access) : live;
  const needsTypes = locale.isStrict || locale.state !== undefined;
  const types = needsTypes ? await presentTypes(sql) : undefined;
  const wanted = await inStateOf(entries, found, locale, types);
  return Promise.all(
    wanted.map(async (entry) => {
      const own = accessAt(access, entry.slug);
      const layers = (found.get(entry.uuid) ?? []).filter((each) => isUsable(each, own, byId));
      const shared = locale.isStrict ? await sharedKeysOf(types, entry) : undefined;
      return layTranslations(entry, layers, locale.isStrict, shared);
    }),
  );
}

/** Those whose translation into the locale itself is in the state that is asked for. */
async function inStateOf(
  entries: readonly StoredEntry[],
  found: ReadonlyMap<string, readonly StoredTranslation[]>,
  { own, state }: LocaleSight,
  types: Types | undefined,
): Promise<readonly StoredEntry[]> {
  if (state === undefined) return entries;
  const isIn = async (entry: StoredEntry) => {
    const [row] = await statesOf([own], { entry, translations: found.get(entry.uuid) ?? [] }, types);
    return row !== undefined && isInState(row, state as ProgressState);
  };
  const kept = await Promise.all(entries.map(isIn));
  return entries.filter((_, i) => kept[i]);
}

/**
 * The translations with the working copies laid over that the reader sees: those of a release, all of a preview, or that of
 * its own locale for a staged view.
 */
async function withCopies(
  { sql, links }: Seeing,
  entries: readonly StoredEntry[],
  chain: readonly string[],
  live: ReadonlyMap<string, readonly StoredTranslation[]>,
  access: Access,
): Promise<ReadonlyMap<string, readonly StoredTranslation[]>> {
  const staged = access.reads === "staged" ? chain.slice(0, 1) : chain;
  const open = entries.filter((entry) => entry.translated && isOpenAt(access, entry.slug));
  const keys = open.flatMap((entry) => staged.map((locale) => [entry.uuid, locale]));
  if (keys.length === 0) return live;
  const found = await links.stagedCopies(sql, keys);
  const copies = new Map(found.map((copy) => [`${copy.uuid} ${copy.locale}`, copy]));
  const laid = new Map(live);
  for (const entry of open) {
    const own = live.get(entry.uuid) ?? [];
    const each = chain.map(async (locale) => {
      const copy = copies.get(`${entry.uuid} ${locale}`);
      const state = own.find((one) => one.locale === locale) ?? blankTranslation(entry, locale, access.nowSeconds);
      if (!copy) return state;
      if (access.release === undefined)
        return {
          ...state,
          ...(await laidOver(state, copy)),
          sources: mergedSources(state.sources, copy.sources),
          stagedRevision: copy.revision,
        };
      return copy.release === access.release ? releasedEntry(state, copy, access) : state;
    });
    const all = await Promise.all(each);
    laid.set(
      entry.uuid,
      all.filter((state) => !isBlank(state) || copies.get(`${entry.uuid} ${state.locale}`) !== undefined),
    );
  }
  return laid;
}

/** By uuid the translations of entries into a locale, with their working copies laid over; none where there is neither. */
export async function laidTranslations(
  on: Seeing,
  entries: readonly StoredEntry[],
  locale: string,
  nowSeconds: number,
): Promise<ReadonlyMap<string, StoredTranslation | undefined>> {
  const chain = [locale];
  const live = await translationsIn(on.sql, entries, chain);
  const access: Access = { reads: "staged", paths: null, writes: "none", nowSeconds };
  const laid = await withCopies(on, entries, chain, live, access);
  return new Map([...laid].map(([uuid, [own]]) => [uuid, own]));
}
