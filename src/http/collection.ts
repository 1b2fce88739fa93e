import { type TProperties, Type } from "typebox";
import type { CollectionAnswer, CollectionQuery } from "../domain/collection.ts";
import { operators } from "../domain/filter.ts";
import { problem } from "../domain/problem.ts";
import { describeJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { type Answer, data, tagOfLong } from "./reply.ts";
import type { Call } from "./route.ts";

/** What reads of collections have in common: how they are asked for, and how a page of one is answered. Contract §4. */

const anyOf = (description: string) => Type.Optional(Type.Unknown({ description }));
const group = (description: string, properties: TProperties = {}) =>
  Type.Optional(Type.Unsafe<JsonObject>({ ...Type.Object(properties), description }));

const condition = {
  key: anyOf("A field; dots lead into objects."),
  expr: anyOf(`One of ${operators.join(", ")}, or another spelling of these, such as = or >=.`),
  value: anyOf("What to compare with; a list where the operator takes one."),
};

/** The arguments that most need, for the reader; `src/domain/collection.ts` and `find.ts` know them all. */
const filterProperties = {
  where: group("The first condition; also a list of conditions.", condition),
  and_where: anyOf("More conditions that must hold, by index: `filter[and_where][0][key]` and so on."),
  or_where: anyOf("Conditions of which one is enough in place of all the others, by index."),
  order_by: group("What to sort by; also a list.", {
    field: anyOf("A field; dots lead into objects."),
    direction: anyOf("asc or desc."),
  }),
  limit: anyOf("How many at most."),
  offset: anyOf("How many to leave out at the beginning."),
  return: anyOf("all, first, last, next, random, shuffle, exists or count, in place of the list."),
  only: anyOf("The fields to answer, a list; dots lead into objects."),
  except: anyOf("The fields to leave out, a list."),
  group_by: anyOf("A field: the answer is an object of lists by its values."),
  search: anyOf("Words that must all be in text fields, whatever their case."),
  depth: anyOf("How deep below the id: 1, >1, <=3, a list of these, or *."),
  total: anyOf("`true`: X-Total-Count says how many there are in all."),
};

export const collectionArguments = {
  filter: group("Search and sort arguments; its presence asks for a collection.", filterProperties),
  options: group("Arguments about the read.", {
    collection: anyOf("`true` asks for a collection."),
    filter: anyOf("The same arguments as in `filter`, without asking for a collection: `only` of one entry."),
    find: anyOf("Likewise; what it says wins."),
  }),
  cursor: Type.Optional(
    Type.String({ description: "Where the page begins: out of the Link header of the page before." }),
  ),
};
export const collectionProblems = [
  "argument_conflict",
  "filter_invalid",
  "filter_too_complex",
  "filter_too_costly",
  "limit_too_large",
  "cursor_invalid",
] as const;
const truthy = new Set(["true", "1", "on", "yes"]);

/** True when the read asks for a collection: `filter` in any form, or `options[collection]`. Contract §4. */
export function isCollection(query: JsonObject): boolean {
  if (query.has("filter")) return true;
  const options = query.get("options");
  return isJsonObject(options) && isTruthy(options.get("collection"));
}

/**
 * The same where a folder is read: there `collection=true` asks too. Throws argument_conflict when the two flags
 * differ. Spec, Folders and Files.
 */
export function asksCollection(query: JsonObject): boolean {
  const options = query.get("options");
  const flags = [query.get("collection"), isJsonObject(options) ? options.get("collection") : undefined];
  const sent = flags.filter((flag) => flag !== undefined).map(isTruthy);
  if (sent.length === 2 && sent[0] !== sent[1]) {
    throw problem("argument_conflict", { first: "collection", second: "options[collection]" });
  }
  return sent[0] === true || query.has("filter");
}

/** True for the words that the original's clients send for true. */
const isTruthy = (value: Json | undefined): boolean => typeof value === "string" && truthy.has(value.toLowerCase());

/** `filter`, `options[filter]` and `options[find]` as one set of arguments, with the page's cursor. */
export function filterArguments(query: JsonObject): JsonObject {
  const options = query.get("options");
  const merged: JsonObject = new Map(groupOf("filter", query.get("filter")));
  if (isJsonObject(options)) {
    for (const name of ["filter", "find"]) {
      for (const [key, value] of groupOf(`options[${name}]`, options.get(name))) merged.set(key, value);
    }
  }
  const cursor = query.get("cursor");
  if (cursor !== undefined) merged.set("cursor", cursor);
  return merged;
}

/** The same, and what stands in `options` itself: so the original asked of files and folders. Reference §4.3. */
export function filterOrOptions(query: JsonObject): JsonObject {
  const options = query.get("options");
  const own: JsonObject = new Map(isJsonObject(options) ? options : []);
  for (const name of ["collection", "filter", "find"]) own.delete(name);
  return new Map([...own, ...filterArguments(query)]);
}

/** Few items are larger. For an answer with larger ones the rest is claimed once it is built. */
const usualItemBytes = 32 * 1024;

/** Reserves memory for a collection's answer, before it is read. Throws busy. */
export async function reservePage(call: Call, query: CollectionQuery, pageBytes: number): Promise<void> {
  await call.reserve(Math.min(pageBytes, mostItems(query) * usualItemBytes));
}

function mostItems({ returns, limit, randomCount }: CollectionQuery): number {
  if (returns === "list" || returns === "shuffle") return limit;
  return returns === "random" ? (randomCount ?? 1) : 1;
}

/** A page of a collection, with the way to the next. */
export function pageAnswer(call: Call, { json, next, total }: CollectionAnswer, cacheControl: string): Answer {
  const headers: string[] = [];
  if (next !== undefined) headers.push("Link", `<${nextUrl(call.url, next)}>; rel="next"`);
  if (total !== undefined) headers.push("X-Total-Count", String(total));
  return data(json, { cacheControl, tag: tagOfLong(json, headers.join()), headers });
}

/** A group of arguments; empty when it came as `filter=` or `filter[]=`. Throws filter_invalid for another text. */
function groupOf(argument: string, value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  const texts = Array.isArray(value) ? value : [value ?? ""];
  if (texts.every((text) => text === "")) return new Map();
  throw problem("filter_invalid", {
    argument,
    came: describeJson(texts[0]),
    accepted: `arguments such as ${argument}[where]`,
  });
}

/** The same request with another cursor and without tokens, relative to the host. Contract §4. */
function nextUrl(url: string, cursor: string): string {
  const [path = "", query = ""] = url.split("?", 2);
  const dropped = new Set(["token", "access_token", "cursor"]);
  const kept = query
    .split("&")
    .filter((pair) => pair && !dropped.has(decodeURIComponent(pair.split("=", 1)[0] as string)));
  const next = `${path}?${[...kept, `cursor=${cursor}`].join("&")}`;
  // What may not stand between the angle brackets of a Link header may have come unencoded.
  return next.replace(/[^!#-;=?-~]/g, (odd) => `%${odd.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}
