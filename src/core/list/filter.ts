import { cutText } from "../lib/cut-text.ts";
import { readDecimal } from "../lib/decimal.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { momentForms, readMoment } from "../moment.ts";
import { problem } from "../problem.ts";
import { argumentName, filterInvalid } from "./argument.ts";
import {
  type Condition,
  compileCondition,
  dateOperators,
  type MatchContext,
  type Operator,
  operators,
} from "./match.ts";
import { PatternCheck } from "./regexp.ts";
import { readBoolean } from "./value.ts";

export { type Condition, type Operator, operators, partOfMatches } from "./match.ts";
export { readBoolean } from "./value.ts";

/**
 * `all` of these, OR one of `any`. Without `all` only `any` decides; without both, everything matches. Plain data: it
 * is passed to a store's thread.
 */
export type Filter = { all: Condition[]; any: Condition[] };

const maxConditions = 50;
const maxListValues = 100;

const spellings = new Map<string, Operator>([
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
 * Reads `where` (one condition or a list), `and_where` and `or_where`. A condition is `key`, `expr` or `operator`,
 * and `value`. Conditions on `times` read dates. Throws filter_invalid (unknown operator, incomplete or misshapen condition),
 * argument_conflict, filter_too_complex, filter_too_costly. Contract §4.
 */
export function parseConditions(
  args: JsonObject,
  patterns = new PatternCheck(),
  times: ReadonlySet<string> = new Set(),
): Filter {
  const read = (name: string) => readConditions(args, name, { patterns, times });
  const all = [...read("where"), ...read("and_where")];
  const any = read("or_where");
  if (all.length + any.length > maxConditions) {
    throw problem("filter_too_complex", { rule: `at most ${maxConditions} conditions` });
  }
  return { all, any };
}

/** Throws filter_too_costly while matching. `budget` and `nowSeconds` are those of the request. */
export function compileFilter(filter: Filter, context: MatchContext): (object: JsonObject) => boolean {
  const all = filter.all.map((condition) => compileCondition(condition, context));
  const any = filter.any.map((condition) => compileCondition(condition, context));
  const isAll = (object: JsonObject) => all.every((matches) => matches(object));
  if (any.length === 0) return isAll;
  const isAny = (object: JsonObject) => any.some((matches) => matches(object));
  return all.length === 0 ? isAny : (object) => isAll(object) || isAny(object);
}

/** What conditions are read by: the budget of their patterns, and the fields that are times. */
type ConditionReader = { patterns: PatternCheck; times: ReadonlySet<string> };

function readConditions(args: JsonObject, name: string, reader: ConditionReader): Condition[] {
  const value = args.get(name);
  if (value === undefined) return [];
  if (isJsonObject(value)) return [readCondition(value, [name], reader)];
  if (Array.isArray(value)) return value.map((item, index) => readCondition(item, [name, index], reader));
  throw filterInvalid(argumentName(name), value, conditionShape(name));
}

const conditionShape = (...at: (string | number)[]): string =>
  `a condition: ${argumentName(...at, "key")}, ${argumentName(...at, "expr")} and ${argumentName(...at, "value")}`;

function readCondition(value: Json, at: (string | number)[], { patterns, times }: ConditionReader): Condition {
  if (!isJsonObject(value)) throw filterInvalid(argumentName(...at), value, conditionShape(...at));
  const key = value.get("key");
  if (typeof key !== "string" || key === "") {
    const meant = conditionMeant(value, argumentName(...at));
    if (meant !== undefined) throw filterInvalid(argumentName(...at), value, meant);
    throw filterInvalid(argumentName(...at, "key"), key, "the name of a field");
  }
  const operator = readOperator(value, at);
  const argument = argumentName(...at, "value");
  const condition = { key, operator, value: readValue(operator, value.get("value"), argument, patterns) };
  return times.has(key) && dateOperators.has(operator) ? withDates(condition, argument) : condition;
}

/** A condition on a time: a value that is no number is a date. Throws filter_invalid. */
function withDates(condition: Condition, argument: string): Condition {
  const values = [condition.value].flat();
  const dates = values.filter((text) => !readDecimal(text));
  const wrong = dates.find((text) => !readMoment(text, 0));
  if (wrong !== undefined) throw filterInvalid(argument, wrong, momentForms);
  return dates.length === 0 ? condition : { ...condition, hasDates: true };
}

/** The keys of a condition. */
export const conditionKeys = ["key", "expr", "operator", "value"];

/** How other services write operators. */
const foreignSpellings = new Map<string, Operator>([
  ["equals", "eq"],
  ["equal", "eq"],
  ["ne", "neq"],
  ["not_equals", "neq"],
  ["greater_than", "gt"],
  ["greater_than_equal", "gte"],
  ["less_than", "lt"],
  ["less_than_equal", "lte"],
  ["not_in", "nin"],
]);
const maxMeant = 3;
const maxShownText = 80;

/**
 * A condition in the shape of other services (`where[year][gte]=1979`, `where[year]=1979`), as it is written here, for a
 * message; undefined for any other. `argument` is the name of the condition.
 */
export function conditionMeant(value: JsonObject, argument: string): string | undefined {
  if (isText(value.get("key"))) return undefined;
  const isForeign = ([key, member]: [string, Json]) => !conditionKeys.includes(key) || isJsonObject(member);
  const found = [...value].filter(isForeign).flatMap(([key, member]) => [...conditionsIn(key, member)]);
  const shown = found.slice(0, maxMeant).map((one, i) => {
    const name = found.length === 1 ? argument : `${argument.replace(/\[\d+\]$/, "")}[${i}]`;
    return showCondition(name, one);
  });
  return shown.length === 0 ? undefined : shown.join("&");
}

type Meant = { key: string; expr: string; values: string[]; isList: boolean };

function* conditionsIn(key: string, value: Json): Generator<Meant> {
  if (isJsonObject(value)) {
    for (const [name, member] of value) {
      const expr = operatorMeant(name);
      if (expr === undefined) yield* conditionsIn(`${key}.${name}`, member);
      else yield* conditionOf(key, expr, member);
    }
  } else yield* conditionOf(key, "eq", value);
}

function* conditionOf(key: string, expr: string, value: Json): Generator<Meant> {
  const isList = Array.isArray(value);
  const values = (isList ? value : [value]).filter(isText);
  if (values.length > 0) yield { key, expr: isList && expr === "eq" ? "in" : expr, values, isList };
}

function operatorMeant(sent: string): string | undefined {
  const name = sent.toLowerCase();
  const plain = name.replace(/^[_$]+/, "");
  return spellings.has(name) ? name : spellings.has(plain) ? plain : foreignSpellings.get(plain);
}

function showCondition(name: string, { key, expr, values, isList }: Meant): string {
  const shown = values.slice(0, maxMeant).map((value) => `${name}[value]${isList ? "[]" : ""}=${showText(value)}`);
  return [`${name}[key]=${showText(key)}`, `${name}[expr]=${expr}`, ...shown].join("&");
}

/** A value as a query has it, still readable. */
const showText = (text: string): string =>
  cutText(text, maxShownText).replace(/[%&+#]/g, (sign) => encodeURIComponent(sign));

function readOperator(condition: JsonObject, at: (string | number)[]): Operator {
  const named = ["expr", "operator"].filter((name) => condition.has(name));
  const [first = "expr", second] = named;
  const operator = toOperator(condition.get(first), argumentName(...at, first));
  if (second !== undefined && toOperator(condition.get(second), argumentName(...at, second)) !== operator) {
    throw problem("argument_conflict", { first: argumentName(...at, first), second: argumentName(...at, second) });
  }
  return operator;
}

function toOperator(value: Json | undefined, argument: string): Operator {
  const operator = typeof value === "string" ? spellings.get(value.toLowerCase()) : undefined;
  if (operator) return operator;
  throw filterInvalid(argument, value, `one of ${[...spellings.keys()].join(" ")}`);
}

const isText = (value: Json | undefined): value is string => typeof value === "string";

function readValue(
  operator: Operator,
  value: Json | undefined,
  argument: string,
  patterns: PatternCheck,
): string | string[] {
  if (operator === "in" || operator === "nin") return readList(value, argument);
  if (operator === "between" || operator === "nbetween") return readPair(value, argument);
  if (!isText(value)) throw filterInvalid(argument, value, "one text");
  if (operator === "regexp" || operator === "nregexp") patterns.operand(argument, value);
  checkValue(operator, value, argument);
  return value;
}

function readList(value: Json | undefined, argument: string): string[] {
  // One text is a list of one, never split on commas: a comma may be part of the value.
  const list = isText(value) ? [value] : value;
  if (!Array.isArray(list) || !list.every(isText)) {
    throw filterInvalid(argument, value, `a list of texts, sent as ${argument}[]`);
  }
  if (list.length > maxListValues) {
    throw problem("filter_too_complex", { rule: `at most ${maxListValues} values in "${argument}"` });
  }
  return list;
}

function readPair(value: Json | undefined, argument: string): string[] {
  if (Array.isArray(value) && value.length === 2 && value.every(isText)) return value;
  const received = Array.isArray(value) ? `a list of ${value.length}` : value;
  throw filterInvalid(argument, received, `two texts, sent as ${argument}[0] and ${argument}[1]`);
}

/** Validates what can be checked without a stored value. */
function checkValue(operator: Operator, value: string, argument: string): void {
  if (operator === "exists" && readBoolean(value) === undefined) {
    throw filterInvalid(argument, value, "true, false, 1 or 0");
  }
  if ((operator === "newer" || operator === "older") && !readMoment(value, 0)) {
    throw filterInvalid(argument, value, momentForms);
  }
}
