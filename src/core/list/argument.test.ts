import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseJson } from "../lib/json.ts";
import type { Code } from "../problem.ts";
import { argumentName, filterInvalid, readCountOf, readFlag, readText, readTexts } from "./argument.ts";

const args = (json: string) => parseJson(json) as JsonObject;

/** The value of an argument `a` as JSON, or the code of the refusal. */
type Case<T> = [sent: string, read: T | { code: Code }];
function check<T>(name: string, read: (sent: JsonObject) => T, cases: Case<T>[]): void {
  for (const [sent, expected] of cases) {
    test(`${name}: ${sent}`, () => {
      const isRefusal = typeof expected === "object" && expected !== null && "code" in expected;
      if (isRefusal) assert.throws(() => read(args(sent)), expected);
      else assert.deepEqual(read(args(sent)), expected);
    });
  }
}
const invalid = { code: "filter_invalid" } as const;

check("one text", (sent) => readText(sent, "a"), [
  ["{}", undefined],
  ['{"a":""}', undefined],
  ['{"a":" "}', " "],
  ['{"a":"0"}', "0"],
  ['{"a":["x"]}', invalid],
  ['{"a":{"b":"x"}}', invalid],
  ['{"a":5}', invalid],
  ['{"a":null}', invalid],
]);

check<string[]>("one text or a list of texts", (sent) => readTexts(sent, "a"), [
  ["{}", []],
  ['{"a":""}', []],
  ['{"a":[]}', []],
  ['{"a":["",""]}', []],
  ['{"a":"x"}', ["x"]],
  ['{"a":["x","","y","x"]}', ["x", "y", "x"]],
  ['{"a":["x",1]}', invalid],
  ['{"a":[["x"]]}', invalid],
  ['{"a":{"0":"x"}}', invalid],
]);

check("a count", (sent) => readCountOf(sent, ["a"])?.count, [
  ["{}", undefined],
  ['{"a":""}', undefined],
  ['{"a":"0"}', 0],
  ['{"a":"007"}', 7],
  ['{"a":"999999999999999"}', 999_999_999_999_999],
  ['{"a":"1000000000000000"}', invalid],
  ['{"a":"-1"}', invalid],
  ['{"a":"+1"}', invalid],
  ['{"a":"1.0"}', invalid],
  ['{"a":"1e3"}', invalid],
  ['{"a":" 1"}', invalid],
  ['{"a":"1\\n"}', invalid],
  ['{"a":"\u0661"}', invalid],
]);

const conflict = { code: "argument_conflict" } as const;
check<{ name: string; count: number } | undefined>(
  "a count by several names",
  (sent) => readCountOf(sent, ["a", "b", "c"]),
  [
    ['{"b":"3"}', { name: "b", count: 3 }],
    ['{"c":"3","b":"3"}', { name: "b", count: 3 }],
    ['{"a":"","c":"3"}', { name: "c", count: 3 }],
    ['{"a":"3","b":"03"}', { name: "a", count: 3 }],
    ['{"a":"3","c":"4"}', conflict],
    ['{"a":"0","b":"1"}', conflict],
    ['{"a":"3","c":"x"}', invalid],
  ],
);

check("a flag", (sent) => readFlag(sent, "a"), [
  ["{}", false],
  ['{"a":""}', false],
  ...["true", "1", "on", "yes", "TRUE", "Yes"].map((word): Case<boolean> => [`{"a":"${word}"}`, true]),
  ...["false", "0", "off", "no", "False"].map((word): Case<boolean> => [`{"a":"${word}"}`, false]),
  ...["2", "y", "truee", " true", "null"].map((word): Case<boolean> => [`{"a":"${word}"}`, invalid]),
  ['{"a":true}', invalid],
]);

test("a refusal names the argument as sent, the value and what is accepted", () => {
  assert.equal(argumentName("where", 0, "key"), "filter[where][0][key]");
  const { message } = filterInvalid(argumentName("limit"), "many", "a number");
  assert.match(message, /"filter\[limit\]" was .*many.*; expected a number/);
  assert.throws(() => readCountOf(args('{"a":"1","b":"2"}'), ["a", "b"]), { message: /filter\[a\].*filter\[b\]/ });
});
