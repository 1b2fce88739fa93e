import { type GroupHeaders, groupsFor } from "../core/http/cache-group.ts";
import { type Call, isTokenInUrl } from "../core/http/call.ts";
import type { CollectionPages, PageGroups } from "../core/http/collection-page.ts";
import { cacheOf, tagOf } from "../core/http/reply.ts";
import { type ArgumentReader, argumentsOf, bounded, pathOrRoot, type Route } from "../core/http/route.ts";
import { pathBelowRoot, slugOrRoot } from "../core/http/schema.ts";
import { describeJson, type JsonObject } from "../core/lib/json.ts";
import { folderListGroups } from "../core/list/cache-group.ts";
import type { CollectionBounds } from "../core/list/list.ts";
import { type Path, parsePath, parsePathBelowRoot } from "../core/path.ts";
import { Problem, problem } from "../core/problem.ts";
import { formatRevision } from "../core/revision.ts";
import type { FolderKey, UploadsAddress } from "./folder.ts";

/**
 * Shared by the routes of folders and of files: two dialects that name a path differently, addresses built from the
 * public base, and the cache lifetime of such replies. Contract §5.
 */

export type AddressOptions = {
  /** The absolute directory of the uploads tree. */
  root: string;
  /** Where clients reach the service; when absent, the address of each request. */
  publicUrl: string | undefined;
  bounds: CollectionBounds;
  pages: CollectionPages;
  deliverySharedMaxAgeSeconds: number;
  /** False where deletes are for good. */
  hasTrash: boolean;
  /** Undefined where replies have no cache groups. */
  groups: GroupHeaders | undefined;
};

/** Throws host_invalid. */
export const addressOf = (
  call: Call,
  { root, publicUrl }: Pick<AddressOptions, "root" | "publicUrl">,
): UploadsAddress => ({
  root,
  base: publicUrl ?? call.origin(),
});

/** The ETag of a state as returned with these addresses. */
export const addressTag = (revision: number, { root, base }: UploadsAddress): string =>
  `${formatRevision(revision)}-${tagOf(`${base} ${root}`).slice(0, 8)}`;

/** A reply with addresses built from the request's own Host must not be shared between clients. */
export function addressCache(call: Call, { publicUrl, deliverySharedMaxAgeSeconds }: AddressOptions): string {
  return cacheOf(call.access, isTokenInUrl(call) && publicUrl !== undefined, deliverySharedMaxAgeSeconds);
}

/** The cache groups of a list of files or folders; undefined where its reply has none. */
export function folderPageGroups({ access }: Call, { groups }: AddressOptions): PageGroups | undefined {
  const headers = groupsFor(access, groups);
  return headers && { headers, of: folderListGroups };
}

/**
 * Reads a path under either dialect's name: `path` and `id`, `new_path` and `new_id`. Throws argument_missing,
 * argument_invalid, argument_conflict, and what `parse` throws.
 */
const eitherName = (parse: typeof parsePath, accepted = (_name: string) => "a path"): ArgumentReader<Path> =>
  Object.assign((sent: JsonObject, name: string) => readEither(parse, sent, name, accepted), {
    otherName: (name: string) => twins.get(name),
  });

function readEither(parse: typeof parsePath, sent: JsonObject, name: string, accepted: (name: string) => string): Path {
  const found: { name: string; path: Path }[] = [];
  for (const one of [name, twins.get(name) as string]) {
    const value = sent.get(one);
    if (value === undefined) continue;
    if (typeof value !== "string") {
      throw problem("argument_invalid", { argument: one, received: describeJson(value), accepted: "a path" });
    }
    found.push({ name: one, path: parse(one, value) });
  }
  const [first, second] = found;
  if (!first) throw problem("argument_missing", { argument: name, accepted: accepted(name) });
  if (second && second.path !== first.path) {
    throw problem("argument_conflict", { first: first.name, second: second.name });
  }
  return first.path;
}

/** The path to read, in either dialect; it may be the root. */
export const pathToRead = (description: string) => slugOrRoot(description, eitherName(parsePath, pathOrRoot));
/** The path to write, in either dialect. */
export const pathToWrite = (noun: "file" | "folder", description: string) =>
  bounded(pathBelowRoot(description, eitherName(parsePathBelowRoot)), (argument, path) =>
    problem(`${noun}_not_found`, { argument, path }),
  );
/** A dialect's names of the arguments `path` and `newPath`. */
export const dialectNames = (key: FolderKey) => ({ path: key, newPath: `new_${key}` });

/** The route, with refusals that name a path as the client did: the domain has one name for it, the dialects two. */
export const asSent = <R extends Route>(route: R): R => {
  const renamed = (error: unknown, call: Call) =>
    error instanceof Problem ? error.renamed((name) => nameAsSent(name, argumentsOf(call))) : error;
  return {
    ...route,
    read: (call) => {
      try {
        return route.read(call);
      } catch (error) {
        throw renamed(error, call);
      }
    },
    handle: async (call, args) => {
      try {
        return await route.handle(call, args);
      } catch (error) {
        throw renamed(error, call);
      }
    },
  };
};

/** The other dialect's name of an argument, if the client sent that one. */
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
