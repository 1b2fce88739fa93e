import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { segmentOf } from "../type/walk.ts";

/**
 * Places of the data of entries: the names that lead there, where `*` is each item of a list. What is changed is copied along
 * the way, so that a value that did not change is the same value afterwards.
 */
export type Place = readonly string[];

export const each = "*";

/** The JSON pointer of a place. */
export const formatPlace = (place: Place): string => place.map(segmentOf).join("");

/** The places up to the last list that both lead through, and the rest of each. */
export function splitAtList(place: Place): { lists: Place; rest: Place } {
  const at = place.lastIndexOf(each) + 1;
  return { lists: place.slice(0, at), rest: place.slice(at) };
}

/** Names of a place, or the place itself; undefined where there is nothing. Not through lists. */
export function valueAt(value: Json, place: Place): Json | undefined {
  let found: Json | undefined = value;
  for (const name of place) found = isJsonObject(found) ? found.get(name) : undefined;
  return found;
}

/** The value with the work done at each value that is at the place; `at` is the pointer of that. */
export function changedAt(value: Json, place: Place, work: (found: Json, at: string) => Json, at = ""): Json {
  const [name, ...rest] = place;
  if (name === undefined) return work(value, at);
  if (name === each) {
    if (!Array.isArray(value)) return value;
    const items = value.map((item, i) => changedAt(item, rest, work, `${at}/${i}`));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  const before = isJsonObject(value) ? value.get(name) : undefined;
  if (before === undefined) return value;
  const after = changedAt(before, rest, work, at + segmentOf(name));
  return after === before ? value : new Map(value as JsonObject).set(name, after);
}

/** The value without what is at the place, which does not lead through lists. */
export function without(value: Json, place: Place): Json {
  const last = place.at(-1) as string;
  return changedAt(value, place.slice(0, -1), (holder) => {
    if (!isJsonObject(holder) || !holder.has(last)) return holder;
    const rest = new Map(holder);
    rest.delete(last);
    return rest;
  });
}

/**
 * The value with something put at a place where nothing is; objects on the way there are made. Undefined where the place, or one
 * on the way there, is taken by something else.
 */
export function withAdded(value: Json | undefined, place: Place, added: Json): Json | undefined {
  const [name, ...rest] = place;
  if (name === undefined) return value === undefined ? added : undefined;
  if (value !== undefined && !isJsonObject(value)) return undefined;
  const member = withAdded(value?.get(name), rest, added);
  return member === undefined ? undefined : new Map(value ?? []).set(name, member);
}

/** The object with a member under another name, at its position. */
export const renamedMember = (object: JsonObject, from: string, to: string): JsonObject =>
  new Map([...object].map(([name, value]) => [name === from ? to : name, value]));
