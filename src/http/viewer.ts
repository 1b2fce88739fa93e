import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInNewContext } from "node:vm";
import { asset, docsFile, htmlHeaders, htmlType, once } from "./docs-asset.ts";
import type { Answer } from "./reply.ts";
import type { Route } from "./route.ts";

/** /docs: the API reference, drawn in the browser by Scalar out of /api/openapi.json. Decision 18. */

const require = createRequire(import.meta.url);
const viewerPackage = "@scalar/fastify-api-reference";

/** The page and what it loads: the viewer and its start, at addresses that change with their bytes. */
export function viewerRoutes(publicUrl: string | undefined): Route[] {
  const viewer = once(() => asset(readViewer(), "text/javascript; charset=utf-8"));
  const start = once(() => asset(docsFile("reference.js"), "text/javascript; charset=utf-8"));
  const html = once(() =>
    docsFile("reference.html")
      .toString()
      .replace("octavo-viewer", `/docs/viewer.js?v=${versionOf(viewerPackage)}`)
      .replace("octavo-start", `/docs/reference.js?v=${start().tag}`),
  );
  const route = (url: string, summary: string, handle: () => Answer): Route => ({
    method: "GET",
    url,
    summary,
    arguments: {},
    problems: [],
    handle,
  });
  return [
    route("/docs", "The API reference", () => pageAnswer(html(), publicUrl)),
    route("/docs/viewer.js", "The viewer of the reference", viewer),
    route("/docs/reference.js", "What starts the viewer", start),
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

function pageAnswer(html: string, publicUrl: string | undefined): Answer {
  const nonce = randomBytes(16).toString("base64url");
  return {
    status: 200,
    body: html.replaceAll("octavo-nonce", nonce),
    contentType: htmlType,
    // Its nonce is good once; it is small, and what it loads is kept.
    cacheControl: "no-store",
    headers: ["Content-Security-Policy", policy(nonce, publicUrl), ...htmlHeaders],
  };
}

/**
 * Scripts by nonce: uploads have the page's own origin, and `'self'` would take a script from there. The viewer puts its
 * styles into the page itself. Requests go to this service alone.
 */
const policy = (nonce: string, publicUrl: string | undefined): string =>
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
