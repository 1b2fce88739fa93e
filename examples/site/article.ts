import { localesOf } from "@octavo/client";
import { element } from "./element.ts";
import { fallbackNote, formatHash, languageOf, type Page } from "./language.ts";
import { type Article, addressOf, joined, type Movie, nameOf, type Site } from "./octavo.ts";
import { picture, wide } from "./poster.ts";
import { prose } from "./prose.ts";

/** One article with its cover, its author and its films, in one request. Throws entry_not_found. */
export async function articleView(site: Site, slug: `articles/${string}`): Promise<Page> {
  const { locale, words } = site;
  const article = await site.entries.fetch(slug, {
    locale,
    render: "html",
    include: ["author", "cover", "movies"],
    preview: true,
  });
  const { entries, files } = article.included;
  const author = article.author && entries[article.author];
  const cover = article.cover && files[article.cover];
  const movies = (article.movies ?? []).flatMap((id) => entries[id] ?? []);
  const locales = localesOf(article);
  const view = element(
    "article",
    { class: "page" },
    cover && picture(site, cover, wide),
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        {},
        element("p", { class: "kicker" }, joined(words.kinds[article.kind ?? ""], dateOf(site, article))),
        element("h1", { lang: languageOf(locales, "title") }, nameOf(article)),
        author && element("p", { class: "facts" }, `${words.by} ${nameOf(author)}`),
        fallbackNote(site, article),
        prose(article.content, languageOf(locales, "content")),
      ),
      movies.length > 0 && films(site, movies),
    ),
    element("p", {}, element("a", { class: "back", href: formatHash(locale, "") }, words.back)),
  );
  return { view, locales };
}

const films = (site: Site, movies: Movie[]): HTMLElement =>
  element(
    "aside",
    {},
    element("h2", {}, site.words.filmsInIt),
    element(
      "ul",
      { class: "rows" },
      ...movies.map((movie) =>
        element(
          "li",
          {},
          element("a", { href: addressOf(site, movie) }, nameOf(movie)),
          element("span", { class: "facts" }, joined(movie.director, movie.year)),
        ),
      ),
    ),
  );

export const dateOf = ({ locale }: Site, { published_at: seconds }: Article): string =>
  new Date(seconds * 1000).toLocaleDateString(locale, { dateStyle: "long" });
