import { compareDecimals, readDecimal, toDecimal } from "../core/lib/decimal.ts";
import { formatJson, isJsonObject, type Json, NumberText } from "../core/lib/json.ts";

/** How values become values of another kind. Nothing is lost or guessed: what has no obvious form there is refused. */

export const targets = ["number", "integer", "string", "boolean", "list"] as const;
export type Target = (typeof targets)[number];

/** The value as that kind, the same one where it is one already; undefined where it cannot be one. null stays null. */
export function converted(value: Json, to: Target): Json | undefined {
  return value === null ? null : conversions[to](value);
}

const conversions: Readonly<Record<Target, (value: Exclude<Json, null>) => Json | undefined>> = {
  number: (value) => (isNumber(value) ? value : numberIn(value)),
  integer: (value) => {
    const number = isNumber(value) ? value : numberIn(value);
    return number !== undefined && Number.isInteger(nearOf(number)) ? number : undefined;
  },
  string: (value) => {
    if (typeof value === "string") return value;
    return Array.isArray(value) || isJsonObject(value) ? undefined : formatJson(value);
  },
  boolean: (value) => {
    if (typeof value === "boolean") return value;
    return booleans.get(value instanceof NumberText ? nearOf(value) : value);
  },
  list: (value) => (Array.isArray(value) ? value : [value]),
};

const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["false", false],
  [1, true],
  [0, false],
]);

const isNumber = (value: Json): value is number | NumberText =>
  typeof value === "number" || value instanceof NumberText;
const nearOf = (value: number | NumberText): number => (typeof value === "number" ? value : Number(value.text));

/** A text as JSON writes numbers: `007` and `+1` may be something else, such as a code. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number that the text writes exactly; undefined for another text, and for a number that a double cannot hold. */
function numberIn(value: Json): number | undefined {
  const decimal = typeof value === "string" && jsonNumber.test(value) ? readDecimal(value) : undefined;
  if (!decimal || !Number.isFinite(decimal.near)) return undefined;
  return compareDecimals(toDecimal(decimal.near), decimal) === 0 ? decimal.near : undefined;
}
