import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson, type Json, type JsonObject, parseJson } from "../../admin/src/api/json.ts";
import { nameFor, wordsOf } from "../../admin/src/model/field-name.ts";
import { acceptOf, accepts } from "../../admin/src/model/media.ts";
import { choicesOf, withChoices } from "../../admin/src/model/type/choices.ts";
import {
  type FieldKind,
  kindOf,
  kinds,
  labelOf,
  offerOf,
  offers,
  withKind,
  withOffer,
} from "../../admin/src/model/type/kind.ts";
import {
  fieldsOf,
  isReadable,
  withField,
  withMoved,
  withoutField,
  withRenamed,
  withRequired,
} from "../../admin/src/model/type/schema-edit.ts";
import { newShape } from "../../admin/src/model/type/shapes.ts";
import { schemaOf, starters } from "../../admin/src/model/type/starters.ts";

/** Changes of a schema in the type editor: each changes what it names, and nothing beside it. */

const text = `{"$schema":"https://json-schema.org/draft/2020-12/schema","x-mine":{"b":1.50,"a":[1e400]},
"type":"object","required":["title","year"],"additionalProperties":false,
"properties":{"title":{"x-first":1,"type":"string","title":"Title","minLength":1,"$comment":"kept"},
"year":{"type":"integer","minimum":1888,"maximum":12345678901234567890},
"tags":{"type":"array","items":{"type":"string","x-item":true},"x-outer":true,"maxItems":9},
"home":{"$ref":"#/$defs/address","title":"Home"}},
"$defs":{"address":{"type":"object","properties":{"city":{}}}},"x-last":null}`;
const schema = parseJson(text) as JsonObject;
const compact = formatJson(schema);
const namesOf = (now: JsonObject): string[] => fieldsOf(now).map(({ name }) => name);

/** The text with a part replaced, as the change of a field must leave it. */
function changedText(from: string, to: string): string {
  assert.equal(compact.split(from).length, 2, from);
  return compact.replace(from, () => to);
}

test("a change of a field leaves everything beside it as it was", () => {
  const title = '{"x-first":1,"type":"string","title":"Title","minLength":1,"$comment":"kept"}';
  const renamed = parseJson(title.replace('"Title"', '"Name"'));
  assert.equal(formatJson(withField(schema, "title", renamed)), changedText(title, formatJson(renamed)));
  const required = '"required":["title","year"]';
  assert.equal(
    formatJson(withRequired(schema, "tags", true)),
    changedText(required, '"required":["title","year","tags"]'),
  );
  assert.equal(formatJson(withRequired(schema, "year", false)), changedText(required, '"required":["title"]'));
  assert.equal(
    formatJson(withRenamed(schema, "year", "made")),
    changedText(required, '"required":["title","made"]').replace('"year":{', '"made":{'),
  );
  assert.equal(
    formatJson(withoutField(schema, "home")),
    changedText(',"home":{"$ref":"#/$defs/address","title":"Home"}', ""),
  );
  assert.equal(formatJson(withMoved(withMoved(schema, "home", 0), "home", 3)), compact);
  assert.deepEqual(namesOf(withMoved(schema, "home", 1)), ["title", "home", "year", "tags"]);
});

test("the last required field takes the keyword with it, and an empty list of another client stays", () => {
  const one = parseJson('{"required":["a"],"properties":{"a":{},"b":{}}}') as JsonObject;
  assert.equal(formatJson(withRequired(one, "a", false)), '{"properties":{"a":{},"b":{}}}');
  const none = parseJson('{"required":[],"properties":{"a":{}}}') as JsonObject;
  assert.equal(formatJson(withRenamed(none, "a", "b")), '{"required":[],"properties":{"b":{}}}');
});

test("x-octavo-order leads, and follows additions, names and moves", () => {
  const ordered = parseJson('{"x-octavo-order":["b","gone"],"properties":{"a":{},"b":{},"toString":{}}}') as JsonObject;
  assert.deepEqual(namesOf(ordered), ["b", "a", "toString"]);
  assert.deepEqual(namesOf(withField(ordered, "c", {})), ["b", "a", "toString", "c"]);
  assert.deepEqual(withRenamed(ordered, "b", "d")["x-octavo-order"], ["d", "gone"]);
  assert.deepEqual(namesOf(withMoved(ordered, "a", 0)), ["a", "b", "toString"]);
  // An object of JavaScript cannot have this order.
  const numbers = parseJson('{"properties":{"1":{},"b":{}}}') as JsonObject;
  assert.deepEqual(namesOf(withMoved(numbers, "b", 0)), ["b", "1"]);
});

test("each kind is read as it is written, as one value and as a list", () => {
  for (const kind of Object.keys(kinds) as FieldKind["kind"][]) {
    for (const isList of [false, true]) {
      const made = withKind({ type: "string", title: "T", "x-mine": 1 }, { kind, isList });
      assert.deepEqual(kindOf(made), { kind, isList }, `${kind} ${isList}`);
      assert.equal(made.title, "T");
      assert.equal(made["x-mine"], 1);
      const back = withKind(made, { kind, isList: !isList });
      assert.deepEqual(kindOf(back), { kind, isList: !isList });
      assert.equal(back.title, "T");
    }
  }
});

test("each offer is read as it is made, from every other one", () => {
  for (const { value: from } of offers) {
    for (const { value: to, label } of offers) {
      const made = withOffer(withOffer({ type: "string", title: "T" }, from), to);
      const kind = kindOf(made);
      assert.ok(kind, `${from} to ${to}`);
      assert.equal(offerOf(made, kind), to);
      assert.equal(labelOf(made), label);
      assert.equal(made.title, "T");
    }
  }
});

