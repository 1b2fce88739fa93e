import { element } from "./element.ts";
import { type Article, type Author, addressOf, duration, joined, type Movie, nameOf, type Site } from "./octavo.ts";
import { poster, wide } from "./poster.ts";
import { plain, prose } from "./prose.ts";

/** One film, other films of its director, and texts about it. Throws entry_not_found. */
export async function movieView(site: Site, slug: `movies/${string}`): Promise<HTMLElement> {
  const movie = await site.entries.fetch(slug, { render: "html", include: ["author", "picture"], preview: true });
  const { entries, files } = movie.included;
  const [others, articles] = await Promise.all([othersBy(site, movie), articlesOn(site, slug)]);
  return element(
    "article",
    { class: "page" },
    poster(site, movie, movie.picture === undefined ? undefined : files[movie.picture], wide),
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        {},
        element("p", { class: "kicker" }, joined(...(movie.genres ?? []))),
        element("h1", {}, nameOf(movie)),
        prose(movie.content),
        ...articles.map(quotation),
        others.length > 0 && more(`Also by ${movie.director}`, others),
      ),
      facts(movie, movie.author && entries[movie.author]),
    ),
    element("p", {}, element("a", { class: "back", href: "#/" }, "← All films")),
  );
}

async function othersBy({ entries }: Site, { director, slug }: Movie): Promise<Movie[]> {
  if (typeof director !== "string") return [];
  const { items } = await entries.list("movies", {
    filter: (where) => where("director").eq(director).and(where("slug").neq(slug)),
    sort: "year",
  });
  return items;
}

async function articlesOn({ entries }: Site, slug: `movies/${string}`): Promise<Article[]> {
  const { items } = await entries.list("articles", {
    filter: (where) => where("movies").memberOf(slug),
    sort: "-published_at",
    render: "html",
  });
  return items;
}

/** The first paragraph of an article, and a link to it. */
const quotation = (article: Article): HTMLElement =>
  element(
    "blockquote",
    {},
    element("p", {}, plain(article.content).split("\n")[0]),
    element("cite", {}, element("a", { href: addressOf(article) }, nameOf(article))),
  );

const more = (title: string, movies: readonly Movie[]): HTMLElement =>
  element(
    "p",
    { class: "more" },
    `${title}: `,
    ...movies.map((movie) => {
      const year = movie.year === undefined ? "" : ` (${movie.year})`;
      return element("a", { href: addressOf(movie) }, nameOf(movie) + year);
    }),
  );

function facts(movie: Movie, writer: Author | undefined): HTMLElement {
  const { year, director, minutes, origin, silent, based_on: book, cast = [] } = movie;
  const name = writer ? `${writer.title}${years(writer)}` : book?.author;
  const rows: [name: string, text: string | null | undefined][] = [
    ["Year", year?.toString()],
    ["Director", director],
    ["Length", duration(minutes)],
    ["Country", origin?.country],
    ["Language", silent ? "silent" : origin?.language],
    ["After", book && [book.title, name, book.year].filter((part) => part !== undefined).join(", ")],
    ["With", cast.map(({ name, role }) => (role ? `${name} as ${role}` : name)).join(", ") || undefined],
  ];
  const told = rows.filter((row): row is [string, string] => typeof row[1] === "string");
  return element(
    "dl",
    { class: "table" },
    ...told.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]),
  );
}

const years = ({ born, died }: Author): string => (born === undefined ? "" : ` (${born}–${died ?? ""})`);
