import { type Access, isDelivered, type LocaleSight, laysOver, refuseEntryOutside } from "../core/access/access.ts";
import { tagOf } from "../core/http/reply.ts";
import { describeJson, type Json } from "../core/lib/json.ts";
import type { Slug } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import { formatRevision } from "../core/revision.ts";
import type { Locales } from "../translation/locale.ts";
import { type LocaleFacts, localeFacts, localeHeaders } from "../translation/read-wire.ts";
import { sharedKeysOf } from "../translation/shared.ts";
import { type ProgressState, progressStates } from "../translation/state.ts";
import { layTranslations, type Translation, type TranslationStore } from "../translation/translation.ts";
import type { WrittenOptions } from "../translation/written-wire.ts";
import { entryIn, type VersionStore } from "../version/version.ts";
import { type StagedEntry, type StagedStore, stagedTag } from "../working-copy/staged.ts";
import type { Entry, EntryStore } from "./entry.ts";
import { namedAbove } from "./group-wire.ts";
import { stagedHeaders } from "./staged-header-wire.ts";
import { isReadable } from "./visibility.ts";

/** Reads of entries in a locale. Contract §24, Reads in a locale. */

type Stores = { translations: TranslationStore; staged: StagedStore; entries: Pick<EntryStore, "findAll"> };

/** An entry in the locale of the access; its ETag begins with the revision of what it says there. Throws entry_not_found. */
export async function readInLocale(
  { translations, staged, entries }: Stores,
  { locales, renderer }: WrittenOptions,
  id: Slug,
  access: Access,
): Promise<{ entry: Entry; tag: string; headers: string[]; above: string[] }> {
  const [entry] = await translations.findAll([id], access, true);
  if (!entry || !isReadable(entry, access)) throw problem("entry_not_found", { id });
  const [facts] = await localeFacts(locales as Locales, translations, [entry], access, await renderer.current());
  const headers = localeHeaders(facts as LocaleFacts);
  const tag = tagIn(entry, access, headers);
  const own = access.locale?.own;
  const above = access.reads === "public" ? await namedAbove(entries, entry.slug, access) : [];
  if (access.reads !== "staged" || !own)
    return { entry, tag: `${formatRevision(revisionIn(entry, own))}-${tag}`, headers, above };
  const found = (await staged.find(id, access, own)) as StagedEntry;
  return {
    entry,
    tag: `${stagedTag(found.entry)}-${tag}`,
    headers: [...headers, ...(stagedHeaders(found) ?? [])],
    above,
  };
}

/**
 * The entry of today with what it said in the locale at a revision laid over. Throws entry_not_found, revision_not_found.
 */
export async function earlierInLocale(
  { translations, history }: Pick<Stores, "translations"> & { history: VersionStore },
  { locales, renderer }: WrittenOptions,
  { id, revision }: { id: Slug; revision: number },
  access: Access,
): Promise<{ entry: Entry; headers: string[] }> {
  refuseEntryOutside(access, id);
  const { own, chain, isStrict } = access.locale as LocaleSight;
  const found = await translations.find(id);
  if (!found) throw problem("entry_not_found", { id });
  const live = found.translations.find(({ locale }) => locale === own);
  const thing = { noun: "entry", thing: found.entry.uuid, locale: own } as const;
  const version = await history.find(thing, revision, { id, since: live?.revision });
  const then = (version ? { ...entryIn(found.entry, version), locale: own } : live) as Translation;
  const layers = chain.flatMap((locale) =>
    locale === own ? [then] : found.translations.filter((each) => each.locale === locale),
  );
  const current = await renderer.current();
  const shared = isStrict ? await sharedKeysOf(current.types, found.entry) : undefined;
  const entry = layTranslations(found.entry, layers, isStrict, shared);
  const [facts] = await localeFacts(locales as Locales, translations, [entry], access, current);
  return { entry, headers: localeHeaders(facts as LocaleFacts) };
}

/** The revision of what the entry says in the locale itself; 0 where it says nothing. */
const revisionIn = (entry: Entry, own: string | undefined): number =>
  (own ? entry.layers?.find(({ locale }) => locale === own)?.revision : entry.revision) ?? 0;

/** Names all that is answered, and no working copy to who sees none. */
function tagIn(entry: Entry, access: Access, headers: readonly string[]): string {
  const { locale } = access;
  const states = [entry, ...(entry.layers ?? [])];
  const copyOf = ({ stagedRevision }: Entry) => (laysOver(access) ? stagedRevision : null);
  const named = states.map((state) => `${state.locale} ${state.revision} ${copyOf(state)}`);
  return tagOf([locale?.own, locale?.isStrict, ...named, ...headers].join("\n"));
}

/** What a list says beside its data of the locales of its entries, by id. */
export async function localesBeside(
  { translations }: Stores,
  { locales, renderer }: WrittenOptions,
  slugs: readonly Slug[],
  access: Access,
): Promise<string> {
  const entries = (await translations.findAll(slugs, access)).filter((entry) => entry !== undefined);
  const facts = locales ? await localeFacts(locales, translations, entries, access, await renderer.current()) : [];
  const members = facts.map(({ path, fallback, locales }, i) => [entries[i]?.slug, { path, fallback, locales }]);
  return `"locales":${JSON.stringify(Object.fromEntries(members))}`;
}

const filterStates = progressStates.filter((state) => state !== "staged");

/** The access whose lists have only what `filter[translation]` asks for, of management beside `locale`. Throws filter_invalid. */
export function translationFilter(access: Access, sent: Json | undefined): Access {
  if (sent === undefined) return access;
  const { locale } = access;
  const isKnown = filterStates.includes(sent as (typeof filterStates)[number]);
  if (isKnown && locale?.own && !isDelivered(access))
    return { ...access, locale: { ...locale, state: sent as ProgressState } };
  throw problem("filter_invalid", {
    argument: "filter[translation]",
    received: describeJson(sent),
    accepted: `${filterStates.join(", ")} in lists of management, beside a locale other than the source`,
  });
}
