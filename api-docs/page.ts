import { problemDocsPath } from "../src/http/exchange/problem.ts";
import { Html, html } from "./html.ts";
import { toHtml } from "./markdown.ts";

/** The frame of every page below /docs: navigation and the page's own content. No script runs in it. */

/** A page in the table of contents; `places` are its sections, shown while it is open. */
export type Place = { url: string; title: string; places?: readonly Place[] };
export type Group = { name: string; places: readonly Place[] };

export type DocsPage = { title: string; url: string; content: Html; contents: readonly Group[] };

/** The guides by their addresses: `type` of every problem links to the one of problems. */
export const guides: Record<string, { file: string; title: string }> = {
  "/docs/readme": { file: "README.md", title: "About Octavo" },
  "/docs/getting-started": { file: "docs/getting-started.md", title: "Getting started" },
  "/docs/queries": { file: "docs/queries.md", title: "Queries" },
  "/docs/contract": { file: "docs/contract.md", title: "Contract" },
  "/docs/compatibility": { file: "docs/compatibility.md", title: "Compatibility" },
  "/docs/images": { file: "docs/images.md", title: "Images" },
  [problemDocsPath]: { file: "docs/problems.md", title: "Problems" },
  "/docs/settings": { file: "docs/settings.md", title: "Settings" },
  "/docs/staged": { file: "docs/staged.md", title: "From draft to live" },
  "/docs/releases": { file: "docs/releases.md", title: "Ship a campaign" },
  "/docs/types": { file: "docs/types.md", title: "Model your content" },
  "/docs/rendering": { file: "docs/rendering.md", title: "Markdown to HTML" },
  "/docs/moving-in": { file: "docs/moving-in.md", title: "Coming from Flextype" },
  "/docs/content-in-git": { file: "docs/content-in-git.md", title: "Content in git" },
  "/docs/undo": { file: "docs/undo.md", title: "Undoing things" },
  "/docs/batch": { file: "docs/batch.md", title: "Many writes at once" },
  "/docs/feed": { file: "docs/feed.md", title: "Mirror content" },
  "/docs/webhooks": { file: "docs/webhooks.md", title: "Webhooks" },
  "/docs/purge": { file: "docs/purge.md", title: "Purge a CDN" },
  "/docs/people": { file: "docs/people.md", title: "People and roles" },
  "/docs/editors": { file: "docs/editors.md", title: "For editors" },
  "/docs/container": { file: "docs/container.md", title: "In a container" },
  "/docs/server": { file: "docs/server.md", title: "On a server" },
  "/docs/operations": { file: "docs/operations.md", title: "Running it" },
  "/docs/admin": { file: "docs/admin.md", title: "The admin page" },
  "/docs/client": { file: "client/README.md", title: "Client" },
};

/** Folders of docs/ that hold the guides' images. */
export const pictureFolders = ["images", "screenshots"] as const;

/** A Markdown page of the repository as HTML; its links point to pages that are served here. */
export const guideHtml = (markdown: string, file: string): Html =>
  new Html(toHtml(markdown, (target) => resolve(file, target)));

/** A short Markdown description as HTML. */
export const proseHtml = (markdown: string): Html => guideHtml(markdown, "docs/reference.md");

/**
 * The address here for a link of a repository's page; undefined when the target is not served (it becomes plain text).
 */
function resolve(file: string, target: string): string | undefined {
  if (/^(https?:|#|\/docs\b)/.test(target)) return target;
  const { pathname, hash } = new URL(target, `file:///${file}`);
  const [url] = Object.entries(guides).find(([, guide]) => pathname === `/${guide.file}`) ?? [];
  if (url) return url + hash;
  return pictureFolders.some((folder) => pathname.startsWith(`/docs/${folder}/`)) ? pathname : undefined;
}

/** A page as HTML. */
export const docsHtml = ({ title, url, content, contents }: DocsPage): string =>
  html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Octavo</title>
<link rel="icon" href="/docs/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/page.css">
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="brand" href="/docs"><img src="/docs/mark.svg" alt="" width="28" height="28">Octavo</a>
<form class="search" action="/docs/search" role="search"><input type="search" name="q" placeholder="Search" aria-label="Search the documentation"></form>
<button popovertarget="contents">Contents</button>
</header>
<nav id="contents" popover aria-label="Contents">
${contents.map((group) => groupHtml(group, url))}
</nav>
<main id="content">
${content}
</main>
</body>
</html>
`.text;

const groupHtml = ({ name, places }: Group, url: string): Html =>
  html`<p class="group">${name}</p>
<ul>
${places.map((place) => placeHtml(place, url))}
</ul>`;

function placeHtml({ url: to, title, places = [] }: Place, url: string): Html {
  if (to !== url) return html`<li><a href="${to}">${title}</a></li>`;
  const inner = places.map((place) => html`<li><a href="${place.url}">${place.title}</a></li>`);
  const list = inner.length > 0 ? html`<ul>${inner}</ul>` : undefined;
  return html`<li><a href="${to}" aria-current="page">${title}</a>${list}</li>`;
}
