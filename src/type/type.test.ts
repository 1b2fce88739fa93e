import assert from "node:assert/strict";
import { test } from "node:test";
import { costlyTypes, slowType } from "../../test/fixtures/costly-types.ts";
import { type JsonObject, parseJson } from "../core/lib/json.ts";
import type { Slug } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { serviceFields } from "../entry/field.ts";
import { refuseShared, Types } from "./check.ts";
import { insteadOf, refuseNames } from "./name.ts";
import { matches, parsePattern, TypePaths } from "./path.ts";
import { compileSchema } from "./schema.ts";

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
  [{ $id: "https://json-schema.org/draft/2020-12/schema" }, "schema_invalid "],
  [{ $defs: { a: { $id: "https://json-schema.org/draft/2020-12/meta/core" } } }, "schema_invalid "],
  [{ $ref: "#/default", default: { type: 5 } }, "schema_invalid /$ref"],
  [{ $ref: "#/enum/0", enum: [{ type: 5 }] }, "schema_invalid /$ref"],
  [{ properties: { $id: "a" } }, "schema_invalid /properties/$id"],
  [{ allOf: { $id: "https://json-schema.org/draft/2020-12/schema", $vocabulary: {} } }, "schema_invalid /allOf"],
  [{ const: { $schema: "x" }, examples: [{ $id: "::" }], "x-octavo-order": { $anchor: 5 } }, "accepted"],
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

/** The faults of a value as `pointer rule`. */
const faultsIn = async (schema: unknown, data: unknown, isLenient = false): Promise<string> => {
  const { check } = await compile(schema);
  return check(data, isLenient)
    .map(({ pointer, rule }) => `${pointer} ${rule}`)
    .join(", ");
};

test("what a schema holds as data does not change how schemas are checked", async () => {
  const core = { "https://json-schema.org/draft/2020-12/vocab/core": true };
  for (const name of ["default", "const", "x-octavo-note"]) {
    await compile({ [name]: { $id: "https://json-schema.org/draft/2020-12/schema", $vocabulary: core } });
    assert.equal(await faultsIn({ type: "string" }, 5), " type");
  }
});

test("enum and const compare lists and objects whatever their keys are", async () => {
  const value = { b: [1, { $ref: "x" }], $id: "y", $anchor: "z", a: "é" };
  const same = { $anchor: "z", $id: "y", a: "é", b: [1, { $ref: "x" }] };
  for (const schema of [{ const: value }, { enum: ["other", value] }]) {
    assert.equal(await faultsIn(schema, same), "");
    assert.notEqual(await faultsIn(schema, { ...same, a: "e" }), "");
  }
});

test("two types with one $id are not taken for each other", async () => {
  const part = (type: string) => ({ $id: "https://example.com/part", $defs: { a: { type } }, $ref: "#/$defs/a" });
  const types: Record<string, unknown> = {
    ...{
      t: { properties: { x: { $ref: "/types/b" }, y: { $ref: "/types/c" } } },
      b: part("string"),
      c: part("integer"),
    },
  };
  const compiled = compileSchema("t", { schemaOf: (id) => JSON.stringify(types[id]) });
  await assert.rejects(compiled, (error) => error instanceof Problem && error.code === "schema_invalid");
});

test("each field that the type does not name is a fault", async () => {
  const schema = { properties: { a: true, items: false }, additionalProperties: false };
  assert.equal(
    await faultsIn(schema, { a: 1, b: 2, items: 3, c: 4 }),
    "/items false, /b additionalProperties, /c additionalProperties",
  );
});

test("too many items of a kind are wrong in a draft, too few are not", async () => {
  const main = { contains: { required: ["main"] }, minContains: 2, maxContains: 2 };
  assert.equal(await faultsIn(main, [{}, {}, {}], true), "");
  assert.equal(await faultsIn(main, [{}, {}, {}]), " contains");
  assert.equal(await faultsIn(main, [{ main: 1 }, { main: 2 }, { main: 3 }], true), " contains");
});

