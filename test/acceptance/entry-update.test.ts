/** Updating an entry. Contract §4, Update. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, sleep, table } from "./world.ts";

const world = await enter("update");
const path = "/api/entries";
const patch = (name: string, data: unknown) => world.write("PATCH", { id: world.id(name), data });
const mergePatch = (name: string, data: unknown) =>
  world.send({
    method: "PATCH",
    path,
    json: { ...world.pair, id: world.id(name), data },
    type: "application/merge-patch+json",
  });
const without = (entry: Any, ...names: string[]): Any =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));

describe("PATCH /api/entries", () => {
  test("sent keys are replaced, the others kept, and the reply is the updated object", async () => {
    const before = await world.create("merge", { title: "a", keep: [1], n: 1, content: "c" });
    const answer = dataOf(await patch("merge", { title: "b", added: { x: 1 } }));
    assert.deepEqual(without(answer, "modified_at"), {
      ...without(before, "modified_at"),
      title: "b",
      added: { x: 1 },
    });
    assert.deepEqual(await world.entry("merge"), answer);
  });

  test("keys keep their position and new ones follow", async () => {
    await world.create("places", { b: 1, "1": 2, a: 3, content: "" });
    await world.send({
      method: "PATCH",
      path,
      json: `{"id":"${world.id("places")}","token":"${world.pair.token}","access_token":"${world.pair.access_token}","data":{"z":5,"b":9,"0":6}}`,
    });
    const { text } = await world.read({ id: world.id("places") });
    const order = [...text.matchAll(/"(b|1|a|z|0)":\d/g)].map((match) => match[1]);
    // JSON.stringify in create() put "1" first; the rest has the order sent.
    assert.deepEqual(order, ["1", "b", "a", "z", "0"]);
  });

  test("the merge is shallow: a nested object is replaced completely", async () => {
    await world.create("shallow", { author: { name: "Ann", born: 1970 }, tags: ["a", "b"] });
    const answer = dataOf(await patch("shallow", { author: { name: "Bob" }, tags: ["c"] }));
    assert.deepEqual(answer.author, { name: "Bob" });
    assert.deepEqual(answer.tags, ["c"]);
  });

  test("null is stored", async () => {
    await world.create("null", { title: "a" });
    const answer = dataOf(await patch("null", { title: null, other: null }));
    assert.equal(answer.title, null);
    assert.equal(answer.other, null);
    assert.ok("title" in (await world.entry("null")));
  });

  test("a null in a merge patch removes the key", async () => {
    await world.create("remove", { title: "a", keep: 1 });
    const answer = dataOf(await mergePatch("remove", { title: null, absent: null, added: 2 }));
    assert.ok(!("title" in answer) && !("absent" in answer));
    assert.equal(answer.keep, 1);
    assert.equal(answer.added, 2);
    assert.deepEqual(await world.entry("remove"), answer);
  });

  test("removed content reads as the empty text", async () => {
    await world.create("content", { content: "c" });
    assert.equal(dataOf(await mergePatch("content", { content: null })).content, "");
  });

  test("a merge-patch null sets a field of the service back to its default", async () => {
    await world.create("unset", { visibility: "draft", routable: false });
    const answer = dataOf(await mergePatch("unset", { visibility: null }));
    assert.equal(answer.visibility, "visible");
  });

  test("visibility as the empty text or null means unset", async () => {
    for (const unset of ["", null]) {
      await patch("unset", { visibility: "hidden" });
      assert.equal(dataOf(await patch("unset", { visibility: unset })).visibility, "visible");
    }
  });

  test("of the service's fields only modified_at changes", async () => {
    const before = await world.create("times", { title: "a" });
    await sleep(1100);
    const after = dataOf(await patch("times", { title: "b" }));
    assert.ok(after.modified_at > before.modified_at, "modified_at moved on");
    for (const name of ["uuid", "slug", "created_at", "published_at", "published_by", "created_by", "routable"]) {
      assert.equal(after[name], before[name], name);
    }
  });

  test("uuid, slug, created_at and modified_at in data are ignored", async () => {
    const before = await world.create("owned", { title: "a" });
    const sent = { uuid: "x", slug: world.id("elsewhere"), created_at: 1, modified_at: 1, title: "b" };
    const after = dataOf(await patch("owned", sent));
    assert.equal(after.uuid, before.uuid);
    assert.equal(after.slug, before.slug);
    assert.equal(after.created_at, before.created_at);
    assert.ok(after.modified_at >= before.modified_at);
    assert.equal(await world.statusOf("elsewhere"), 404);
  });

  test("every settable field can be changed, alone and without touching the client's data", async () => {
    await world.create("fields", { title: "a" });
    const changes: [Record<string, unknown>, string, unknown][] = [
      [{ published_at: "2020-01-01T00:00:00Z" }, "published_at", 1577836800],
      [{ published_by: "ann" }, "published_by", "ann"],
      [{ created_by: "bob" }, "created_by", "bob"],
      [{ routable: "0" }, "routable", false],
      [{ visibility: "hidden" }, "visibility", "hidden"],
    ];
    for (const [data, name, value] of changes) {
      const answer = dataOf(await patch("fields", data));
      assert.equal(answer[name], value);
      assert.equal(answer.title, "a");
    }
    const entry = await world.entry("fields");
    for (const [, name, value] of changes) assert.equal(entry[name], value, name);
  });

  test("empty data changes no field of the client", async () => {
    const before = await world.create("empty", { title: "a" });
    const after = dataOf(await patch("empty", {}));
    assert.deepEqual(without(after, "modified_at"), without(before, "modified_at"));
  });

  test("a refused update leaves every field as it was", async () => {
    await world.create("atomic", { title: "a", n: 1 });
    const before = await world.read({ id: world.id("atomic") });
    refused(await patch("atomic", { title: "b", published_by: "x", visibility: "nope" }), 400, "field_invalid");
    const after = await world.read({ id: world.id("atomic") });
    assert.equal(after.text, before.text);
    assert.equal(after.headers.etag, before.headers.etag);
  });

  test("concurrent updates of different keys are all kept", async () => {
    await world.create("racing", {});
    const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => patch("racing", { [`k${n}`]: n })));
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    const entry = await world.entry("racing");
    for (let n = 0; n < 30; n++) assert.equal(entry[`k${n}`], n, `k${n}`);
  });

  test("a read after the reply never shows the old state", async () => {
    await world.create("fresh", { n: 0 });
    for (let n = 1; n <= 30; n++) {
      await patch("fresh", { n });
      const [managed, delivered] = await Promise.all([
        world.read({ id: world.id("fresh") }),
        world.read({ id: world.id("fresh") }, world.tokens.delivery),
      ]);
      assert.equal(dataOf(managed).n, n);
      assert.equal(dataOf(delivered).n, n);
    }
  });

  test("an update of a child leaves the parent unchanged", async () => {
    await world.create("parent", { title: "p" });
    await world.create("parent/child", { title: "c" });
    const before = await world.read({ id: world.id("parent") });
    await patch("parent/child", { title: "d" });
    assert.equal((await world.read({ id: world.id("parent") })).text, before.text);
  });

  test("values of a form are stored as texts", async () => {
    await world.create("form", { count: 1 });
    const form = {
      ...world.pair,
      id: world.id("form"),
      data: { count: "15", routable: "0", published_at: "1700000000", list: ["a", "b"], deep: { x: "y" } },
    };
    const answer = dataOf(await world.send({ method: "PATCH", path, form }));
    assert.equal(answer.count, "15");
    assert.equal(answer.routable, false);
    assert.equal(answer.published_at, 1700000000);
    assert.deepEqual(answer.list, ["a", "b"]);
    assert.deepEqual(answer.deep, { x: "y" });
  });
});

table("PATCH /api/entries refuses", world, [
  {
    name: "a missing entry",
    call: { method: "PATCH", path, json: { ...world.pair, id: world.id("nothing"), data: {} } },
    status: 404,
    code: "entry_not_found",
    check: async () => assert.equal(await world.statusOf("nothing"), 404),
  },
  {
    name: "missing data",
    call: { method: "PATCH", path, json: { ...world.pair, id: world.prefix } },
    status: 400,
    about: /data/,
  },
  {
    name: "a missing id",
    call: { method: "PATCH", path, json: { ...world.pair, data: {} } },
    status: 400,
    about: /id/,
  },
  {
    name: "data as a list",
    call: { method: "PATCH", path, json: { ...world.pair, id: world.prefix, data: [] } },
    status: 400,
    about: /data/,
  },
  {
    name: "an id as a list",
    call: { method: "PATCH", path, json: { ...world.pair, id: [world.prefix], data: {} } },
    status: 400,
    about: /id/,
  },
  {
    name: "an id as a number",
    call: { method: "PATCH", path, json: { ...world.pair, id: 5, data: {} } },
    status: [400, 404],
  },
  {
    name: "the root",
    call: { method: "PATCH", path, json: { ...world.pair, id: "", data: {} } },
    status: [400, 404],
  },
]);

allRepliesKeptTheirPromises(world);
