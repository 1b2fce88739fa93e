/** Content types: which data writes may store. Contract, part two, §9. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type CostlyType, costlyTypes } from "../fixtures/costly-types.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, tagOf } from "./world.ts";

const world = await enter("types");
const { management } = world.tokens;
const url = "/api/types";
/** Other chapters use the same service: the ids of types and of entries are this chapter's own. */
const own = (name: string) => `${world.prefix.replace(/[^a-z0-9_-]/g, "-")}-${name}`;

const send = (method: string, path: string, args: object, headers: Record<string, string> = {}) =>
  world.send({ method, path, json: { ...world.pair, ...args }, headers });
const put = (name: string, schema: unknown, paths: string[] = [], more: object = {}, headers = {}) =>
  send("PUT", url, { id: own(name), schema, paths: paths.map((path) => world.id(path)), ...more }, headers);
const remove = (name: string, headers = {}) => send("DELETE", url, { id: own(name) }, headers);
const create = (name: string, data: object) => send("POST", "/api/entries", { id: world.id(name), data });
const update = (name: string, data: object) => send("PATCH", "/api/entries", { id: world.id(name), data });
const faults = (reply: Awaited<ReturnType<typeof create>>): string[] => {
  return refused(reply, 422, "data_invalid").errors.map(({ pointer, rule, message, accepted }: Any) => {
    assert.ok(typeof message === "string" && message !== "" && typeof accepted === "string");
    return `${pointer} ${rule}`;
  });
};

const film = {
  type: "object",
  required: ["title"],
  properties: { title: { type: "string", minLength: 2 }, year: { type: "integer" } },
};

describe("types", () => {
  test("a type is put, read with its ETag, listed, replaced conditionally and deleted", async () => {
    const made = await put("life", film, ["life/*"], { title: "Life", description: "A type." });
    const type = dataOf(made) as Any;
    const expected = { id: own("life"), title: "Life", description: "A type.", paths: [world.id("life/*")] };
    assert.deepEqual(type, { ...expected, schema: film, mode: "enforce" });
    const read = await world.read({ id: own("life") }, management, url);
    assert.deepEqual([dataOf(read), tagOf(read)], [type, tagOf(made)]);
    const changed = await put("life", film, [], {}, { "If-Match": tagOf(read) });
    assert.notEqual(tagOf(changed), tagOf(read));
    assert.deepEqual((dataOf(changed) as Any).paths, []);
    refused(await put("life", film, [], {}, { "If-Match": tagOf(read) }), 412, "revision_mismatch");
    const all = dataOf(await world.read({ limit: 1000 }, management, url)) as Any[];
    assert.ok(all.some(({ id }) => id === own("life")));
    assert.equal((await remove("life")).status, 204);
    refused(await world.read({ id: own("life") }, management, url), 404, "type_not_found");
    refused(await remove("life"), 404, "type_not_found");
  });

  test("schemas that are none, arguments that are unknown and patterns that are no ids are refused", async () => {
    for (const schema of [{ type: "text" }, { $ref: "https://example.com/a" }, { $ref: "#" }, { pattern: "(?<!a)" }])
      refused(await put("bad", schema), 400, "schema_invalid");
    const named = { properties: { slug: { type: "string" } }, required: ["slug"] };
    const tried = { id: own("bad"), paths: [world.id("bad/*")], schema: named };
    for (const reply of [await put("bad", named), await send("POST", `${url}/check`, tried)]) {
      const { detail } = refused(reply, 400, "schema_invalid");
      assert.match(detail, /"\/properties\/slug".*"short_name"/);
    }
    for (const schema of [1, "text", [], null]) refused(await put("bad", schema), 400, "argument_invalid");
    refused(await put("bad", {}, ["a*b"]), 400, "argument_invalid");
    refused(await put("bad", {}, [], { mode: "strict" }), 400, "argument_invalid");
    refused(await send("PUT", url, { id: "Bad", schema: {} }), 400, "argument_invalid");
    refused(await put("bad", {}, [], { shema: {} }), 400, "argument_unknown");
    refused(await put("bad", { title: "x".repeat(256 * 1024) }), 413, "data_too_large");
  });
});

