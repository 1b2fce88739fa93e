import { readFileSync } from "node:fs";
import { problem } from "../domain/problem.ts";
import { once } from "../lib/once.ts";
import { docsAnswer, docsHtml, type Group, guideHtml, guides, pictureFolders } from "./docs-page.ts";
import { docsFile, hashedAsset, htmlHeaders, namedAsset, noncePage, openRoute } from "./page.ts";
import { Reference } from "./reference.ts";
import type { Answer } from "./reply.ts";
import type { ApiRoute, Route } from "./route.ts";

/** The documentation that the service serves itself: the API reference, and guides from the repository. */

const root = new URL("../../", import.meta.url);

/** /docs and all below it. */
export function docsRoutes(api: readonly ApiRoute[], publicUrl: string | undefined): Route[] {
  const reference = new Reference(api, publicUrl);
  return [
    ...reference.routes(),
    ...Object.entries(guides).map(([url, { file, title }]) =>
      openRoute(
        url,
        title,
        once(() => guidePage(url, file, title, reference.contents)),
      ),
    ),
    ...tryRoutes(),
    file("/docs/page.css", "Styles of the pages", "text/css; charset=utf-8"),
    file("/docs/mark.svg", "The mark of Octavo", "image/svg+xml"),
    ...pictureFolders.map((folder) =>
      openRoute(`/docs/${folder}/*`, "Pictures of the guides", ({ url }) => picture(url)),
    ),
  ];
}

/** A file of assets/docs by its own name. */
const file = (url: string, summary: string, type: string): Route =>
  openRoute(
    url,
    summary,
    once(() => namedAsset(docsFile(url.slice("/docs/".length)), type)),
  );

function guidePage(url: string, file: string, title: string, contents: readonly Group[]): Answer {
  const content = guideHtml(readFileSync(new URL(file, root), "utf8"), file);
  return docsAnswer(docsHtml({ title, url, content, contents }));
}

/**
 * The page that tries a call, with the only script below /docs. Scripts by nonce, since uploads share the page's
 * origin.
 */
function tryRoutes(): Route[] {
  const script = once(() => hashedAsset(docsFile("try.js"), "text/javascript; charset=utf-8"));
  const page = once(() => docsFile("try.html").toString().replace("octavo-script", `/docs/try.js?v=${script().tag}`));
  return [
    openRoute("/docs/try", "Try a call", () => noncePage(page(), tryPolicy, htmlHeaders)),
    openRoute("/docs/try.js", "What tries a call", script),
  ];
}

const tryPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const types: Record<string, string> = { webp: "image/webp", jpg: "image/jpeg" };

function picture(url: string): Answer {
  const [, path = "", extension = ""] = /^(\/docs\/\w+\/[\w-]+\.(webp|jpg))(?:\?|$)/.exec(url) ?? [];
  try {
    // A name that does not match this pattern could lead out of the folder.
    if (path)
      return {
        ...namedAsset(readFileSync(new URL(`.${path}`, root)), types[extension] as string),
        coded: undefined,
      };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  throw problem("route_not_found", { method: "GET", path: url });
}
