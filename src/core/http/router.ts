import FindMyWay, { type HTTPMethod } from "find-my-way";
import { problem } from "../problem.ts";
import { preflightHeaders } from "./cors.ts";
import { routeNotFound } from "./near-route.ts";
import type { Route } from "./route.ts";

/** A route, and what matched the `*` of its address, percent-decoded once. */
export type Match = { route: Route; rest: string };

const methods = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"] as const;

/** Finds the route of a request by method and address. Trailing slashes are ignored; HEAD matches the GET route. */
export class Router {
  private readonly tree;

  constructor(routes: readonly Route[]) {
    this.tree = FindMyWay({
      ignoreTrailingSlash: true,
      // The query is read once, by core/http/call.ts.
      querystringParser: () => ({}),
      onBadUrl: () => undefined,
    });
    for (const route of routes) {
      this.tree.on(route.method === "GET" ? ["GET", "HEAD"] : route.method, route.url, unused, route);
    }
  }

  /** The route, or undefined. Throws request_invalid when the address cannot be decoded. */
  find(method: string, url: string): Match | undefined {
    // The service as a whole (RFC 9110 §7.1), which the library takes for its root.
    if (url.startsWith("*")) return undefined;
    const found = this.tree.find(method as HTTPMethod, url);
    if (found === null) return undefined;
    // The router's result for an address that it cannot decode has no store.
    if (!found.store) throw problem("request_invalid", { reason: "its address cannot be decoded" });
    return { route: found.store as Route, rest: found.params["*"] ?? "" };
  }

  /** The route. Throws method_not_allowed, route_not_found, and what find throws. */
  get(method: string, url: string): Match {
    const found = this.find(method, url);
    if (found) return found;
    const allowed = this.methodsAt(url).join(", ");
    throw allowed ? problem("method_not_allowed", { method, allowed }) : routeNotFound(method, url);
  }

  /** The methods that have a route at this address. */
  methodsAt(url: string): string[] {
    return methods.filter((method) => this.routeAt(method, url));
  }

  /** The headers of the answer to OPTIONS there. */
  optionsAt(url: string): string[] {
    const found = this.methodsAt(url);
    return preflightHeaders(found).concat(this.routeAt(found[0] ?? "", url)?.door.optionsHeaders ?? []);
  }

  private routeAt(method: string, url: string): Route | undefined {
    return url.startsWith("*") ? undefined : (this.tree.find(method as HTTPMethod, url)?.store as Route | undefined);
  }
}

/** The router requires a handler; core/http/exchange.ts calls ours itself. */
const unused = (): void => undefined;
