import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { BracketError, nestJson, parseUrlEncoded } from "./brackets.ts";
import { formatJson, parseJson } from "./json.ts";

const caps = { maxPairs: 200, maxDepth: 8, maxItems: 100 };
const read = (text: string) => JSON.parse(formatJson(parseUrlEncoded(text, caps)));

const cases: [string, unknown][] = [
  ["", {}],
  ["a=1&b=", { a: "1", b: "" }],
  ["a", { a: "" }],
  ["a=1&&b=2", { a: "1", b: "2" }],
  ["a=x%20y+z", { a: "x y z" }],
  ["a=x+y", { a: "x y" }],
  ["f%5Bwhere%5D%5Bkey%5D=t", { f: { where: { key: "t" } } }],
  ["f[]=", { f: [""] }],
  ["f[]=a&f[]=b", { f: ["a", "b"] }],
  ["f[1]=b&f[0]=a", { f: ["a", "b"] }],
  ["f[5]=b", { f: ["b"] }],
  ["f[0]=a&f[x]=b", { f: { 0: "a", x: "b" } }],
  ["f[and_where][0][key]=a&f[and_where][0][value]=1", { f: { and_where: [{ key: "a", value: "1" }] } }],
  ["a[b=1", { "a[b": "1" }],
  ["a]b=1", { "a]b": "1" }],
  ["[a]=1", { "[a]": "1" }],
  ["a=b=c", { a: "b=c" }],
  ["=x", { "": "x" }],
  ["a=1&a=1", { a: "1" }],
];
for (const [text, value] of cases) {
  test(`${text || "nothing"} is read`, () => assert.deepEqual(read(text), value));
}

const times = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join("&");
test("names are 8 levels deep at most, of 200 parameters and lists of 100 items", () => {
  assert.deepEqual(read("a[b][c][d][e][f][g][h]=1"), { a: { b: { c: { d: { e: { f: { g: { h: "1" } } } } } } } });
  assert.equal(read(times(100, (i) => `a[${i}]=x`)).a.length, 100);
  assert.equal(Object.keys(read(times(200, (i) => `a${i}=x`))).length, 200);
});

test("a JSON value is read as its names with brackets", () => {
  const nested = (json: string) => JSON.parse(formatJson(nestJson("a", parseJson(json), caps)));
  assert.deepEqual(nested('{"b":[1.50,"x",{"c":true}],"d":null}'), { b: ["1.50", "x", { c: "true" }], d: "null" });
  assert.equal(nested('"x"'), "x");
  const deep = (depth: number) => `${"[".repeat(depth - 1)}1${"]".repeat(depth - 1)}`;
  const pairs = (count: number) => `[[${Array(100).fill(1)}],[${Array(90).fill(1)}],[${Array(count - 190).fill(1)}]]`;
  for (const json of [deep(8), pairs(200), `[${Array(100).fill(1)}]`]) nested(json);
  for (const json of [deep(9), pairs(201), `[${Array(101).fill(1)}]`])
    assert.throws(() => nested(json), { rule: "too_complex" });
});

const refused: [string, BracketError["rule"]][] = [
  ["a=1&a=2", "repeated"],
  ["a=1&a[b]=2", "conflict"],
  ["a[b]=1&a=2", "conflict"],
  ["a[b]=1&a[b][c]=2", "conflict"],
  ["__proto__=1", "forbidden_key"],
  ["a[__proto__][b]=1", "forbidden_key"],
  ["a[b][constructor]=1", "forbidden_key"],
  ["a[%70rototype]=1", "forbidden_key"],
  ["a=%zz", "encoding"],
  ["a=%ff", "encoding"],
  ["a=%00", "encoding"],
  ["a=x%00", "encoding"],
  ["a[b][c][d][e][f][g][h][i]=1", "too_complex"],
  [times(101, (i) => `a[${i}]=x`), "too_complex"],
  [times(201, (i) => `a${i}=x`), "too_complex"],
];
for (const [text, rule] of refused) {
  test(`${text.slice(0, 40)} is refused: ${rule}`, () => {
    assert.throws(
      () => read(text),
      (error) => error instanceof BracketError && error.rule === rule,
    );
  });
}

const joined: [string, unknown][] = [
  ["d[l]=a&d[l]=b", { d: { l: ["a", "b"] } }],
  ["d[l]=a&d[x]=1&d[l]=a&d[l]=b", { d: { l: ["a", "a", "b"], x: "1" } }],
  ["d[a][b]=1&d[a][b]=2", { d: { a: { b: ["1", "2"] } } }],
  ["d[0][b]=1&d[0][b]=2", { d: [{ b: ["1", "2"] }] }],
  ["d[l]=a&d[l]=a", { d: { l: "a" } }],
  ["d[l]=&d[l]=", { d: { l: "" } }],
  ["d[l][]=a&d[l][]=a", { d: { l: ["a", "a"] } }],
];
for (const [text, value] of joined) {
  const form = { ...caps, joins: true };
  test(`in a form ${text} is read`, () => {
    assert.deepEqual(JSON.parse(formatJson(parseUrlEncoded(text, form))), value);
  });
}

test("what ends in no key is not joined, nor is a list above the limit", () => {
  const form = { ...caps, joins: true };
  for (const text of ["a=1&a=2", "d[0]=a&d[0]=b", "d[1]=a&d[1]=b&d[x]=c"])
    assert.throws(() => parseUrlEncoded(text, form), { rule: "repeated" }, text);
  for (const text of ["d[l]=a&d[l][]=b", "d[l]=a&d[l]=b&d[l][x]=c", "d[l][x]=a&d[l]=b"])
    assert.throws(() => parseUrlEncoded(text, form), { rule: "conflict" }, text);
  const many = (count: number) =>
    parseUrlEncoded(
      times(count, (i) => `d[l]=${i}`),
      form,
    );
  assert.equal(many(100).size, 1);
  assert.throws(() => many(101), { rule: "too_complex" });
  assert.throws(() => parseUrlEncoded("d[l]=a&d[l]=b", caps), { rule: "repeated" });
});

test("the limit of groups over all names is exact", () => {
  const deep = (count: number) => Array.from({ length: count }, (_, i) => `a[${i}x][b][c]=1`).join("&");
  assert.equal(parseUrlEncoded(deep(49), { ...caps, maxGroups: 100 }).size, 1);
  assert.throws(() => parseUrlEncoded(deep(50), { ...caps, maxGroups: 100 }), { rule: "too_complex" });
  assert.equal(parseUrlEncoded(deep(50).replaceAll(/\d+x/g, "x"), { ...caps, maxGroups: 3 }).size, 1);
});

test("any text gives a tree or a BracketError, in time", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "[", "]", "=", "&", "%", "0", "5", "b", "+") }), (text) => {
      try {
        parseUrlEncoded(text, caps);
      } catch (error) {
        assert.ok(error instanceof BracketError);
      }
    }),
    { numRuns: 500 },
  );
});

test("a thousand opening brackets are handled fast", () => {
  assert.ok(parseUrlEncoded(`a${"[".repeat(16_000)}=1`, caps).size === 1);
});
