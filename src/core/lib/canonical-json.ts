import { forbiddenKeys, formatJson, type Json, type JsonObject, parseJson } from "./json.ts";

/**
 * Parses a JSON text that this service has formatted: as parseJson does, in two thirds of the time. The runtime's parser
 * is several times as fast, but rounds numbers, reorders keys that are digits and drops repeated keys, so its value is
 * used only where it gives the same text again. Throws JsonError.
 */
export function parseCanonical(text: string, maxDepth = 64): Json {
  const value = parseNative(text, maxDepth);
  return value === undefined ? parseJson(text, maxDepth) : value;
}

/** The value of a text that formatJson could have written; undefined for other JSON. Throws JsonError as parseJson does. */
export function readCanonical(text: string, maxDepth = 64): Json | undefined {
  const value = parseNative(text, maxDepth);
  if (value !== undefined) return value;
  const read = parseJson(text, maxDepth);
  return formatJson(read) === text ? read : undefined;
}

/** Undefined for a text that the runtime's parser may read differently, or that parseJson refuses. */
function parseNative(text: string, maxDepth: number): Json | undefined {
  // An escaped lone surrogate, which parseJson refuses, would give the same text again. Nothing frequent has such escapes.
  if (text.includes("\\u")) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return JSON.stringify(value) === text ? toMaps(value, maxDepth) : undefined;
  } catch {
    return undefined;
  }
}

/** Objects as maps; lists are reused. Undefined for a value that is too deep, or has a forbidden key. */
function toMaps(value: unknown, maxDepth: number): Json | undefined {
  if (typeof value !== "object" || value === null) return value as Json;
  if (maxDepth === 0) return undefined;
  return Array.isArray(value) ? withMaps(value, maxDepth - 1) : toMap(value, maxDepth - 1);
}

function withMaps(list: unknown[], maxDepth: number): Json | undefined {
  for (const [i, member] of list.entries()) {
    const read = toMaps(member, maxDepth);
    if (read === undefined) return undefined;
    list[i] = read;
  }
  return list as Json;
}

function toMap(members: object, maxDepth: number): JsonObject | undefined {
  const object: JsonObject = new Map();
  for (const key in members) {
    const read = forbiddenKeys.has(key) ? undefined : toMaps((members as Record<string, unknown>)[key], maxDepth);
    if (read === undefined) return undefined;
    object.set(key, read);
  }
  return object;
}
