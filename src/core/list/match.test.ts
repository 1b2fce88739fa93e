import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "../lib/json.ts";
import type { Operator } from "./filter.ts";
import { compileCondition, partOfMatches } from "./match.ts";
import { TimeBudget } from "./regexp.ts";

const nowSeconds = Date.UTC(2024, 4, 10, 12) / 1000;

function matches(json: string | undefined, operator: Operator, value: string | string[]): boolean {
  const object = parseJson(json === undefined ? "{}" : `{"v":${json}}`) as JsonObject;
  return compileCondition({ key: "v", operator, value }, { budget: new TimeBudget(1000), nowSeconds })(object);
}

/** Stored values that match, then values that do not; `undefined` is a missing field. */
const cases: [operator: Operator, value: string | string[], yes: (string | undefined)[], no: (string | undefined)[]][] =
  [
    [
      "eq",
      "5",
      ["5", "5.0", "0.5e1", '"5"', "[4,5]", '["5"]'],
      ["6", '"5.0"', "true", "null", "[[5]]", '{"a":5}', undefined],
    ],
    ["eq", "1", ["1", "true", '"1"'], ["false", "null", '"true"']],
    ["eq", "true", ["true", '"true"', "[false,true]"], ["1", '"TRUE"', "[]"]],
    ["eq", "null", ["null", '"null"', "[null]"], ["0", '""', "{}", undefined]],
    ["eq", "", ['""'], ["null", "0", "false", "[]", undefined]],
    ["eq", "9007199254740993", ["9007199254740993"], ["9007199254740992", "9007199254740994"]],
    ["eq", "0", ["0", "-0", "0.0", "false"], ['""', "null"]],
    ["neq", "5", ["6", "null", "[4]", "[]", '{"a":5}', undefined], ["5", "5.0", "[4,5]"]],
    ["in", ["a", "5"], ['"a"', "5.0", '["x","a"]'], ['"A"', "[]", undefined]],
    ["in", [], [], ['"a"', "null", undefined]],
    ["nin", ["a", "5"], ['"b"', "[]", undefined], ['"a"', "5", '["b","a"]']],
    ["member_of", "a", ['["b","a"]'], ['"a"', "[]", '[["a"]]', '{"a":1}', undefined]],
    ["contains", "b", ['"abc"', '["x","b"]'], ['"ABC"', "true", '{"b":"b"}', "null", undefined]],
    ["contains", "1.0", ["1.0", '"v1.0"'], ["1", "10"]],
    ["contains", "", ['""', '"a"', "5"], ["null", "[]", undefined]],
    ["ncontains", "b", ['"ac"', "null", "[]", undefined], ['"abc"', '["x","b"]']],
    ["starts_with", "al", ['"alien"', '["x","al"]'], ['"Alien"', '"xal"', undefined]],
    ["starts_with", "9", ["95", '"9"'], ["59"]],
    ["ends_with", "en", ['"alien"', '["en"]'], ['"enx"', undefined]],
    ["lt", "10", ["9", '"9"', "9.999", "-1e300", "[20,9]"], ["10", "10.0", "11", "null", "true", "[]", undefined]],
    ["lte", "10", ["10.0", '"10"'], ["10.000000000000000000001"]],
    ["gt", "10", ["10.000000000000000000001", "1e300", '"11"', '"abc"'], ["10", '""', undefined]],
    ["gte", "b", ['"b"', '"B"', '"c"', '"\u{1f600}"'], ['"a"', '"A"', "5", "true", "null"]],
    ["gt", "b", ['"C"', '"ba"', '"ça"'], ['"b"', '"B"', '"Ä"']],
    ["lte", "news 2", ['"News 2"', '"NEWS 02"', '"news 1 and more"', '"news"'], ['"News 10"', '"news 2a"']],
    ["between", ["a", "e"], ['"Äpfel"', '"Birne"', '"É"'], ['"Zebra"', '"eß"', '"1a"']],
    ["nbetween", ["a", "e"], ['"Zebra"', '"1a"'], ['"Äpfel"', '"E"']],
    ["gt", "\uffff", ['"\u{10000}"'], ['"\uffff"', '"a"']],
    ["lt", "true", ["false"], ["true", "0"]],
    ["between", ["2", "4"], ["2", "4.0", '"3"', "[1,3]"], ["1", "5", "[1,5]", "null", undefined]],
    ["between", ["4", "2"], [], ["3", "[1,5]"]],
    ["nbetween", ["2", "4"], ["1", "5", "[1,5]", "null"], ["3", "[1,3]", undefined]],
    [
      "newer",
      "2024-05-01",
      ['"2024-05-02"', "1715000000", '"01-06-2024"'],
      ['"2024-05-01"', '"soon"', "true", "null", undefined],
    ],
    ["newer", "1 hour ago", [String(nowSeconds)], [String(nowSeconds - 3600)]],
    ["newer", "1714521600", ["1714521601", '"1714521601"'], ["1714521600", "1714521600.9"]],
    ["older", "1714521600", ["1714521599", "1714521599.9"], ["1714521600", '"1714521600"']],
    // Numbers are times up to the end of the year 9999, and as far before 1970.
    ["newer", "2024-05-01", ["253402300799", "253402300799.9"], ["253402300800", "1e300"]],
    ["older", "2024-05-01", ["-253402300799"], ["-253402300799.1", "-253402300800", "-1e300"]],
    [
      "older",
      "2024-05-01",
      ['"2024-04-30T23:59:59Z"', "0", '["2025-01-01","2020-01-01"]'],
      ['"2024-05-01"', undefined],
    ],
    ["exists", "true", ["null", '""', "[]", "0"], [undefined]],
    ["exists", "0", [undefined], ["null", '""', "0"]],
    ["regexp", "^a.c$", ['"abc"', '"ABC"', '["x","abc"]', '"x\\nabc\\ny"'], ['"xabc"', "null", undefined]],
    ["regexp", "(?-i)^a.c$", ['"abc"'], ['"ABC"']],
    ["regexp", "/^a.c$/i", ['"ABC"'], ['"xabc"']],
    ["regexp", "^5$", ["5", '"5"'], ["5.0", "55"]],
    ["nregexp", "^a", ['"ba"', "null", "[]"], ['"ab"', '"AB"', '["x","a"]', undefined]],
  ];
