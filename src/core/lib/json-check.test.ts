import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { JsonCheck } from "./json-check.ts";

/** The result of the check for a text in chunks of this many characters. */
function isJson(text: string, pieceLength = text.length || 1): boolean {
  const check = new JsonCheck();
  for (let at = 0; at < text.length; at += pieceLength) {
    if (!check.write(text.slice(at, at + pieceLength))) return false;
  }
  return check.end();
}

const isParsed = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const wellFormed = [
  ...["{}", "[]", "0", "-0", '""', "true", "false", "null", " \t\r\n[ ]\n", "1e5", "-1.5E-10", "10", "1E+2"],
  ...['{"a":[1,2,{"b":null}],"c":"d"}', '"\\u00e4\\ud800\\"\\\\\\/\\b\\f\\n\\r\\t"', '"Ünï 照片 😀"', "[[[]],{}]"],
  ...['{ "" : 0 , "" : 1 }', '{"__proto__":1}', "[1 ,2]", "[-1]", "1e999", '"\u007f\u2028"'],
];
for (const text of wellFormed) {
  test(`${JSON.stringify(text)} is JSON`, () => assert.ok(isJson(text) && isJson(text, 1) && isParsed(text)));
}

const broken = [
  ...["", " ", "{", "[", '"', "}", "]", ",", ":", "[1,]", "[,1]", '{"a"}', '{"a":}', '{"a":1,}', "{a:1}", "{'a':1}"],
  ...["01", "-", "+1", "1.", ".5", "1e", "1e+", "--1", "0x10", "NaN", "Infinity", "-Infinity", "1 2", "00", "1.e5"],
  ...["tru", "truee", "True", "nul", "undefined", '"\\x"', '"\\u12g4"', '"\\u12"', '"a\nb"', '"a\tb"', '"\0"', '"a'],
  ...[
    "[1}",
    '{"a":1]',
    "[]]",
    "{}{}",
    "// a\n1",
    "1 // a",
    "\ufeff{}",
    "\u00a01",
    "[1 2]",
    '{"a" 1}',
    "{1:2}",
    '{"a":1"b":2}',
  ],
];
for (const text of broken) {
  test(`${JSON.stringify(text)} is not JSON`, () => assert.ok(!isJson(text) && !isJson(text, 1) && !isParsed(text)));
}

test("any JSON in any chunks is valid", () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 1, 4), (text, length, indent) => {
      assert.ok(isJson(JSON.stringify(JSON.parse(text), null, indent), length));
    }),
  );
});

test("JSON with one character changed is JSON only where JSON.parse says so", () => {
  const change = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:\\ue0-+.1 tfn\n\0'));
  fc.assert(
    fc.property(change, fc.integer({ min: 1, max: 9 }), ([text, at, character], length) => {
      const place = at % (text.length + 1);
      for (const changed of [
        text.slice(0, place) + character + text.slice(place + 1),
        text.slice(0, place) + character + text.slice(place),
        text.slice(0, place),
      ]) {
        assert.equal(isJson(changed, length), isParsed(changed), changed);
      }
    }),
    { numRuns: 3000 },
  );
});

test("a thousand nested containers are accepted, one more is not", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  assert.ok(isJson(nested(1000)));
  assert.ok(!isJson(nested(1001)));
  assert.ok(!isJson(nested(100_000)));
  assert.ok(isJson(`[${'{"a":[]},'.repeat(5000)}0]`));
});

test("an invalid start is refused at once", () => {
  const check = new JsonCheck();
  assert.ok(check.write('{"a": '));
  assert.ok(!check.write("b"));
  assert.ok(!check.write("1}"));
  assert.ok(!check.end());
});
