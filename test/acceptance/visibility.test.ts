/** A delivery token learns only about public content. Contract §2, Kinds and §4, Public. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, sleep, tagOf } from "./world.ts";

const world = await enter("visibility");
const { delivery, management } = world.tokens;
const future = nowSeconds() + 100_000;

// Hidden entries have the word "unseen" in every field that a filter can read.
const shown = ["v1", "v2", "v3"];
const unseen = ["draft", "future", "future-hidden", "hidden", "draft-past"];
await world.plant({
  "mix/v1": { title: "one", word: "seen", rank: 1, kind: "a" },
  "mix/v2": { title: "two", word: "seen", rank: 3, kind: "a", published_at: 1 },
  "mix/v3": { title: "three", word: "seen", rank: 5, kind: "b" },
  "mix/draft": { title: "unseen", word: "unseen", rank: 2, kind: "c", secret: 1, visibility: "draft" },
  "mix/draft-past": { title: "unseen", word: "unseen", rank: 0, kind: "a", visibility: "draft", published_at: 1 },
  "mix/future": { title: "unseen", word: "unseen", rank: 4, kind: "a", published_at: future },
  "mix/future-hidden": { title: "unseen", word: "unseen", rank: 9, visibility: "hidden", published_at: future },
  "mix/hidden": { title: "unseen", word: "unseen", rank: 6, kind: "d", visibility: "hidden" },
  "mix/draft/child": { title: "child of a draft" },
  "only-drafts/a": { visibility: "draft" },
  "only-drafts/b": { published_at: future },
  "draft-root": { visibility: "draft" },
  "draft-root/draft": { visibility: "draft" },
});

/** Status, headers and text of a reply without the requested id, for comparison. */
function told({ status, headers, text }: { status: number; headers: Any; text: string }, id: string): string {
  const { date: _, "content-length": __, "x-request-id": ___, "request-id": ____, ...rest } = headers;
  const body = text.replaceAll(/"request_id":"[^"]*"/g, "").replaceAll(id, "<id>");
  return JSON.stringify({ status, rest, body }).replaceAll(id, "<id>");
}

describe("one entry by its id", () => {
  const matrix: [string, number][] = [
    ["mix/v1", 200],
    ["mix/v2", 200],
    ["mix/hidden", 200],
    ["mix/draft", 404],
    ["mix/draft-past", 404],
    ["mix/future", 404],
    ["mix/future-hidden", 404],
    ["mix/draft/child", 200],
  ];
  for (const [name, status] of matrix) {
    test(`a delivery token reading ${name} gets ${status}; management reads it`, async () => {
      assert.equal(await world.statusOf(name, delivery), status);
      assert.equal(await world.statusOf(name, management), 200);
    });
  }

  for (const name of ["mix/draft", "mix/future", "mix/future-hidden", "draft-root"]) {
    test(`to a delivery token ${name} looks like a missing entry`, async () => {
      const missing = name.replace(/.$/, "~");
      const asked: Record<string, string>[] = [{}, { "if-none-match": "*" }, { "accept-encoding": "br, gzip" }];
      for (const headers of asked) {
        const ask = (id: string) =>
          world.send({ path: "/api/entries", query: { id: world.id(id), token: delivery }, headers });
        const [there, absent] = await Promise.all([ask(name), ask(missing)]);
        refused(there, 404, "entry_not_found");
        assert.equal(told(there, world.id(name)), told(absent, world.id(missing)));
      }
      const heads = await Promise.all(
        [name, missing].map((id) =>
          world.send({ method: "HEAD", path: "/api/entries", query: { id: world.id(id), token: delivery } }),
        ),
      );
      assert.deepEqual(
        heads.map(({ status }) => status),
        [404, 404],
      );
    });
  }

  test("an entry's tag from management gives no access to delivery", async () => {
    const tag = await world.etag("mix/draft");
    const reply = await world.send({
      path: "/api/entries",
      query: { id: world.id("mix/draft"), token: delivery },
      headers: { "if-none-match": tag },
    });
    refused(reply, 404, "entry_not_found");
  });
});

