import { problemDocsPath } from "../src/core/http/problem.ts";
import { Html, html } from "./html.ts";
import { toHtml } from "./markdown.ts";

/** The frame of every page below /docs: navigation and the page's own content. No script runs in it. */

/** A page in the table of contents; `places` are its sections, shown while it is open. */
export type PageLink = { url: string; title: string; places?: readonly PageLink[] };
export type Group = { name: string; places: readonly PageLink[] };

export type DocsPage = { title: string; url: string; content: Html; contents: readonly Group[] };

/** The groups of the table of contents, in their order. What is looked up is "Reference": a search shows guides before it. */
export const groupNames = ["Start", "Guides", "Operation", "Reference"] as const;
export type GroupName = (typeof groupNames)[number];

export type Guide = { file: string; title: string; group: GroupName };

/** The guides by their addresses: `type` of every problem links to the one of problems. */
export const guides: Record<string, Guide> = {
  "/docs/readme": { file: "README.md", title: "About Octavo", group: "Start" },
  "/docs/getting-started": { file: "docs/getting-started.md", title: "Getting started", group: "Start" },
  "/docs/editors": { file: "docs/editors.md", title: "For editors", group: "Start" },
  "/docs/faq": { file: "docs/faq.md", title: "FAQ", group: "Start" },
  "/docs/comparison": { file: "docs/comparison.md", title: "Comparison", group: "Start" },
  "/docs/moving-in": { file: "docs/moving-in.md", title: "Coming from Flextype", group: "Start" },
  "/docs/queries": { file: "docs/queries.md", title: "Queries", group: "Guides" },
  "/docs/search": { file: "docs/search.md", title: "A search box", group: "Guides" },
  "/docs/types": { file: "docs/types.md", title: "Model your content", group: "Guides" },
  "/docs/pictures": { file: "docs/pictures.md", title: "Pictures on a page", group: "Guides" },
  "/docs/rendering": { file: "docs/rendering.md", title: "Markdown to HTML", group: "Guides" },
  "/docs/staged": { file: "docs/staged.md", title: "From draft to live", group: "Guides" },
  "/docs/releases": { file: "docs/releases.md", title: "Ship a campaign", group: "Guides" },
  "/docs/two-languages": { file: "docs/two-languages.md", title: "A site in two languages", group: "Guides" },
  "/docs/translators": { file: "docs/translators.md", title: "Work with translators", group: "Guides" },
  "/docs/undo": { file: "docs/undo.md", title: "Undoing things", group: "Guides" },
  "/docs/client": { file: "client/README.md", title: "Client", group: "Guides" },
  "/docs/batch": { file: "docs/batch.md", title: "Many writes at once", group: "Guides" },
  "/docs/nightly-import": { file: "docs/nightly-import.md", title: "Import products every night", group: "Guides" },
  "/docs/uploads": { file: "docs/uploads.md", title: "Large uploads", group: "Guides" },
  "/docs/webhooks": { file: "docs/webhooks.md", title: "Webhooks", group: "Guides" },
  "/docs/feed": { file: "docs/feed.md", title: "Mirror content", group: "Guides" },
  "/docs/mirror": { file: "docs/mirror.md", title: "Mirror into another search", group: "Guides" },
  "/docs/environments": { file: "docs/environments.md", title: "Staging and production", group: "Guides" },
  "/docs/content-in-git": { file: "docs/content-in-git.md", title: "Content in git", group: "Guides" },
  "/docs/agents": { file: "docs/agents.md", title: "Connect an agent", group: "Guides" },
  "/docs/server": { file: "docs/server.md", title: "On a server", group: "Operation" },
  "/docs/container": { file: "docs/container.md", title: "In a container", group: "Operation" },
  "/docs/elsewhere": { file: "docs/elsewhere.md", title: "Commands on another machine", group: "Operation" },
  "/docs/operations": { file: "docs/operations.md", title: "Running it", group: "Operation" },
  "/docs/capacity": { file: "docs/capacity.md", title: "Capacity plan", group: "Operation" },
  "/docs/people": { file: "docs/people.md", title: "People and roles", group: "Operation" },
  "/docs/purge": { file: "docs/purge.md", title: "Purge a CDN", group: "Operation" },
  "/docs/security": { file: "docs/security.md", title: "Security", group: "Operation" },
  "/docs/admin": { file: "docs/admin.md", title: "The admin page", group: "Operation" },
  "/docs/contract": { file: "docs/contract.md", title: "Contract", group: "Reference" },
  "/docs/images": { file: "docs/images.md", title: "Images", group: "Reference" },
  "/docs/settings": { file: "docs/settings.md", title: "Settings", group: "Reference" },
  [problemDocsPath]: { file: "docs/problems.md", title: "Problems", group: "Reference" },
  "/docs/compatibility": { file: "docs/compatibility.md", title: "Compatibility", group: "Reference" },
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

function placeHtml({ url: to, title, places = [] }: PageLink, url: string): Html {
  if (to !== url) return html`<li><a href="${to}">${title}</a></li>`;
  const inner = places.map((place) => html`<li><a href="${place.url}">${place.title}</a></li>`);
  const list = inner.length > 0 ? html`<ul>${inner}</ul>` : undefined;
  return html`<li><a href="${to}" aria-current="page">${title}</a>${list}</li>`;
}
