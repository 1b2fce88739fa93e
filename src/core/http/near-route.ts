import { type Problem, problem } from "../problem.ts";

/** Things whose place is an argument, with its name: other services have it in the address. */
const placed = /^\/api\/(?:(?:delivery|management)\/)?(entries|registry|types|releases|files|folders)\/(.+)$/;
const named = new Map([
  ["files", "path"],
  ["folders", "path"],
]);

const api = "entries are at /api/entries, and /docs describes all addresses (/api/openapi.json for programs)";
/** What is near addresses that many try first. */
const near = new Map([
  ["/api", api],
  ["/graphql", `there is no GraphQL; ${api}`],
  ["/api/graphql", `there is no GraphQL; ${api}`],
  ["/health", "/health/live says that the process runs, /health/ready that it takes requests"],
  ["/healthz", "/health/live says that the process runs, /health/ready that it takes requests"],
  ["/openapi.json", "the description is at /api/openapi.json"],
]);

/** What to ask in place of an address that is none; undefined where nothing is near. */
function nearRoute(path: string): string | undefined {
  const [, noun, place] = placed.exec(path) ?? [];
  if (noun === undefined || place === undefined) return near.get(path);
  const address = path.slice(0, -place.length - 1);
  const shown = place.length > 80 ? "…" : place;
  return `what it names is an argument: ${address}?${named.get(noun) ?? "id"}=${shown}`;
}

/** The refusal of an address that is none, which says what is near. */
export function routeNotFound(method: string, url: string): Problem {
  const path = (url.split("?", 1)[0] as string).replace(/(?<=.)\/$/, "");
  return problem("route_not_found", { method, path, hint: nearRoute(path) });
}
