import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import type { TSchema } from "../lib/json-schema.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { nearest } from "../lib/nearest.ts";
import { conditionMeant, plainOf } from "../list/foreign.ts";
import { argumentNames, conditionNames, type Names } from "../list/list.ts";
import { optionalMembers } from "../list/member.ts";
import { type Problem, problem, problems } from "../problem.ts";
import { refuseForeign } from "./foreign-shape.ts";
import { isPassedOver, type Route, type RouteAnswer, tokenArguments, unknownNames } from "./route.ts";

/**
 * Arguments that a read or a write does not know, and unknown keys of `filter` and `options`. Flextype ignored them, so a
 * typo silently changed the result. The reply lists them in `Octavo-Ignored`; a strict read is refused. Contract §1.
 */

const leaf: Names = new Map();
const groups = (filter: Names): [string, Names][] => [
  ["collection", leaf],
  ["filter", filter],
  ["find", filter],
];
const include: [string, Names] = ["include", leaf];
const ofFiles: [string, Names][] = optionalMembers.map((name) => [name, leaf]);
const entryFilter: Names = new Map([...argumentNames, include, ["translation", leaf]]);
/** The known keys of the groups that reads of entries take. */
export const entryGroups: Names = new Map([
  ["filter", entryFilter],
  ["args", entryFilter],
  ["options", new Map([...groups(entryFilter), include, ["render", leaf], ["image_preset", leaf], ...ofFiles])],
]);
/** Those of files and folders, where filter arguments are keys of `options` too: see filterOrOptions. */
export const placeGroups: Names = new Map([
  // Either dialect's name of the path.
  ["path", leaf],
  ["id", leaf],
  ["filter", argumentNames],
  ["options", new Map([...argumentNames, ...groups(argumentNames)])],
]);
/** The same for files. */
export const fileGroups: Names = new Map([
  ...placeGroups,
  ["options", new Map([...(placeGroups.get("options") ?? []), ...ofFiles])],
]);

/** An unknown argument, the one that may be meant, and the names that are known there. */
type Unknown = { argument: string; near: string | undefined; names: Iterable<string> };

const maxListed = 20;
const maxNameLength = 80;
const maxHeaderLength = 1000;

/** A route that reports what it ignores; a strict read throws argument_unknown. Any other route as it is. */
export function reportIgnored(route: Route, isStrict: boolean): Route {
  if (route.method !== "GET") return route.unknown === "ignored" ? reportOfWrite(route) : route;
  if (!("strict" in route.arguments)) return reportPassedOver(route);
  const known = knownOf(route);
  // Of an image the strict table refuses all that is wrong with it at once.
  const mayRefuse = route.unknown !== "handled";
  const isAlwaysStrict = isStrict || route.unknown === "refused";
  return {
    ...route,
    read: (call) => {
      if ("filter" in route.arguments) refuseForeign(call.query, known.groups);
      return route.read(call);
    },
    handle: (call, args: { strict?: boolean }) => {
      const refuses = mayRefuse && (args.strict === true || isAlwaysStrict);
      const unknown = unknownIn(call.query, known);
      if (refuses && unknown.length > 0) throw refusal(unknown);
      const names = unknown.map(({ argument }) => argument);
      return after<RouteAnswer, RouteAnswer>(route.handle(call, args), (answer) => reported(answer, names));
    },
  };
}

/** A read that refuses what it does not know: it lists what it takes without an effect. */
function reportPassedOver(route: Route): Route {
  const { arguments: taken } = route;
  const passedOver = Object.keys(taken).filter((name) => isPassedOver(taken[name] as TSchema));
  if (passedOver.length === 0) return route;
  return {
    ...route,
    handle: (call, args) => {
      const names = passedOver.filter((name) => call.query.has(name));
      return after<RouteAnswer, RouteAnswer>(route.handle(call, args), (answer) => reported(answer, names));
    },
  };
}

/** The answer of a read, with what it found to be without effect. */
function reported(answer: RouteAnswer, unknown: readonly string[]): RouteAnswer {
  const names = [...unknown, ...("ignored" in answer ? (answer.ignored ?? []) : [])];
  return names.length === 0 ? answer : (withIgnored(answer, [...new Set(names)]) as RouteAnswer);
}

/** A write of the specification refuses none: clients of Flextype may send more than it takes. */
const reportOfWrite = (route: Route): Route => ({
  ...route,
  handle: (call, args) => {
    const unknown = unknownNames(call, route.names);
    const answer = route.handle(call, args);
    return unknown.length === 0 ? answer : withIgnored(answer, unknown);
  },
});

const withIgnored = (answer: MaybePromise<RouteAnswer>, ignored: readonly string[]): MaybePromise<RouteAnswer> =>
  after<RouteAnswer, RouteAnswer>(answer, (given) => ({
    ...given,
    headers: [...(given.headers ?? []), ...ignoredHeader(ignored)],
    isOwn: false,
  }));

/** The header that lists what was ignored; nothing where nothing was. */
export const ignoredHeader = (ignored: readonly string[]): string[] =>
  ignored.length === 0 ? [] : ["Octavo-Ignored", formatIgnored(ignored)];

/** The names that a route knows at the top, and in its groups. */
type KnownNames = { names: ReadonlySet<string>; groups: Names };

