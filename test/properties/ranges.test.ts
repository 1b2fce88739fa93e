import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "../../src/core/lib/json.ts";
import { latestSeconds } from "../../src/core/lib/time.ts";
import { type Condition, type Operator, operators } from "../../src/core/list/filter.ts";
import { compileCondition } from "../../src/core/list/match.ts";
import { compareSortValues, type SortKey, sortValues } from "../../src/core/list/order.ts";
import { kinds } from "../../src/core/list/order-key.ts";
import { TimeBudget } from "../../src/core/list/regexp.ts";
import { compareText } from "../../src/core/path.ts";
import { cutMark, type FieldRow, fieldRows } from "../../src/core/sql/index/field.ts";
import { type FieldTest, fieldTest, type Range } from "../../src/core/sql/index/range.ts";
import { fc } from "../fast-check.ts";
import { orLong } from "../long.ts";

/**
 * The field index against the domain: a condition holds exactly where its ranges have a row. The domain tells what is
 * right.
 */

const nowSeconds = Date.UTC(2024, 4, 10, 12) / 1000;

const isIn = (value: string, range: Range): boolean =>
  "is" in range ? value === range.is : compareText(value, range.from) >= 0 && compareText(value, range.to) < 0;

/** What the statement of a list asks of the rows of one item. */
function holds({ key, ranges, isNegated, mustExist, onElements }: FieldTest, rows: readonly FieldRow[]): boolean {
  const own = rows.filter((row) => row.key === key);
  const exists = own.some(({ isElement }) => !isElement);
  const isFound = own.some(
    ({ isElement, value }) => (isElement || !onElements) && ranges.some((range) => isIn(value, range)),
  );
  if (mustExist && !exists) return false;
  if (ranges.length > 0) return isFound !== isNegated;
  return mustExist || (isNegated && !exists);
}

const rowsOf = (object: JsonObject): FieldRow[] => [...fieldRows(object, () => true).rows.values()];

// ------------------------------------------------------------------------------------------------ data and conditions

