import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { parseCanonical, readCanonical } from "./canonical-json.ts";
import { formatJson, type Json, JsonError, parseJson } from "./json.ts";

const texts = [
  '{"a":1,"b":[1,"x",null,true,{"c":{}}]}',
  '{"b":1.0,"a":9007199254740993,"c":1e30,"d":-0}',
  '{"10":1,"9":2,"x":3}',
  '{"a": 1}',
  '"text"',
  "[]",
  "null",
  '{"toString":1,"hasOwnProperty":{"valueOf":2}}',
];
for (const text of texts) {
  test(`${text} is read as parseJson reads it`, () => {
    assert.deepEqual(parseCanonical(text), parseJson(text));
    assert.equal(formatJson(parseCanonical(text)), formatJson(parseJson(text)));
  });
}

const refused = [
  '{"a":1,"a":2}',
  '{"__proto__":1}',
  "{",
  "",
  '{"a":{"__proto__":{}}}',
  "[1,]",
  '"\\ud800"',
  '"\\u0000"',
];
for (const text of refused) {
  test(`${text} is refused`, () => {
    assert.throws(() => parseJson(text), JsonError);
    assert.throws(() => parseCanonical(text), JsonError);
    assert.throws(() => readCanonical(text), JsonError);
  });
}

test("only a text that formatJson could have written is read as canonical", () => {
  for (const text of texts) {
    const value = parseJson(text);
    assert.deepEqual(readCanonical(text), formatJson(value) === text ? value : undefined, text);
  }
});

/** The value, or the code of the refusal: some keys are forbidden. */
function outcome(parse: (text: string) => Json, text: string): Json {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonError) return error.rule;
    throw error;
  }
}

test("any formatted value parses to itself, even at the maximum depth", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      assert.deepEqual(outcome(parseCanonical, text), outcome(parseJson, text));
    }),
    { numRuns: 300 },
  );
  const deep = `${"[".repeat(64)}1${"]".repeat(64)}`;
  assert.deepEqual(parseCanonical(deep), parseJson(deep));
  assert.throws(() => parseCanonical(`[${deep}]`), { message: /deep/ });
});
