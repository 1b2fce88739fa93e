import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { formatJsonLater, parseJsonLater } from "../lib/json-slices.ts";
import { after, type MaybePromise } from "../lib/maybe-promise.ts";
import { readTexts } from "./argument.ts";

/**
 * Which fields of an object are returned, by dotted keys: those of `only` (all when empty) without those of `except`.
 */
export type Projection = { only: string[]; except: string[] };

/** Deeper than any object that this service returns: client data of 64 levels inside one of its objects. */
export const maxObjectDepth = 80;

/** Reads `only` and `except`; undefined when neither names a field. Throws filter_invalid. Contract §4. */
export function parseProjection(args: JsonObject): Projection | undefined {
  const projection = { only: readTexts(args, "only"), except: readTexts(args, "except") };
  return projection.only.length > 0 || projection.except.length > 0 ? projection : undefined;
}

/** The projection of an object's JSON text, as text. */
export function project(json: string, projection: Projection): MaybePromise<string> {
  return after(parseJsonLater(json, maxObjectDepth), (object) =>
    formatJsonLater(projectObject(object as JsonObject, projection)),
  );
}

/**
 * A new object with the named fields, in the order of the object. Unknown names are ignored. As in valueAt, a key equal
 * to the whole rest of a name takes precedence over nesting.
 */
export function projectObject(object: JsonObject, { only, except }: Projection): JsonObject {
  const kept = only.length === 0 ? object : ((pick(object, only) ?? new Map()) as JsonObject);
  return except.length === 0 ? kept : (omit(kept, except) as JsonObject);
}

/** The value with only the named fields; undefined when it has none of them. */
function pick(value: Json, keys: readonly string[]): Json | undefined {
  return rebuild(value, keys, (member, isNamed, rests) => {
    if (isNamed) return member;
    return rests.length > 0 ? pick(member, rests) : undefined;
  });
}

/** The value without the named fields. */
function omit(value: Json, keys: readonly string[]): Json {
  const left = rebuild(value, keys, (member, isNamed, rests) => {
    if (isNamed) return undefined;
    return rests.length > 0 ? omit(member, rests) : member;
  });
  return left ?? (isJsonObject(value) ? new Map() : Array.isArray(value) ? [] : value);
}

type Decide = (member: Json, isNamed: boolean, rests: readonly string[]) => Json | undefined;

/** The container with the members that `decide` keeps; undefined when there are none or the value is no container. */
function rebuild(value: Json, keys: readonly string[], decide: Decide): Json | undefined {
  const members = membersOf(value);
  if (!members) return undefined;
  const named = new Set(keys);
  const rests = restsByHead(keys.filter((key) => !members.has(key)));
  const kept: JsonObject = new Map();
  for (const [name, member] of members) {
    const result = decide(member, named.has(name), rests.get(name) ?? []);
    if (result !== undefined) kept.set(name, result);
  }
  if (kept.size === 0) return undefined;
  return Array.isArray(value) ? [...kept.values()] : kept;
}

/** The remaining keys by the first segment of each dotted key. */
function restsByHead(keys: readonly string[]): Map<string, string[]> {
  const rests = new Map<string, string[]>();
  for (const key of keys) {
    const dot = key.indexOf(".");
    if (dot < 0) continue;
    const head = key.slice(0, dot);
    rests.set(head, [...(rests.get(head) ?? []), key.slice(dot + 1)]);
  }
  return rests;
}

function membersOf(value: Json): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  return Array.isArray(value) ? new Map(value.map((member, index) => [String(index), member])) : undefined;
}
