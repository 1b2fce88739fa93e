import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { once } from "../lib/once.ts";
import { docsFile, hashedAsset, htmlHeaders, noncePage, openRoute } from "./page.ts";
import type { Route } from "./route.ts";

/** /docs: the API reference, drawn in the browser by Scalar out of /api/openapi.json. Decision 18. */

const require = createRequire(import.meta.url);
const viewerPackage = "@scalar/fastify-api-reference";

/** The page and what it loads: the viewer and its start, at addresses that change with their bytes. */
export function viewerRoutes(publicUrl: string | undefined): Route[] {
  const viewer = once(() => hashedAsset(readViewer(), "text/javascript; charset=utf-8"));
  const start = once(() => hashedAsset(docsFile("reference.js"), "text/javascript; charset=utf-8"));
  const html = once(() =>
    docsFile("reference.html")
      .toString()
      .replace("octavo-viewer", `/docs/viewer.js?v=${versionOf(viewerPackage)}`)
      .replace("octavo-start", `/docs/reference.js?v=${start().tag}`),
  );
  return [
    openRoute("/docs", "The API reference", () => noncePage(html(), policyFor(publicUrl), htmlHeaders)),
    openRoute("/docs/viewer.js", "The viewer of the reference", viewer),
    openRoute("/docs/reference.js", "What starts the viewer", start),
  ];
}

/**
 * The viewer's script, which its package holds as one literal. To import the package would load all it builds on: 0.6 s
 * and 60 MB for a text.
 */
function readViewer(): Buffer {
  const source = readFileSync(require.resolve(viewerPackage), "utf8");
  const literal = /^var standalone_default = (".*");$/m.exec(source)?.[1];
  if (literal === undefined) throw new Error(`${viewerPackage} does not hold its script as it did`);
  return Buffer.from(runInNewContext(literal) as string);
}

const versionOf = (name: string): string =>
  (
    JSON.parse(readFileSync(new URL("../package.json", `file://${require.resolve(name)}`), "utf8")) as {
      version: string;
    }
  ).version;

/**
 * Scripts by nonce: uploads have the page's own origin, and `'self'` would take a script from there. The viewer puts its
 * styles into the page itself. Requests go to this service alone.
 */
const policyFor =
  (publicUrl: string | undefined) =>
  (nonce: string): string =>
    [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "media-src 'self' blob:",
      `connect-src 'self'${publicUrl ? ` ${new URL(publicUrl).origin}` : ""}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; ");
