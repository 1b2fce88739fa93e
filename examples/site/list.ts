import { type SortKey, whereOf } from "@octavo/client";
import { dateOf } from "./article.ts";
import { element, onPause } from "./element.ts";
import { languageOf } from "./language.ts";
import { addressOf, duration, joined, type Movie, nameOf, type Site } from "./octavo.ts";
import { poster } from "./poster.ts";
import { plain } from "./prose.ts";

/** As `words.orders` names them. */
const orders: SortKey<Movie>[] = ["-year", "year", "-minutes", "title"];
const film = whereOf<Movie>();
const genres = ["drama", "horror"];
const shape = {
  ...{ preset: "card", width: 384, height: 256 },
  widths: [384, 576, 768, 1152],
  // The columns of .grid: three, two, one.
  sizes: "(min-width: 65rem) 23rem, (min-width: 44rem) 46vw, 92vw",
  loading: "lazy",
} as const;

/** The list of films, filtered and sorted by the service, and the articles. */
export function listView(site: Site): HTMLElement {
  const form = controls(site);
  const count = element("p", { class: "count" });
  const grid = element("ul", { class: "grid" });
  const reading = element("section", { class: "reading" });
  let running = new AbortController();

  const refresh = async () => {
    // Aborts the previous request.
    running.abort();
    running = new AbortController();
    const { signal } = running;
    try {
      const found = await find(site, new FormData(form), signal);
      count.textContent = site.words.count(found.items.length);
      const cards = found.items.map((movie) => card(site, movie, found));
      // What is the same stays: somebody may be clicking on it.
      if (!grid.isEqualNode(element("ul", { class: "grid" }, ...cards))) grid.replaceChildren(...cards);
    } catch (error) {
      if (!signal.aborted) count.textContent = String(error);
    }
  };
  form.addEventListener("change", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  onPause(form, refresh);
  const read = () =>
    articles(site).then(
      (list) => reading.replaceChildren(...list),
      () => undefined,
    );
  const section = element("section", { class: "list" }, form, count, grid, reading);
  const fill = () => void Promise.all([refresh(), read()]);
  section.addEventListener("refresh", fill);
  fill();
  return section;
}

/** The form as a query, answered with the pictures of the films. */
async function find({ entries, locale }: Site, form: FormData, signal: AbortSignal) {
  const genre = String(form.get("genre") ?? "");
  // "All" is no condition, so films without genres match, too.
  const isGenre = genre === "" ? undefined : film("genres").contains(genre);
  const isFromBook = form.has("book") ? film("based_on").exists() : undefined;
  return entries.list(
    "movies",
    {
      filter: isGenre && isFromBook ? isGenre.and(isFromBook) : (isGenre ?? isFromBook),
      search: String(form.get("search")),
      sort: form.get("sort") as SortKey<Movie>,
      ...{ locale, localeInfo: true },
      include: ["picture"],
      preview: true,
      render: "html",
    },
    { signal },
  );
}

/** The articles, newest first, with their authors. */
async function articles(site: Site): Promise<HTMLElement[]> {
  const { locale, words } = site;
  const query = { locale, localeInfo: true, sort: "-published_at", include: ["author"] } as const;
  const { items, included, locales } = await site.entries.list("articles", query);
  const rows = items.map((article) => {
    const author = article.author && included.entries[article.author];
    return element(
      "li",
      {},
      element("a", { href: addressOf(site, article, locales?.[article.slug]?.path) }, nameOf(article)),
      element("span", { class: "facts" }, joined(author?.title, dateOf(site, article))),
    );
  });
  return rows.length === 0 ? [] : [element("h2", {}, words.toRead), element("ul", { class: "rows" }, ...rows)];
}

function controls({ words }: Site): HTMLFormElement {
  const chip = (value: string, label: string, isChecked: boolean) =>
    element(
      "label",
      { class: "chip" },
      element("input", { type: "radio", name: "genre", value, checked: isChecked }),
      element("span", {}, label),
    );
  return element(
    "form",
    { class: "controls", role: "search" },
    element("input", { type: "search", name: "search", placeholder: words.searchFilms, "aria-label": words.search }),
    element(
      "fieldset",
      { "aria-label": words.genre },
      chip("", words.all, true),
      ...genres.map((name) => chip(name, words.genres[name] ?? name, false)),
    ),
    element(
      "label",
      { class: "chip" },
      element("input", { type: "checkbox", name: "book" }),
      element("span", {}, words.fromBook),
    ),
    element(
      "select",
      { name: "sort", "aria-label": words.order },
      ...orders.map((value, i) => element("option", { value }, words.orders[i])),
    ),
  ) as HTMLFormElement;
}

function card(site: Site, movie: Movie, { included, locales }: Awaited<ReturnType<typeof find>>): HTMLElement {
  const file = movie.picture === undefined ? undefined : included.files[movie.picture];
  const info = locales?.[movie.slug];
  return element(
    "li",
    {},
    element(
      "a",
      { class: "card", href: addressOf(site, movie, info?.path) },
      poster(site, movie, file, shape),
      element("h2", { lang: languageOf(info, "title") }, nameOf(movie)),
      element("p", { class: "facts" }, joined(movie.director, movie.year, duration(movie.minutes))),
      element("p", { lang: languageOf(info, "content") }, plain(movie.content)),
    ),
  );
}
