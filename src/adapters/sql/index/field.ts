import { valueAt } from "../../../domain/value.ts";
import { cutText } from "../../../lib/cut-text.ts";
import { compareDecimals, readDecimal, toDecimal } from "../../../lib/decimal.ts";
import { isJsonObject, type Json, type JsonObject, NumberText } from "../../../lib/json.ts";

/**
 * The field index: one row for each scalar and array element of an entry's data, so that a filter costs what it
 * returns, and a page in the order of a field what the page holds. The domain decides: what is read here is a superset
 * of the matches, in an order that domain/order.ts refines. Decisions 7 and 36.
 *
 * Kinds sort as domain/order.ts sorts their values; null has no place in an order.
 */
export const fieldKind = { number: 1, text: 2, boolean: 3, null: 4 } as const;

/**
 * `number` of a number or a text that is one: the nearest double; of a boolean 0 or 1. `text` of a number that is
 * exactly this double: empty; of one that is not: its digits; of a text that is a number: `"` and the text. Then those
 * three are one range each: `""`, from `"`, and from `-`.
 */
export type FieldRow = { key: string; isElement: boolean; kind: number; number: number; text: string };

const maxFieldRows = 100;
export const keptTextBytes = 256;
const maxKeyBytes = 256;

/** Which keys are indexed: all (`*`), all but some (`-key`), or some. A key includes everything nested below it. */
export function indexedKeys(setting: readonly string[]): (key: string) => boolean {
  const left = setting.filter((key) => key.startsWith("-")).map((key) => key.slice(1));
  const kept = setting.filter((key) => key !== "*" && !key.startsWith("-"));
  const covers = (keys: string[], key: string) => keys.some((top) => key === top || key.startsWith(`${top}.`));
  return (key) => !covers(left, key) && (kept.length === 0 || covers(kept, key));
}

/**
 * The index rows of an entry's data, keyed by a unique name, and whether some were left out (too many, or a key too
 * long).
 */
export function fieldRows(
  data: JsonObject,
  isIndexed: (key: string) => boolean,
): { rows: Map<string, FieldRow>; isPartial: boolean } {
  const rows = new Map<string, FieldRow>();
  let isPartial = false;
  for (const { key, value, isElement, holder } of scalars(data, "")) {
    if (!isIndexed(key)) continue;
    // `{"a.b": 1, "a": {"b": 2}}`: filters and orders find only one of the two.
    if (key.includes(".") && valueAt(data, key) !== holder) continue;
    if (rows.size >= maxFieldRows) {
      isPartial = true;
      break;
    }
    if (key.length * 3 > maxKeyBytes && Buffer.byteLength(key) > maxKeyBytes) {
      isPartial = true;
      continue;
    }
    const row = { key, isElement, ...toPlace(value) };
    rows.set(`${key}\0${isElement}\0${row.kind}\0${row.number}\0${row.text}`, row);
  }
  return { rows, isPartial };
}

/**
 * Yields every scalar with its dotted key, also those in lists: lazily, since of a large entry only a few are needed.
 */
function* scalars(object: JsonObject, prefix: string): Generator<Scalar> {
  for (const [name, holder] of object) {
    const key = prefix + name;
    if (isJsonObject(holder)) yield* scalars(holder, `${key}.`);
    else if (!Array.isArray(holder)) yield { key, value: holder, isElement: false, holder };
    else {
      for (const value of holder) {
        if (!isJsonObject(value) && !Array.isArray(value)) yield { key, value, isElement: true, holder };
      }
    }
  }
}

/** `holder` is the value at the key: the scalar itself, or the list that it is an element of. */
type Scalar = { key: string; value: Json; isElement: boolean; holder: Json };

/** Where a scalar stands among all values of its key. */
export type FieldPlace = { kind: number; number: number; text: string };

/** The place of a scalar. */
export function toPlace(value: Json): FieldPlace {
  if (value === null) return { kind: fieldKind.null, number: 0, text: "" };
  if (typeof value === "boolean") return { kind: fieldKind.boolean, number: Number(value), text: "" };
  if (typeof value === "number") return { kind: fieldKind.number, number: positiveZero(value), text: "" };
  if (value instanceof NumberText) {
    const digits = cutText(value.text, keptTextBytes);
    return { kind: fieldKind.number, number: positiveZero(Number(value.text)), text: digits };
  }
  const text = value as string;
  const number = decimalNumber(text);
  return number === undefined
    ? { kind: fieldKind.text, number: 0, text: cutText(text, keptTextBytes) }
    : { kind: fieldKind.number, number, text: cutText(numericText(text), keptTextBytes) };
}

/** How the text of a text that is a number begins in the index. */
export const numericText = (text: string): string => `"${text}`;

/**
 * The nearest double of a text that is a number, or undefined. Rounding keeps the order, so a range of doubles is a
 * superset.
 */
export function decimalNumber(text: string): number | undefined {
  return readDecimal(text) === undefined ? undefined : positiveZero(Number(text));
}

/** True for the text of a number that a double holds exactly. */
export function isDouble(text: string): boolean {
  const decimal = readDecimal(text);
  return (
    decimal !== undefined && Number.isFinite(decimal.near) && compareDecimals(decimal, toDecimal(decimal.near)) === 0
  );
}

const positiveZero = (number: number): number => (number === 0 ? 0 : number);
