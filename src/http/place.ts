import type { CollectionBounds } from "../domain/collection.ts";
import type { FolderKey, UploadsPlace } from "../domain/folder.ts";
import { type Path, parsePath, parsePathBelowRoot } from "../domain/path.ts";
import { Problem, problem } from "../domain/problem.ts";
import { formatRevision } from "../domain/revision.ts";
import type { JsonObject } from "../lib/json.ts";
import { type Call, isTokenInUrl } from "./call.ts";
import { deliveryCache, managementCache, tagOf } from "./reply.ts";
import { argumentsOf, type Route } from "./route.ts";

/**
 * What the routes of folders and of files share: two dialects that name a path differently, addresses made of the
 * public base, and how long such answers may be kept. Contract §5.
 */

export type PlaceOptions = {
  /** The absolute directory of the uploads tree. */
  root: string;
  /** Where clients reach the service; without it, what each request came to. */
  publicUrl: string | undefined;
  bounds: CollectionBounds;
  /** Where a page of a collection ends. */
  pageBytes: number;
  deliverySharedMaxAgeSeconds: number;
  /** Every read is strict: it refuses unknown keys of filter and options. */
  isStrict: boolean;
};

/** Throws host_invalid. */
export const placeOf = (call: Call, { root, publicUrl }: PlaceOptions): UploadsPlace => ({
  root,
  base: publicUrl ?? call.origin(),
});

/** The tag of a state as answered with these addresses. */
export const placeTag = (revision: number, { root, base }: UploadsPlace): string =>
  `${formatRevision(revision)}-${tagOf(`${base} ${root}`).slice(0, 8)}`;

/** An answer with addresses made of the request's own Host is nobody else's. */
export function placeCache(call: Call, { publicUrl, deliverySharedMaxAgeSeconds }: PlaceOptions): string {
  if (call.access.reads !== "public") return managementCache;
  return deliveryCache({ isTokenInUrl: isTokenInUrl(call) && publicUrl !== undefined }, deliverySharedMaxAgeSeconds);
}

type Which = "" | "new_";

/** The path a call names, as the dialect or the other one calls it. Throws argument_missing, argument_invalid,
 *  argument_conflict, path_invalid. */
export function pathArgument(call: Call, key: FolderKey, which: Which = ""): Path {
  return readPath(call, key, which, parsePath);
}

/** The same for what is written: the root cannot be. */
export function pathBelowRoot(call: Call, key: FolderKey, which: Which = ""): Path {
  return readPath(call, key, which, parsePathBelowRoot);
}

function readPath(call: Call, key: FolderKey, which: Which, parse: typeof parsePath): Path {
  const sent = argumentsOf(call);
  const names = [`${which}${key}`, `${which}${key === "path" ? "id" : "path"}`];
  const found: { name: string; path: Path }[] = [];
  for (const name of names) {
    const value = sent.get(name);
    if (value === undefined) continue;
    if (typeof value !== "string") {
      throw problem("argument_invalid", { argument: name, came: "not a text", accepted: "a path" });
    }
    found.push({ name, path: parse(name, value) });
  }
  const [first, second] = found;
  if (!first) throw problem("argument_missing", { argument: names[0] as string, accepted: "a path" });
  if (second && second.path !== first.path) {
    throw problem("argument_conflict", { first: first.name, second: second.name });
  }
  return first.path;
}

/**
 * The route, with refusals that call a path what the client called it: the domain knows one name for it, the dialects
 * have two.
 */
export const asSent = <R extends Route>(route: R): R => ({
  ...route,
  handle: async (call) => {
    try {
      return await route.handle(call);
    } catch (error) {
      throw error instanceof Problem ? error.renamed((name) => nameAsSent(name, argumentsOf(call))) : error;
    }
  },
});

/** The other dialect's name of an argument that was sent under that name. */
function nameAsSent(argument: string, sent: JsonObject): string {
  const twin = twins.get(argument);
  return twin !== undefined && !sent.has(argument) && sent.has(twin) ? twin : argument;
}

const twins = new Map([
  ["path", "id"],
  ["id", "path"],
  ["new_path", "new_id"],
  ["new_id", "new_path"],
]);
