import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { problem } from "../domain/problem.ts";
import { type Answer, type Coded, tagOf } from "./reply.ts";
import type { Route } from "./route.ts";

/** The admin page as Vite built it. */
const dist = new URL("../../admin/dist/", import.meta.url);
const index = new URL("index.html", dist);
const prefix = "/admin/";
/** Where Vite puts what has its hash in its name. */
const assets = "assets/";
/** What stands in the built page wherever each reply puts a nonce of its own: admin/vite.config.ts. */
const noncePlaceholder = "octavo-nonce";

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

type Asset = { body: Buffer; contentType: string; tag: string; coded: Coded };
type Page = { html: string; assets: ReadonlyMap<string, Asset>; builtMs: number };

/** /admin and all below it: the built files, and for any other address there the page itself, which reads it. */
export function adminRoutes(): Route[] {
  let page: Page | undefined;
  const route = (url: string): Route => ({
    method: "GET",
    url,
    summary: "The admin page",
    arguments: {},
    replyType: "text/html",
    problems: ["admin_not_built", "route_not_found"],
    handle: (call) => {
      const builtMs = statSync(index, { throwIfNoEntry: false })?.mtimeMs;
      if (builtMs === undefined) throw problem("admin_not_built");
      if (page?.builtMs !== builtMs) page = readPage(builtMs);
      const [path = ""] = call.url.split("?", 1);
      const name = path.slice(prefix.length);
      if (!name.startsWith(assets)) return pageAnswer(page.html);
      const asset = page.assets.get(name);
      if (!asset) throw problem("route_not_found", { method: call.method, path });
      return assetAnswer(asset);
    },
  });
  return [route("/admin"), route(`${prefix}*`)];
}

function readPage(builtMs: number): Page {
  const names = readdirSync(new URL(assets, dist)).map((name) => assets + name);
  return {
    html: readFileSync(index, "utf8"),
    assets: new Map(names.map((name) => [name, readAsset(name)])),
    builtMs,
  };
}

function readAsset(name: string): Asset {
  const body = readFileSync(new URL(name, dist));
  const contentType = types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  return { body, contentType, tag: tagOf(body), coded: {} };
}

function pageAnswer(html: string): Answer {
  const nonce = randomBytes(16).toString("base64url");
  return {
    status: 200,
    body: html.replaceAll(noncePlaceholder, nonce),
    contentType: types.html as string,
    // Its nonce is good once; it is small, and what it loads is kept for ever.
    cacheControl: "no-store",
    headers: ["Content-Security-Policy", policy(nonce), ...pageHeaders],
  };
}

const assetAnswer = ({ body, contentType, tag, coded }: Asset): Answer => ({
  status: 200,
  body,
  contentType,
  tag,
  cacheControl: "public, max-age=31536000, immutable",
  headers: pageHeaders,
  coded,
});

/**
 * Scripts and styles by nonce alone: uploads have the page's own origin, and `'self'` would take a script from there.
 * Nothing is fetched from another host, whatever an entry's text asks for.
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    // Typing over highlighted text, browsers set style attributes of their own; these load nothing and run nothing.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const pageHeaders = [
  ...["X-Frame-Options", "DENY"],
  ...["Cross-Origin-Opener-Policy", "same-origin"],
  ...["Cross-Origin-Resource-Policy", "same-origin"],
];
