import { compareDecimals, readDecimal, toDecimal } from "../lib/decimal.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { latestSeconds, parseTime } from "../lib/time.ts";
import { readMoment } from "../moment.ts";
import { compareText } from "../path.ts";
import { foldForOrder } from "./order-key.ts";
import { certainOfOperand, compileOperand, type TimeBudget } from "./regexp.ts";
import { numberOf, readBoolean, textOf, valueAt } from "./value.ts";

/**
 * The semantics of one condition. The type of the stored value decides how the condition's text is read; a list matches
 * when one of its elements does; an object is never equal, ordered or searched. Contract §4, Types.
 */

/** Every operator by its canonical name; the semantics are below. */
export const operators = [
  "eq",
  "neq",
  "lt",
  "lte",
  "gt",
  "gte",
  "in",
  "nin",
  "contains",
  "ncontains",
  "member_of",
  "starts_with",
  "ends_with",
  "between",
  "nbetween",
  "newer",
  "older",
  "regexp",
  "nregexp",
  "exists",
] as const;
export type Operator = (typeof operators)[number];

/** Every way to write one, in any letter case. */
export const spellings = new Map<string, Operator>([
  ...operators.map((operator) => [operator, operator] as const),
  ["=", "eq"],
  ["is", "eq"],
  ["!=", "neq"],
  ["<>", "neq"],
  ["<", "lt"],
  ["<=", "lte"],
  [">", "gt"],
  [">=", "gte"],
  ["like", "contains"],
  ["nlike", "ncontains"],
  ["start_with", "starts_with"],
]);

/**
 * One condition, validated. `value` is a list for in, nin (0 to 100 texts), between and nbetween (2), otherwise one
 * text. `hasDates`: what is no number in it is a date, and stands for its first second.
 */
export type Condition = { key: string; operator: Operator; value: string | string[]; hasDates?: true };

/** The operators that read dates on a field that is a time; `newer` and `older` do so on each. */
export const dateOperators: ReadonlySet<Operator> = new Set([
  "eq",
  "neq",
  "lt",
  "lte",
  "gt",
  "gte",
  "in",
  "nin",
  "between",
  "nbetween",
] as const);

/** The condition with Unix seconds in place of its dates; `yesterday` depends on the clock. */
export function inSeconds(condition: Condition, nowSeconds: number): Condition {
  const { value, hasDates } = condition;
  if (!hasDates) return condition;
  const secondsOf = (text: string) =>
    readDecimal(text) ? text : String(readMoment(text, nowSeconds)?.startSeconds ?? text);
  return { ...condition, value: typeof value === "string" ? secondsOf(value) : value.map(secondsOf) };
}

/** What matching uses of a request: its time budget for regular expressions, and its clock for `newer` and `older`. */
export type MatchContext = { budget: TimeBudget; nowSeconds: number };

type Test = (stored: Json) => boolean;

/** The condition as a test of an object. The test throws filter_too_costly. */
export function compileCondition(condition: Condition, context: MatchContext): (object: JsonObject) => boolean {
  const { key, operator, value } = inSeconds(condition, context.nowSeconds);
  const [first = "", second = ""] = typeof value === "string" ? [value] : value;
  const matches = (test: Test, missing = false) => compileKey(key, test, missing);
  switch (operator) {
    case "exists":
      return readBoolean(first) ? matches(() => true) : matches(() => false, true);
    case "eq":
      return matches(inList(equals(first)));
    case "neq":
      return matches(not(inList(equals(first))), true);
    case "in":
      return matches(inList(oneOf(value)));
    case "nin":
      return matches(not(inList(oneOf(value))), true);
    case "member_of":
      return matches(memberOf(first));
    case "contains":
      return matches(inList(text((stored) => stored.includes(first))));
    case "ncontains":
      return matches(not(inList(text((stored) => stored.includes(first)))), true);
    case "starts_with":
      return matches(inList(text((stored) => stored.startsWith(first))));
    case "ends_with":
      return matches(inList(text((stored) => stored.endsWith(first))));
    case "lt":
      return matches(inList(ordered(first, (order) => order < 0)));
    case "lte":
      return matches(inList(ordered(first, (order) => order <= 0)));
    case "gt":
      return matches(inList(ordered(first, (order) => order > 0)));
    case "gte":
      return matches(inList(ordered(first, (order) => order >= 0)));
    case "between":
      return matches(inList(between(first, second)));
    case "nbetween":
      return matches(not(inList(between(first, second))));
    case "newer":
      return matches(inList(dated(first, context.nowSeconds, true)));
    case "older":
      return matches(inList(dated(first, context.nowSeconds, false)));
    case "regexp":
      return matches(inList(text(compileOperand(first, context.budget))));
    case "nregexp":
      return matches(not(inList(text(compileOperand(first, context.budget)))));
  }
}

