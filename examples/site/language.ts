import { type EntryLocales, type LocaleInfo, localesOf } from "@octavo/client";
import { element } from "./element.ts";
import type { Site } from "./octavo.ts";
import { type Words, words } from "./words.ts";

/** Which language a page is in, and where it is in the others. */

export type Locale = keyof typeof words;
/** What an entry itself says is in this one. */
const source: Locale = "en";
const names: Record<Locale, string> = { en: "English", de: "Deutsch" };
const all = Object.keys(names) as Locale[];

/** A view, and where its entry is in each language; a list is at the same place in all. */
export type Page = { view: HTMLElement; locales?: EntryLocales | undefined };

/** `#/movies/alien` is English, `#/de/filme/alien` German. */
export function parseHash(hash: string): { locale: Locale; path: string } {
  const [first = "", ...rest] = decodeURI(hash.replace(/^#\/?/, "")).split("/");
  const locale = all.find((each) => each === first && each !== source);
  return locale ? { locale, path: rest.join("/") } : { locale: source, path: [first, ...rest].join("/") };
}

export const formatHash = (locale: string, path: string): string =>
  `#/${locale === source ? "" : `${locale}/`}${encodeURI(path)}`;

/** Reads in that language, with its words. */
export const inLanguage = (site: Site, locale: Locale): Site => ({ ...site, locale, words: words[locale] as Words });

/** Of an English entry the id is the path: only another language has to ask for it. */
export async function slugAt({ entries, locale }: Site, path: string): Promise<string> {
  if (locale === source || path === "") return path;
  return (await entries.fetch(path, { locale, byPath: true, only: ["slug"] })).slug ?? path;
}

/** Says the language of the page, where it is in others (`hreflang`), and offers these in the masthead. */
export function showLanguages({ locale, words }: Site, path: string, { locales }: Page): void {
  document.documentElement.lang = locale;
  document.title = words.title;
  (document.querySelector(".name") as HTMLAnchorElement).href = formatHash(locale, "");
  (document.querySelector(".name") as HTMLElement).textContent = words.title;
  (document.querySelector(".motto") as HTMLElement).textContent = words.motto;
  const paths: Record<string, string> = locales?.locales ?? Object.fromEntries(all.map((each) => [each, path]));
  for (const link of document.querySelectorAll("link[rel=alternate]")) link.remove();
  const alternates = Object.entries(paths).map(([hreflang, there]) =>
    element("link", { rel: "alternate", hreflang, href: new URL(formatHash(hreflang, there), location.href).href }),
  );
  document.head.append(...alternates);
  // A page that is not translated is offered by its id, and says there that it is not.
  const links = all.map((each) => {
    const href = formatHash(each, paths[each] ?? paths[source] ?? path);
    return element("a", { href, lang: each, "aria-current": each === locale && "page" }, names[each]);
  });
  document.querySelector(".languages")?.replaceChildren(...links);
}

/** The language of a text of an entry, for `lang`; undefined where it is that of the page. */
export const languageOf = (info: Pick<LocaleInfo, "fallback"> | undefined, key: string): Locale | undefined =>
  info?.fallback.includes(key) ? source : undefined;

/** What a visitor is told of a text that is not in the language of the page. */
export const fallbackNote = ({ words }: Site, entry: object): HTMLElement | false =>
  languageOf(localesOf(entry), "content") !== undefined && element("p", { class: "note" }, words.fallback);
