import { localesOf } from "@octavo/client";
import { element } from "./element.ts";
import { fallbackNote, formatHash, languageOf, type Page } from "./language.ts";
import { type Article, type Author, addressOf, duration, joined, type Movie, nameOf, type Site } from "./octavo.ts";
import { poster, wide } from "./poster.ts";
import { plain, prose } from "./prose.ts";

/** One film, other films of its director, and texts about it. Throws entry_not_found. */
export async function movieView(site: Site, slug: `movies/${string}`): Promise<Page> {
  const { locale, words } = site;
  const include = ["author", "picture"] as const;
  const movie = await site.entries.fetch(slug, { locale, render: "html", include, preview: true });
  const { entries, files } = movie.included;
  const [others, articles] = await Promise.all([othersBy(site, movie), articlesOn(site, slug)]);
  const locales = localesOf(movie);
  const view = element(
    "article",
    { class: "page" },
    poster(site, movie, movie.picture === undefined ? undefined : files[movie.picture], wide),
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        {},
        element("p", { class: "kicker" }, joined(...(movie.genres ?? []).map((genre) => words.genres[genre] ?? genre))),
        element("h1", { lang: languageOf(locales, "title") }, nameOf(movie)),
        fallbackNote(site, movie),
        prose(movie.content, languageOf(locales, "content")),
        ...articles.map((article) => quotation(site, article)),
        others.length > 0 && more(site, `${words.alsoBy} ${movie.director}`, others),
      ),
      facts(site, movie, movie.author && entries[movie.author]),
    ),
    element("p", {}, element("a", { class: "back", href: formatHash(locale, "") }, words.back)),
  );
  return { view, locales };
}

async function othersBy({ entries, locale }: Site, { director, slug }: Movie): Promise<Movie[]> {
  if (typeof director !== "string") return [];
  const { items } = await entries.list("movies", {
    filter: (where) => where("director").eq(director).and(where("slug").neq(slug)),
    sort: "year",
    locale,
  });
  return items;
}

async function articlesOn({ entries, locale }: Site, slug: `movies/${string}`): Promise<Article[]> {
  const { items } = await entries.list("articles", {
    filter: (where) => where("movies").memberOf(slug),
    sort: "-published_at",
    render: "html",
    locale,
  });
  return items;
}

/** The first paragraph of an article, and a link to it. */
const quotation = (site: Site, article: Article): HTMLElement =>
  element(
    "blockquote",
    {},
    element("p", {}, plain(article.content).split("\n")[0]),
    element("cite", {}, element("a", { href: addressOf(site, article) }, nameOf(article))),
  );

const more = (site: Site, title: string, movies: readonly Movie[]): HTMLElement =>
  element(
    "p",
    { class: "more" },
    `${title}: `,
    ...movies.map((movie) => {
      const year = movie.year === undefined ? "" : ` (${movie.year})`;
      return element("a", { href: addressOf(site, movie) }, nameOf(movie) + year);
    }),
  );

function facts({ words }: Site, movie: Movie, writer: Author | undefined): HTMLElement {
  const { year, director, minutes, origin, silent, based_on: book, cast = [] } = movie;
  const name = writer ? `${writer.title}${years(writer)}` : book?.author;
  const values: (string | null | undefined)[] = [
    year?.toString(),
    director,
    duration(minutes),
    origin?.country,
    silent ? words.silent : origin?.language,
    book && [book.title, name, book.year].filter((part) => part !== undefined).join(", "),
    cast.map(({ name, role }) => (role ? `${name} ${words.as} ${role}` : name)).join(", ") || undefined,
  ];
  return element(
    "dl",
    { class: "table" },
    ...words.facts.flatMap((name, i) => {
      const value = values[i];
      return typeof value === "string" ? [element("dt", {}, name), element("dd", {}, value)] : [];
    }),
  );
}

const years = ({ born, died }: Author): string => (born === undefined ? "" : ` (${born}–${died ?? ""})`);
