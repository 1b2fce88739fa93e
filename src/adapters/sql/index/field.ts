import { cutText } from "../../../lib/cut-text.ts";
import { readDecimal } from "../../../lib/decimal.ts";
import { isJsonObject, type Json, type JsonObject, NumberText } from "../../../lib/json.ts";

/**
 * The field index: one row for each scalar and array element of an entry's data, so that a filter costs what it
 * returns. SQL only narrows with it; domain/filter.ts decides. Decision 7.
 */
export const fieldKind = { number: 1, numericText: 2, text: 3, boolean: 4, null: 5 } as const;

export type FieldRow = { key: string; kind: number; number: number; text: string };

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
  for (const [key, value] of scalars(data, "")) {
    if (!isIndexed(key)) continue;
    if (rows.size >= maxFieldRows) {
      isPartial = true;
      break;
    }
    if (Buffer.byteLength(key) > maxKeyBytes) {
      isPartial = true;
      continue;
    }
    const row = toRow(key, value);
    rows.set(`${row.key}\0${row.kind}\0${row.number}\0${row.text}`, row);
  }
  return { rows, isPartial };
}

/**
 * Yields every scalar with its dotted key, also those in lists: lazily, since of a large entry only a few are needed.
 */
function* scalars(object: JsonObject, prefix: string): Generator<[key: string, value: Json]> {
  for (const [name, value] of object) {
    const key = prefix + name;
    if (isJsonObject(value)) yield* scalars(value, `${key}.`);
    else if (!Array.isArray(value)) yield [key, value];
    else for (const element of value) if (!isJsonObject(element) && !Array.isArray(element)) yield [key, element];
  }
}

function toRow(key: string, value: Json): FieldRow {
  if (value === null) return { key, kind: fieldKind.null, number: 0, text: "" };
  if (typeof value === "boolean") return { key, kind: fieldKind.boolean, number: Number(value), text: "" };
  if (typeof value === "number") return { key, kind: fieldKind.number, number: positiveZero(value), text: "" };
  if (value instanceof NumberText) {
    return { key, kind: fieldKind.number, number: positiveZero(Number(value.text)), text: "" };
  }
  const text = value as string;
  const number = decimalNumber(text);
  return number === undefined
    ? { key, kind: fieldKind.text, number: 0, text: cutText(text, keptTextBytes) }
    : { key, kind: fieldKind.numericText, number, text: cutText(text, keptTextBytes) };
}

/**
 * The nearest double of a text that is a number, or undefined. Rounding keeps the order, so a range of doubles is a
 * superset.
 */
export function decimalNumber(text: string): number | undefined {
  return readDecimal(text) === undefined ? undefined : positiveZero(Number(text));
}

const positiveZero = (number: number): number => (number === 0 ? 0 : number);
