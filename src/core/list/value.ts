import { type Decimal, readDecimal, toDecimal } from "../lib/decimal.ts";
import { parseBoolean } from "../lib/flag.ts";
import { isJsonObject, type Json, NumberText } from "../lib/json.ts";

/** How filters, orders and searches read a stored object. Contract §4, Collections. */

/**
 * The value at a dotted key, or undefined. A key of the object that equals the whole rest of the name takes precedence
 * over nesting, so `author.name` finds `{"author.name": …}` first; digits index a list (`tags.0`).
 */
export function valueAt(value: Json | undefined, key: string): Json | undefined {
  let at = value;
  let rest = key;
  for (;;) {
    const own = ownValue(at, rest);
    if (own !== undefined) return own;
    const dot = rest.indexOf(".");
    if (dot < 0) return undefined;
    at = ownValue(at, rest.slice(0, dot));
    if (typeof at !== "object" || at === null) return undefined;
    rest = rest.slice(dot + 1);
  }
}

function ownValue(value: Json | undefined, key: string): Json | undefined {
  if (isJsonObject(value)) return value.get(key);
  return Array.isArray(value) && /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined;
}

/** The number of a value for numeric comparisons and order: a number, or text that is one. */
export function numberOf(value: Json | undefined): Decimal | undefined {
  if (typeof value === "number") return toDecimal(value);
  if (typeof value === "string") return readDecimal(value);
  return value instanceof NumberText ? readDecimal(value.text) : undefined;
}

/** The text of a value for text search: text, or a number as it was written. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value instanceof NumberText ? value.text : undefined;
}

/** `true`, `1`, `false` or `0` as a boolean; undefined for any other text. */
export const readBoolean = (text: string): boolean | undefined => parseBoolean(text);

/** True when a text field of the value, at any depth, passes the test. Keys and numbers are not text fields. */
export function someText(value: Json, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value);
  if (Array.isArray(value)) return value.some((member) => someText(member, test));
  if (!isJsonObject(value)) return false;
  for (const member of value.values()) if (someText(member, test)) return true;
  return false;
}