describe("writes", () => {
  test("what does not fit is refused with every fault, and nothing is stored", async () => {
    dataOf(await put("film", film, ["film/*"]));
    assert.deepEqual(faults(await create("film/one", { year: "soon" })), ["/title required", "/year type"]);
    refused(await world.read({ id: world.id("film/one") }), 404, "entry_not_found");
    dataOf(await create("film/one", { title: "One", year: 1.0, content: "", extra: true }));
    assert.deepEqual(faults(await update("film/one", { year: "soon" })), ["/year type"]);
    const staged = await send("PATCH", "/api/entries/staged", { id: world.id("film/one"), data: { year: "soon" } });
    assert.deepEqual(faults(staged), ["/year type"]);
  });

  test("faults that an entry had do not lock it", async () => {
    dataOf(await create("old/one", { title: 1 }));
    dataOf(await put("old", film, ["old/*"]));
    dataOf(await update("old/one", { note: "kept" }));
    assert.deepEqual(faults(await update("old/one", { year: "soon" })), ["/year type"]);
  });

  test("an item of a list with an old fault may change its place, but not come twice", async () => {
    const [bad, worse, good] = [{ n: "x", t: 1 }, { n: "y" }, { n: 1 }];
    const edited = { n: "edited" };
    const row = (item: object) => ({ items: [item] });
    dataOf(await create("moved/one", { items: [bad, worse, good], tags: [1, "a", 2], rows: [row(bad), row(good)] }));
    const item = { type: "object", required: ["n"], properties: { n: { type: "integer" }, t: {} } };
    const items = { type: "array", items: item };
    const rows = { type: "array", items: { type: "object", properties: { items } } };
    const tags = { type: "array", items: { type: "string" } };
    dataOf(await put("moved", { properties: { items, rows, tags } }, ["moved/*"]));
    const accepted: object[] = [
      { items: [good, bad, worse] },
      { items: [worse, good, bad] },
      { items: [good, good, { ...worse }, bad] },
      { items: [good, good, edited, bad] },
      { items: [good, bad, edited] },
      { tags: ["b", 2, "a", 1] },
      { tags: ["b", 2, "a"] },
      { rows: [row(good), { items: [good, bad], note: "moved" }] },
    ];
    const refusedOnes: [data: object, expected: string[]][] = [
      [{ items: [good, good, good, { n: "new" }] }, ["/items/3/n type"]],
      [{ items: [good, edited, edited] }, ["/items/2/n type"]],
      [{ items: [edited, good, { n: "other" }] }, ["/items/2/n type"]],
      [{ tags: ["a", "b", 3] }, ["/tags/2 type"]],
      [{ rows: [row(good), row(good)], items: [good, { t: 1 }] }, ["/items/1/n required"]],
    ];
    for (const data of accepted) dataOf(await update("moved/one", data));
    for (const [data, expected] of refusedOnes) assert.deepEqual(faults(await update("moved/one", data)), expected);
  });

  test("a draft may lack what is required; a publish may not", async () => {
    dataOf(await put("draft", film, ["draft/*"]));
    dataOf(await create("draft/one", { visibility: "draft" }));
    const publish = () => send("POST", "/api/entries/publish", { id: world.id("draft/one") });
    assert.deepEqual(faults(await publish()), ["/title required"]);
    assert.deepEqual(faults(await update("draft/one", { visibility: "visible" })), ["/title required"]);
    dataOf(await update("draft/one", { title: "There" }));
    dataOf(await publish());
  });

  test("a draft may have an unfinished block; faults name the field of the block", async () => {
    const block = (kind: string, field: string) => ({
      ...{ type: "object", required: ["kind", field] },
      properties: { kind: { const: kind }, [field]: { type: "string" } },
    });
    const items = { oneOf: [block("text", "text"), block("picture", "src")] };
    dataOf(await put("blocks", { properties: { blocks: { type: "array", items } } }, ["blocks/*"]));
    const blocks = [{ kind: "picture" }];
    assert.deepEqual(faults(await create("blocks/one", { blocks })), ["/blocks/0/src required"]);
    dataOf(await create("blocks/one", { blocks, visibility: "draft" }));
    assert.deepEqual(faults(await update("blocks/one", { blocks: [{ kind: "text", text: 5 }] })), [
      "/blocks/0/text type",
    ]);
    const reply = await update("blocks/one", { blocks: [{ kind: "vidoe" }] });
    assert.deepEqual(faults(reply), ["/blocks/0/kind enum"]);
    assert.equal(refused(reply, 422, "data_invalid").errors[0].accepted, 'one of "text", "picture"');
    const publish = () => send("POST", "/api/entries/publish", { id: world.id("blocks/one") });
    assert.deepEqual(faults(await publish()), ["/blocks/0/src required"]);
    dataOf(await update("blocks/one", { blocks: [{ kind: "picture", src: "a.jpg" }] }));
    dataOf(await publish());
  });

  test("a move and a copy into a type check the subtree", async () => {
    dataOf(await put("place", film, ["place/**"]));
    dataOf(await create("free", { title: "Top" }));
    dataOf(await create("free/below", {}));
    const to = { id: world.id("free"), new_id: world.id("place/here") };
    assert.deepEqual(faults(await send("PUT", "/api/entries", to)), ["/title required"]);
    assert.deepEqual(faults(await send("PUT", "/api/entries/copy", to)), ["/title required"]);
    dataOf(await update("free/below", { title: "Below" }));
    dataOf(await send("PUT", "/api/entries", to));
  });

  test("fieldset names a type; one that names none is plain data", async () => {
    dataOf(await put("named", { required: ["n"] }));
    assert.deepEqual(faults(await create("by-name", { fieldset: own("named") })), ["/n required"]);
    dataOf(await create("by-name", { fieldset: own("nothing") }));
    assert.deepEqual(faults(await update("by-name", { fieldset: own("named") })), ["/n required"]);
  });

  test("types refer to each other, and cannot lose what is referred to", async () => {
    dataOf(await put("author", { properties: { name: { type: "string" } } }));
    dataOf(await put("book", { properties: { by: { $ref: `/types/${own("author")}` } } }, ["book/*"]));
    assert.deepEqual(faults(await create("book/one", { by: { name: 1 } })), ["/by/name type"]);
    refused(await remove("author"), 409, "type_in_use");
    dataOf(await put("author", { properties: { name: { type: "integer" } } }));
    dataOf(await create("book/one", { by: { name: 1 } }));
  });

  test("a check tells which entries would fail, and stores nothing", async () => {
    dataOf(await create("check/a", { title: "Fine" }));
    dataOf(await create("check/b", { title: 1 }));
    const tried = { id: own("check"), paths: [world.id("check/*")], schema: film };
    const found = dataOf(await send("POST", `${url}/check`, tried)) as Any;
    assert.deepEqual([found.checked, found.failing], [2, 1]);
    assert.deepEqual([found.first[0].id, found.first[0].errors[0].pointer], [world.id("check/b"), "/title"]);
    refused(await world.read({ id: own("check") }, management, url), 404, "type_not_found");
    refused(await send("POST", `${url}/check`, { ...tried, schema: { type: 1 } }), 400, "schema_invalid");
  });
});

