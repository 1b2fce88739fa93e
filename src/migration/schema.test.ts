import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseJson } from "../core/lib/json.ts";
import { migratedSchema } from "./schema.ts";
import { parseSteps } from "./step.ts";

/** What plans make of schemas. */

const steps = (...sent: object[]) =>
  parseSteps(parseJson(JSON.stringify(sent.map((step) => ({ type: "t", ...step })))));

describe("the schema", () => {
  const schema = (before: object, sent: object[], isShared = false): unknown => {
    const text = migratedSchema(JSON.stringify(before), steps(...sent), isShared);
    assert.equal(migratedSchema(text, steps(...sent), isShared), text, "a second time nothing changes");
    return JSON.parse(text);
  };
  const film = {
    type: "object",
    required: ["title", "author"],
    properties: { title: { type: "string" }, author: { type: "string", minLength: 1 }, year: { type: "integer" } },
    "x-octavo-order": ["author", "title", "year"],
    dependentRequired: { author: ["year"], year: ["author"] },
  };

  test("a rename changes properties, required, order and what depends on it", () => {
    const after = schema(film, [{ rename: "/author", to: "/writer" }]);
    assert.deepEqual(after, {
      ...film,
      required: ["title", "writer"],
      properties: { title: film.properties.title, writer: film.properties.author, year: film.properties.year },
      "x-octavo-order": ["writer", "title", "year"],
      dependentRequired: { writer: ["year"], year: ["writer"] },
    });
    assert.deepEqual(Object.keys((after as { properties: object }).properties), ["title", "writer", "year"]);
  });

  test("a field that can be translated stays one where it goes, unless that is inside another", () => {
    const localized = { type: "string", "x-octavo-localized": "required" };
    const before = { properties: { title: localized, seo: { "x-octavo-localized": true, properties: { text: {} } } } };
    const after = (...sent: object[]) => (schema(before, sent) as { properties: unknown }).properties;
    assert.deepEqual(after({ rename: "/title", to: "/name" }), { name: localized, seo: before.properties.seo });
    assert.deepEqual(after({ move: "/title", to: "/seo/title" }), {
      seo: { "x-octavo-localized": true, properties: { text: {}, title: { type: "string" } } },
    });
    assert.deepEqual(after({ move: "/seo/text", to: "/text" }), {
      title: localized,
      seo: { "x-octavo-localized": true, properties: {} },
      text: { "x-octavo-localized": true },
    });
  });

  test("a drop removes all of it", () => {
    assert.deepEqual(schema(film, [{ drop: "/author" }]), {
      type: "object",
      required: ["title"],
      properties: { title: film.properties.title, year: film.properties.year },
      "x-octavo-order": ["title", "year"],
    });
    assert.deepEqual(schema({ required: ["a"], properties: { a: {} } }, [{ drop: "/a" }]), { properties: {} });
  });

  test("a move describes where it goes, and requires it there", () => {
    assert.deepEqual(
      schema({ required: ["t"], properties: { t: { type: "string" } } }, [{ move: "/t", to: "/seo/title" }]),
      {
        required: ["seo"],
        properties: { seo: { type: "object", properties: { title: { type: "string" } }, required: ["title"] } },
      },
    );
    const seo = { type: "object", properties: { d: {} }, additionalProperties: false };
    assert.deepEqual(schema({ properties: { t: { type: "string" }, seo } }, [{ move: "/t", to: "/seo/title" }]), {
      properties: { seo: { ...seo, properties: { d: {}, title: { type: "string" } } } },
    });
  });

  test("wherever the schema speaks of it: in items, alternatives, conditions and own parts", () => {
    const block = (x: string) => ({ type: "object", properties: { kind: { const: "k" }, [x]: {} }, required: [x] });
    const items = (x: string) => ({
      properties: { items: { type: "array", items: { oneOf: [block(x), { required: ["q"] }] } } },
    });
    assert.deepEqual(schema(items("x"), [{ rename: "/items/*/x", to: "/items/*/y" }]), items("y"));
    const least = (x: string) => ({ properties: { [x]: { minimum: 1 } } });
    const conditional = (x: string) => ({ allOf: [{ if: { required: [x] }, else: least(x) }, { not: least(x) }] });
    assert.deepEqual(schema(conditional("a"), [{ rename: "/a", to: "/b" }]), conditional("b"));
    const once = (x: string) => ({ $ref: "#/$defs/a", $defs: { a: { properties: { [x]: {} } } } });
    assert.deepEqual(schema(once("x"), [{ rename: "/x", to: "/y" }]), once("y"));
  });

  test("a part that is used elsewhere, too, is copied", () => {
    const address = { properties: { street: { type: "string" } }, required: ["street"] };
    const ref = { $ref: "#/$defs/address" };
    const before = { properties: { home: ref, work: ref }, $defs: { address } };
    assert.deepEqual(schema(before, [{ rename: "/home/street", to: "/home/road" }]), {
      properties: { home: { $ref: "#/$defs/address_2" }, work: ref },
      $defs: { address, address_2: { properties: { road: { type: "string" } }, required: ["road"] } },
    });
    const tree = {
      $ref: "#/$defs/node",
      $defs: { node: { properties: { x: {}, below: { items: { $ref: "#/$defs/node" } } } } },
    };
    const after = schema(tree, [{ rename: "/x", to: "/y" }]) as { $ref: string; $defs: Record<string, object> };
    assert.equal(after.$ref, "#/$defs/node_2");
    assert.deepEqual(after.$defs.node, tree.$defs.node);
  });

  test("a convert changes the type, and drops what says nothing of it", () => {
    const price = { type: ["string", "null"], title: "Price", pattern: "^\\d+$", default: "5", enum: ["5", "6", null] };
    assert.deepEqual(schema({ properties: { price } }, [{ convert: "/price", to: "number" }]), {
      properties: { price: { type: ["number", "null"], title: "Price", default: 5, enum: [5, 6, null] } },
    });
    assert.deepEqual(
      schema({ properties: { tag: { type: "string", title: "Tag", minLength: 2 } } }, [
        { convert: "/tag", to: "list" },
      ]),
      {
        properties: { tag: { title: "Tag", type: "array", items: { type: "string", minLength: 2 } } },
      },
    );
  });

  test("alternatives keep each what they say of a field", () => {
    const blocks = (one: object, other: object) => ({ properties: { blocks: { items: { oneOf: [one, other] } } } });
    const plain = { properties: { kind: { const: "b" } } };
    const before = blocks({ properties: { kind: { const: "a" }, x: { type: "string" } }, required: ["x"] }, plain);
    const y = { type: "object", properties: { z: { type: "string" } }, required: ["z"] };
    const after = blocks({ properties: { kind: { const: "a" }, y }, required: ["y"] }, plain);
    assert.deepEqual(schema(before, [{ move: "/blocks/*/x", to: "/blocks/*/y/z" }]), after);
  });

  test("a nullable alternative stays one, and what is a list by its part stays one", () => {
    const nullable = (type: string) => ({ properties: { p: { anyOf: [{ type }, { type: "null" }] } } });
    assert.deepEqual(schema(nullable("string"), [{ convert: "/p", to: "number" }]), nullable("number"));
    const list = { properties: { p: { $ref: "#/$defs/tags" } }, $defs: { tags: { type: "array" } } };
    assert.deepEqual(schema(list, [{ convert: "/p", to: "list" }]), list);
    assert.deepEqual(schema({ properties: { p: {} } }, [{ convert: "/p", to: "number" }]), {
      properties: { p: { type: "number" } },
    });
  });

  test("a default in items that the schema does not describe says what they are", () => {
    assert.deepEqual(schema({ properties: {} }, [{ default: "/l/*/a", value: 1 }]), {
      properties: {
        l: { type: "array", items: { type: "object", properties: { a: { default: 1 } } } },
      },
    });
  });

  test("a default is in the schema, of a field that it does not name, too", () => {
    const step = [{ default: "/state", value: "new" }];
    assert.deepEqual(schema({ properties: { state: { type: "string" } } }, step), {
      properties: { state: { type: "string", default: "new" } },
    });
    assert.deepEqual(schema({ properties: {} }, step), { properties: { state: { default: "new" } } });
  });

  test("a schema that does not speak of it stays", () => {
    for (const before of [{}, { type: "object" }, { properties: { b: {} } }])
      assert.deepEqual(
        schema(before, [{ rename: "/a", to: "/c" }, { move: "/d", to: "/e/f" }, { drop: "/g" }]),
        before,
      );
    assert.equal(migratedSchema("true", steps({ drop: "/a" }), false), "true");
  });
});
