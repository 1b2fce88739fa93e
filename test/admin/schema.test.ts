import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, parseJson } from "../../admin/src/api/json.ts";
import { itemNameOf, nameOf } from "../../admin/src/model/form/item-name.ts";
import { resolve } from "../../admin/src/model/form/reference.ts";
import { readSchema, type Shape } from "../../admin/src/model/form/schema.ts";
import {
  areToldApart,
  defaultOf,
  initialOf,
  initialOfVariant,
  isSettled,
  isShown,
  moved,
  variantOf,
  withKey,
} from "../../admin/src/model/form/value.ts";

/** What a form makes of a JSON Schema. */

const types: Record<string, Json> = {
  address: { type: "object", title: "Address", properties: { city: { type: "string" } }, $defs: { zip: { const: 1 } } },
};
const read = (schema: Json): Shape => readSchema("own", (id) => (id === "own" ? schema : types[id]));
const field = (schema: Json): Shape => {
  const shape = read({ properties: { it: schema }, $defs: { name: { type: "string", title: "Name" } } });
  assert.ok(shape.kind === "object" && shape.fields[0]);
  return shape.fields[0].shape();
};

const cases: [name: string, schema: Json, part: object][] = [
  ["a text", { type: "string", examples: ["Ada"] }, { kind: "text", input: "text", isLong: false, example: "Ada" }],
  ["a text of 201 characters", { type: "string", maxLength: 201 }, { kind: "text", isLong: true }],
  ["a text of 200 characters", { type: "string", maxLength: 200 }, { kind: "text", isLong: false }],
  ["a plain text", { type: "string", contentMediaType: "text/plain" }, { kind: "text", isLong: true }],
  ["Markdown", { type: "string", contentMediaType: "text/markdown" }, { kind: "prose", language: "markdown" }],
  ["HTML", { contentMediaType: "text/html" }, { kind: "prose", language: "html" }],
  ["a date", { type: "string", format: "date" }, { kind: "text", input: "date" }],
  ["a date and time", { format: "date-time" }, { kind: "text", input: "date-time" }],
  ["an unknown format", { type: "string", format: "constructor" }, { kind: "text", input: "text" }],
  ["a reference", { format: "entry", "x-octavo-types": ["a"] }, { kind: "text", input: "entry", narrowed: ["a"] }],
  ["a file", { format: "file", "x-octavo-media": ["image/*"] }, { input: "file", narrowed: ["image/*"] }],
  ["an integer", { type: "integer", minimum: 1 }, { isInteger: true, bounds: { min: 1, max: undefined, step: 1 } }],
  [
    "a number",
    { type: "number", maximum: 2 },
    { isInteger: false, bounds: { min: undefined, max: 2, step: undefined } },
  ],
  ["a switch", { type: "boolean", title: "On", readOnly: true }, { kind: "switch", title: "On", isReadOnly: true }],
  ["a nullable text", { type: ["string", "null"] }, { kind: "text", isNullable: true }],
  ["a nullable by anyOf", { anyOf: [{ type: "integer" }, { type: "null" }] }, { kind: "number", isNullable: true }],
  ["words", { enum: ["a", 1, null] }, { kind: "choice", isNullable: true }],
  ["a reference in the schema", { $ref: "#/$defs/name" }, { kind: "text", title: "Name" }],
  ["a title beside a reference", { $ref: "#/$defs/name", title: "Mine" }, { kind: "text", title: "Mine" }],
  ["a reference to a type", { $ref: "/types/address" }, { kind: "object", title: "Address" }],
  ["a reference into a type", { $ref: "/types/address#/$defs/zip" }, { kind: "choice" }],
  ["a reference to nothing", { $ref: "/types/none", title: "No" }, { kind: "json", title: "No" }],
  ["two types", { type: ["string", "number"] }, { kind: "variants" }],
  [
    "merged bounds",
    { allOf: [{ type: "string", maxLength: 900 }, { maxLength: 90 }] },
    { kind: "text", isLong: false },
  ],
  [
    "required alternatives",
    { type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }] },
    { kind: "object" },
  ],
  ["a list", { type: "array", items: { type: "string" }, maxItems: 3 }, { kind: "list", maxItems: 3 }],
  ["checkboxes", { type: "array", uniqueItems: true, items: { enum: ["a", "b"] } }, { kind: "checks" }],
  ["tags", { type: "array", uniqueItems: true, items: { type: "string" }, maxItems: 4 }, { kind: "tags", maxItems: 4 }],
  ["unique long texts", { uniqueItems: true, items: { type: "string", maxLength: 900 } }, { kind: "list" }],
  ["unique dates", { uniqueItems: true, items: { type: "string", format: "date" } }, { kind: "list" }],
  [
    "checkboxes with labels",
    { uniqueItems: true, items: { oneOf: [{ const: "a", title: "A" }] } },
    { kind: "checks", options: [{ value: "a", label: "A" }] },
  ],
  ["a tuple", { type: "array", prefixItems: [{ type: "string" }] }, { kind: "json", initial: [] }],
  ["a map", { type: "object", additionalProperties: { type: "string" } }, { kind: "json", initial: {} }],
  ["anything", {}, { kind: "json", initial: null }],
  ["true", true, { kind: "json" }],
];

