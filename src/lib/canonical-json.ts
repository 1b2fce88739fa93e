import { forbiddenKeys, type Json, type JsonObject, parseJson } from "./json.ts";

/**
 * Parses a JSON text that this service has formatted: as parseJson does, in about half the time. The runtime's parser is
 * ten times as fast, but rounds numbers, reorders keys that are digits and drops repeated keys, so its value is used
 * only where it gives the same text again. Throws JsonError.
 */
export function parseCanonical(text: string, maxDepth = 64): Json {
  const value = parseNative(text);
  if (value === undefined || JSON.stringify(value) !== text) return parseJson(text, maxDepth);
  return isAllowed(value, maxDepth) ? toMaps(value) : parseJson(text, maxDepth);
}

/** Undefined for a text that is not JSON. */
function parseNative(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** False for a value that parseJson refuses: too deep, or with a forbidden key. */
function isAllowed(value: unknown, maxDepth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (maxDepth === 0) return false;
  for (const key in value) {
    if (forbiddenKeys.has(key) || !isAllowed((value as Record<string, unknown>)[key], maxDepth - 1)) return false;
  }
  return true;
}

/** Objects as maps; lists are reused. */
function toMaps(value: unknown): Json {
  if (typeof value !== "object" || value === null) return value as Json;
  if (Array.isArray(value)) {
    for (const [i, member] of value.entries()) value[i] = toMaps(member);
    return value;
  }
  const object: JsonObject = new Map();
  for (const key in value) object.set(key, toMaps((value as Record<string, unknown>)[key]));
  return object;
}
