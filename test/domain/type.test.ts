import assert from "node:assert/strict";
import { test } from "node:test";
import type { Slug } from "../../src/domain/path.ts";
import { Problem } from "../../src/domain/problem.ts";
import { matches, parsePattern, TypePaths } from "../../src/domain/type-path.ts";
import { compileSchema } from "../../src/domain/type-schema.ts";

/** Patterns of types, and schemas that are refused or stopped. Contract, part two, §9. */

const cases: [pattern: string, id: string, isMatch: boolean][] = [
  ["a/*", "a/b", true],
  ["a/*", "a", false],
  ["a/*", "a/b/c", false],
  ["a/**", "a", true],
  ["a/**", "a/b/c", true],
  ["**", "a/b/c", true],
  ["**/c", "c", true],
  ["**/c", "a/b/c", true],
  ["**/c", "a/c/b", false],
  ["a/**/b/*", "a/b/x/b/y", true],
  ["a/**/b/*", "a/b", false],
  ["*/**/*", "a", false],
  ["*/**/*", "a/b", true],
  ["a.b", "axb", false],
];
for (const [pattern, id, isMatch] of cases) {
  test(`${pattern} ${isMatch ? "matches" : "does not match"} ${id}`, () => {
    assert.equal(matches(parsePattern(pattern), id.split("/")), isMatch);
  });
}

test("patterns that are no ids, or have a part of a wildcard in a segment, are refused", () => {
  for (const bad of ["", "/a", "a//b", "a/", "a*", "***", "../a"])
    assert.throws(
      () => parsePattern(bad),
      (error) => error instanceof Problem && error.code === "argument_invalid",
    );
});

test("the most specific pattern counts, then the order of the ids; fieldset goes first", () => {
  const paths = new TypePaths([
    { id: "z", paths: ["blog/*"] },
    { id: "a", paths: ["*/*", "**"] },
    { id: "deep", paths: ["blog/**"] },
    { id: "post", paths: ["blog/*", "blog/*/post"] },
    { id: "free", paths: [] },
  ]);
  const typeOf = (id: string, fieldset?: string) => paths.typeOf(id as Slug, fieldset);
  assert.equal(typeOf("blog/x"), "post");
  assert.equal(typeOf("blog/x/y"), "deep");
  assert.equal(typeOf("blog/x/post"), "post");
  assert.equal(typeOf("other/x"), "a");
  assert.equal(typeOf("blog/x", "free"), "free");
  assert.equal(typeOf("blog/x", "deep"), "deep");
  assert.equal(typeOf("other", "deep"), "a");
  assert.equal(typeOf("blog/x", "unknown"), "post");
});

const compile = (schema: unknown) =>
  compileSchema("t", { schemaOf: (id) => (id === "t" ? JSON.stringify(schema) : undefined) });
const refusal = (schema: unknown): Promise<string> =>
  compile(schema).then(
    () => "accepted",
    (error) => (error instanceof Problem ? `${error.code} ${error.params.pointer}` : String(error)),
  );
const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) });

const schemas: [schema: unknown, refusal: string][] = [
  [{ $ref: "#" }, "schema_invalid "],
  [{ properties: { a: { allOf: [{ $ref: "#/properties/a" }] } } }, "schema_invalid /properties/a"],
  [{ properties: { a: { $ref: "#" } } }, "accepted"],
  [{ type: "strin" }, "schema_invalid /type"],
  [{ properties: { a: { items: { minLength: "x" } } } }, "schema_invalid /properties/a/items/minLength"],
  [{ properties: [] }, "schema_invalid /properties"],
  [{ required: "a" }, "schema_invalid /required"],
  [{ properties: { a: { $ref: "https://example.com/x" } } }, "schema_invalid /properties/a/$ref"],
  [{ properties: { a: { $ref: "file:///etc/passwd" } } }, "schema_invalid /properties/a/$ref"],
  [{ $ref: "#/$defs/none" }, "schema_invalid /$ref"],
  [{ $ref: "#toString" }, "schema_invalid /$ref"],
  [{ $dynamicRef: "#none" }, "schema_invalid /$dynamicRef"],
  [{ items: { $ref: "/types/nobody" } }, "schema_invalid /items/$ref"],
  [{ $schema: "http://json-schema.org/draft-07/schema#" }, "schema_invalid /$schema"],
  [{ items: { $vocabulary: { "x:y": true } } }, "schema_invalid /items/$vocabulary"],
  [{ pattern: "(?=a)" }, "schema_invalid /pattern"],
  [{ pattern: "(a{1000}){1000}" }, "schema_invalid /pattern"],
  [{ patternProperties: { "(": {} } }, "schema_invalid /patternProperties/("],
  [{ prefixItems: Array(1001).fill(true) }, "schema_invalid /prefixItems/1"],
  [{ allOf: Array(11).fill({ pattern: "a".repeat(999) }) }, "schema_invalid /allOf/0/pattern"],
  [nested(20), "accepted"],
  [{ $id: "https://example.com/own", $ref: "#/$defs/a", $defs: { a: {} } }, "accepted"],
  [true, "accepted"],
];
for (const [schema, expected] of schemas) {
  test(`the schema ${JSON.stringify(schema).slice(0, 70)}: ${expected}`, async () => {
    assert.equal(await refusal(schema), expected);
  });
}

test("alternatives within alternatives of a nested value are stopped", async () => {
  const schema = { anyOf: [1, 2].map((maxItems) => ({ type: "array", maxItems, items: { $ref: "#" } })) };
  const { check } = await compile(schema);
  const data = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`);
  assert.throws(
    () => check(data, false),
    (error) => error instanceof Problem && error.code === "type_too_costly",
  );
  assert.deepEqual(check([[]], false), []);
});

test("many items, an enumeration, keys and patterns cost no more than their number", async () => {
  const { check } = await compile({
    uniqueItems: true,
    items: {
      enum: Array.from({ length: 2000 }, (_, i) => ({ i })),
      additionalProperties: false,
      patternProperties: { "^(a+)+$": {}, i: {} },
    },
  });
  const faults = check(
    Array.from({ length: 200 }, () => ({ [`${"a".repeat(40)}!`]: 1 })),
    false,
  );
  assert.ok(faults.some(({ rule }) => rule === "uniqueItems") && faults.some(({ rule }) => rule === "enum"));
});

test("patterns are written for ECMAScript", async () => {
  const cases: [pattern: string, text: string, isMatch: boolean][] = [
    ["^\\p{Letter}+$", "žluť", true],
    ["^\\u00e9$", "é", true],
    ["^\\u{1f600}$", "😀", true],
    ["^\\uD83D\\uDE00$", "😀", true],
    ["^\\p{Script=Greek}+$", "λόγος", true],
    ["^\\d+\\/\\d+$", "1/2", true],
    ["a$", "a\n", false],
  ];
  for (const [pattern, text, isMatch] of cases) {
    const { check } = await compile({ pattern });
    assert.equal(check(text, false).length === 0, isMatch, pattern);
  }
});