for (const [name, schema, part] of cases) {
  test(`${name} is read`, () => assert.partialDeepStrictEqual(field(schema), part));
}

test("constants with titles are options, by oneOf and anyOf", () => {
  for (const keyword of ["oneOf", "anyOf"]) {
    const shape = field({ [keyword]: [{ const: "s", title: "Small" }, { const: 2 }, { type: "null" }] });
    assert.partialDeepStrictEqual(shape, {
      kind: "choice",
      isNullable: true,
      options: [
        { value: "s", label: "Small" },
        { value: 2, label: "2" },
        { value: null, label: "None" },
      ],
    });
  }
});

const names = (shape: Shape): string[] => (shape.kind === "object" ? shape.fields.map(({ name }) => name) : []);

test("fields follow x-octavo-order, then the properties; a refused one is left out", () => {
  const properties = { a: {}, b: {}, c: {}, no: false };
  assert.deepEqual(names(read({ properties, "x-octavo-order": ["c", "none", "a"] })), ["c", "a", "b"]);
});

test("allOf adds fields, and a field of two schemas is read from both", () => {
  const shape = read({
    required: ["a"],
    properties: { a: { type: "string" } },
    allOf: [{ properties: { a: { title: "A" }, b: {} } }],
  });
  assert.deepEqual(names(shape), ["a", "b"]);
  assert.ok(shape.kind === "object" && shape.fields[0]);
  assert.partialDeepStrictEqual(
    [shape.fields[0].shape(), shape.fields[0].isRequired],
    [{ kind: "text", title: "A" }, true],
  );
});

test("a schema that refers to itself is read level by level", () => {
  let shape = read({ properties: { name: { type: "string" }, child: { $ref: "#" } } });
  for (let level = 0; level < 50; level++) {
    assert.ok(shape.kind === "object" && shape.fields[1]);
    shape = shape.fields[1].shape();
  }
  assert.deepEqual(names(shape), ["name", "child"]);
  const circle = read({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } });
  assert.equal(circle.kind, "json");
});

test("keys of the prototype are fields like any other", () => {
  const schema = parseJson('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}');
  const shape = read(schema);
  assert.deepEqual(names(shape), ["__proto__", "constructor"]);
  const changed = withKey(parseJson('{"a":1}') as never, "__proto__", "x");
  assert.equal(JSON.stringify(changed), '{"a":1,"__proto__":"x"}');
  assert.equal(JSON.stringify(withKey(changed, "__proto__", undefined)), '{"a":1}');
});

test("an anchor is found, and a fragment is decoded", () => {
  const schema: Json = { $defs: { "a b": { title: "1" }, x: { $anchor: "here", title: "2" } } };
  assert.equal(resolve("#/$defs/a%20b", "own", () => schema)?.schema.title, "1");
  assert.equal(resolve("#here", "own", () => schema)?.schema.title, "2");
  assert.equal(
    resolve("https://example.org/x", "own", () => schema),
    undefined,
  );
});

