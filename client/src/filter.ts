import type { Where, WireCondition } from "./condition.ts";
import type { Fields } from "./field.ts";

/** By the service's own names; test/client/filter.test.ts holds the two together. */
export const operators = [
  ...["eq", "neq", "in", "nin", "lt", "lte", "gt", "gte", "between", "nbetween", "newer", "older"],
  ...["contains", "ncontains", "starts_with", "ends_with", "regexp", "nregexp", "member_of", "exists"],
];

/**
 * Begins a condition: `where("year").gte(1979).and(where("genres").contains("horror"))`. Any field is taken here;
 * whether it fits is seen where the filter is used.
 */
export const where = fieldOf as unknown as Where<Fields>;

/** `where` that knows the fields of `T`, and so completes their names and offers only what fits. */
export const whereOf = <T>(): Where<T> => where as unknown as Where<T>;

function fieldOf(key: string): Record<string, (...values: unknown[]) => Conditions> {
  const operatorOf = (operator: string) => {
    return (...[value = true, second]: unknown[]) =>
      new Conditions([{ key, operator, value: second === undefined ? value : [value, second] }], []);
  };
  return Object.fromEntries(operators.map((operator) => [inCamelCase(operator), operatorOf(operator)]));
}

const inCamelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The service reads (a and b) or c or d, and nothing else. Types say so; this says it to those who write without. */
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
