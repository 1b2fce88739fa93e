import { readDecimal, toDecimal } from "../../lib/decimal.ts";
import { type Condition, readBoolean } from "../../list/filter.ts";
import { timeNumbers } from "../../list/match.ts";
import { cutCharacters } from "../../list/order.ts";
import { afterEqual, foldBeginning, foldedKey, kinds, numberKey, orderKey } from "../../list/order-key.ts";
import { readMoment } from "../../moment.ts";
import { cutMark, indexValue, timeKind, timeValue } from "./field.ts";

/** Conditions as ranges of the field index. */

/** One value, or those from a first one up to one that is left out. */
export type Range = { is: string } | { from: string; to: string };

/**
 * What a condition asks of the rows of its key. `ranges`: one of the values is in one of these; with `isNegated` none is.
 * Without ranges it is only whether there is a row. `onElements`: only elements of lists count. `mustExist`: there must be
 * a row of the key in any case.
 */
export type FieldTest = {
  key: string;
  ranges: readonly Range[];
  isNegated: boolean;
  mustExist: boolean;
  onElements: boolean;
  /** False where the ranges hold more than the matches. */
  isExact: boolean;
};

type FoundRanges = { ranges: Range[]; isExact: boolean };

/** The condition as a test of the index; undefined where the index decides nothing. */
export function fieldTest({ key, operator, value }: Condition, nowSeconds: number): FieldTest | undefined {
  const [first = "", second = ""] = typeof value === "string" ? [value] : value;
  const test = (found: FoundRanges | undefined, more: Partial<FieldTest> = {}): FieldTest | undefined => {
    if (!found || (more.isNegated && !found.isExact)) return undefined;
    return { key, isNegated: false, mustExist: false, onElements: false, ...found, ...more };
  };
  const none: FoundRanges = { ranges: [], isExact: true };
  switch (operator) {
    case "exists":
      return readBoolean(first) ? test(none, { mustExist: true }) : test(none, { isNegated: true });
    case "eq":
      return test(equal([first]));
    case "neq":
      return test(equal([first]), { isNegated: true });
    case "in":
      return test(equal(value));
    case "nin":
      return test(equal(value), { isNegated: true });
    case "member_of":
      return test(equal([first]), { onElements: true });
    case "lt":
      return test(between(undefined, below(first)));
    case "lte":
      return test(between(undefined, upTo(first)));
    case "gt":
      return test(between(above(first), undefined));
    case "gte":
      return test(between(from(first), undefined));
    case "between":
      return test(between(from(first), upTo(second)));
    case "nbetween":
      return test(between(from(first), upTo(second)), { isNegated: true, mustExist: true });
    case "newer":
      return test(dated(first, nowSeconds, true));
    case "older":
      return test(dated(first, nowSeconds, false));
    case "starts_with":
      return test(startingWith(first));
    default:
      return undefined;
  }
}

function equal(value: string | readonly string[]): FoundRanges {
  const ranges = new Map<string, Range>();
  let isExact = true;
  const put = (key: string) => {
    const is = indexValue(key);
    isExact &&= is === key;
    ranges.set(is, { is });
  };
  for (const text of typeof value === "string" ? [value] : value) {
    const boolean = readBoolean(text);
    const decimal = readDecimal(text);
    put(orderKey(text));
    if (decimal) put(numberKey(decimal));
    if (boolean !== undefined) put(orderKey(boolean));
    if (text === "null") put(kinds.null);
  }
  return { ranges: [...ranges.values()], isExact };
}

/** A bound of a range by the kind of value: undefined for a kind that is not comparable with it. */
type Bound = { number: string | undefined; text: string; boolean: number | undefined };

const boundOf = (value: string, end: string, booleanBy: number): Bound => {
  const decimal = readDecimal(value);
  const boolean = readBoolean(value);
  return {
    number: decimal && numberKey(decimal) + end,
    text: foldedKey(value) + end,
    boolean: boolean === undefined ? undefined : Number(boolean) + booleanBy,
  };
};
const below = (value: string): Bound => boundOf(value, "", 0);
const upTo = (value: string): Bound => boundOf(value, afterEqual, 1);
const from = below;
const above = upTo;

/** All values from the first bound up to the second, which is left out. */
function between(low: Bound | undefined, high: Bound | undefined): FoundRanges {
  const found: FoundRanges = { ranges: [], isExact: true };
  const put = (first: string | undefined, end: string | undefined) => {
    if (first === undefined || end === undefined) return;
    const [cutFirst, cutEnd] = [indexValue(first), indexValue(end)];
    found.isExact &&= cutFirst === first && cutEnd === end;
    // A cut bound may be that of a value that is cut to the same.
    found.ranges.push({
      from: cutFirst === first ? first : cutFirst.slice(0, -cutMark.length),
      to: cutEnd === end ? end : cutEnd + cutMark,
    });
  };
  put(low ? low.number : kinds.number, high ? high.number : kinds.text);
  put(low ? low.text : kinds.text, high ? high.text : kinds.false);
  const [first, end] = [low ? low.boolean : 0, high ? high.boolean : 2];
  if (first !== undefined && end !== undefined)
    for (let boolean = first; boolean < end; boolean++) found.ranges.push({ is: boolean ? kinds.true : kinds.false });
  return found;
}

/** A number, and a text that is one, is a time by itself; every other text that is one has a row of its own. */
function dated(value: string, nowSeconds: number, isNewer: boolean): FoundRanges {
  const given = readMoment(value, nowSeconds)?.startSeconds;
  if (given === undefined) return { ranges: [], isExact: true };
  const bounds = timeNumbers.map(numberKey) as [string, string];
  const [first, end] = isNewer
    ? [numberKey(toDecimal(given + 1)), bounds[1]]
    : [bounds[0], numberKey(toDecimal(given))];
  const times = isNewer ? { from: timeValue(given + 1), to: listEnd } : { from: timeKind, to: timeValue(given) };
  return { ranges: [{ from: first, to: end }, times], isExact: true };
}

/** After the values of all times. */
const listEnd = String(Number(timeKind) + 1);

const maxBeginning = 100;

function startingWith(value: string): FoundRanges {
  const cut = cutCharacters(kinds.text + foldBeginning(value), maxBeginning);
  // A number is a text of its digits.
  return {
    ranges: [
      { from: cut, to: afterBeginning(cut) },
      { from: kinds.number, to: kinds.text },
    ],
    isExact: false,
  };
}

/** The first text after all that begin with this one. */
function afterBeginning(text: string): string {
  const points = [...text];
  while (points.at(-1) === cutMark) points.pop();
  const last = (points.pop() as string).codePointAt(0) as number;
  // Surrogates are no code points.
  return points.join("") + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
}
