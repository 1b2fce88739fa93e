import { argumentNames, type Names } from "../domain/collection.ts";
import { type Problem, problem, problems } from "../domain/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { after } from "../lib/maybe-promise.ts";
import { nearest } from "../lib/nearest.ts";
import type { CollectionArguments } from "./collection.ts";
import type { Route } from "./route.ts";

/**
 * Unknown keys of `filter` and `options`. Flextype ignored them, so a typo silently changed the result. A read lists
 * them in `Octavo-Ignored`; a strict read is refused. Contract §1.
 */

const leaf: Names = new Map();
const groups = (filter: Names): [string, Names][] => [
  ["collection", leaf],
  ["filter", filter],
  ["find", filter],
];
const include: [string, Names] = ["include", leaf];
const entryFilter: Names = new Map([...argumentNames, include]);
/** The known keys of the groups that reads of entries take. */
export const entryGroups: Names = new Map([
  ["filter", entryFilter],
  ["args", entryFilter],
  ["options", new Map([...groups(entryFilter), include, ["render", leaf]])],
]);
/** Those of files and folders, where filter arguments are keys of `options` too: see filterOrOptions. */
export const placeGroups: Names = new Map([
  ["filter", argumentNames],
  ["options", new Map([...argumentNames, ...groups(argumentNames)])],
]);

/** An unknown key, and the names that are known in its group. */
type Unknown = { argument: string; group: string; names: Names };

const maxListed = 20;
const maxNameLength = 80;
const maxHeaderLength = 1000;

/** A GET route that reports the keys it ignores, or throws argument_unknown. `names` are the known ones. */
export function reportIgnored(route: Route, names: Names, isStrict: boolean): Route {
  if (route.method !== "GET") return route;
  return {
    ...route,
    handle: (call, args: CollectionArguments) => {
      const refuses = args.strict === true || isStrict;
      if (!["filter", "args", "options"].some((group) => call.query.has(group))) return route.handle(call, args);
      const unknown = [...unknownIn(call.query, names)];
      if (unknown.length === 0) return route.handle(call, args);
      if (refuses) throw refusal(unknown);
      const header = ["Octavo-Ignored", formatIgnored(unknown)];
      return after(route.handle(call, args), (answer) => ({
        ...answer,
        headers: [...(answer.headers ?? []), ...header],
      }));
    },
  };
}

function* unknownIn(query: JsonObject, names: Names): Generator<Unknown> {
  for (const [name, known] of names) yield* unknownBelow(query.get(name), name, known);
}

function* unknownBelow(value: Json | undefined, group: string, names: Names): Generator<Unknown> {
  // A leaf is validated by the code that reads it.
  if (names.size === 0) return;
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* unknownBelow(item, `${group}[${i}]`, names);
  if (!isJsonObject(value)) return;
  for (const [key, member] of value) {
    const argument = `${group}[${key}]`;
    const known = names.get(key);
    if (known) yield* unknownBelow(member, argument, known);
    else yield { argument, group, names };
  }
}

function refusal(unknown: readonly Unknown[]): Problem {
  const [first, ...rest] = unknown.slice(0, maxListed).map(toProblem);
  return problems([first as Problem, ...rest]);
}

function toProblem({ argument, group, names }: Unknown): Problem {
  const known = [...names.keys()];
  const near = nearest(argument.slice(group.length + 1, -1), known);
  return problem("argument_unknown", { argument, near: near && `${group}[${near}]`, names: known });
}

/** The names as sent, in a list; characters that a header or a comma-separated list cannot hold are percent-encoded. */
function formatIgnored(unknown: readonly Unknown[]): string {
  const listed: string[] = [];
  let length = 0;
  for (const { argument } of unknown) {
    const name = encode(argument.slice(0, maxNameLength).toWellFormed());
    length += name.length;
    if (listed.length === maxListed || length > maxHeaderLength) return [...listed, "..."].join(", ");
    listed.push(name);
  }
  return listed.join(", ");
}

const encode = (name: string): string =>
  encodeURIComponent(name).replace(/%5B|%5D/g, (bracket) => decodeURIComponent(bracket));
