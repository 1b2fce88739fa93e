import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileSchema } from "./schema.ts";

/** Values of `oneOf`: which variant is meant, and what is wrong with the value as one. Contract, part two, §9. */

const object = (properties: object, required: string[] = [], more: object = {}) => ({
  ...{ type: "object", properties, required, ...more },
});
const text = object({ kind: { const: "text" }, text: { type: "string", minLength: 2 } }, ["kind", "text"]);
const image = object({ kind: { const: "image" }, src: { type: "string" }, width: { type: "integer" } }, [
  ...["kind", "src"],
]);
const blocks = { properties: { blocks: { type: "array", items: { oneOf: [text, image] } } } };
const quote = object({ kind: { const: "quote" }, body: { oneOf: [text, image] } }, ["kind", "body"]);

const faultsIn = async (schema: object, data: unknown, isLenient: boolean): Promise<string> => {
  const types: Record<string, object> = { t: schema, image };
  const { check } = await compileSchema("t", { schemaOf: (id) => JSON.stringify(types[id]) });
  return check(data, isLenient)
    .map(({ pointer, rule }) => `${pointer} ${rule}`)
    .join(", ");
};

/** The faults of a value when it is published, and those of a draft of it. */
type Case = [name: string, schema: object, data: unknown, published: string, draft: string];
const cases: Case[] = [
  ["a block that fits", blocks, { blocks: [{ kind: "text", text: "Hello" }] }, "", ""],
  ["an unfinished block", blocks, { blocks: [{ kind: "text" }] }, "/blocks/0/text required", ""],
  ["a text that is too short", blocks, { blocks: [{ kind: "text", text: "" }] }, "/blocks/0/text minLength", ""],
  ["an empty block", blocks, { blocks: [{}] }, "/blocks/0/kind required, /blocks/0/text required", ""],
  [
    ...(["a wrong field of a block", blocks, { blocks: [{ kind: "image", width: "wide" }] }] as const),
    ...(["/blocks/0/width type, /blocks/0/src required", "/blocks/0/width type"] as const),
  ],
  [
    ...(["fields of another block", blocks, { blocks: [{ kind: "image", text: "x", src: 5 }] }] as const),
    ...(["/blocks/0/src type", "/blocks/0/src type"] as const),
  ],
  ["an unknown kind", blocks, { blocks: [{ kind: "vidoe" }] }, "/blocks/0/kind enum", "/blocks/0/kind enum"],
  ["a kind that is none", blocks, { blocks: [{ kind: null }] }, "/blocks/0/kind enum", "/blocks/0/kind enum"],
  ["a block that is no object", blocks, { blocks: ["text"] }, "/blocks/0 type", "/blocks/0 type"],
  [
    ...(["a block within a block", { oneOf: [quote, text] }, { kind: "quote", body: { kind: "image" } }] as const),
    ...(["/body/src required", ""] as const),
  ],
  [
    ...([
      "a wrong block within a block",
      { oneOf: [quote, text] },
      { kind: "quote", body: { kind: "quote" } },
    ] as const),
    ...(["/body/kind enum", "/body/kind enum"] as const),
  ],
  [
    "constants behind references, of another type, too",
    {
      oneOf: [{ $ref: "#/$defs/text" }, { allOf: [{ $ref: "/types/image" }] }],
      $defs: {
        text: { ...text, properties: { ...text.properties, kind: { $ref: "#/$defs/kind" } } },
        kind: { const: "text" },
      },
    },
    { kind: "image", width: "wide" },
    "/width type, /src required",
    "/width type",
  ],
  [
    "constants by enum",
    {
      oneOf: [
        object({ level: { enum: [1, 2] }, a: { type: "string" } }),
        object({ level: { enum: [3] }, b: { type: "string" } }, ["b"]),
      ],
    },
    { level: 3 },
    "/b required",
    "",
  ],
  [
    "constants that variants share choose none",
    {
      oneOf: [
        object({ v: { const: 1 }, a: { type: "string" } }, ["a"]),
        object({ v: { const: 1 }, b: { type: "string" } }, ["b"]),
      ],
    },
    { v: 1, b: 5, a: 5 },
    "/a type",
    "/a type",
  ],
  [
    "a constant that all variants have, beside others that some have",
    {
      oneOf: [
        object({ kind: { const: "a" }, size: { const: "s" } }),
        object({ kind: { const: "b" }, size: { const: "m" }, look: { const: "wide" } }),
        object({ kind: { const: "c" }, size: { type: "null" }, look: { const: "narrow" } }),
      ],
    },
    { kind: "c", size: null, look: 5 },
    "/look const",
    "/look const",
  ],
  [
    "no constants: the nearest fit",
    {
      oneOf: [
        object({ a: { type: "string" } }, ["a"], { additionalProperties: false }),
        object({ b: { type: "string" }, c: true }, ["b", "c"], { additionalProperties: false }),
      ],
    },
    { b: "x" },
    "/c required",
    "",
  ],
  ["a choice of constants", { oneOf: [{ const: "s" }, { const: "m" }] }, "l", " const", " const"],
  ["a value or null", { oneOf: [{ type: "string", minLength: 3 }, { type: "null" }] }, 5, " type", " type"],
  [
    "an unfinished value or null",
    { oneOf: [{ type: "string", minLength: 3 }, { type: "null" }] },
    "ab",
    " minLength",
    "",
  ],
  ["one that several variants accept", { oneOf: [{ multipleOf: 3 }, { multipleOf: 5 }] }, 15, " oneOf", " oneOf"],
  [
    "a draft that one of several variants accepts once it is finished",
    { oneOf: [object({ kind: { const: "a" } }), object({ kind: { const: "b" } })] },
    {},
    " oneOf",
    "",
  ],
  [
    "a text that one variant alone accepts, although a draft might be of both",
    {
      oneOf: [
        { type: "string", minLength: 5 },
        { type: "string", maxLength: 4 },
      ],
    },
    "abc",
    "",
    "",
  ],
  [
    "fields that only a variant evaluates",
    {
      oneOf: [object({ kind: { const: "a" }, a: true }, ["kind", "more"]), object({ kind: { const: "b" } })],
      unevaluatedProperties: false,
    },
    { kind: "a", a: 1 },
    "/more required",
    "",
  ],
  ["a block below not, which is checked whole", { not: { oneOf: [text] } }, { kind: "text" }, "", ""],
];

