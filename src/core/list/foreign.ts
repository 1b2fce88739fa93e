import { cutText } from "../lib/cut-text.ts";
import { parseFlag } from "../lib/flag.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { type Operator, spellings } from "./match.ts";

/**
 * How other products write filters, orders and fields, and how the same is written here, for messages. Contract §1, Query;
 * §4, Filter.
 */

/** The keys of a condition. */
export const conditionKeys = ["key", "expr", "operator", "value"];

/** How other services write operators, as `plainOf` has them. */
const foreignSpellings = new Map<string, Operator>([
  ...["equals", "equal", "eqi", "ieq", "matches"].map((name) => [name, "eq"] as const),
  ...["ne", "not_equals", "not_equal", "nei", "nieq"].map((name) => [name, "neq"] as const),
  ...["greater_than", "after"].map((name) => [name, "gt"] as const),
  ...["greater_than_equal", "greater_than_or_equal", "ge"].map((name) => [name, "gte"] as const),
  ...["less_than", "before"].map((name) => [name, "lt"] as const),
  ...["less_than_equal", "less_than_or_equal", "le"].map((name) => [name, "lte"] as const),
  ...["not_in", "notin"].map((name) => [name, "nin"] as const),
  ...["containsi", "icontains", "match", "ilike"].map((name) => [name, "contains"] as const),
  ...["not_contains", "not_containsi", "nicontains", "not_like"].map((name) => [name, "ncontains"] as const),
  ...["starts_withi", "istarts_with", "startswith"].map((name) => [name, "starts_with"] as const),
  ...["ends_withi", "iends_with", "endswith"].map((name) => [name, "ends_with"] as const),
  ["not_between", "nbetween"],
  ["regex", "regexp"],
]);
const negations = [
  ["eq", "neq"],
  ["lt", "gte"],
  ["gt", "lte"],
  ["in", "nin"],
  ["contains", "ncontains"],
  ["between", "nbetween"],
  ["regexp", "nregexp"],
] as const;
const opposite = new Map<string, Operator>(negations.flatMap(([one, other]) => [[one, other] as const, [other, one]]));
/** Names of groups of conditions; and of conditions on one of several things, in which a name follows. */
const groupNames = new Set(["and", "or", "not", "nor", "where", "and_where", "or_where"]);
const quantifiers = /^[_$](some|every|any|all|elem_match)$/;
const takesList: ReadonlySet<string> = new Set(["in", "nin", "between", "nbetween"]);

/** Conditions, values and names that a message shows at most, and the bytes of each. */
const maxMeant = 3;
const maxShown = 20;
const maxShownText = 80;