test("choices keep an enum without labels, and what another client wrote beside a constant", () => {
  const plain: JsonObject = { "x-a": 1, type: "string", enum: ["s", "m"], "x-b": 2 };
  assert.deepEqual(withChoices(plain, choicesOf(plain)), plain);
  const labelled = withChoices(plain, [
    { value: "m", label: "Middle" },
    { value: "s", label: "" },
  ]);
  assert.equal(
    formatJson(labelled),
    '{"x-a":1,"type":"string","oneOf":[{"const":"m","title":"Middle"},{"const":"s"}],"x-b":2}',
  );
  const foreign: JsonObject = { oneOf: [{ const: "a", title: "A", description: "kept" }] };
  assert.deepEqual(withChoices(foreign, [{ value: "a", label: "Other" }]).oneOf, [
    { const: "a", title: "Other", description: "kept" },
  ]);
  // A list of the same choices is one of checkboxes in the form.
  assert.deepEqual(kindOf({ type: "array", items: labelled }), { kind: "choice", isList: true });
});

test("shapes are objects that a constant tells apart; every other oneOf is JSON", () => {
  const text = newShape("kind", "text", "Text");
  const isShapes = (...oneOf: Json[]) => labelOf({ oneOf }) === "One of several shapes";
  assert.ok(isShapes(text));
  assert.ok(isShapes(text, newShape("kind", "quote", "Quote", { words: { type: "string" } })));
  assert.ok(!isShapes(text, text), "the same constant");
  assert.ok(!isShapes(text, newShape("type", "quote", "Quote")), "other members");
  assert.ok(!isShapes(text, { $ref: "#/$defs/quote" }));
  assert.ok(!isShapes(text, { ...newShape("kind", "quote", "Quote"), allOf: [{}] }));
  assert.ok(!isShapes(text, true));
  assert.equal(labelOf({ oneOf: [text], properties: {} }), "JSON");
});

test("a name follows its title, around what the service has and what is taken", () => {
  assert.equal(wordsOf(" Year of Birth (at last)! "), "year_of_birth_at_last");
  assert.equal(wordsOf("Größe"), "große");
  assert.equal(wordsOf("Éclair"), "eclair");
  assert.equal(wordsOf("2024"), "field_2024");
  assert.equal(wordsOf("Заголовок"), "заголовок");
  const names = { taken: (name: string) => ["price", "price_2", "short_name"].includes(name), isTop: true };
  assert.equal(nameFor("Price", names), "price_3");
  assert.equal(nameFor("Slug", names), "short_name_2");
  assert.equal(nameFor("Slug", { ...names, isTop: false }), "slug");
  assert.equal(nameFor("Constructor", names), "constructor_2");
  assert.equal(nameFor("!!!", names), undefined);
});

test("each common type is shown in fields, and refers to types that there are", () => {
  for (const starter of starters) {
    const made = schemaOf(starter, []);
    for (const field of fieldsOf(made)) assert.notEqual(labelOf(field.schema), "JSON", field.name);
    assert.ok(!formatJson(made).includes("x-octavo-types"));
  }
  const article = starters.find(({ id }) => id === "article");
  assert.ok(
    article && formatJson(schemaOf(article, [{ id: "author" }] as never)).includes('"x-octavo-types":["author"]'),
  );
});

test("another kind keeps what both have, and no default", () => {
  const price = { type: "number", minimum: 0, default: 1, title: "Price" };
  assert.deepEqual(withKind(price, { kind: "integer", isList: false }), {
    type: "integer",
    minimum: 0,
    title: "Price",
  });
  assert.deepEqual(withKind(price, { kind: "text", isList: false }), { type: "string", title: "Price" });
  const tags = { type: "array", items: { type: "string", maxLength: 9 }, uniqueItems: true };
  assert.deepEqual(withKind(tags, { kind: "markdown", isList: true }), {
    type: "array",
    items: { type: "string", contentMediaType: "text/markdown", maxLength: 9 },
    uniqueItems: true,
  });
  assert.deepEqual(withKind(tags, { kind: "text", isList: false }), { type: "string", maxLength: 9 });
});

test("a schema that the fields cannot show is JSON", () => {
  const odd: Json[] = [
    true,
    {},
    { $ref: "#/$defs/a" },
    { type: ["string", "null"] },
    { type: "string", enum: ["a", 1] },
    { enum: ["a"] },
    { type: "object", properties: 5 },
    { type: "object", patternProperties: {} },
    { type: "array" },
    { type: "array", items: { type: "array", items: { type: "string" } } },
    { type: "array", items: { type: "string" }, contains: {} },
    { type: "string", oneOf: [{}] },
    { type: "toString" },
  ];
  for (const each of odd) assert.equal(labelOf(each), "JSON", formatJson(each));
  for (const each of [true, [], { type: "string" }, { properties: [] }, { required: "title" }, null, 5] as Json[])
    assert.equal(isReadable(each), false, formatJson(each));
  assert.equal(isReadable({}), true);
});

test("media types narrow to themselves, or to their group", () => {
  assert.equal(accepts([], "text/plain"), true);
  for (const media of ["image", "image/*"]) {
    assert.equal(accepts([media], "image/png"), true);
    assert.equal(accepts([media], "imagery/png"), false);
    assert.equal(accepts([media, "application/pdf"], "application/pdf"), true);
  }
  assert.equal(accepts(["image/svg+xml"], "image/svgxml"), false);
  assert.equal(accepts(["(.*)"], "image/png"), false);
  assert.equal(acceptOf(["image", "application/pdf"]), "image/*,application/pdf");
});
