import { element } from "./element.ts";
import { type Article, addressOf, joined, type Movie, nameOf, type Site } from "./octavo.ts";
import { picture, wide } from "./poster.ts";
import { prose } from "./prose.ts";

/** One article with its cover, its author and its films, in one request. Throws entry_not_found. */
export async function articleView(site: Site, slug: `articles/${string}`): Promise<HTMLElement> {
  const article = await site.entries.fetch(slug, {
    render: "html",
    include: ["author", "cover", "movies"],
    preview: true,
  });
  const { entries, files } = article.included;
  const author = article.author && entries[article.author];
  const cover = article.cover && files[article.cover];
  const movies = (article.movies ?? []).flatMap((id) => entries[id] ?? []);
  return element(
    "article",
    { class: "page" },
    cover && picture(site, cover, wide),
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        {},
        element("p", { class: "kicker" }, joined(article.kind, dateOf(article))),
        element("h1", {}, nameOf(article)),
        author && element("p", { class: "facts" }, `By ${nameOf(author)}`),
        prose(article.content),
      ),
      movies.length > 0 && films(movies),
    ),
    element("p", {}, element("a", { class: "back", href: "#/" }, "← All films")),
  );
}

const films = (movies: Movie[]): HTMLElement =>
  element(
    "aside",
    {},
    element("h2", {}, "Films in it"),
    element(
      "ul",
      { class: "rows" },
      ...movies.map((movie) =>
        element(
          "li",
          {},
          element("a", { href: addressOf(movie) }, nameOf(movie)),
          element("span", { class: "facts" }, joined(movie.director, movie.year)),
        ),
      ),
    ),
  );

export const dateOf = ({ published_at: seconds }: Article): string =>
  new Date(seconds * 1000).toLocaleDateString("en", { dateStyle: "long" });
