import { type Condition, readBoolean } from "../../../domain/filter.ts";
import { cutText } from "../../../lib/cut-text.ts";
import type { TableReading } from "../noun.ts";
import type { Value, ValueType } from "../sql.ts";
import { decimalNumber, fieldKind, isDouble, keptTextBytes, numericText } from "./field.ts";
import { placesFrom } from "./table.ts";

/** Conditions as ranges of the field index. */

/** A range of the index rows of one key; without texts it has every text. */
export type Range = { kind: number; from: number; to: number; textFrom?: string; textTo?: string };

/** SQL for a range, with its values, which are the parameters from `?first` on. */
export function rangeSql(
  { kind, from, to, textFrom, textTo }: Range,
  first: number,
): { sql: string; values: Value[]; types: ValueType[] } {
  const at = placesFrom(first);
  const base = `kind = ${at(0)}`;
  if (textFrom === undefined || textTo === undefined) {
    const sql = `${base} AND number >= ${at(1)} AND number <= ${at(2)}`;
    return { sql, values: [kind, from, to], types: ["integer", "real", "real"] };
  }
  // At one number: only then the index searches by the texts, too.
  const sql = `${base} AND number = ${at(1)} AND text >= ${at(2)} AND text <= ${at(3)}`;
  return { sql, values: [kind, from, textFrom, textTo], types: ["integer", "real", "text", "text"] };
}

const lowest = Number.NEGATIVE_INFINITY;
const highest = Number.POSITIVE_INFINITY;
export const lastText = "\u{10FFFF}".repeat(64);

const numbers = (from: number, to: number): Range => ({ kind: fieldKind.number, from, to });
const texts = (textFrom: string, textTo: string): Range => ({ kind: fieldKind.text, from: 0, to: 0, textFrom, textTo });
const booleans = (from: number, to: number): Range => ({ kind: fieldKind.boolean, from, to });

// The index cuts a stored text to at most 256 bytes, at a character boundary. A lower bound cut slightly shorter (252)
// never sorts after the cut text of a value that is not below the bound itself.
const lowerBound = (text: string): string => cutText(text, keptTextBytes - 4);
const sameText = (text: string): string => cutText(text, keptTextBytes);

/** True for keys that the field index has: not `tags.0` and similar names. */
export function isIndexedKey({ table, isIndexed }: TableReading, key: string): boolean {
  return table.fields !== undefined && !/(^|\.)\d+(\.|$)/.test(key) && table.fields.isIndexed(key, isIndexed);
}

/** The ranges that hold an index row of every match, or undefined when a match need not have one. */
export function rangesOf({ operator, value }: Condition): Range[] | undefined {
  const [first = "", second = ""] = typeof value === "string" ? [value] : value;
  switch (operator) {
    case "eq":
    case "member_of":
      return equal(first);
    case "in":
      return (typeof value === "string" ? [value] : value).flatMap(equal);
    case "lt":
    case "lte":
      return between(undefined, first);
    case "gt":
    case "gte":
      return between(first, undefined);
    case "between":
      return between(first, second);
    case "starts_with":
      return [texts(lowerBound(first), first + lastText), numbers(lowest, highest)];
    default:
      return undefined;
  }
}

/**
 * Ranges that tell how many rows match: those in `add` without those in `subtract`, if there are none in `doubt`.
 */
export type ExactRanges = { add: Range[]; subtract: Range[]; doubt: Range[] };

/** The exact ranges of a condition on scalars; undefined where the index does not tell what matches. */
export function exactRangesOf({ operator, value }: Condition): ExactRanges | undefined {
  const [first = "", second = ""] = typeof value === "string" ? [value] : value;
  switch (operator) {
    case "eq":
      return exactly([first]);
    case "in":
      return exactly(typeof value === "string" ? [value] : value);
    case "lt":
      return exactlyBetween(undefined, first, [first]);
    case "lte":
      return exactlyBetween(undefined, first, []);
    case "gt":
      return exactlyBetween(first, undefined, [first]);
    case "gte":
      return exactlyBetween(first, undefined, []);
    case "between":
      return exactlyBetween(first, second, []);
    default:
      return undefined;
  }
}

const isCut = (text: string): boolean => Buffer.byteLength(numericText(text)) > keptTextBytes - 4;
const numberAt = (number: number, textFrom: string, textTo: string): Range => ({
  ...numbers(number, number),
  textFrom,
  textTo,
});

function exactly(values: readonly string[]): ExactRanges | undefined {
  if (values.some(isCut)) return undefined;
  // Two values such as 15 and 15.0 have a range in common.
  const add = new Map<string, Range>();
  const doubt: Range[] = [];
  const put = (range: Range) => add.set(JSON.stringify(range), range);
  for (const value of values) {
    const number = decimalNumber(value);
    const boolean = readBoolean(value);
    if (number === undefined) put(texts(value, value));
    else {
      if (isDouble(value)) put(numberAt(number, "", ""));
      put(numberAt(number, numericText(value), numericText(value)));
      doubt.push(numberAt(number, roundedText, lastText));
    }
    if (boolean !== undefined) put(booleans(Number(boolean), Number(boolean)));
    if (value === "null") put({ kind: fieldKind.null, from: 0, to: 0 });
  }
  return { add: [...add.values()], subtract: [], doubt };
}

/** The texts of numbers that are no doubles begin here: with a sign or a digit. */
const roundedText = "-";

function exactlyBetween(
  low: string | undefined,
  high: string | undefined,
  excluded: readonly string[],
): ExactRanges | undefined {
  const bounds = [low, high].filter((bound) => bound !== undefined);
  if (bounds.some(isCut)) return undefined;
  const add = [texts(low ?? "", high ?? lastText)];
  const subtract = excluded.map((value) => texts(value, value));
  const doubt: Range[] = [];
  const decimals = bounds.map(decimalNumber);
  if (decimals.every((number) => number !== undefined)) {
    if (!bounds.every((bound) => isDouble(bound))) return undefined;
    add.push(numbers(low === undefined ? lowest : Number(low), high === undefined ? highest : Number(high)));
    subtract.push(...excluded.map((value) => numberAt(Number(value), "", "")));
    // A text or rounded number at the bound may be on either side of it.
    doubt.push(...decimals.map((number) => numberAt(number as number, numericText(""), lastText)));
  }
  const flags = bounds.map(readBoolean);
  if (flags.every((flag) => flag !== undefined)) {
    const isExcluded = excluded.length > 0 ? 1 : 0;
    const from = low === undefined ? 0 : Number(readBoolean(low)) + isExcluded;
    const to = high === undefined ? 1 : Number(readBoolean(high)) - isExcluded;
    if (from <= to) add.push(booleans(from, to));
  }
  return { add, subtract, doubt };
}

function equal(value: string): Range[] {
  const number = decimalNumber(value);
  const boolean = readBoolean(value);
  const text = sameText(value);
  const ranges: Range[] = [number === undefined ? texts(text, text) : numbers(number, number)];
  if (boolean !== undefined) ranges.push(booleans(Number(boolean), Number(boolean)));
  if (value === "null") ranges.push({ kind: fieldKind.null, from: 0, to: 0 });
  return ranges;
}

/** Numbers by the numeric bounds, other text by the bounds as text, all booleans. */
function between(low: string | undefined, high: string | undefined): Range[] {
  const ranges = [texts(low === undefined ? "" : lowerBound(low), high ?? lastText), booleans(0, 1)];
  const from = low === undefined ? lowest : decimalNumber(low);
  const to = high === undefined ? highest : decimalNumber(high);
  return from === undefined || to === undefined ? ranges : [...ranges, numbers(from, to)];
}
