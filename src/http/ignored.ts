import { argumentNames, type Names } from "../domain/collection.ts";
import { type Problem, problem, problems } from "../domain/problem.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { after } from "../lib/later.ts";
import { nearest } from "../lib/nearest.ts";
import { isTruthy } from "./collection.ts";
import type { ApiRoute } from "./route.ts";

/**
 * Keys of `filter` and `options` that nobody knows. The original passed them over, so a slip of the pen asks for
 * something else without a word: such a read names them in `Octavo-Ignored`, and one that is to be strict is refused.
 * Contract §1.
 */

const leaf: Names = new Map();
const groups: [string, Names][] = [
  ["collection", leaf],
  ["filter", argumentNames],
  ["find", argumentNames],
];
/** What `options` takes on entries. */
export const entryOptions: Names = new Map(groups);
/** On files and folders the arguments of a filter may also stand in `options` itself: see filterOrOptions. */
export const placeOptions: Names = new Map([...argumentNames, ...groups]);

/** An unknown key with the names that are known in its place. */
type Unknown = { argument: string; group: string; names: Names };

const maxTold = 20;
const maxNameLength = 80;
const maxHeaderLength = 1000;

/**
 * The route, which on reads tells what it passed over, or refuses it: argument_unknown. `options` is what `options`
 * takes.
 */
export function tellsIgnored(route: ApiRoute, options: Names, isStrict: boolean): ApiRoute {
  if (route.method !== "GET") return route;
  const names: Names = new Map([
    ["filter", argumentNames],
    ["options", options],
  ]);
  return {
    ...route,
    handle: (call) => {
      if (!call.query.has("filter") && !call.query.has("options")) return route.handle(call);
      const unknown = [...unknownIn(call.query, names)];
      if (unknown.length === 0) return route.handle(call);
      if (isStrict || isTruthy(call.query.get("strict"))) throw refusal(unknown);
      const header = ["Octavo-Ignored", formatIgnored(unknown)];
      return after(route.handle(call), (answer) => ({ ...answer, headers: [...(answer.headers ?? []), ...header] }));
    },
  };
}

function* unknownIn(query: JsonObject, names: Names): Generator<Unknown> {
  for (const [name, known] of names) yield* unknownBelow(query.get(name), name, known);
}

function* unknownBelow(value: Json | undefined, group: string, names: Names): Generator<Unknown> {
  // What is no group is not looked into: whoever reads the argument says what it should be.
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
  const [first, ...rest] = unknown.slice(0, maxTold).map(toProblem);
  return problems([first as Problem, ...rest]);
}

function toProblem({ argument, group, names }: Unknown): Problem {
  const known = [...names.keys()];
  const near = nearest(argument.slice(group.length + 1, -1), known);
  return problem("argument_unknown", { argument, near: near && `${group}[${near}]`, names: known });
}

/** The names as they were sent, what a header or a list with commas cannot hold percent-encoded. */
function formatIgnored(unknown: readonly Unknown[]): string {
  const told: string[] = [];
  let length = 0;
  for (const { argument } of unknown) {
    const name = encode(argument.slice(0, maxNameLength).toWellFormed());
    length += name.length;
    if (told.length === maxTold || length > maxHeaderLength) return [...told, "..."].join(", ");
    told.push(name);
  }
  return told.join(", ");
}

const encode = (name: string): string =>
  encodeURIComponent(name).replace(/%5B|%5D/g, (bracket) => decodeURIComponent(bracket));