test("a check with much work in one keyword is stopped", async () => {
  const range = (n: number) => Array.from({ length: n }, (_, i) => i);
  const names = range(30_000).map((i) => i.toString(36));
  const wide = Object.fromEntries(range(90_000).map((i) => [`a${i}`, 1]));
  const cases: [schema: unknown, data: unknown][] = [
    [
      {
        additionalProperties: false,
        patternProperties: Object.fromEntries([...range(900).map((i) => [`^z${i}`, true]), ["^a", true]]),
      },
      wide,
    ],
    [{ items: { required: names } }, range(150_000).map(() => ({}))],
    [{ allOf: range(990).map(() => ({ uniqueItems: true })) }, range(150_000)],
  ];
  for (const [schema, data] of cases) {
    const { check } = await compile(schema);
    assert.throws(
      () => check(data, false),
      (error) => error instanceof Problem && error.code === "type_too_costly",
    );
  }
});

test("faults below long keys are as few as fit into a reply", async () => {
  const { check } = await compile({ additionalProperties: { items: { type: "string" } } });
  const faults = check({ ["k".repeat(500_000)]: Array(2000).fill(1) }, false);
  assert.ok(faults.length > 0 && faults.length < 10, `${faults.length}`);
});

test("other work has its turn between costly checks", async () => {
  const lists = { anyOf: [1, 2].map((maxItems) => ({ type: "array", maxItems, items: { $ref: "#/$defs/lists" } })) };
  const schema = JSON.stringify({ properties: { b: { $ref: "#/$defs/lists" } }, $defs: { lists } });
  const types = new Types([{ id: "t", paths: ["**"], mode: "enforce" }], { schemaOf: () => schema });
  const data = parseJson(`{"b":${"[".repeat(60)}${"]".repeat(60)}}`) as JsonObject;
  await types.faultsOf("t", new Map(), false);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  try {
    // One after another, as a move does, and those of one group of writes.
    for (let i = 0; i < 2; i++) await assert.rejects(types.faultsOf("t", data, false));
    await Promise.all([1, 2, 3].map(() => assert.rejects(types.faultsOf("t", data, false))));
  } finally {
    clearInterval(timer);
  }
  assert.ok(turns >= 3, `${turns}`);
});

/** Where a schema names a field of the service for the entry itself; absent where it names none. */
const reservedNames: [schema: object, pointer?: string][] = [
  [{ properties: { slug: { type: "string" } } }, "/properties/slug"],
  [{ properties: { title: true }, required: ["title", "uuid"] }, "/required"],
  [{ allOf: [{}, { properties: { created_at: true } }] }, "/allOf/1/properties/created_at"],
  [{ oneOf: [{ properties: { kind: true } }, { properties: { visibility: true } }] }, "/oneOf/1/properties/visibility"],
  [{ if: { required: ["routable"] }, else: {} }, "/if/required"],
  [{ dependentRequired: { title: ["published_by"] } }, "/dependentRequired"],
  [{ dependentRequired: { published_at: ["title"] } }, "/dependentRequired"],
  [{ dependentSchemas: { modified_at: {} } }, "/dependentSchemas"],
  [{ dependentSchemas: { a: { properties: { slug: true } } } }, "/dependentSchemas/a/properties/slug"],
  [{ $ref: "#/$defs/a", $defs: { a: { properties: { "a/b": true, slug: true } } } }, "/$defs/a/properties/slug"],
  [{ $ref: "#a", $defs: { a: { $anchor: "a", required: ["slug"] } } }, "/$defs/a/required"],
  [{ $dynamicRef: "#a", $defs: { a: { $dynamicAnchor: "a", required: ["slug"] } } }, "/$defs/a/required"],
  [
    { allOf: [{ $ref: "https://example.com/a" }], $defs: { a: { $id: "https://example.com/a", required: ["slug"] } } },
    "/allOf/0/$ref",
  ],
  [{ allOf: [{ $ref: "/types/part#/$defs/p" }] }, "/allOf/0/$ref"],
  [{ properties: { fieldset: { const: "a" } } }, "/properties/fieldset"],
  [{ properties: { link: { properties: { slug: true }, required: ["slug"] } } }],
  [{ properties: { items: { items: { required: ["uuid"] } } } }],
  [{ properties: { part: { $ref: "/types/part#/$defs/p" } } }],
  [{ $defs: { a: { required: ["slug"] } } }],
  [{ patternProperties: { "^slug$": true }, const: { slug: 1 } }],
  [{ properties: { Slug: true, slugs: true, content: true, title: true } }],
];
for (const [schema, pointer] of reservedNames) {
  test(`a type ${pointer ? "may not have" : "may have"} ${JSON.stringify(schema)}`, async () => {
    const part = JSON.stringify({ $defs: { p: { required: ["slug"] } } });
    const compiled = await compileSchema("t", { schemaOf: (id) => (id === "t" ? JSON.stringify(schema) : part) });
    const refused = () => refuseNames(compiled);
    if (pointer === undefined) return refused();
    assert.throws(refused, (error) => {
      assert.ok(error instanceof Problem && error.code === "schema_invalid");
      assert.equal(error.params.pointer, pointer);
      return true;
    });
  });
}

