import type { Condition, Use, Where, WireCondition } from "./condition.ts";
import type { Fields } from "./field.ts";

/** The service's own operator names; test/client/filter.test.ts compares the two. */
export const operators = [
  ...["eq", "neq", "in", "nin", "lt", "lte", "gt", "gte", "between", "nbetween", "newer", "older"],
  ...["contains", "ncontains", "starts_with", "ends_with", "regexp", "nregexp", "member_of", "exists"],
];

/**
 * Begins a condition: `where("year").gte(1979).and(where("genres").contains("horror"))`. Accepts any field; whether it
 * fits is checked where the filter is used.
 */
export const where = fieldOf as unknown as Where<Fields>;

/** `where` typed by the fields of `T`: completes their names and offers only the operators that fit. */
export const whereOf = <T>(): Where<T> => where as unknown as Where<T>;

/**
 * A condition by the names of a field and of an operator as the service spells it (`starts_with`), for filters that
 * users compose. It fits any type; the service checks it.
 */
export const condition = (key: string, operator: string, value: unknown = true): Condition<Use<string, never>> =>
  new Conditions([{ key, operator, value }], []) as unknown as Condition<Use<string, never>>;

function fieldOf(key: string): Record<string, (...values: unknown[]) => Conditions> {
  const operatorOf = (operator: string) => {
    return (...[value = true, second]: unknown[]) =>
      new Conditions([{ key, operator, value: second === undefined ? value : [value, second] }], []);
  };
  return Object.fromEntries(operators.map((operator) => [inCamelCase(operator), operatorOf(operator)]));
}

const inCamelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The service supports only (a and b) or c or d. The types enforce this; this check does so for untyped callers. */
class Conditions {
  readonly all: readonly WireCondition[];
  readonly any: readonly WireCondition[];

  constructor(all: readonly WireCondition[], any: readonly WireCondition[]) {
    this.all = all;
    this.any = any;
  }

  and(...others: Conditions[]): Conditions {
    refuse(this.any.length > 0 || others.some(({ any }) => any.length > 0), "and() cannot follow or()");
    return new Conditions([...this.all, ...others.flatMap(({ all }) => all)], []);
  }

  or(...others: Conditions[]): Conditions {
    refuse(
      others.some(({ all, any }) => all.length !== 1 || any.length > 0),
      "or() takes single conditions",
    );
    return new Conditions(this.all, [...this.any, ...others.flatMap(({ all }) => all)]);
  }
}

function refuse(isWrong: boolean, message: string): void {
  if (isWrong) throw new RangeError(message);
}
