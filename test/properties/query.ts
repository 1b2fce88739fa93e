import { operators } from "../../src/core/list/filter.ts";
import { fc } from "../fast-check.ts";

/** Random data and queries of collections, for tests that compare two results. */

const long = "l".repeat(300);
const scalars = [
  ...[0, 1, -1, 2, 15, 1979, 0.1, 1e21, -0.5],
  ...[
    "",
    "a",
    "b",
    "ab",
    "15",
    "15.0",
    "1e1",
    "-1",
    "true",
    "false",
    "null",
    "0",
    "1",
    "é",
    "😀",
    "\uffff",
    "2020-01-02",
  ],
  ...[
    `${long}a`,
    `${long}b`,
    `${"é".repeat(127)}x`,
    `${"é".repeat(127)}é`,
    `${"x".repeat(255)}é`,
    `${"x".repeat(255)}😀`,
  ],
  ...[true, false, null],
];
// Numbers that no double has, inserted into the text.
const exact = ["9007199254740993", "9007199254740992.5", "1.0", "1e2", "123456789012345678901234567890"];
const scalar = fc.constantFrom(...scalars).map((value) => JSON.stringify(value));
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.constantFrom(...exact) },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }).map((items) => `[${items}]`) },
  { weight: 1, arbitrary: scalar.map((inner) => `{"b":${inner}}`) },
  { weight: 1, arbitrary: scalar.map((inner) => `[[${inner}],{"b":${inner}}]`) },
);
/** Keys of the client's data. */
const keys = ["a", "n", "a.b", "tags"];
/** Data of a client, as JSON text. */
export const data = fc
  .dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true, maxKeys: 4 })
  .map((members) => `{${Object.entries(members).map(([key, text]) => `${JSON.stringify(key)}:${text}`)}}`);

const operand = fc.oneof(
  fc.constantFrom(...scalars).map((item) => (item === null ? "null" : String(item))),
  fc.constantFrom(...exact, "+15", ".5", "5.", "1e400", "-1e400", "TRUE", " 1"),
);
/** Conditions on these keys, with operands of these. */
export function conditionsOn(fields: readonly string[], texts: readonly string[] | fc.Arbitrary<string>) {
  const one = texts instanceof fc.Arbitrary ? texts : fc.constantFrom(...texts);
  return fc.record({ key: fc.constantFrom(...fields), expr: fc.constantFrom(...operators) }).chain(({ key, expr }) => {
    if (expr.endsWith("between")) return fc.tuple(one, one).map((pair) => ({ key, expr, value: pair as unknown }));
    if (expr === "in" || expr === "nin") {
      return fc.array(one, { minLength: 0, maxLength: 3 }).map((list) => ({ key, expr, value: list as unknown }));
    }
    return one.map((value) => ({ key, expr, value: value as unknown }));
  });
}
const form = fc.oneof(
  fc.record({ limit: fc.integer({ min: 1, max: 4 }).map(String), offset: fc.constantFrom("0", "1", "3") }),
  fc.record({ return: fc.constantFrom("first", "last", "next", "exists", "count") }),
  fc.record({ return: fc.constantFrom("first", "last"), offset: fc.constantFrom("1", "2") }),
  fc.constant({}),
);

/** Arguments of a collection, with conditions on and orders by the client's keys and these. */
export function queries(conditionFields: readonly string[], sortFields: readonly string[]) {
  const condition = conditionsOn([...keys, ...conditionFields], operand);
  const sortKey = fc.record({
    field: fc.constantFrom(...keys, ...sortFields),
    direction: fc.constantFrom("asc", "desc"),
  });
  const find = fc.record(
    {
      where: condition,
      and_where: fc.array(condition, { maxLength: 2 }),
      or_where: fc.array(condition, { maxLength: 2 }),
      depth: fc.constantFrom("1", "*", ">=0", "2", "!=1"),
      order_by: fc.array(sortKey, { minLength: 1, maxLength: 2 }),
      sort_by: fc.constantFrom("mtime", "ctime"),
      total: fc.constant("1"),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(find, form).map(([found, shown]) => ({ ...found, ...shown }));
}
