import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { formatJson, JsonError, type JsonObject, mergePatch, NumberText, parseJson, toJson } from "./json.ts";

test("numbers, key order and empty values survive a round trip", () => {
  for (const text of [
    '{"b":1,"1":2,"a":{}}',
    "[9007199254740993,1.0,1e5,-0,0.10,1E+2]",
    '{"":""}',
    "[]",
    '"\u2028é😀/"',
    "123456789012345678901234567890.5",
  ]) {
    assert.equal(formatJson(parseJson(text)), text);
  }
});

test("whitespace and unnecessary escapes are removed", () => {
  assert.equal(formatJson(parseJson(' { "a" : [ 1 ,\n2 ] , "b" : "\\u0041\\/" } ')), '{"a":[1,2],"b":"A/"}');
});

const refused: [string, JsonError["rule"]][] = [
  ["", "syntax"],
  ["{", "syntax"],
  ['{"a":1,}', "syntax"],
  ["[1,]", "syntax"],
  ["01", "syntax"],
  ["1 2", "syntax"],
  ["'a'", "syntax"],
  ["NaN", "syntax"],
  ['"\\x"', "syntax"],
  ['"a\nb"', "syntax"],
  ['"abc', "syntax"],
  ['"abc\\"', "syntax"],
  ['{"a":1,"a":1}', "duplicate_key"],
  ['[{"a":{"b":1,"\\u0062":2}}]', "duplicate_key"],
  ["1e999", "number_range"],
  ["[-1e999]", "number_range"],
  ['"\\u0000"', "text"],
  ['{"\\u0000":1}', "text"],
  ['"\\ud800"', "text"],
  ['{"__proto__":1}', "forbidden_key"],
  ['{"a":[{"constructor":1}]}', "forbidden_key"],
  ["[".repeat(10_000) + "]".repeat(10_000), "too_deep"],
];
for (const [text, rule] of refused) {
  test(`${text.slice(0, 30)} is refused: ${rule}`, () => {
    assert.throws(
      () => parseJson(text),
      (error) => error instanceof JsonError && error.rule === rule,
    );
  });
}

test("a string of a megabyte with escapes is read", () => {
  const value = `${"a\\".repeat(300_000)}"`;
  assert.equal(parseJson(JSON.stringify(value)), value);
});

test("the depth limit is exact", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.equal(formatJson(parseJson(nested(64), 64)), nested(64));
  assert.throws(() => parseJson(nested(65), 64), /deeper than 64/);
});

test("a number that JavaScript formats differently is kept as text", () => {
  assert.deepEqual(parseJson("1.0"), new NumberText("1.0"));
  assert.equal(parseJson("1.5"), 1.5);
});

test("the output of JSON.stringify is parsed and formatted the same", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!/__proto__|constructor|prototype|\\u0000|\\ud[89a-f]/i.test(text));
      assert.equal(JSON.stringify(JSON.parse(formatJson(toJson(value)))), text);
    }),
  );
});

// The rows of RFC 7396, appendix A, in which both sides are objects.
const patches: [string, string, string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', "{}"],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];
for (const [target, patch, result] of patches) {
  test(`${target} patched with ${patch} is ${result}`, () => {
    const merged = mergePatch(parseJson(target) as JsonObject, parseJson(patch) as JsonObject);
    assert.equal(formatJson(merged), result);
  });
}
