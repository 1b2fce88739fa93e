import assert from "node:assert/strict";
import { test } from "node:test";
import { Type as Library } from "typebox";
import { isOptional, type Static, Type } from "./json-schema.ts";

/** The same schemas by the module and by the library whose JSON it makes. */
const schemasBy = (kinds: typeof Type): object[] => {
  const row = kinds.Object(
    { id: kinds.String({ format: "uuid" }), calls: kinds.Optional(kinds.Integer({ minimum: 0 })) },
    { $id: "Row", description: "A row." },
  );
  return [
    row,
    kinds.Object({}),
    kinds.Partial(row, { $id: "PartialRow" }),
    kinds.Array(row, { description: "Rows." }),
    kinds.Union([row, kinds.Null()], { description: "A row or nothing." }),
    kinds.Optional(kinds.Boolean()),
    kinds.Unknown({ description: "Any." }),
    kinds.Unsafe({ type: "string", enum: ["a"] }),
  ];
};

test("schemas are the JSON that TypeBox makes", () => {
  assert.deepEqual(
    JSON.parse(JSON.stringify(schemasBy(Type))),
    JSON.parse(JSON.stringify(schemasBy(Library as unknown as typeof Type))),
  );
});

test("only a copy is marked as optional, and its type says so", () => {
  const text = Type.String();
  const absent = Type.Optional(text);
  assert.deepEqual([isOptional(text), isOptional(absent)], [false, true]);
  const schema = Type.Object({ text, absent });
  const value: Static<typeof schema> = { text: "a" };
  // @ts-expect-error `text` is required.
  const lacking: Static<typeof schema> = {};
  assert.deepEqual([value, lacking], [{ text: "a" }, {}]);
});