test("a write whose check takes too long is refused and stores nothing, a check says so", async () => {
  const [{ schema, data }] = costlyTypes as [CostlyType];
  const at = (id: string) => `costly/${id}`;
  dataOf(await create(at("old"), data));
  dataOf(await put("costly", schema, ["costly/*"]));
  refused(await create(at("new"), data), 422, "type_too_costly");
  refused(await update(at("old"), { more: 1 }), 422, "type_too_costly");
  assert.equal((await world.read({ id: world.id(at("new")) }, management)).status, 404);
  const tried = { id: own("costly"), paths: [world.id("costly/*")], schema };
  const found = dataOf(await send("POST", `${url}/check`, tried)) as Any;
  assert.deepEqual([found.checked, found.failing, found.first[0].errors[0].rule], [1, 1, "cost"]);
  assert.deepEqual([found.has_more, found.last], [undefined, undefined]);
  const rest = dataOf(await send("POST", `${url}/check`, { ...tried, after: world.id(at("old")) })) as Any;
  assert.deepEqual(rest, { checked: 0, failing: 0, first: [] });
  await remove("costly");
});

test("the description names the types for whoever manages entries, and for nobody else", async () => {
  const path = "/api/openapi.json";
  const schemasOf = async (token?: string) => {
    const reply = await world.send({ path, query: token === undefined ? {} : { token } });
    assert.equal(reply.status, 200, reply.text);
    return { schemas: JSON.parse(reply.text).components.schemas as Any, cache: reply.headers["cache-control"] };
  };
  const $defs = { name: { type: "string" } };
  dataOf(await put("said", { $defs, properties: { name: { $ref: "#/$defs/name" }, self: { $ref: "#" } } }, ["said/*"]));
  const name = (kind: string, more = "") => `${kind}_${own("said")}${more}`;
  const { schemas, cache } = await schemasOf(management);
  const at = (more: string) => ({ $ref: `#/components/schemas/${more}` });
  assert.deepEqual(schemas[name("Type")].properties, { name: at(name("Type", ".name")), self: at(name("Type")) });
  assert.deepEqual(schemas[name("Type", ".name")], $defs.name);
  assert.deepEqual(schemas[name("Entry")].allOf, [at("Entry"), at(name("Type"))]);
  assert.ok(JSON.stringify(schemas.EntryResult).includes(name("Entry")));
  assert.match(String(cache), /private/);
  for (const token of [undefined, world.tokens.delivery, "unknown"])
    assert.ok(!Object.keys((await schemasOf(token)).schemas).some((each) => each.startsWith("Type_")), token);
  assert.equal((await remove("said")).status, 204);
});

allRepliesKeptTheirPromises(world);
