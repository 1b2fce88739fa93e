/** JSON as the service has it: numbers that JavaScript cannot hold keep their text, and go back as they came. */

export type Json = string | number | boolean | null | RawNumber | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };
/** A number by its text, as `JSON.rawJSON` makes it. */
type RawNumber = Readonly<{ rawJSON: string }>;

type SourceReviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
type SourceJson = { rawJSON?(text: string): RawNumber; isRawJSON?(value: unknown): boolean };
const { rawJSON, isRawJSON } = JSON as unknown as SourceJson;

const keepSource: SourceReviver = (_key, value, context) =>
  typeof value === "number" && rawJSON && context?.source !== undefined && context.source !== String(value)
    ? rawJSON(context.source)
    : value;

/** Throws SyntaxError. */
export const parseJson = (text: string): Json =>
  JSON.parse(text, keepSource as (key: string, value: unknown) => unknown);

export const formatJson = (value: Json, indent?: number): string => JSON.stringify(value, null, indent);

const isRawNumber = (value: unknown): value is RawNumber => isRawJSON?.(value) ?? false;

export const isNumber = (value: Json | undefined): value is number | RawNumber =>
  typeof value === "number" || isRawNumber(value);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** True when both are written the same; key order counts, as it does to the service. */
export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && formatJson(a) === formatJson(b));

/** A number's text as a value, or undefined when it is none. */
export function parseNumber(text: string): number | RawNumber | undefined {
  try {
    const value = parseJson(text.trim());
    return isNumber(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