test("a refusal names each field of the service that a schema has, and what to use instead", async () => {
  const compiled = await compile({ properties: { slug: true, title: true, created_at: true } });
  assert.throws(() => refuseNames(compiled), {
    message:
      '"schema" is not accepted at "/properties/slug": the service has "slug", "created_at" of every entry itself, and no ' +
      'schema sees them; use other names, such as "short_name", "date"',
  });
});

test("each field of the service has a name to use instead", () => {
  assert.deepEqual(Object.keys(insteadOf).sort(), [...serviceFields, "fieldset"].sort());
});

/** Which keys a schema lets each locale have, those that a public translation needs with "!"; or where it is refused. */
const localizedSchemas: [schema: object, keys: string][] = [
  [{ properties: { a: { "x-octavo-localized": true }, b: { "x-octavo-localized": "required" }, c: {} } }, "a b!"],
  [{ allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { properties: { "a/b": { "x-octavo-localized": true } } } } }, "a/b"],
  [{ $ref: "/types/part", properties: { c: true } }, "p!"],
  [{ anyOf: [{ properties: { a: { "x-octavo-localized": true } } }, { properties: { a: true } }] }, "a"],
  [{ properties: { content: { "x-octavo-localized": true }, a: { const: { "x-octavo-localized": 1 } } } }, "content"],
  [{ properties: { part: { $ref: "/types/part" } } }, ""],
  [{ $defs: { shared: { properties: { a: { "x-octavo-localized": true } } } } }, ""],
  [{ $defs: { unused: { "x-octavo-localized": 1 } } }, "/$defs/unused/x-octavo-localized"],
  [{ properties: { a: { "x-octavo-localized": false } } }, "/properties/a/x-octavo-localized"],
  [{ properties: { "a/b": { "x-octavo-localized": "yes" } } }, "/properties/a~1b/x-octavo-localized"],
  [{ properties: { a: { "x-octavo-localized": { all: true } } } }, "/properties/a/x-octavo-localized"],
  [{ "x-octavo-localized": true }, "/x-octavo-localized"],
  [{ additionalProperties: { "x-octavo-localized": true } }, "/additionalProperties/x-octavo-localized"],
  [
    { properties: { a: { properties: { b: { "x-octavo-localized": true } } } } },
    "/properties/a/properties/b/x-octavo-localized",
  ],
  [{ properties: { a: { items: { "x-octavo-localized": true } } } }, "/properties/a/items/x-octavo-localized"],
];
for (const [schema, expected] of localizedSchemas) {
  test(`the locales' own keys of ${JSON.stringify(schema)} are ${expected || "none"}`, async () => {
    const part = JSON.stringify({ properties: { p: { type: "string", "x-octavo-localized": "required" } } });
    const schemas = { schemaOf: (id: string) => (id === "t" ? JSON.stringify(schema) : part) };
    const { keys, required } = await new Types([{ id: "t", paths: [], mode: "enforce" }], schemas).localizedKeys("t");
    const compiled = await compileSchema("t", schemas);
    if (expected.startsWith("/"))
      return assert.throws(
        () => refuseNames(compiled),
        (error) => error instanceof Problem && error.params.pointer === expected,
      );
    refuseNames(compiled);
    assert.equal([...keys].map((key) => (required.has(key) ? `${key}!` : key)).join(" "), expected);
    assert.deepEqual(compiled.check({}, false), []);
  });
}

