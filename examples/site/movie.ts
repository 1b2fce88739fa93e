import type { Entry } from "@octavo/client";
import { element } from "./element.ts";
import { type Article, addressOf, duration, joined, type Movie, nameOf, type Site } from "./octavo.ts";
import { poster } from "./poster.ts";

/** Slightly above the centre, where most subjects of wide pictures are. */
const shape = {
  ratio: 21 / 9,
  fit: "crop-50-30",
  widths: [640, 960, 1280, 1600],
  sizes: "min(72rem, 100vw)",
  loading: "eager",
} as const;

/** One film, other films of its director, and texts about it. Throws entry_not_found. */
export async function movieView(site: Site, slug: string): Promise<HTMLElement> {
  const movie = await site.octavo.entries.fetch<Movie>(slug);
  const [others, articles] = await Promise.all([othersBy(site, movie), articlesOn(site, movie)]);
  return element(
    "article",
    { class: "movie" },
    poster(site, movie, shape),
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        {},
        element("p", { class: "kicker" }, joined(...(movie.genres ?? []))),
        element("h1", {}, nameOf(movie)),
        element("p", { class: "lead" }, movie.content),
        ...articles.map(quotation),
        others.length > 0 && more(`Also by ${movie.director}`, others),
      ),
      facts(movie),
    ),
    element("p", {}, element("a", { class: "back", href: "#/" }, "← All films")),
  );
}

async function othersBy({ octavo }: Site, { director, slug }: Entry<Movie>): Promise<Entry<Movie>[]> {
  if (director === undefined) return [];
  const { items } = await octavo.entries.list<Movie>("movies", {
    filter: (where) => where("director").eq(director).and(where("slug").neq(slug)),
    sort: "year",
  });
  return items;
}

async function articlesOn({ octavo }: Site, { slug }: Entry<Movie>): Promise<Entry<Article>[]> {
  const { items } = await octavo.entries.list<Article>("articles", {
    filter: (where) => where("movies").memberOf(slug),
    sort: "-published_at",
  });
  return items;
}

const quotation = (article: Entry<Article>): HTMLElement =>
  element("blockquote", {}, element("p", {}, article.content), element("cite", {}, nameOf(article)));

const more = (title: string, movies: Entry<Movie>[]): HTMLElement =>
  element(
    "p",
    { class: "more" },
    `${title}: `,
    ...movies.map((movie) => {
      const year = movie.year === undefined ? "" : ` (${movie.year})`;
      return element("a", { href: addressOf(movie) }, nameOf(movie) + year);
    }),
  );

function facts({ year, director, minutes, origin, silent, based_on: book, cast = [] }: Entry<Movie>): HTMLElement {
  const rows: [name: string, text: string | undefined][] = [
    ["Year", year?.toString()],
    ["Director", director],
    ["Length", duration(minutes)],
    ["Country", origin?.country],
    ["Language", silent ? "silent" : origin?.language],
    ["After", book && `${book.title}, ${book.author}, ${book.year}`],
    ["With", cast.map(({ name, role }) => `${name} as ${role}`).join(", ") || undefined],
  ];
  const told = rows.filter(([, text]) => text !== undefined);
  return element(
    "dl",
    { class: "table" },
    ...told.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]),
  );
}