test("the variant of a value is found by its constants, then by its fields", () => {
  const video = { title: "Video", properties: { kind: { const: "video" }, url: { type: "string" } } };
  const quote = {
    title: "Quote",
    properties: { kind: { const: "quote" }, text: { type: "string" } },
    required: ["text"],
  };
  const shape = field({ oneOf: [video, quote, { type: "string" }] });
  assert.ok(shape.kind === "variants");
  assert.deepEqual(
    shape.variants.map(({ label }) => label),
    ["Video", "Quote", "Text"],
  );
  for (const [value, at] of [
    [{ kind: "quote" }, 1],
    [{ kind: "video", text: "t" }, 0],
    [{ text: "t" }, 1],
    ["t", 2],
    [undefined, 0],
  ] as const)
    assert.equal(variantOf(shape.variants, value), at, JSON.stringify(value));
});

test("a new value of a variant has its constant, and a constant that is right is not shown", () => {
  const video = { title: "Video", properties: { kind: { const: "video" }, url: { type: "string" } } };
  const quote = {
    title: "Quote",
    required: ["kind"],
    properties: { kind: { enum: ["quote"] }, lang: { default: "en" } },
  };
  const shape = field({ oneOf: [video, quote] });
  assert.ok(shape.kind === "variants" && areToldApart(shape.variants));
  assert.deepEqual(shape.variants.map(initialOfVariant), [{ kind: "video" }, { kind: "quote", lang: "en" }]);
  assert.deepEqual(initialOf(shape), { kind: "video" });
  const [first] = shape.variants.map((variant) => variant.shape());
  assert.ok(first?.kind === "object");
  const kind = first.fields.find(({ name }) => name === "kind");
  assert.ok(kind);
  assert.deepEqual(
    ["video", "quote", undefined].map((value) => isSettled(kind, value)),
    [true, false, false],
  );
  // Outside of variants a choice of one stays a choice, unless it is required.
  assert.ok(!isSettled({ name: "kind", isRequired: false, shape: kind.shape }, "video"));
  const same = field({ oneOf: [video, video] });
  assert.ok(same.kind === "variants" && !areToldApart(same.variants));
  const mixed = field({ oneOf: [video, { type: "string" }] });
  assert.ok(mixed.kind === "variants" && !areToldApart(mixed.variants));
  // What an item is called: its kind, and its first text that is none.
  assert.deepEqual(itemNameOf({ kind: "video", url: " a.mp4 " }, shape, 0), { title: "Video", summary: "a.mp4" });
  assert.equal(nameOf({ kind: "quote" }, shape, 1), "Quote 2");
  assert.equal(nameOf({ kind: "video", url: "a.mp4" }, shape, 1), "Video: a.mp4");
  assert.equal(nameOf({ kind: "quote", title: "T" }, mixed, 1), "T");
});

test("defaults are filled, nested ones too, and nothing else", () => {
  const shape = read({
    properties: {
      a: { default: 1 },
      b: { type: "object", properties: { c: { type: "string", default: "x" }, d: { type: "string" } } },
      e: { type: "string" },
      self: { $ref: "#/properties/b" },
    },
  });
  assert.deepEqual(defaultOf(shape), { a: 1, b: { c: "x" }, self: { c: "x" } });
  assert.equal(defaultOf(read({ properties: { child: { $ref: "#" } } })), undefined);
});

test("a new item begins with what its schema accepts", () => {
  const schemas: Json[] = [
    { type: "string" },
    { type: "integer", minimum: 3 },
    { enum: ["b"] },
    { type: "boolean" },
    {},
  ];
  assert.deepEqual(
    schemas.map((schema) => initialOf(field(schema))),
    ["", 3, "b", false, null],
  );
});

test("a value of another type is not shown by a control that would lose it", () => {
  const text = field({ type: "string" });
  assert.deepEqual(
    [undefined, "x", "", 1, null, {}].map((value) => isShown(text, value)),
    [true, true, true, false, false, false],
  );
  const tags = field({ type: "array", uniqueItems: true, items: { type: "string" } });
  assert.deepEqual(
    [["a"], [], ["a", 1], "a", Array(201).fill("a")].map((value) => isShown(tags, value)),
    [true, true, false, false, false],
  );
  assert.ok(isShown(field({ type: ["string", "null"] }), null));
  assert.ok(isShown(field({ type: "number" }), parseJson("12345678901234567890.10")));
});

test("an item is moved", () => {
  assert.deepEqual(moved(["a", "b", "c"], 0, 2), ["b", "c", "a"]);
  assert.deepEqual(moved(["a", "b", "c"], 2, 0), ["c", "a", "b"]);
});