const long = "l".repeat(194);
const known = [
  ...["", "a", "A", "b", "ab", "AB", "aB", "ä", "Äb", "a\u0308", "apple", "Zebra", "Äpfel", "Apfel", "ß", "ss"],
  ...["News 2", "news 10", "News 02", "News", "News 2a", "a1", "a01", "a12", "x²", "①", "½", "1/2", "㋀", "1月"],
  ...["0", "1", "-1", "01", "+1", "1.0", "1e0", "10", "15", "15.0", "1.5e1", "-0", "1e400", "-1e400", "1e-400"],
  ...[
    "9007199254740993",
    "9007199254740992",
    "123456789012345678901234567890",
    `1${"0".repeat(250)}1`,
    "1e20000000000000",
  ],
  ...[
    "true",
    "false",
    "TRUE",
    "null",
    "2024-05-10",
    "2024-05-10T12:00:00Z",
    "10.05.2024",
    "1970-01-01",
    " 5 ",
    "0001-01-01",
  ],
  ...[
    "now",
    "today",
    "-1 day",
    "yesterday",
    String(nowSeconds),
    `${nowSeconds}.5`,
    String(latestSeconds),
    String(latestSeconds + 1),
  ],
  ...[
    `${long}a`,
    `${long}aaaaaa`,
    `${long}aaaaaab`,
    `${long}aaaaaaB`,
    `${long}aaaa\u{1f600}`,
    `${long}aaaaa\u{1f600}`,
    `${long}${long}`,
  ],
  ...[
    `${long}bbbbbb`,
    `${long}BBBBBB`,
    `${"ä".repeat(199)}`,
    `${"ä".repeat(200)}x`,
    "9".repeat(220),
    `-${"9".repeat(220)}`,
  ],
  ...["a\u0001", "a\u0002", "\u0001", "\u0002a", "\u007f", "a/b", "a\n", "😀", "\uffff"],
];
const letter = fc.constantFrom(
  ...("aAbBäÄßſKσΣςİıﬁ²½①㋀ \u0001\u0002\u0003/019:.-+e\u007f\u0301\u3042\uac00\uffff\u{10000}\u{1f600}".match(
    /./gsu,
  ) as string[]),
);
const texts = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...known) },
  { weight: 2, arbitrary: fc.string({ unit: letter, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...known), letter).map(([start, end]) => start + end) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant(long), fc.string({ unit: letter, maxLength: 10 })).map((parts) => parts.join("")),
  },
);
const numbers = fc.oneof(
  fc.constantFrom(
    "0",
    "-0",
    "1",
    "1.0",
    "-1",
    "15",
    "0.1",
    "1e21",
    "1e308",
    "-1e308",
    "9007199254740993",
    `1${"0".repeat(250)}1`,
  ),
  fc.constantFrom(
    String(nowSeconds),
    `${nowSeconds}.5`,
    String(-latestSeconds),
    String(latestSeconds),
    `${latestSeconds}.5`,
  ),
  fc.integer({ min: -20, max: 20 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const scalars = fc.oneof(
  { weight: 5, arbitrary: texts.map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: numbers },
  { weight: 1, arbitrary: fc.constantFrom("true", "false", "null") },
);
const values = fc.oneof(
  { weight: 5, arbitrary: scalars },
  { weight: 2, arbitrary: fc.array(scalars, { maxLength: 4 }).map((items) => `[${items}]`) },
  { weight: 1, arbitrary: scalars.map((inner) => `{"b":${inner}}`) },
  { weight: 1, arbitrary: scalars.map((inner) => `[[${inner}],{"b":${inner}}]`) },
);
const objects = fc
  .dictionary(fc.constantFrom("f", "g", "f.b", "h"), values, { maxKeys: 3 })
  .map((object) => `{${Object.entries(object).map(([key, value]) => `${JSON.stringify(key)}:${value}`)}}`);

/** The operand of a condition is often what the object has. */
const operands = fc.oneof(texts, numbers, fc.constantFrom("true", "false", "null"));
const pairs = new Set<Operator>(["between", "nbetween"]);
const lists = new Set<Operator>(["in", "nin"]);
const conditions: fc.Arbitrary<Condition> = fc.constantFrom(...operators).chain((operator) => {
  const value: fc.Arbitrary<string | string[]> =
    operator === "exists"
      ? fc.constantFrom("true", "false", "1", "0")
      : pairs.has(operator)
        ? fc.tuple(operands, operands)
        : lists.has(operator)
          ? fc.array(operands, { minLength: 1, maxLength: 3 })
          : operator === "regexp" || operator === "nregexp"
            ? fc.constantFrom("a", "^b", "n.w")
            : operands;
  return fc.record({ key: fc.constantFrom("f", "f", "f", "f.b"), operator: fc.constant(operator), value });
});

type Stored = { json: string; object: JsonObject; rows: readonly FieldRow[] };
function stored(json: string): Stored {
  const object = parseJson(json) as JsonObject;
  return { json, object, rows: rowsOf(object) };
}

/** Compares one condition with its ranges, for each of the objects. */
function check(condition: Condition, objects: readonly Stored[]): void {
  const asked = fieldTest(condition, nowSeconds);
  if (!asked) return;
  const isMatch = compileCondition(condition, { budget: new TimeBudget(10_000), nowSeconds });
  for (const { json, object, rows } of objects) {
    const expected = isMatch(object);
    const found: boolean = holds(asked, rows);
    if (expected === found || (found && !asked.isExact)) continue;
    assert.fail(`${condition.operator} ${JSON.stringify(condition.value)} ${found ? "finds" : "misses"} ${json}`);
  }
}

test("a condition holds exactly where its ranges have a row, or the ranges have more and say so", () => {
  fc.assert(
    fc.property(objects, conditions, (json, condition) => check(condition, [stored(json)])),
    { numRuns: orLong(10_000, 500_000) },
  );
});

test("all known values against each other, with every operator of the index", () => {
  const single = operators.filter((operator) => operator !== "exists" && !pairs.has(operator));
  const others = ["1", "1.0", "15", "0", "-1", "1e308", "true", "false", "null", "[]", "{}"];
  const all = [...known.map((text) => JSON.stringify(text)), ...others].map((value) => stored(`{"f":${value}}`));
  for (const operand of known) {
    for (const operator of single) check({ key: "f", operator, value: operand }, all);
    for (const operator of pairs) check({ key: "f", operator, value: ["a", operand] }, all);
  }
});

test("a beginning finds what goes on with digits, marks and the last characters of Unicode", () => {
  const beginnings = ["㎡", "㎡5", "x㋀", "a", "", "a1", "½", "\u{10ffff}", "News", "e\u0301"];
  const ends = ["", "5", "05", "\u0301", "\u{10ffff}\u{10ffff}x", "\u{10ffff}\u{10ffff}\u{10ffff}\u{10ffff}"];
  for (const value of beginnings) {
    const all = ends.map((end) => stored(`{"f":${JSON.stringify(value + end)}}`));
    check({ key: "f", operator: "starts_with", value }, all);
  }
});

test("short operands have exact ranges, with every operator that compares", () => {
  const inexact = new Set<Operator>(["contains", "ncontains", "starts_with", "ends_with", "regexp", "nregexp"]);
  for (const operator of operators.filter((each) => !inexact.has(each))) {
    const value = pairs.has(operator) ? ["a", "10"] : operator === "exists" ? "true" : "10";
    assert.equal(fieldTest({ key: "f", operator, value }, nowSeconds)?.isExact, true, operator);
  }
});

test("the order of rows is the order of the values, but for what was cut to the same", () => {
  const order: SortKey[] = [{ source: "field", key: "f", isDescending: false }];
  const read = (json: string) => {
    const object = parseJson(`{"f":${json}}`) as JsonObject;
    const [value] = sortValues(order, { modifiedAt: 0, createdAt: 0 }, () => object);
    const row = rowsOf(object).find(
      ({ key, isElement, value: own }) => key === "f" && !isElement && own < kinds.past && own >= kinds.number,
    );
    return { value, row: row?.value };
  };
  fc.assert(
    fc.property(values, values, (one, other) => {
      const [a, b] = [read(one), read(other)];
      assert.equal(a.row === undefined, a.value === undefined);
      if (a.row !== b.row)
        assert.equal(
          compareSortValues(a.row, b.row, false),
          compareSortValues(a.value, b.value, false),
          `${one} against ${other}`,
        );
      else if (!a.row?.endsWith(cutMark)) assert.equal(a.value, b.value);
    }),
    { numRuns: orLong(5000, 100_000) },
  );
});
