import { problem } from "./problems.ts";

/**
 * The locales of a store: which there are, and to which others each falls back. The source is stored in the entry itself,
 * under the locale "". Contract §24, Setting.
 */
export type Locales = {
  /** The first of the setting: what entries say without a translation. */
  readonly source: string;
  /** In the order of the setting, the source first. */
  readonly all: readonly string[];
  /** By locale: itself, then those that it falls back to, without the source, which ends each chain. Of the source none. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
};

/** The locale of what an entry itself says. */
export const sourceLocale = "";

/** Each translated key has an index row for each of them. */
export const maxLocales = 50;

/** A language tag (BCP 47) as it is written; undefined for none. */
export function canonicalLocale(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** The chains as they are set, `fr>de>es`, by their first member; the faults of those that are wrong. */
export function readChains(
  all: readonly string[],
  sent: readonly string[],
): { chains: Map<string, readonly string[]>; faults: string[] } {
  const [source] = all;
  const chains = new Map<string, readonly string[]>();
  const faults: string[] = [];
  for (const text of sent) {
    const names = text.split(">").map((name) => name.trim());
    const [first = "", ...rest] = names.map((name) => canonicalLocale(name) ?? name);
    const known = rest.at(-1) === source ? rest.slice(0, -1) : rest;
    const unknown = [first, ...rest].find((name) => !all.includes(name));
    if (unknown !== undefined)
      faults.push(`"${text}" names "${unknown}"; expected locales of the setting locales: ${all.join(", ")}`);
    else if (first === source || known.includes(source ?? ""))
      faults.push(`"${text}" goes on from the source "${source}"; expected chains that it ends`);
    else if (chains.has(first)) faults.push(`"${first}" has two chains; expected one`);
    else chains.set(first, [first, ...known]);
  }
  for (const locale of all)
    if (!chains.has(locale)) chains.set(locale, locale === source ? [] : [locale, ...prefixesOf(locale, all)]);
  const circle = all.find((locale) => reaches(chains, locale, locale));
  if (faults.length === 0 && circle !== undefined)
    faults.push(`"${circle}" is reached from itself; expected chains without circles`);
  return { chains, faults };
}

/** Its own beginnings that are locales, the longest first; the source ends the chain anyway. */
function prefixesOf(locale: string, all: readonly string[]): string[] {
  const parts = locale.split("-");
  const prefixes = parts.map((_, i) => parts.slice(0, i).join("-")).reverse();
  return prefixes.filter((prefix) => all.indexOf(prefix) > 0);
}

function reaches(
  chains: ReadonlyMap<string, readonly string[]>,
  from: string,
  to: string,
  seen = new Set<string>(),
): boolean {
  const [, ...next] = chains.get(from) ?? [];
  return next.some((locale) => {
    if (locale === to) return true;
    if (seen.has(locale)) return false;
    seen.add(locale);
    return reaches(chains, locale, to, seen);
  });
}

/** Undefined where the setting names none: then a store has no translations. The settings were checked. */
export function localesOf(settings: {
  locales: readonly string[];
  localeFallbacks: readonly string[];
}): Locales | undefined {
  const all = settings.locales;
  const [source] = all;
  return source === undefined ? undefined : { source, all, chains: readChains(all, settings.localeFallbacks).chains };
}

/** Throws locales_missing. */
export function required(locales: Locales | undefined): Locales {
  if (!locales) throw problem("locales_missing");
  return locales;
}

/** The locale that an argument names, in any case; "" for the source. Throws locale_unknown. */
export function parseLocale({ all, source }: Locales, received: string, argument = "locale"): string {
  const locale = canonicalLocale(received);
  if (locale === undefined || !all.includes(locale))
    throw problem("locale_unknown", { argument, received, accepted: all.join(", ") });
  return locale === source ? sourceLocale : locale;
}

/** The locale under the name of the wire. */
export const localeName = ({ source }: Locales, locale: string): string => (locale === sourceLocale ? source : locale);

/** The locales of a token or a role, in messages. */
export const acceptedLocales = "a list of at least one locale, or null for all";

/**
 * The locales of a token or a role as sent, each by its name on the wire and once; null for all, undefined where none was sent.
 * Throws locales_missing, locale_unknown, argument_invalid.
 */
export function parseLocales(
  locales: Locales | undefined,
  sent: readonly string[] | null | undefined,
): string[] | null | undefined {
  if (!sent) return sent;
  const known = required(locales);
  if (sent.length === 0)
    throw problem("argument_invalid", { argument: "locales", received: "an empty list", accepted: acceptedLocales });
  return [...new Set(sent.map((each) => localeName(known, parseLocale(known, each, "locales"))))];
}

/** The locales of a token or a role as stored: with commas. */
export const formatLocales = (locales: readonly string[] | null | undefined): string => (locales ?? []).join(",");

/** The inverse. */
export const readLocales = (text: string): string[] | null => (text === "" ? null : text.split(","));

/** True for a text of these; they may be locales no more. */
export function isLocales(text: string): boolean {
  const names = text.split(",");
  return text === "" || (new Set(names).size === names.length && names.every((name) => canonicalLocale(name) === name));
}

/** The chains of all locales but the source, as the indexes have them. */
export const chainsOf = (settings: Parameters<typeof localesOf>[0]): (readonly string[])[] =>
  [...(localesOf(settings)?.chains.values() ?? [])].filter((chain) => chain.length > 0);
