import { docsFile, isBrowser, namedAsset, openRoute } from "../core/http/html.ts";
import { type Answer, json } from "../core/http/reply.ts";
import type { Route } from "../core/http/route.ts";
import { memo } from "../core/lib/memo.ts";

/** The root of the service and the favicon. */

const headers = ["Cache-Control", "no-cache", "Vary", "Accept"];

/** `/` and `/favicon.ico`. */
export function rootRoutes(hasAdminPage: boolean): Route[] {
  const page = hasAdminPage ? "/admin" : "/docs";
  return [
    openRoute("/", "Where things are", ({ accept }) => (isBrowser(accept) ? leadTo(page) : addresses(hasAdminPage))),
    openRoute(
      "/favicon.ico",
      "The mark of Octavo",
      memo(() => namedAsset(docsFile("favicon.ico"), "image/x-icon")),
    ),
  ];
}

const leadTo = (location: string): Answer => ({
  status: 302,
  body: "",
  contentType: "",
  cacheControl: "no-cache",
  headers: ["Location", location, ...headers],
});

/** Without version and state: the route requires no authentication. */
function addresses(hasAdminPage: boolean): Answer {
  const found = {
    name: "Octavo",
    api: "/api",
    openapi: "/api/openapi.json",
    docs: "/docs",
    ...(hasAdminPage ? { admin: "/admin" } : {}),
    health: "/health/ready",
  };
  return json(JSON.stringify(found), { cacheControl: "no-cache", headers: ["Vary", "Accept"] });
}
