import type { JsonFormat, RawNumber } from "./public.ts";

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
/** Missing in the platform's types; available since Node 22, Chrome 114, Firefox 135, Safari 18.4. */
const { rawJSON } = JSON as unknown as { rawJSON?(text: string): RawNumber };

const keepSource: Reviver = (_key, value, context) =>
  typeof value === "number" && rawJSON && context?.source !== undefined && context.source !== String(value)
    ? rawJSON(context.source)
    : value;

/**
 * JSON that rounds no number: one that JavaScript does not write as it was sent (2^53 + 1, 1.10, -0.0) is a RawNumber,
 * and is sent back with the same digits. On platforms without `JSON.rawJSON` the same as `JSON`.
 */
export const exactJson: JsonFormat = {
  parse: (text) => JSON.parse(text, keepSource as (key: string, value: unknown) => unknown),
  stringify: (value) => JSON.stringify(value),
};