for (const [operator, value, yes, no] of cases) {
  test(`${operator} ${JSON.stringify(value)}`, () => {
    for (const json of yes) assert.ok(matches(json, operator, value), `it should match ${json}`);
    for (const json of no) assert.ok(!matches(json, operator, value), `it should not match ${json}`);
  });
}

test("a key with dots is looked up literally before it is nested", () => {
  const object = parseJson('{"a.b":1,"a":{"b":2,"c":3}}') as JsonObject;
  const context = { budget: new TimeBudget(1000), nowSeconds };
  assert.ok(compileCondition({ key: "a.b", operator: "eq", value: "1" }, context)(object));
  assert.ok(!compileCondition({ key: "a.b", operator: "eq", value: "2" }, context)(object));
  assert.ok(compileCondition({ key: "a.c", operator: "eq", value: "3" }, context)(object));
});

/** Undefined where a value that matches may be written without the text. */
const parts: [operator: Operator, value: string, part: string | undefined][] = [
  ["contains", "5", "5"],
  ["starts_with", "true", "true"],
  ["ends_with", "", ""],
  ["eq", "alien", "alien"],
  ["member_of", "alien", "alien"],
  ...["5", "5.0", "true", "0", "null"].map((value): [Operator, string, undefined] => ["eq", value, undefined]),
  ["regexp", "al+ien", "ien"],
  ["neq", "alien", undefined],
  ["ncontains", "alien", undefined],
  ["lt", "alien", undefined],
];
test("a part of what matches is known where each value that matches has it as a text", () => {
  for (const [operator, value, part] of parts)
    assert.equal(partOfMatches({ key: "v", operator, value }), part, `${operator} ${value}`);
  assert.equal(partOfMatches({ key: "v", operator: "in", value: ["alien"] }), undefined);
});
