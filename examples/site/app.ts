import { OctavoProblem } from "@octavo/client";
import { articleView } from "./article.ts";
import { element } from "./element.ts";
import { followContent } from "./follow.ts";
import { listView } from "./list.ts";
import { movieView } from "./movie.ts";
import { openSite, type Site } from "./octavo.ts";

/** `#/` is the list of films, `#/movies/alien` a film, `#/articles/silent-cities` an article. */
async function viewOf(site: Site, hash: string): Promise<HTMLElement> {
  const slug = decodeURIComponent(hash.replace(/^#\/?/, ""));
  if (isIn("articles", slug)) return articleView(site, slug);
  return isIn("movies", slug) ? movieView(site, slug) : listView(site);
}

const isIn = <Folder extends string>(folder: Folder, slug: string): slug is `${Folder}/${string}` =>
  slug.startsWith(`${folder}/`);

/** The message of a refusal by the service, or of another error. */
const failure = (error: unknown): HTMLElement =>
  element(
    "section",
    { class: "failure" },
    element("h1", {}, error instanceof OctavoProblem ? error.title : "Something went wrong"),
    element("p", {}, error instanceof Error ? error.message : String(error)),
    element("p", {}, element("a", { class: "back", href: "#/" }, "← All films")),
  );

const view = document.querySelector("#view") as HTMLElement;
let wanted = "";

async function show(site: Promise<Site>): Promise<void> {
  const { hash } = location;
  wanted = hash;
  const shown = await site.then((opened) => viewOf(opened, hash)).catch(failure);
  // A slow page must not replace one that was requested later.
  if (wanted !== hash) return;
  view.replaceChildren(shown);
  scrollTo(0, 0);
}

async function introduce(site: Promise<Site>): Promise<void> {
  const { registry } = await site;
  const { value } = await registry.fetch<{ title: string; description: string }>("site");
  document.title = value.title;
  (document.querySelector(".name") as HTMLElement).textContent = value.title;
  (document.querySelector(".motto") as HTMLElement).textContent = value.description;
}

/** Content has changed: the list asks again and keeps its form, any other page is made anew where it is. */
async function refresh(site: Promise<Site>): Promise<void> {
  const { hash } = location;
  const list = view.querySelector(".list");
  if (list) list.dispatchEvent(new Event("refresh"));
  else {
    const shown = await site.then((opened) => viewOf(opened, hash)).catch(failure);
    if (wanted === hash) view.replaceChildren(shown);
  }
}

const site = openSite();
addEventListener("hashchange", () => void show(site));
await Promise.all([show(site), introduce(site).catch(() => undefined)]);
await site.then((opened) => followContent(opened, () => void refresh(site))).catch(() => undefined);