/** `pageSize`, `_limit` and `order-by` as the names here are written. */
export const plainOf = (name: string): string =>
  name
    .replace(/^[_$]+/, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
    .replaceAll("-", "_")
    .toLowerCase();

/**
 * A condition in the shape of other services (`where[year][gte]=1979`, `where[year]=1979`), as it is written here, for a
 * message; undefined for any other. Of a group (`$or`) it is the first one. `argument` is the name of the condition.
 */
export function conditionMeant(value: JsonObject, argument: string): string | undefined {
  if (isText(value.get("key"))) return undefined;
  const isForeign = ([key, member]: [string, Json]) => !conditionKeys.includes(key) || isJsonObject(member);
  return showConditions(
    [...value].filter(isForeign).flatMap(([key, member]) => [...conditionsIn(member, named("", key))]),
    argument,
  );
}

/** What is wrong with these members of a filter, or of a group of conditions that other products have: the first of them, as it works. */
export function conditionShape(value: Json, argument: string): string {
  const found = [...conditionsIn(value, { key: "", isNegated: false })];
  const shown = showConditions(found, argument);
  return (
    shown ?? showCondition(argument, { key: firstKey(value) ?? "field", expr: "eq", values: ["value"], isList: false })
  );
}

function showConditions(found: readonly Meant[], argument: string): string | undefined {
  const shown = found.slice(0, maxMeant).map((one, i) => {
    const name = found.length === 1 ? argument : `${argument.replace(/\[\d+\]$/, "")}[${i}]`;
    return showCondition(name, one);
  });
  return shown.length === 0 ? undefined : shown.join("&");
}

type Meant = { key: string; expr: string; values: string[]; isList: boolean };
/** Where a value stands: below a field, "" for none, and whether a `not` is above it. */
type Place = { key: string; isNegated: boolean };

const named = (above: string, name: string): Place => ({
  key: above === "" ? name : `${above}.${name}`,
  isNegated: false,
});

function* conditionsIn(value: Json, place: Place): Generator<Meant> {
  if (Array.isArray(value) && value.some((item) => !isText(item))) {
    for (const item of value) yield* conditionsIn(item, place);
  } else if (!isJsonObject(value)) yield* conditionOf("eq", value, place);
  else if (isText(value.get("key"))) yield* ownCondition(value, place);
  else for (const [name, member] of value) yield* memberIn(name, member, place);
}

function* memberIn(name: string, member: Json, { key, isNegated }: Place): Generator<Meant> {
  const plain = plainOf(name);
  const isGroup = groupNames.has(plain) && !isText(member);
  if (isGroup || quantifiers.test(name)) {
    // Of a group the first condition is shown.
    for (const one of conditionsIn(member, { key, isNegated: isNegated !== (plain === "not" || plain === "nor") })) {
      yield one;
      return;
    }
  } else if (key === "") yield* conditionsIn(member, { ...named("", name), isNegated });
  else {
    const expr = operatorMeant(name);
    if (expr !== undefined) yield* conditionOf(expr, member, { key, isNegated });
    else if (isNull(plain)) yield existence(plain, member, key);
    else if (plain === "not") yield* conditionOf("neq", member, { key, isNegated });
    else yield* conditionsIn(member, { ...named(key, name), isNegated });
  }
}

/** A condition that is written as here, in a place where none is. */
function* ownCondition(value: JsonObject, { isNegated }: Place): Generator<Meant> {
  const expr = value.get("expr") ?? value.get("operator");
  const key = value.get("key") as string;
  const operand = value.get("value");
  yield* conditionOf(isText(expr) ? expr : "eq", operand ?? "value", { key, isNegated });
}

/** `$null`, `_nnull`, `isNull`: whether the field is there. */
const isNull = (name: string): boolean => /^(is_?)?(not_?|n)?(null|empty)$/.test(name);
const existence = (name: string, value: Json, key: string): Meant => {
  const isThere = /not|nn|ne/.test(name) === (parseFlag(value) ?? true);
  return { key, expr: "exists", values: [String(isThere)], isList: false };
};

function* conditionOf(expr: string, value: Json, { key, isNegated }: Place): Generator<Meant> {
  if (key === "") return;
  const isList = Array.isArray(value) || takesList.has(expr);
  const texts = isText(value) && isList ? value.split(",") : [value].flat().filter(isText);
  const own = Array.isArray(value) && !takesList.has(expr) ? (expr === "neq" ? "nin" : "in") : expr;
  const operator = isNegated ? (opposite.get(own) ?? own) : own;
  if (texts.length > 0) yield { key, expr: operator, values: texts, isList };
}

function operatorMeant(sent: string): string | undefined {
  const name = sent.toLowerCase();
  const plain = plainOf(sent);
  return spellings.has(name) ? name : spellings.has(plain) ? plain : foreignSpellings.get(plain);
}

/** True for an operator of this or of another product. */
export const isOperator = (name: string): boolean => operatorMeant(name) !== undefined;

function showCondition(name: string, { key, expr, values, isList }: Meant): string {
  const shown = values.slice(0, maxShown).map((value) => `${name}[value]${isList ? "[]" : ""}=${showText(value)}`);
  return [`${name}[key]=${showText(key)}`, `${name}[expr]=${expr}`, ...shown].join("&");
}

/** The first name in brackets that is no group. */
function firstKey(value: Json): string | undefined {
  if (Array.isArray(value)) return value.map(firstKey).find((key) => key !== undefined);
  if (!isJsonObject(value)) return undefined;
  for (const [name, member] of value) {
    const key = groupNames.has(plainOf(name)) ? firstKey(member) : name;
    if (key !== undefined) return key;
  }
  return undefined;
}

/** `sort[]=year:desc`, `sort[year]=desc`, `sort[0][field]=year` as an order here. `argument` is the name of the order. */
export function orderShape(value: Json, argument: string): string {
  const found = [...ordersIn(value)].slice(0, maxMeant);
  const shown = (found.length > 0 ? found : [{ field: "field", isDescending: false }]).map((order, i, { length }) => {
    const name = length === 1 ? argument : `${argument}[${i}]`;
    return `${name}[field]=${showText(order.field)}${order.isDescending ? `&${name}[direction]=desc` : ""}`;
  });
  return shown.join("&");
}

type OrderMeant = { field: string; isDescending: boolean };
const isDescent = (value: Json | undefined): boolean => isText(value) && /^(desc|-1|descending)/i.test(value);

function* ordersIn(value: Json): Generator<OrderMeant> {
  if (Array.isArray(value)) for (const item of value) yield* ordersIn(item);
  else if (isText(value)) {
    for (const text of value.split(",")) {
      const [, minus, field = "", direction] = /^\s*([+-]?)([^:\s]+)(?:[:\s]+(\S+))?/.exec(text) ?? [];
      if (field !== "") yield { field, isDescending: minus === "-" || isDescent(direction) };
    }
  } else if (isJsonObject(value)) {
    const field = value.get("field") ?? value.get("key");
    if (isText(field)) yield { field, isDescending: isDescent(value.get("direction") ?? value.get("order")) };
    else for (const [name, member] of value) yield { field: name, isDescending: isDescent(member) };
  }
}

/** The names in `fields[]=title`, `fields[articles]=title,body`, `populate[author][fields][0]=name`. */
export function namesMeant(value: Json, isPopulated: boolean): string[] {
  const split = (text: string) => text.split(",").map((name) => name.trim());
  const found = Array.isArray(value)
    ? value.flatMap((item) => (isJsonObject(item) ? pathOf(item) : isText(item) ? split(item) : []))
    : isJsonObject(value)
      ? [...value].flatMap(([name, member]) =>
          isPopulated || isJsonObject(member) || parseFlag(member) !== undefined || member === ""
            ? [name]
            : [member].flat().filter(isText).flatMap(split),
        )
      : [];
  return [...new Set(found.filter((name) => name !== "" && name !== "*"))].slice(0, maxShown);
}

const pathOf = (item: JsonObject): string[] => {
  const path = item.get("path") ?? item.get("field");
  return isText(path) ? [path] : [...item.keys()].slice(0, 1);
};

/** A value as a query has it, still readable. */
export const showText = (text: string): string =>
  cutText(text, maxShownText).replace(/[%&+#]/g, (sign) => encodeURIComponent(sign));

const isText = (value: Json | undefined): value is string => typeof value === "string";
