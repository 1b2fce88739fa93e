import { readFileSync } from "node:fs";
import { problem } from "../domain/problem.ts";
import { toHtml } from "../lib/markdown.ts";
import { once } from "../lib/once.ts";
import { docsFile, htmlHeaders, htmlType, namedAsset, openRoute } from "./page.ts";
import { problemDocsPath } from "./problem.ts";
import type { Answer } from "./reply.ts";
import type { Route } from "./route.ts";
import { viewerRoutes } from "./viewer.ts";

/** The pages that explain the service, which it serves itself: the API reference, and guides out of the repository. */

const root = new URL("../../", import.meta.url);

/** The guides by their addresses: `type` of every problem leads to the one of problems. */
const guides = {
  "/docs/readme": { file: "README.md", title: "About Octavo" },
  "/docs/images": { file: "docs/images.md", title: "Images" },
  [problemDocsPath]: { file: "docs/problems.md", title: "Problems" },
  "/docs/settings": { file: "docs/settings.md", title: "Settings" },
  "/docs/client": { file: "client/README.md", title: "Client" },
};

/** /docs and all below it. */
export function docsRoutes(publicUrl: string | undefined): Route[] {
  return [
    ...viewerRoutes(publicUrl),
    ...Object.entries(guides).map(([url, { file, title }]) =>
      openRoute(
        url,
        title,
        once(() => guidePage(file, title)),
      ),
    ),
    openRoute(
      "/docs/page.css",
      "Styles of the guides",
      once(() => namedAsset(docsFile("page.css"), "text/css; charset=utf-8")),
    ),
    openRoute(
      "/docs/mark.svg",
      "The mark of Octavo",
      once(() => namedAsset(docsFile("mark.svg"), "image/svg+xml")),
    ),
    openRoute("/docs/images/*", "The pictures of the guide to images", ({ url }) => picture(url)),
  ];
}

function guidePage(file: string, title: string): Answer {
  const html = toHtml(readFileSync(new URL(file, root), "utf8"), (target) => resolve(file, target));
  const links = [["/docs", "API reference"], ...Object.entries(guides).map(([url, guide]) => [url, guide.title])];
  const nav = links.map(([url, text]) => `<a href="${url}">${text}</a>`).join("\n");
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Octavo: ${title}</title>
<link rel="icon" href="/docs/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/page.css">
<nav><img src="/docs/mark.svg" alt="Octavo">${nav}</nav>
<main>
${html}
</main>
</html>
`;
  const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";
  return {
    ...namedAsset(Buffer.from(page), htmlType),
    headers: ["Content-Security-Policy", policy, ...htmlHeaders],
  };
}

/** Where a link of a repository's page leads here; what is not served becomes plain text. */
function resolve(file: string, target: string): string | undefined {
  if (/^(https?:|#)/.test(target)) return target;
  const { pathname, hash } = new URL(target, `file:///${file}`);
  const [url] = Object.entries(guides).find(([, guide]) => pathname === `/${guide.file}`) ?? [];
  if (url) return url + hash;
  return pathname.startsWith("/docs/images/") ? pathname : undefined;
}

const types: Record<string, string> = { webp: "image/webp", jpg: "image/jpeg" };

function picture(url: string): Answer {
  const [, name = "", extension = ""] = /^\/docs\/images\/([\w-]+\.(webp|jpg))(?:\?|$)/.exec(url) ?? [];
  try {
    // What has no such name cannot lead out of the folder.
    if (name)
      return {
        ...namedAsset(readFileSync(new URL(`docs/images/${name}`, root)), types[extension] as string),
        coded: undefined,
      };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  throw problem("route_not_found", { method: "GET", path: url });
}
