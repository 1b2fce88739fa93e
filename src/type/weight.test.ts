import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import { Types } from "./check.ts";
import { refuseNames } from "./name.ts";
import { compileSchema } from "./schema.ts";

/** What types weigh in a search, and where they are refused. Contract §25. */

const search = "x-octavo-search";
const weighed = (weight: unknown, rest: object = {}) => ({ [search]: weight, ...rest });
const part = { properties: { p: weighed(7), hidden: weighed(0) } };
const schemasOf = (schema: object) => ({
  schemaOf: (id: string) => JSON.stringify(id === "t" ? schema : part),
});

const weights: [schema: object, weights: Record<string, number>][] = [
  [{}, { title: 4, text: 1, "author.title": 1 }],
  [{ properties: { title: weighed(2), text: weighed(10) } }, { title: 2, text: 10, other: 1 }],
  [
    { properties: { author: weighed(3, { properties: { mail: weighed(0) } }) } },
    { "author.name": 3, "author.mail": 0 },
  ],
  [{ properties: { tags: { type: "array", items: weighed(5) }, list: weighed(6) } }, { tags: 5, list: 6, "list.a": 6 }],
  [{ properties: { blocks: { items: { oneOf: [{ properties: { text: weighed(2) } }] } } } }, { "blocks.text": 2 }],
  [{ allOf: [{ properties: { a: weighed(3) } }, { properties: { a: weighed(5), b: weighed(2) } }] }, { a: 5, b: 2 }],
  [{ anyOf: [{ properties: { a: weighed(0) } }, { properties: { a: weighed(9) } }] }, { a: 0 }],
  [
    { $ref: "/types/part", properties: { part: { $ref: "/types/part" } } },
    { p: 7, "part.p": 7, "part.hidden": 0 },
  ],
  [
    { properties: { node: { $ref: "#/$defs/n" } }, $defs: { n: weighed(2, { items: { $ref: "#/$defs/n" } }) } },
    { node: 2 },
  ],
  [
    { patternProperties: { "^x": weighed(0) }, additionalProperties: weighed(2) },
    { xa: 0, b: 2, title: 2 },
  ],
  [weighed(0, { properties: { title: weighed(1) } }), { title: 1, text: 0, "a.b.c": 0 }],
  [{ properties: { "a.b": weighed(0), a: { properties: { b: weighed(2) } } } }, { "a.b": 0, "a.c": 1 }],
  [
    { properties: { "a.b": weighed(3, { properties: { "c.d": weighed(0) } }) } },
    { "a.b": 3, "a.b.c.d": 0, "a.b.e": 3 },
  ],
  [{ properties: { a: { format: "entry" }, b: { items: { format: "file" } } } }, { a: 0, b: 0 }],
  [
    { properties: { a: { format: "date" }, b: weighed(3, { format: "uri" }), c: { format: "color" } } },
    { a: 0, b: 0, c: 1 },
  ],
  [{ properties: { a: weighed("3") } }, { a: 1 }],
];
for (const [schema, expected] of weights) {
  test(`the weights of ${JSON.stringify(schema)} are ${JSON.stringify(expected)}`, async () => {
    const weightOf = await new Types([{ id: "t", paths: [], mode: "off" }], schemasOf(schema)).weightsOf("t");
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, weightOf(key)])), expected);
  });
}

const refused: [schema: object, pointer?: string][] = [
  [{ properties: { a: weighed(0), b: weighed(10) } }],
  [{ properties: { [search]: { type: "string" } }, const: weighed(99) }],
  [weighed(11), `/${search}`],
  [{ properties: { a: weighed(-1) } }, `/properties/a/${search}`],
  [{ properties: { "a/b": weighed(1.5) } }, `/properties/a~1b/${search}`],
  [{ properties: { a: weighed(true) } }, `/properties/a/${search}`],
  [{ properties: { a: weighed({ weight: 1 }) } }, `/properties/a/${search}`],
  [{ $defs: { a: weighed("1") } }, `/$defs/a/${search}`],
];
for (const [schema, pointer] of refused) {
  test(`a type ${pointer ? "may not" : "may"} weigh ${JSON.stringify(schema)}`, async () => {
    const compiled = await compileSchema("t", schemasOf(schema));
    if (pointer === undefined) return refuseNames(compiled);
    assert.throws(
      () => refuseNames(compiled),
      (error) => error instanceof Problem && error.code === "schema_invalid" && error.params.pointer === pointer,
    );
  });
}
