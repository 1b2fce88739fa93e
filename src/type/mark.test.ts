import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../core/lib/json.ts";
import { compileSchema } from "./schema.ts";

/** The places of an entry's data that its schema marks. Contract, part two, §9, §10. */

const schemas: Record<string, object | boolean> = {
  article: {
    $defs: { person: { type: "string", format: "entry" }, note: { contentMediaType: "text/markdown" } },
    properties: {
      author: { $ref: "#/$defs/person" },
      cover: { anyOf: [{ type: "null" }, { format: "file" }] },
      cast: { items: { properties: { actor: { $ref: "#/$defs/person" }, role: { type: "string" } } } },
      pair: { prefixItems: [{ format: "entry" }], items: { format: "file" } },
      tags: { contains: { format: "entry" } },
      body: { allOf: [{ $ref: "#/$defs/note" }] },
      legal: { contentMediaType: "text/html" },
      reply: { $ref: "/types/comment" },
      plain: { type: "string", format: "date" },
    },
    patternProperties: { "^ref_": { format: "entry" } },
    additionalProperties: { properties: { picture: { format: "file" } } },
    if: { required: ["kind"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { kind: { format: "entry" } } },
  },
  comment: {
    properties: { text: { contentMediaType: "text/markdown" }, replies: { items: { $ref: "#" } } },
  },
  bare: { properties: { a: { type: "string" } } },
  anything: true,
};
const schemaOf = (id: string) => (schemas[id] === undefined ? undefined : JSON.stringify(schemas[id]));

async function marked(type: string, data: object): Promise<string[]> {
  const { marked } = await compileSchema(type, { schemaOf });
  return marked(parseJson(JSON.stringify(data))).map(({ path, mark, value }) => `${path.join(".")} ${mark} ${value}`);
}

test("a mark is found through references, combinations, lists and members of any name", async () => {
  const data = {
    author: "people/ana",
    cover: "/a.jpg",
    cast: [{ actor: "people/bo", role: "lead" }, { actor: 7 }, "people/no"],
    pair: ["people/cy", "/b.jpg", "/c.jpg"],
    tags: ["t/1", "t/2"],
    body: "# Hi",
    legal: "<b>x</b>",
    reply: { text: "one", replies: [{ text: "two", replies: [{ text: "three" }] }] },
    plain: "2031-01-01",
    ref_x: "people/di",
    other: { picture: "/d.jpg", author: "no" },
    toString: { picture: "/e.jpg" },
    kind: "kinds/k",
  };
  assert.deepEqual(await marked("article", data), [
    "author entry people/ana",
    "cover file /a.jpg",
    "cast.0.actor entry people/bo",
    "pair.0 entry people/cy",
    "pair.1 file /b.jpg",
    "pair.2 file /c.jpg",
    "tags.0 entry t/1",
    "tags.1 entry t/2",
    "body markdown # Hi",
    "legal html <b>x</b>",
    "reply.text markdown one",
    "reply.replies.0.text markdown two",
    "reply.replies.0.replies.0.text markdown three",
    "ref_x entry people/di",
    "other.picture file /d.jpg",
    "toString.picture file /e.jpg",
    "kind entry kinds/k",
  ]);
});

test("a schema without marks finds none, whatever the data", async () => {
  for (const type of ["bare", "anything"]) assert.deepEqual(await marked(type, { a: "x", b: [{ c: "y" }] }), []);
});
