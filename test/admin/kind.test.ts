import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson, type Json, parseJson, parseNumber } from "../../admin/src/api/json.ts";
import { convert, type FieldKind, fieldKinds, kindOf } from "../../admin/src/model/entry/kind.ts";

const kinds = Object.keys(fieldKinds) as FieldKind[];

const values: Json[] = [
  ...["hello", "constructor", "1972", "true", "a, b", '{"a":1}', "two\nlines"],
  ...[5, parseJson("12345678901234567890.10"), true, false],
  ...[["a", "b"], ["a, b"], [" a"], ["one"], ["[1]"], [], { a: 1 }, [1], { rawJSON: 1 }],
];

for (const value of values) {
  test(`another kind gives ${formatJson(value)} back, or does not take it`, () => {
    for (const kind of kinds) {
      const converted = convert(value, kind);
      if (converted === undefined) continue;
      assert.equal(kindOf(converted), kind);
      assert.equal(formatJson(convert(converted, kindOf(value)) ?? "lost"), formatJson(value), kind);
    }
  });
}

const cases: [value: Json, kind: FieldKind, converted: Json | undefined][] = [
  ["hello", "number", undefined],
  ["hello", "switch", undefined],
  ["constructor", "switch", undefined],
  ["hello", "json", undefined],
  ["007", "number", undefined],
  [" 7 ", "number", 7],
  ["Yes", "switch", true],
  ["a,b", "list", ["a", "b"]],
  ['["a","b"]', "list", ["a", "b"]],
  [2, "switch", undefined],
  [{ a: 1 }, "list", undefined],
  ["", "number", 0],
  [null, "text", ""],
];

for (const [value, kind, expected] of cases) {
  test(`${formatJson(value)} as ${kind} is ${formatJson(expected ?? "nothing")}`, () => {
    assert.deepEqual(convert(value, kind), expected);
  });
}

const typed: [text: string, number: string | undefined][] = [
  ["1,5", "1.5"],
  [".5", "0.5"],
  [",5", "0.5"],
  ["5.", "5"],
  ["5,", "5"],
  ["−5", "-5"],
  ["-,5", "-0.5"],
  ["+7", "7"],
  ["0,125", "0.125"],
  ["12345678901234567890,10", "12345678901234567890.10"],
  // A thousand to some, one to others.
  ["1,000", undefined],
  ["1.000,5", undefined],
  ["1,5,2", undefined],
  [",", undefined],
  [".", undefined],
  ["-", undefined],
  ["007", undefined],
];

for (const [text, number] of typed) {
  test(`“${text}” as a person types it is ${number ?? "no number"}`, () => {
    const read = parseNumber(text);
    assert.equal(read && formatJson(read), number);
  });
}