function knownOf({ arguments: taken, groups = new Map() }: Route): KnownNames {
  const used = Object.keys(taken).filter((name) => !isPassedOver(taken[name] as TSchema));
  return { names: new Set([...used, ...groups.keys(), ...tokenArguments]), groups };
}

function unknownIn(query: JsonObject, known: KnownNames): Unknown[] {
  const found: Unknown[] = [];
  for (const [name, value] of query) {
    if (!known.names.has(name)) found.push(...unknownAt(name, value, known));
  }
  for (const [group, names] of known.groups) {
    const value = query.get(group);
    if (value !== undefined) found.push(...unknownBelow(value, group, names));
  }
  return found;
}

/** An argument that is unknown at the top: in brackets each of its keys, as the client wrote them. */
function* unknownAt(name: string, value: Json, known: KnownNames): Generator<Unknown> {
  const { names } = known;
  if (!isJsonObject(value)) yield { argument: name, near: meantBy(name, undefined, known), names };
  else {
    for (const [key, member] of value) {
      const near = meantBy(name, key, known);
      const shape = near === "filter" || near === "filter[where]" ? whereOf("filter", key, member) : undefined;
      yield { argument: `${name}[${key}]`, near: shape ?? near, names };
    }
  }
}

/** A field with its condition below it, as other services have it, in the shape of this one. */
const whereOf = (group: string, key: string, member: Json): string | undefined =>
  isJsonObject(member) ? conditionMeant(new Map([[key, member]]), `${group}[where]`) : undefined;

function* unknownBelow(value: Json | undefined, group: string, names: Names): Generator<Unknown> {
  // A leaf is validated by the code that reads it.
  if (names.size === 0) return;
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* unknownBelow(item, `${group}[${i}]`, names);
  if (!isJsonObject(value)) return;
  const shape = names === conditionNames ? conditionMeant(value, group) : undefined;
  for (const [key, member] of value) {
    const argument = `${group}[${key}]`;
    const known = names.get(key);
    if (known) yield* unknownBelow(member, argument, known);
    else {
      const near = nearest(key, names.keys());
      const meant =
        shape ?? (near && `${group}[${near}]`) ?? (names.has("where") ? whereOf(group, key, member) : undefined);
      yield { argument, near: meant, names: names.keys() };
    }
  }
}

/** What other services call an argument of `filter`, or one at the top. */
export const otherNames = new Map([
  ...["sort", "order", "orderby", "ordering"].map((name) => [name, "order_by"] as const),
  ...["q", "query"].map((name) => [name, "search"] as const),
  ...["fields", "select"].map((name) => [name, "only"] as const),
  ...["per_page", "page_size", "page_limit", "take", "top"].map((name) => [name, "limit"] as const),
  ...["page", "page_number", "page_offset", "skip", "start"].map((name) => [name, "offset"] as const),
  ...["populate", "expand"].map((name) => [name, "include"] as const),
  ["args", "filter"],
]);

/** The argument of the route, or of a group of it, that is meant by an unknown name. */
export const nearestOf = (route: Route, name: string): string | undefined => meantBy(name, undefined, knownOf(route));

/** The argument that is meant by a name at the top, or by one in brackets: of the route itself, or of its filter. */
function meantBy(name: string, key: string | undefined, { names, groups }: KnownNames): string | undefined {
  const inFilter = groups.get("filter") ?? leaf;
  const all = [...names, ...(groups.get("options")?.keys() ?? []), ...inFilter.keys()];
  const find = (sent: string): string | undefined => {
    const plain = plainOf(sent);
    const known = all.includes(plain) ? plain : otherNames.get(plain);
    return known !== undefined && all.includes(known) ? known : undefined;
  };
  const found =
    (key === undefined ? undefined : find(`${name}_${key}`)) ??
    find(name) ??
    find(nearest(plainOf(name), [...all, ...otherNames.keys()]) ?? "");
  if (found === undefined) return undefined;
  const isGroup = groups.has(found);
  const isOfRoute = names.has(found);
  const within = isOfRoute ? groups.get(found) : inFilter.get(found);
  const meant = isOfRoute ? found : inFilter.has(found) ? `filter[${found}]` : `options[${found}]`;
  if (key === undefined || !within || within.size === 0) return meant;
  const inside = within.has(key) ? key : isGroup ? nearest(key, within.keys()) : undefined;
  return inside === undefined ? meant : `${meant}[${inside}]`;
}

const refusal = (unknown: readonly Unknown[]): Problem => {
  const [first, ...rest] = unknown.slice(0, maxListed).map(toProblem);
  return problems([first as Problem, ...rest]);
};

const toProblem = ({ argument, near, names }: Unknown): Problem =>
  problem("argument_unknown", { argument, near, names: [...names] });

/** The names as sent, in a list; characters that a header or a comma-separated list cannot hold are percent-encoded. */
function formatIgnored(unknown: readonly string[]): string {
  const listed: string[] = [];
  let length = 0;
  for (const argument of unknown) {
    const name = encode(argument.slice(0, maxNameLength).toWellFormed());
    length += name.length;
    if (listed.length === maxListed || length > maxHeaderLength) return [...listed, "..."].join(", ");
    listed.push(name);
  }
  return listed.join(", ");
}

const encode = (name: string): string =>
  encodeURIComponent(name).replace(/%5B|%5D/g, (bracket) => decodeURIComponent(bracket));