/**
 * A text that the value, or one element of it, contains where the condition holds; undefined where none is known. For an
 * index of texts: it is no test of the condition.
 */
export function partOfMatches({ operator, value }: Condition): string | undefined {
  if (typeof value !== "string") return undefined;
  switch (operator) {
    case "contains":
    case "starts_with":
    case "ends_with":
      return value;
    case "eq":
    case "member_of":
      // These are equal to values that are written in another way.
      return readDecimal(value) || readBoolean(value) !== undefined || value === "null" ? undefined : value;
    case "regexp":
      return certainOfOperand(value);
    default:
      return undefined;
  }
}

function compileKey(key: string, test: Test, missing: boolean): (object: JsonObject) => boolean {
  // Most keys exist and have no dot: one lookup in the map.
  return (object) => {
    const stored = object.get(key) ?? valueAt(object, key);
    return stored === undefined ? missing : test(stored);
  };
}

const not =
  (test: Test): Test =>
  (stored) =>
    !test(stored);

const inList =
  (test: Test): Test =>
  (stored) =>
    Array.isArray(stored) ? stored.some(test) : test(stored);

const text =
  (test: (stored: string) => boolean): Test =>
  (stored) => {
    const read = textOf(stored);
    return read !== undefined && test(read);
  };

function equals(value: string): Test {
  const number = readDecimal(value);
  const boolean = readBoolean(value);
  return (stored) => {
    if (typeof stored === "string") return stored === value;
    if (typeof stored === "boolean") return stored === boolean;
    if (stored === null) return value === "null";
    if (typeof stored === "number" && stored !== number?.near) return false;
    const storedNumber = number && numberOf(stored);
    return storedNumber !== undefined && number !== undefined && compareDecimals(storedNumber, number) === 0;
  };
}

function oneOf(value: string | string[]): Test {
  const tests = (typeof value === "string" ? [value] : value).map(equals);
  return (stored) => tests.some((test) => test(stored));
}

/** The value is an element of the field's list; a field that is no list has no members. */
function memberOf(value: string): Test {
  const test = equals(value);
  return (stored) => Array.isArray(stored) && stored.some(test);
}

/**
 * Compares a stored value with the condition's, as -1, 0 or 1; undefined when the two are not comparable. Texts that differ
 * only in case, marks or zeros before digits are equal here: contract §4, Order.
 */
function compareWith(value: string): (stored: Json) => number | undefined {
  const number = readDecimal(value);
  const boolean = readBoolean(value);
  const folded = foldForOrder(value);
  return (stored) => {
    // Most numbers differ as doubles already, which keep the order of the decimals.
    if (typeof stored === "number" && number && stored !== number.near) return stored < number.near ? -1 : 1;
    if (typeof stored === "boolean") {
      return boolean === undefined ? undefined : Number(stored) - Number(boolean);
    }
    const storedNumber = numberOf(stored);
    if (storedNumber) return number && compareDecimals(storedNumber, number);
    return typeof stored === "string" ? compareText(foldForOrder(stored), folded) : undefined;
  };
}

function ordered(value: string, accepts: (order: number) => boolean): Test {
  const compare = compareWith(value);
  return (stored) => {
    const order = compare(stored);
    return order !== undefined && accepts(order);
  };
}

function between(low: string, high: string): Test {
  const isFrom = ordered(low, (order) => order >= 0);
  const isTo = ordered(high, (order) => order <= 0);
  return (stored) => isFrom(stored) && isTo(stored);
}

/** The numbers that are times: at and after the first, before the second. Contract §4, Types. */
export const timeNumbers = [toDecimal(-latestSeconds), toDecimal(latestSeconds + 1)] as const;

/** `isNewer`: at a later second than the given one, otherwise before it. A number, or a text that is one, is Unix seconds. */
function dated(value: string, nowSeconds: number, isNewer: boolean): Test {
  const given = readMoment(value, nowSeconds)?.startSeconds;
  const [first, end] = timeNumbers;
  return (stored) => {
    if (given === undefined) return false;
    const number = numberOf(stored);
    if (!number) {
      const seconds = typeof stored === "string" ? parseTime(stored) : undefined;
      return seconds !== undefined && (isNewer ? seconds > given : seconds < given);
    }
    if (compareDecimals(number, first) < 0 || compareDecimals(number, end) >= 0) return false;
    return isNewer ? compareDecimals(number, toDecimal(given + 1)) >= 0 : compareDecimals(number, toDecimal(given)) < 0;
  };
}
