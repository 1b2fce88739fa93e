import { element } from "./element.ts";
import { type Article, addressOf, joined, nameOf, type Site } from "./octavo.ts";
import { picture, wide } from "./poster.ts";
import { prose } from "./prose.ts";

/** One article with its cover, its author and its films, in one request. Throws entry_not_found. */
export async function articleView(site: Site, slug: `articles/${string}`): Promise<HTMLElement> {
  const article = await site.entries.fetch(slug, { render: "html", include: ["author", "cover", "movies"] });
  const { entries, files } = article.included;
  const author = article.author && entries[article.author];
  const cover = article.cover && files[article.cover];
  const movies = (article.movies ?? []).flatMap((id) => entries[id] ?? []);
  return element(
    "article",
    { class: "page" },
    cover && picture(site, cover, wide),
    element("p", { class: "kicker" }, joined(article.kind, dateOf(article))),
    element("h1", {}, nameOf(article)),
    author && element("p", { class: "facts" }, `By ${nameOf(author)}`),
    prose(article.content),
    movies.length > 0 &&
      element(
        "p",
        { class: "more" },
        "Films in it: ",
        ...movies.map((movie) => element("a", { href: addressOf(movie) }, nameOf(movie))),
      ),
    element("p", {}, element("a", { class: "back", href: "#/" }, "← All films")),
  );
}

export const dateOf = ({ published_at: seconds }: Article): string =>
  new Date(seconds * 1000).toLocaleDateString("en", { dateStyle: "long" });
