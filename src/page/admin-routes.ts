import { readdirSync, readFileSync, statSync } from "node:fs";
import { hashedAsset, htmlHeaders, noncePage } from "../core/http/html.ts";
import type { Answer } from "../core/http/reply.ts";
import { type Route, route } from "../core/http/route.ts";
import type { PersonStore } from "../people/person.ts";
import { problem } from "./problems.ts";

/** The admin page as Vite built it. */
const dist = new URL("../../admin/dist/", import.meta.url);
const index = new URL("index.html", dist);
const prefix = "/admin/";
/** Vite's folder for files with a hash in their name. */
const assets = "assets/";

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

type Page = { html: string; assets: ReadonlyMap<string, Answer>; builtMs: number };

/**
 * /admin and all below it: the built files. Any other address there gets the page, which does its own routing, and gets
 * whether there are people who sign in, and the host of the issuer where they may.
 */
export function adminRoutes(
  people: Pick<PersonStore, "hasOwner">,
  { issuer, previewUrl }: { issuer: string | undefined; previewUrl: string },
): Route[] {
  let page: Page | undefined;
  const policy = policyOf(previewUrl && new URL(previewUrl.replaceAll(/\{\w+\}/g, "x")).origin);
  const pageRoute = (url: string): Route =>
    route({
      unknown: "ignored",
      method: "GET",
      url,
      summary: "The admin page",
      arguments: {},
      replyForm: { type: "text/html" },
      problems: ["admin_not_built", "route_not_found"],
      handle: async (call) => {
        const builtMs = statSync(index, { throwIfNoEntry: false })?.mtimeMs;
        if (builtMs === undefined) throw problem("admin_not_built");
        if (page?.builtMs !== builtMs) page = readPage(builtMs);
        const [path = ""] = call.url.split("?", 1);
        const name = path.slice(prefix.length);
        if (!name.startsWith(assets)) {
          // A store that cannot be read has its page, which says so.
          const hasOwner = await people.hasOwner().catch(() => false);
          return noncePage(withFacts(page.html, hasOwner, issuer), policy, headers);
        }
        const answer = page.assets.get(name);
        if (!answer) throw problem("route_not_found", { method: call.method, path });
        return answer;
      },
    });
  return [pageRoute("/admin"), pageRoute(`${prefix}*`)];
}

/** A host has no character that HTML would read. */
const withFacts = (html: string, hasPeople: boolean, issuer: string | undefined): string =>
  html.replace(
    "<html",
    `<html${hasPeople ? " data-people" : ""}${issuer === undefined ? "" : ` data-oidc="${issuer}"`}`,
  );

function readPage(builtMs: number): Page {
  const names = readdirSync(new URL(assets, dist)).map((name) => assets + name);
  return {
    html: readFileSync(index, "utf8"),
    assets: new Map(names.map((name) => [name, readAsset(name)])),
    builtMs,
  };
}

function readAsset(name: string): Answer {
  const contentType = types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  return { ...hashedAsset(readFileSync(new URL(name, dist)), contentType), headers };
}

/**
 * Scripts and styles are allowed by nonce only: uploads share the page's origin, so `'self'` would allow a script from
 * there. Nothing is fetched from another host, whatever an entry's text refers to; the site that shows previews has a frame.
 */
const policyOf =
  (site: string) =>
  (nonce: string): string =>
    [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      // Only what a script of the page has made: it renders previews.
      "worker-src blob:",
      `style-src 'nonce-${nonce}'`,
      // When text is typed over a selection, browsers set style attributes of their own; these load nothing and run
      // nothing.
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' blob: data:",
      "font-src 'self'",
      "media-src 'self'",
      "connect-src 'self'",
      ...(site ? [`frame-src ${site}`] : []),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; ");

const headers = [...htmlHeaders, "Cross-Origin-Resource-Policy", "same-origin"];