const filters: [string, Arguments, string[]][] = [
  ["no condition", {}, shown],
  ["a condition that hidden entries meet", { where: { key: "word", expr: "eq", value: "unseen" } }, []],
  ["a condition on a key only a draft has", { where: { key: "secret", expr: "exists", value: "true" } }, []],
  ["a negative condition", { where: { key: "word", expr: "neq", value: "seen" } }, []],
  ["a condition on visibility", { where: { key: "visibility", expr: "eq", value: "draft" } }, []],
  ["visibility hidden", { where: { key: "visibility", expr: "eq", value: "hidden" } }, []],
  ["published_at in the future", { where: { key: "published_at", expr: "gt", value: String(nowSeconds() + 60) } }, []],
  ["search", { search: "unseen" }, []],
  ["contains", { contains: "unseen" }, []],
  ["path", { path: "draft" }, []],
  ["order", { order_by: { field: "rank", direction: "desc" } }, ["v3", "v2", "v1"]],
  ["order and limit", { order_by: { field: "rank" }, limit: 2 }, ["v1", "v2"]],
  ["order and offset", { order_by: { field: "rank" }, offset: 2 }, ["v3"]],
  ["depth", { depth: "*" }, ["draft/child", ...shown]],
  ["shuffle", { return: "shuffle", where: { key: "word", expr: "eq", value: "unseen" } }, []],
];

describe("a collection shows a delivery token only listed entries", () => {
  for (const [name, filter, expected] of filters) {
    test(`with ${name}`, async () => assert.deepEqual(await world.list("mix", filter, delivery), expected));
  }

  test("management sees everything", async () => {
    const all = await world.list("mix", {});
    assert.deepEqual(all, [...shown, ...unseen].sort());
  });

  const ask = async (filter: Arguments) => {
    const reply = await world.read({ id: world.id("mix"), filter }, delivery);
    return { data: dataOf(reply), headers: reply.headers, text: reply.text };
  };

  test("count, exists and total count only listed entries", async () => {
    assert.equal((await ask({ return: "count" })).data, 3);
    const wordIsUnseen = { where: { key: "word", expr: "eq", value: "unseen" } };
    assert.equal((await ask({ return: "count", ...wordIsUnseen })).data, 0);
    assert.equal((await ask({ return: "exists", ...wordIsUnseen })).data, false);
    assert.equal((await ask({ total: "true", limit: 1 })).headers["x-total-count"], "3");
  });

  test("first, last, next and random choose from listed entries", async () => {
    const order_by = { field: "rank", direction: "asc" };
    assert.equal((await ask({ return: "first", order_by })).data.rank, 1);
    assert.equal((await ask({ return: "next", order_by })).data.rank, 3);
    assert.equal((await ask({ return: "last", order_by })).data.rank, 5);
    for (let n = 0; n < 20; n++) assert.ok([1, 3, 5].includes((await ask({ return: "random" })).data.rank));
    assert.equal((await ask({ return: "random", random_value: 50 })).data.length, 3);
  });

  test("group_by groups only listed entries", async () => {
    const { data, text } = await ask({ group_by: "kind" });
    assert.deepEqual(Object.keys(data).sort(), ["a", "b"]);
    assert.equal(data.a.length, 2);
    assert.ok(!text.includes("unseen"));
  });

  test("pages are full and contain no hidden entries", async () => {
    const page = await ask({ order_by: { field: "rank" }, limit: 2 });
    assert.deepEqual(
      page.data.map((entry: Any) => entry.rank),
      [1, 3],
    );
    assert.ok(page.headers.link, "a third one is left");
    const last = await ask({ order_by: { field: "rank" }, limit: 3 });
    assert.equal(last.headers.link, undefined, "only hidden entries are left, so there is no next page");
  });

  test("a parent without visible entries looks like a missing one", async () => {
    const ask = (name: string) => world.read({ id: world.id(name), filter: "" }, delivery);
    const missing = await ask("only-nothing");
    refused(missing, 404);
    for (const name of ["only-drafts", "draft-root"]) {
      const reply = await ask(name);
      assert.equal(told(reply, world.id(name)), told(missing, world.id("only-nothing")));
    }
    assert.deepEqual(await world.list("only-drafts", {}), ["a", "b"]);
  });

  test("visibility is not inherited: a draft's child is listed", async () => {
    assert.deepEqual(await world.list("mix/draft", {}, delivery), ["child"]);
  });

  test("depth 0 does not show a draft", async () => {
    const reply = await world.read({ id: world.id("mix/draft"), filter: { depth: "<=1" } }, delivery);
    assert.deepEqual(
      dataOf(reply).map((entry: Any) => entry.slug),
      [world.id("mix/draft/child")],
    );
  });

  test("a collection's tag and headers do not reveal hidden writes", async () => {
    await world.plant({ "quiet/a": { title: "a" }, "quiet/b": { title: "b", visibility: "draft" } });
    const ask = (filter: Arguments | string) => world.read({ id: world.id("quiet"), filter }, delivery);
    const before = await Promise.all([ask(""), ask({ return: "count" })]);
    await world.create("quiet/c", { visibility: "draft" });
    await world.write("PATCH", { id: world.id("quiet/b"), data: { title: "changed" } });
    await world.create("quiet/d", { published_at: future });
    await world.write("DELETE", { id: world.id("quiet/c") });
    const after = await Promise.all([ask(""), ask({ return: "count" })]);
    for (const [n, reply] of after.entries()) {
      assert.equal(reply.text, before[n]?.text);
      assert.equal(tagOf(reply), before[n]?.headers.etag);
      assert.equal(reply.headers["last-modified"], before[n]?.headers["last-modified"]);
    }
  });
});