describe("a variant is chosen by its constant, or as the nearest fit", () => {
  for (const [name, schema, data, published, draft] of cases) {
    test(name, async () => {
      assert.equal(await faultsIn(schema, data, false), published, "published");
      assert.equal(await faultsIn(schema, data, true), draft, "a draft");
    });
  }
});

test("the refusal of an unknown kind names the kinds, that of a value what all variants accept", async () => {
  const messageOf = async (schema: object, data: unknown) => {
    const { check } = await compileSchema("t", { schemaOf: () => JSON.stringify(schema) });
    return check(data, true).map(({ message }) => message);
  };
  assert.deepEqual(await messageOf(blocks, { blocks: [{ kind: "vidoe" }] }), [
    '"/blocks/0/kind" was "vidoe"; expected one of "text", "image"',
  ]);
  assert.deepEqual(await messageOf({ oneOf: [{ const: "s" }, { const: "m" }, { type: "null" }] }, "l"), [
    '"" was "l"; expected "s" or "m" or null',
  ]);
});

test("blocks within blocks cost no more than the data, where constants choose", async () => {
  const kinds = Array.from({ length: 8 }, (_, i) => `kind${i}`);
  const variants = kinds.map((kind) =>
    object({ kind: { const: kind }, parts: { type: "array", items: { $ref: "#" } } }, ["kind"]),
  );
  const { check } = await compileSchema("t", { schemaOf: () => JSON.stringify({ oneOf: variants }) });
  let data: object = { kind: "kind0" };
  for (let depth = 0; depth < 30; depth++) data = { kind: `kind${depth % 8}`, parts: [data, { kind: "kind7" }] };
  for (const isLenient of [true, false]) assert.deepEqual(check(data, isLenient), []);
});
