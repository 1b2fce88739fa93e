import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson, parseJson } from "../lib/json.ts";
import { numberOf, readBoolean, someText, textOf, valueAt } from "./value.ts";

const stored = parseJson(
  '{"a":{"b":{"c":1},"b.c":2},"a.b":{"d":3},"list":[["x"],{"k":"v"},null],"n":null,"t":"text","":{"":4},"1":{"0":5},"long":[0,1,2,3,4,5,6,7,8,9,10]}',
);

const places: [key: string, json: string | undefined][] = [
  ["t", '"text"'],
  ["n", "null"],
  ["missing", undefined],
  // At each level a key equal to the rest of the name precedes nesting.
  ["a.b", '{"d":3}'],
  ["a.b.c", "2"],
  // Only the whole rest: `a.b` does not match the start of a longer name.
  ["a.b.d", undefined],
  ["list.0", '["x"]'],
  ["list.0.0", '"x"'],
  ["list.1.k", '"v"'],
  ["list.2", "null"],
  ["list.3", undefined],
  ["long.10", "10"],
  ["list.-1", undefined],
  ["list.1e0", undefined],
  ["list.length", undefined],
  ["list.9999999999", undefined],
  ["1.0", "5"],
  ["t.0", undefined],
  ["t.length", undefined],
  ["n.x", undefined],
  [".", "4"],
  ["", '{"":4}'],
  ["a.", undefined],
  ["a..b", undefined],
];
for (const [key, json] of places) {
  test(`${JSON.stringify(key)} finds ${json ?? "nothing"}`, () => {
    const found = valueAt(stored, key);
    assert.equal(found === undefined ? undefined : formatJson(found), json);
  });
}

test("missing values, texts and numbers contain nothing", () => {
  for (const value of [undefined, null, "text", 5, true]) assert.equal(valueAt(value, "a"), undefined);
});

const numbers: [json: string, number: string | undefined, text: string | undefined][] = [
  ["5", "5", "5"],
  ["1.0", "1.0", "1.0"],
  ["1e300", "1e300", "1e300"],
  ["9007199254740993", "9007199254740993", "9007199254740993"],
  ['"5"', "5", "5"],
  ['" 5"', undefined, " 5"],
  ['"0x10"', undefined, "0x10"],
  ['"1e400"', "1e400", "1e400"],
  ['""', undefined, ""],
  ["true", undefined, undefined],
  ["null", undefined, undefined],
  ["[5]", undefined, undefined],
  ['{"a":5}', undefined, undefined],
];
for (const [json, number, text] of numbers) {
  test(`${json} counts as the number ${number} and the text ${text}`, () => {
    assert.equal(numberOf(parseJson(json))?.text, number);
    assert.equal(textOf(parseJson(json)), text);
  });
}

test("only true, 1, false and 0 are booleans", () => {
  assert.deepEqual(["true", "1", "false", "0"].map(readBoolean), [true, true, false, false]);
  for (const text of ["", "TRUE", "yes", "01", " 1", "null"]) assert.equal(readBoolean(text), undefined);
});

test("text fields are found at any depth; keys, numbers and booleans are not texts", () => {
  const value = parseJson('{"key":[1,[{"deep":"needle"}],true,null,1.0]}');
  assert.ok(someText(value, (text) => text === "needle"));
  for (const other of ["key", "deep", "1", "1.0", "true", "null"])
    assert.ok(!someText(value, (text) => text === other));
  assert.ok(someText("alone", (text) => text === "alone"));
});
