import { toDecimal } from "../../lib/decimal.ts";
import { isJsonObject, type Json, type JsonObject, type NumberText } from "../../lib/json.ts";
import { parseTime } from "../../lib/time.ts";
import { cutCharacters } from "../../list/order.ts";
import { kinds, numberKey, orderKey } from "../../list/order-key.ts";
import { valueAt } from "../../list/value.ts";
import { isChain } from "./layer.ts";

/**
 * The field index: one row for each scalar and list element of an item's data, with its order key, so that every
 * comparison is a range of rows and an order is the order of rows. It is exact: what it finds needs no second look.
 * Decision 67.
 */

/** `value` is an order key (core/list/order-key.ts), or one of the kinds below, which are no scalars. */
export type FieldRow = { key: string; isElement: boolean; value: string };

/** Beside a scalar or element that a time can be read from: the number key of its seconds follows. */
export const timeKind = kinds.past;
/** That the key has a list or an object, for `exists` and negations. */
const listKind = "8";
const objectKind = "9";

/** A longer order key is cut, and ends with this: it sorts after all that begin as it does and are not cut. */
export const cutMark = "\u{10ffff}";
const maxValueCharacters = 200;
/** A page of an index holds several rows of so long a key. */
const maxKeyBytes = 256;
/** Each row costs a write some microseconds. */
const maxFieldRows = 300;

/** The order key as the index has it. */
export function indexValue(key: string): string {
  const cut = cutCharacters(key, maxValueCharacters);
  return cut === key ? key : cut + cutMark;
}

/** Which keys are indexed: all (`*`), all but some (`-key`), or some. A key includes everything nested below it. */
export function indexedKeys(setting: readonly string[]): (key: string) => boolean {
  const left = setting.filter((key) => key.startsWith("-")).map((key) => key.slice(1));
  const kept = setting.filter((key) => key !== "*" && !key.startsWith("-") && !isChain(key));
  const covers = (keys: string[], key: string) => keys.some((top) => key === top || key.startsWith(`${top}.`));
  return (key) => !covers(left, key) && (kept.length === 0 || covers(kept, key));
}

/** True for a name that the index can have: not too long, and no place in a list (`tags.0`). */
export const isIndexable = (key: string): boolean =>
  !/(^|\.)\d+(\.|$)/.test(key) && (key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes);

/** How many names a dotted key has. */
export const depthOf = (key: string): number => key.split(".").length;

/**
 * The index rows of an item's data by a unique name, those of each depth together. `lacking` is the first depth that was
 * left out because there were too many; 0 for none.
 */
export function fieldRows(
  data: JsonObject,
  isIndexed: (key: string) => boolean,
): { rows: Map<string, FieldRow>; lacking: number } {
  let rows = new Map<string, FieldRow>();
  let holders: Holder[] = [{ object: data, prefix: "" }];
  for (let depth = 1; holders.length > 0; depth++) {
    const level = new Map(rows);
    const below: Holder[] = [];
    for (const { object, prefix } of holders) {
      for (const [name, value] of object) {
        const key = prefix + name;
        if (isJsonObject(value)) below.push({ object: value, prefix: `${key}.` });
        if (!isIndexable(key) || !isIndexed(key)) continue;
        // `{"a.b": 1, "a": {"b": 2}}`: filters and orders find only one of the two.
        if (key.includes(".") && valueAt(data, key) !== value) continue;
        addRows(level, key, value);
        if (level.size > maxFieldRows) return { rows, lacking: depth };
      }
    }
    rows = level;
    holders = below;
  }
  return { rows, lacking: 0 };
}

type Holder = { object: JsonObject; prefix: string };

function addRows(rows: Map<string, FieldRow>, key: string, value: Json): void {
  const add = (isElement: boolean, text: string) => {
    rows.set(`${key}\0${isElement}\0${text}`, { key, isElement, value: text });
  };
  if (isJsonObject(value)) add(false, objectKind);
  else if (!Array.isArray(value)) for (const text of valuesOf(value)) add(false, text);
  else {
    add(false, listKind);
    for (const element of value) {
      if (isJsonObject(element) || Array.isArray(element)) continue;
      for (const text of valuesOf(element)) add(true, text);
      if (rows.size > maxFieldRows) return;
    }
  }
}

function valuesOf(scalar: Exclude<Json, object> | NumberText): string[] {
  const value = orderKey(scalar);
  // Of a number the order key is the time.
  const seconds = value.startsWith(kinds.text) ? parseTime(scalar as string) : undefined;
  return seconds === undefined ? [indexValue(value)] : [indexValue(value), timeValue(seconds)];
}

/** The value of a time. */
export const timeValue = (seconds: number): string => timeKind + numberKey(toDecimal(seconds));
