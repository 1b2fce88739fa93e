import { OctavoProblem } from "@octavo/client";
import { articleView } from "./article.ts";
import { element } from "./element.ts";
import { followContent } from "./follow.ts";
import { formatHash, inLanguage, type Page, parseHash, showLanguages, slugAt } from "./language.ts";
import { listView } from "./list.ts";
import { movieView } from "./movie.ts";
import { openSite, type Site } from "./octavo.ts";

/** `#/` is the list of films, `#/movies/alien` a film, `#/de/artikel/stille-staedte` an article in German. */
async function pageAt(site: Site, path: string): Promise<Page> {
  const slug = await slugAt(site, path);
  if (isIn("articles", slug)) return articleView(site, slug);
  return isIn("movies", slug) ? movieView(site, slug) : { view: listView(site) };
}

const isIn = <Folder extends string>(folder: Folder, slug: string): slug is `${Folder}/${string}` =>
  slug.startsWith(`${folder}/`);

/** The message of a refusal by the service, or of another error. */
const failure = (site: Site, error: unknown): Page => ({
  view: element(
    "section",
    { class: "failure" },
    element("h1", {}, error instanceof OctavoProblem ? error.title : site.words.failed),
    element("p", {}, error instanceof Error ? error.message : String(error)),
    element("p", {}, element("a", { class: "back", href: formatHash(site.locale, "") }, site.words.back)),
  ),
});

const view = document.querySelector("#view") as HTMLElement;
let wanted = "";

/** Makes the page of the address; undefined when another one was requested meanwhile: a slow page must not replace it. */
async function make(all: Site): Promise<HTMLElement | undefined> {
  const { hash } = location;
  wanted = hash;
  const { locale, path } = parseHash(hash);
  const site = inLanguage(all, locale);
  const page = await pageAt(site, path).catch((error) => failure(site, error));
  if (wanted !== hash) return undefined;
  const own = page.locales?.path ?? path;
  if (own !== path) {
    // An id, or an old link, in this language: the address becomes the page's own.
    history.replaceState(null, "", formatHash(locale, own));
    wanted = location.hash;
  }
  showLanguages(site, own, page);
  return page.view;
}

async function show(all: Site): Promise<void> {
  const shown = await make(all);
  if (!shown) return;
  view.replaceChildren(shown);
  scrollTo(0, 0);
}

/** Content has changed: the list asks again and keeps its form, any other page is made anew where it is. */
async function refresh(all: Site): Promise<void> {
  const list = view.querySelector(".list");
  if (list) list.dispatchEvent(new Event("refresh"));
  else {
    const shown = await make(all);
    if (shown) view.replaceChildren(shown);
  }
}

try {
  const site = await openSite();
  addEventListener("hashchange", () => void show(site));
  await show(site);
  await followContent(site, () => void refresh(site)).catch(() => undefined);
} catch (error) {
  view.replaceChildren(element("p", { class: "failure" }, String(error)));
}