describe("publication changes with the entry and with time", () => {
  test("hiding and showing take effect at once", async () => {
    await world.create("switch/a", { title: "a" });
    for (const [visibility, status] of [
      ["draft", 404],
      ["visible", 200],
      ["hidden", 200],
      ["", 200],
    ] as const) {
      await world.write("PATCH", { id: world.id("switch/a"), data: { visibility } });
      assert.equal(await world.statusOf("switch/a", delivery), status, visibility);
      const reply = await world.read({ id: world.id("switch"), filter: { return: "count" } }, delivery);
      if (visibility === "visible" || visibility === "") assert.equal(dataOf(reply), 1);
    }
  });

  test("an entry appears at its published_at, and the collection's tag changes", async () => {
    await world.create("clock/now", { title: "now" });
    await world.create("clock/soon", { title: "soon", published_at: nowSeconds() + 3 });
    const ask = () => world.read({ id: world.id("clock"), filter: "" }, delivery);
    assert.equal(await world.statusOf("clock/soon", delivery), 404);
    const before = await ask();
    assert.equal(dataOf(before).length, 1);
    await sleep(4200);
    assert.equal(await world.statusOf("clock/soon", delivery), 200);
    const after = await ask();
    assert.equal(dataOf(after).length, 2);
    assert.notEqual(tagOf(after), tagOf(before));
  });

  test("a tag from before does not reveal a draft", async () => {
    await world.create("was-public", { title: "a" });
    const tag = tagOf(await world.read({ id: world.id("was-public") }, delivery));
    await world.write("PATCH", { id: world.id("was-public"), data: { visibility: "draft" } });
    const query = { id: world.id("was-public"), token: delivery };
    const reply = await world.send({ path: "/api/entries", query, headers: { "if-none-match": tag } });
    refused(reply, 404, "entry_not_found");
  });

  test("a draft that is moved or copied stays a draft", async () => {
    await world.create("stay/a", { visibility: "draft" });
    await world.write("PUT", { id: world.id("stay/a"), new_id: world.id("stay/b") }, "/api/entries/copy");
    await world.write("PUT", { id: world.id("stay/a"), new_id: world.id("stay/c") });
    assert.equal(await world.statusOf("stay/b", delivery), 404);
    assert.equal(await world.statusOf("stay/c", delivery), 404);
  });
});

allRepliesKeptTheirPromises(world);