const typed = { title: "A", fields: { a: 1 }, price: 1 };
/** What changes, and what of it is of all locales; absent where nothing is. */
const changes: [before: object, after: object, shared?: string][] = [
  [typed, { ...typed, title: "B" }],
  [typed, { fields: { a: 1.0 }, title: "B", price: 1 }],
  [typed, { price: 1, fields: { a: 1 } }],
  [typed, { ...typed, price: 2 }, "price"],
  [typed, { ...typed, fields: { a: 2 } }, "fields"],
  [typed, { title: "A", price: 1 }, "fields"],
  [typed, { ...typed, more: null }, "more"],
  [typed, { ...typed, title: "B", visibility: "draft" }, "visibility"],
  [typed, { ...typed, publishedAt: 7 }, "published_at"],
  [typed, { ...typed, fieldset: "t" }, "fieldset"],
  [
    { ...typed, slug: "other/a" },
    { any: [1], slug: "other/a" },
  ],
  [{ slug: "other/a" }, { fieldset: "t", slug: "other/a" }, "fieldset"],
  [{ ...typed, slug: "other/a" }, { ...typed, slug: "other/a", routable: false }, "routable"],
];
for (const [before, after, shared] of changes) {
  test(`${JSON.stringify(after)} in place of ${JSON.stringify(before)} is ${shared ?? "one locale's alone"}`, async () => {
    const schema = JSON.stringify({ properties: { title: { "x-octavo-localized": true } } });
    const types = new Types([{ id: "t", paths: ["a/*"], mode: "off" }], { schemaOf: () => schema });
    const stateOf = ({
      slug = "a/b",
      visibility = "visible",
      publishedAt = 5,
      routable = true,
      ...data
    }: object & {
      slug?: string;
      visibility?: string;
      publishedAt?: number;
      routable?: boolean;
    }) => {
      const parsed = parseJson(JSON.stringify(data)) as JsonObject;
      return { slug, visibility, publishedAt, routable, data: parsed } as Parameters<typeof refuseShared>[1];
    };
    const refusal = refuseShared(types, stateOf(before), stateOf(after));
    if (shared === undefined) return refusal;
    await assert.rejects(refusal, (error) => {
      assert.ok(error instanceof Problem && error.code === "scope_missing");
      assert.match(String(error.params.needed), new RegExp(`^locales:all, since "${shared}"`));
      return true;
    });
  });
}

test("a schema names content by properties, required and dependentRequired", async () => {
  const cases: [schema: unknown, names: boolean][] = [
    [{ allOf: [{ properties: { content: true } }] }, true],
    [{ required: ["content"] }, true],
    [{ dependentRequired: { title: ["content"] } }, true],
    [{ properties: { body: { required: ["content"] } } }, false],
  ];
  for (const [schema, names] of cases) assert.equal((await compile(schema)).names.has("content"), names);
});

test("the checks of one write or read of many entries have a time together, marks count as checks do", async () => {
  const schema = JSON.stringify(slowType.schema);
  const types = new Types([{ id: "slow", paths: ["*"], mode: "enforce" }], { schemaOf: () => schema });
  const data = parseJson(JSON.stringify(slowType.data(4000))) as JsonObject;
  const isCostly = (error: unknown) => error instanceof Problem && error.code === "type_too_costly";
  const together = types.together(1);
  assert.deepEqual(await together.faultsOf("slow", data, false), []);
  await assert.rejects(together.faultsOf("slow", data, false), isCostly);
  await assert.rejects(together.marksOf("slow", data), isCostly);
  assert.deepEqual(await types.together().faultsOf("slow", data, false), []);
  assert.deepEqual(await types.faultsOf("slow", data, false), []);
});

for (const { name, schema, data } of costlyTypes)
  test(`a schema that costs too much is stopped: ${name}`, async () => {
    const schemas = { schemaOf: () => JSON.stringify(schema) };
    const types = new Types([{ id: "t", paths: ["*"], mode: "enforce" }], schemas, 50);
    await assert.rejects(
      types.faultsOf("t", parseJson(JSON.stringify(data), 1000) as JsonObject, false),
      (error) => error instanceof Problem && error.code === "type_too_costly",
    );
  });

test("marks are found within the time of one check", async () => {
  for (const { name, schema, data } of costlyTypes) {
    const types = new Types([{ id: "t", paths: ["*"], mode: "enforce" }], { schemaOf: () => JSON.stringify(schema) });
    const marks = types.marksOf("t", parseJson(JSON.stringify(data), 1000) as JsonObject);
    if (name === "many patterns of many names")
      await assert.rejects(marks, (error) => error instanceof Problem && error.code === "type_too_costly");
    else assert.deepEqual((await marks).marked, [], name);
  }
});
