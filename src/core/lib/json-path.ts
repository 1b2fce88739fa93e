import type { Json, JsonArray, JsonObject } from "./json.ts";

/** The keys and indexes that lead to a place within a value. */
export type JsonPath = readonly (string | number)[];

/** The key that a segment of a JSON pointer stands for. RFC 6901, §4. */
export const keyOfSegment = (segment: string): string => segment.replaceAll("~1", "/").replaceAll("~0", "~");

/** Replaces what is at the path, which must exist and not be empty. */
export function setAt(value: Json, path: JsonPath, replacement: Json): void {
  let holder = value;
  for (const step of path.slice(0, -1)) holder = memberOf(holder, step);
  const last = path.at(-1);
  if (Array.isArray(holder)) holder[last as number] = replacement;
  else (holder as JsonObject).set(last as string, replacement);
}

const memberOf = (holder: Json, step: string | number): Json =>
  (Array.isArray(holder) ? (holder as JsonArray)[step as number] : (holder as JsonObject).get(step as string)) as Json;
