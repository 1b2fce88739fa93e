import { isObject, type Json, type JsonObject } from "../../api/json.ts";

/** JSON pointers. RFC 6901. */

export const segmentOf = (key: string | number): string =>
  `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

export const segmentsOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The own member of an object: a key such as `__proto__` is one like any other. */
export const ownOf = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** A member of an object or a list by a pointer's segment; undefined if there is none. */
export function memberOf(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
  return isObject(value) ? ownOf(value, segment) : undefined;
}

/** The value at a pointer; undefined if there is none. */
export const valueAt = (root: Json | undefined, pointer: string): Json | undefined =>
  segmentsOf(pointer).reduce<Json | undefined>(memberOf, root);

/** True for a pointer to a place inside the other one. */
export const isBelow = (pointer: string, above: string): boolean => pointer.startsWith(`${above}/`);
