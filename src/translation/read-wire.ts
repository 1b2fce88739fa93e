import { type Access, type LocaleSight, refuseLocale } from "../core/access/access.ts";
import type { WriteContext } from "../core/event.ts";
import type { Call } from "../core/http/call.ts";
import { type ArgumentReader, argument, pathOrRoot, textReader, writerOf } from "../core/http/route.ts";
import { oneOf } from "../core/http/schema.ts";
import { Type } from "../core/lib/json-schema.ts";
import { nameOf, type Path, parentOf, parsePath, parsePathBelowRoot, rootPath, type Slug } from "../core/path.ts";
import type { Entry } from "../entry/entry.ts";
import { headerOf } from "../entry/staged-header-wire.ts";
import type { CurrentTypes } from "../type/check.ts";
import { type Locales, localeName, parseLocale, required, sourceLocale } from "./locale.ts";
import { localizedOf } from "./shared.ts";
import { type EntryNames, fallbackKeys, type TranslationStore } from "./translation.ts";

/** The arguments of reads in a locale, and what their replies say of it. Contract §24, Reads in a locale. */

const description = "A locale of the setting `locales`, in any letter case.";

/** The locale of a call: "" for the source. */
export const localeArgument = (locales: Locales | undefined) =>
  argument(Type.Optional(Type.String({ description })), (sent, name) => {
    const value = sent.get(name);
    return value === undefined ? undefined : parseLocale(required(locales), String(value), name);
  });

/** Those of reads. Without the setting there are none: then a read passes over them as over any that it does not know. */
export function localeArguments(locales: Locales | undefined) {
  const args = {
    locale: localeArgument(locales),
    localeFallback: Type.Optional(
      oneOf(
        ["on", "off"] as const,
        "`off`: only what that very locale says; an entry without a translation in it is not there.",
      ),
    ),
    localeInfo: Type.Optional(
      Type.Boolean({ description: "`1` sends beside a list the paths of its entries in all locales, as `locales`." }),
    ),
    path: argument(
      Type.Optional(Type.Unsafe<Path>({ type: "string", description: "In place of `id`: a path in the locale." })),
      (sent, name) => (sent.has(name) ? parsePathBelowRoot(name, String(sent.get(name))) : undefined),
    ),
  };
  return locales ? args : ({} as unknown as typeof args);
}

/** Reads the id of what is read, which a path in a locale may stand for. */
export function idUnlessPath(locales: Locales | undefined): ArgumentReader<Path> {
  const read = textReader(parsePath, pathOrRoot);
  return (sent, name, call) => (locales && sent.has("path") && !sent.has(name) ? rootPath : read(sent, name, call));
}

/** Refuses a write in a locale that the caller does not have. Throws scope_missing. */
export const refuseOther = ({ access }: Call, locales: Locales | undefined, locale = sourceLocale): void =>
  refuseLocale(access, locales && localeName(locales, locale));

/** The context of a write of what an entry says in a locale. */
export const writerIn = (call: Call, locale: string | undefined): WriteContext => ({
  ...writerOf(call),
  locale: locale || undefined,
});

export type LocaleArguments = { locale?: string; localeFallback?: "on" | "off"; localeInfo?: boolean; path?: Path };

/** The access in the locale that the call names. */
export function inLocaleOf(access: Access, locales: Locales | undefined, args: LocaleArguments): Access {
  const { locale, localeFallback } = args;
  if (!locales || locale === undefined) return access;
  return { ...access, locale: sightOf(locales, locale, localeFallback === "off") };
}

export const sightOf = (locales: Locales, locale: string, isStrict = false): LocaleSight => ({
  own: locale,
  chain: locales.chains.get(locale) ?? [],
  isStrict: isStrict && locale !== sourceLocale,
});

// ---------------------------------------------------------------------------------------------- replies

/** What a reply says of an entry in a locale; `locales`: where it is public, with its paths, for `hreflang`. */
export type LocaleFacts = { language: string; path: string; fallback: string[]; locales: Record<string, string> };

/** Says it of entries as the access reads them. */
export async function localeFacts(
  locales: Locales,
  store: Pick<TranslationStore, "names">,
  entries: readonly Entry[],
  access: Access,
  { types }: CurrentTypes,
): Promise<LocaleFacts[]> {
  const own = access.locale?.own ?? sourceLocale;
  const found = await store.names(
    entries.map(({ slug }) => slug),
    access,
  );
  const chainOf = (locale: string) => locales.chains.get(locale) ?? [];
  return Promise.all(
    entries.map(async (entry, i) => {
      const { names = new Map(), locales: translated = [] } = found[i] ?? {};
      const localized = await localizedOf(types, entry);
      const first = entry.layers?.[0];
      const isWhole = own === sourceLocale || access.locale?.isStrict;
      const each = [sourceLocale, ...locales.all.filter((locale) => translated.includes(locale))];
      const isPublic = (locale: string) => !entry.onlyLocales || entry.onlyLocales.includes(JSON.stringify(locale));
      const paths = each
        .filter(isPublic)
        .map((locale) => [localeName(locales, locale), pathIn(entry.slug, chainOf(locale), names)]);
      const isTranslatable = (key: string) => localized?.keys.has(key) ?? true;
      return {
        language: localeName(locales, first?.locale ?? sourceLocale),
        path: pathIn(entry.slug, chainOf(own), names),
        fallback: isWhole ? [] : fallbackKeys(entry.data, first?.locale === own ? first : undefined, isTranslatable),
        locales: Object.fromEntries(paths),
      };
    }),
  );
}

/** The path of an entry where each segment is the first name of the chain, or a slug. */
function pathIn(slug: Slug, chain: readonly string[], names: EntryNames["names"]): string {
  const segments: string[] = [];
  for (let at: Path = slug; at !== rootPath; at = parentOf(at)) {
    const own = names.get(at);
    segments.unshift(chain.map((locale) => own?.get(locale)).find((name) => name !== undefined) ?? nameOf(at));
  }
  return segments.join("/");
}

/** The headers of a reply with one entry. Paths are percent-encoded. */
export function localeHeaders({ language, path, fallback, locales }: LocaleFacts): string[] {
  const all = Object.entries(locales).map(([locale, each]) => `${locale}=${encodePath(each)}`);
  return [
    "Content-Language",
    language,
    ...(fallback.length > 0 ? ["Octavo-Fallback", headerOf(fallback)] : []),
    "Octavo-Path",
    encodePath(path),
    "Octavo-Locales",
    all.join(", "),
  ];
}

/** The names of these. */
export const localeHeaderNames = ["Content-Language", "Octavo-Fallback", "Octavo-Path", "Octavo-Locales"] as const;

const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
