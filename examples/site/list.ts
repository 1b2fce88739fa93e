import { type FileObject, type SortKey, whereOf } from "@octavo/client";
import { dateOf } from "./article.ts";
import { element, onPause } from "./element.ts";
import { addressOf, duration, joined, type Movie, nameOf, type Site } from "./octavo.ts";
import { poster } from "./poster.ts";
import { plain } from "./prose.ts";

const orders: [label: string, sort: SortKey<Movie>][] = [
  ["Newest first", "-year"],
  ["Oldest first", "year"],
  ["Longest first", "-minutes"],
  ["By title", "title"],
];
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
  const form = controls();
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
      const { length } = found.items;
      count.textContent = length === 1 ? "One film" : `${length || "No"} films`;
      const cards = found.items.map((movie) => card(site, movie, found.included.files));
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
async function find({ entries }: Site, form: FormData, signal: AbortSignal) {
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
      include: ["picture"],
      preview: true,
      render: "html",
    },
    { signal },
  );
}

/** The articles, newest first, with their authors. */
async function articles({ entries }: Site): Promise<HTMLElement[]> {
  const { items, included } = await entries.list("articles", { sort: "-published_at", include: ["author"] });
  const rows = items.map((article) => {
    const author = article.author && included.entries[article.author];
    return element(
      "li",
      {},
      element("a", { href: addressOf(article) }, nameOf(article)),
      element("span", { class: "facts" }, joined(author?.title, dateOf(article))),
    );
  });
  return rows.length === 0 ? [] : [element("h2", {}, "To read"), element("ul", { class: "rows" }, ...rows)];
}

function controls(): HTMLFormElement {
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
    element("input", { type: "search", name: "search", placeholder: "Search the films", "aria-label": "Search" }),
    element(
      "fieldset",
      { "aria-label": "Genre" },
      chip("", "All", true),
      ...genres.map((name) => chip(name, name, false)),
    ),
    element(
      "label",
      { class: "chip" },
      element("input", { type: "checkbox", name: "book" }),
      element("span", {}, "from a book"),
    ),
    element(
      "select",
      { name: "sort", "aria-label": "Order" },
      ...orders.map(([label, value]) => element("option", { value }, label)),
    ),
  ) as HTMLFormElement;
}

function card(site: Site, movie: Movie, files: Readonly<Record<string, FileObject | undefined>>): HTMLElement {
  const file = movie.picture === undefined ? undefined : files[movie.picture];
  return element(
    "li",
    {},
    element(
      "a",
      { class: "card", href: addressOf(movie) },
      poster(site, movie, file, shape),
      element("h2", {}, nameOf(movie)),
      element("p", { class: "facts" }, joined(movie.director, movie.year, duration(movie.minutes))),
      element("p", {}, plain(movie.content)),
    ),
  );
}
