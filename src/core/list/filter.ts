import { readDecimal } from "../lib/decimal.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { momentForms, readMoment } from "../moment.ts";
import { problem } from "../problem.ts";
import { argumentName, filterInvalid } from "./argument.ts";
import { conditionMeant } from "./foreign.ts";
import {
  type Condition,
  compileCondition,
  dateOperators,
  type MatchContext,
  type Operator,
  spellings,
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
