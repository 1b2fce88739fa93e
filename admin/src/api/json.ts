import { exactJson, type RawNumber } from "../../../client/src/client.ts";
import { say } from "../language/say.ts";

/** JSON for editing, with the exact numbers of the client's `exactJson`. */

export type Json = string | number | boolean | null | RawNumber | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };
/** Throws SyntaxError, also for a repeated key in an object, as the service does. */
export function parseJson(text: string): Json {
  const value = exactJson.parse(text) as Json;
  refuseTwice(text);
  return value;
}

/** A string, with its colon if it is a key, or a bracket. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g;

/** Refuses duplicate keys of a valid text; `JSON.parse` would keep the last one. Throws SyntaxError. */
function refuseTwice(text: string): void {
  const keys: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") keys.push(new Set());
    else if (token === "}" || token === "]") keys.pop();
    else if (colon !== undefined) {
      const key: string = JSON.parse(token.slice(0, -colon.length));
      const taken = keys.at(-1);
      if (taken?.has(key))
        throw new SyntaxError(say("The key {key} occurs twice in one object", { key: JSON.stringify(key) }));
      taken?.add(key);
    }
  }
}

export const formatJson = (value: Json, indent?: number): string => JSON.stringify(value, null, indent);

/** Missing in the platform's types. */
const { isRawJSON } = JSON as unknown as { isRawJSON?(value: unknown): boolean };
const isRawNumber = (value: unknown): value is RawNumber => isRawJSON?.(value) ?? false;

export const isNumber = (value: Json | undefined): value is number | RawNumber =>
  typeof value === "number" || isRawNumber(value);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** True when both have the same JSON text; key order counts, as it does for the service. */
export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (typeof a === "object" && typeof b === "object" && formatJson(a) === formatJson(b));

/** True for a number that is a thousand and more to some, and a few with decimals to others: `1,000`. */
export const isEitherWay = (text: string): boolean => /^[-+−]?[1-9]\d{0,2},\d{3}$/.test(text.trim());

/**
 * The value of a number as people type it, or undefined if it is not a number: with a decimal comma, which is all that some
 * phones have, without a digit before or after the sign, or with a typographic minus.
 */
export function parseNumber(text: string): number | RawNumber | undefined {
  if (isEitherWay(text) || !/\d/.test(text)) return undefined;
  const plain = text
    .trim()
    .replace(/^[−-]/, "-")
    .replace(/^\+(?=[\d.,])/, "")
    .replace(/^([-\d]*),(?=\d*$)/, "$1.")
    .replace(/^(-?)\./, "$10.")
    .replace(/\.$/, "");
  try {
    const value = parseJson(plain);
    return isNumber(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
