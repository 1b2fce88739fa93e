import { canonicalLocale, type Locales, sourceLocale } from "../translation/locale.ts";

/** Which files of an import say a thing in which locale. Contract §24, Import and export. */

/** `folders`: the first folder of a path is a locale, too. */
type LocaleRules = { locales: Locales | undefined; folders: boolean };

/** A path without its locale, and that: "" for the source, undefined where it names none. */
type LocalePath = { path: string; locale: string | undefined };

/** The end of a name before its extension: `de-AT` in `post.de-AT.md`. */
const ending = /(?<=[^/])\.([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*)(?=\.[^./]+$)/;

/** The path is below the folder that is imported. */
export function localePath(path: string, { locales, folders }: LocaleRules): LocalePath {
  if (!locales) return { path, locale: undefined };
  const slash = path.indexOf("/");
  const ofFolder = folders && slash > 0 ? localeOf(locales, path.slice(0, slash)) : undefined;
  if (ofFolder !== undefined) return { path: path.slice(slash + 1), locale: ofFolder };
  const locale = localeOf(locales, ending.exec(path)?.[1]);
  return { path: locale === undefined ? path : path.replace(ending, ""), locale };
}

function localeOf({ all, source }: Locales, tag: string | undefined): string | undefined {
  const locale = tag === undefined ? undefined : canonicalLocale(tag);
  if (locale === undefined || !all.includes(locale)) return undefined;
  return locale === source ? sourceLocale : locale;
}

const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** The language that the name of a file ends with; undefined for none. */
export function namedLanguage(path: string): string | undefined {
  const tag = ending.exec(path)?.[1];
  const locale = tag === undefined ? undefined : canonicalLocale(tag);
  return locale !== undefined && languages.of(locale) !== undefined ? tag : undefined;
}
