/** The delivery and management addresses. Contract §2, Addresses of delivery and management, and §4. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, tagOf } from "./world.ts";

const world = await enter("address");
const { delivery, management } = world.tokens;
const deliver = "/api/delivery/entries";
const manage = "/api/management/entries";

await world.plant({
  a: { title: "a" },
  draft: { title: "d", visibility: "draft" },
  hidden: { title: "h", visibility: "hidden" },
  later: { published_at: 4_000_000_000 },
});

describe("GET /api/delivery/entries", () => {
  for (const [kind, token] of [
    ["delivery", delivery],
    ["management", management],
  ] as const) {
    test(`a ${kind} token reads only public entries`, async () => {
      assert.equal(dataOf(await world.read({ id: world.id("a") }, token, deliver)).title, "a");
      assert.equal(dataOf(await world.read({ id: world.id("hidden") }, token, deliver)).title, "h");
      refused(await world.read({ id: world.id("draft") }, token, deliver), 404, "entry_not_found");
      refused(await world.read({ id: world.id("later") }, token, deliver), 404, "entry_not_found");
    });

    test(`a ${kind} token lists only public entries`, async () => {
      const slugs = async (query: Any) =>
        dataOf(await world.read({ id: world.prefix, ...query }, token, deliver)).map((entry: Any) => entry.slug);
      assert.deepEqual(await slugs({ filter: "" }), [world.id("a")]);
      assert.deepEqual(await slugs({ options: { collection: "true" } }), [world.id("a")]);
      const count = await world.read({ id: world.prefix, filter: { return: "count" } }, token, deliver);
      assert.equal(dataOf(count), 1);
    });
  }

  test("the entry is the same object as at /api/entries", async () => {
    const [here, there] = await Promise.all([
      world.read({ id: world.id("a") }, delivery, deliver),
      world.read({ id: world.id("a") }, delivery),
    ]);
    assert.equal(here.text, there.text);
  });

  test("HEAD is answered, and If-None-Match gives 304", async () => {
    const reply = await world.read({ id: world.id("a") }, delivery, deliver);
    const query = { id: world.id("a"), token: delivery };
    assert.equal((await world.send({ method: "HEAD", path: deliver, query })).status, 200);
    const headers = { "if-none-match": tagOf(reply) };
    assert.equal((await world.send({ path: deliver, query, headers })).status, 304);
  });

  for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
    test(`${method} is not allowed`, async () => {
      const reply = await world.write(method, { id: world.id("x"), data: {}, new_id: world.id("y") }, deliver);
      refused(reply, 405);
      assert.match(reply.headers.allow ?? "", /\bGET\b/);
      assert.doesNotMatch(reply.headers.allow ?? "", /POST|PATCH|PUT|DELETE/);
    });
  }
});

describe("/api/management/entries", () => {
  test("a management token reads everything", async () => {
    for (const name of ["a", "draft", "hidden", "later"]) {
      assert.equal((await world.read({ id: world.id(name) }, management, manage)).status, 200);
    }
    const all = dataOf(await world.read({ id: world.prefix, filter: "" }, management, manage));
    assert.equal(all.length, 4);
  });

  test("a delivery token is refused, even for public entries", async () => {
    refused(await world.read({ id: world.id("a") }, delivery, manage), 403, "scope_missing");
    refused(await world.read({ id: world.id("nothing") }, delivery, manage), 403, "scope_missing");
  });

  test("it takes every verb of /api/entries", async () => {
    const id = world.id("verbs");
    assert.equal(dataOf(await world.write("POST", { id, data: { n: 1 } }, manage)).n, 1);
    refused(await world.write("POST", { id, data: { n: 1 } }, manage), 409, "entry_exists");
    assert.equal(dataOf(await world.write("PATCH", { id, data: { n: 2 } }, manage)).n, 2);
    const moved = await world.write("PUT", { id, new_id: world.id("verbs2") }, manage);
    assert.equal(dataOf(moved).slug, world.id("verbs2"));
    const copied = await world.write("PUT", { id: world.id("verbs2"), new_id: id }, `${manage}/copy`);
    assert.equal(dataOf(copied).slug, id);
    assert.equal((await world.write("DELETE", { id }, manage)).status, 204);
    assert.equal((await world.write("DELETE", { id: world.id("verbs2") }, manage)).status, 204);
    refused(await world.write("DELETE", { id }, manage), 404, "entry_not_found");
  });

  test("writes need the access token, too", async () => {
    const json = { token: management, id: world.id("no-access"), data: {} };
    refused(await world.send({ method: "POST", path: manage, json, uniqueAddress: true }), 401, "access_token_missing");
    assert.equal(await world.statusOf("no-access"), 404);
  });
});

describe("GET /api/entries takes both kinds", () => {
  test("management sees everything, delivery what is public", async () => {
    assert.equal(await world.statusOf("draft", management), 200);
    assert.equal(await world.statusOf("draft", delivery), 404);
    assert.equal(await world.statusOf("a", delivery), 200);
  });
});

describe("GET /api/delivery/registry", () => {
  for (const [kind, token] of [
    ["delivery", delivery],
    ["management", management],
  ] as const) {
    test(`a ${kind} token reads an item`, async () => {
      const reply = await world.read({ id: "flextype.manifest.version" }, token, "/api/delivery/registry");
      assert.deepEqual(dataOf(reply), { key: "flextype.manifest.version", value: "0.9.8" });
    });
  }

  test("an unknown item is 404", async () => {
    const reply = await world.read({ id: world.key }, delivery, "/api/delivery/registry");
    refused(reply, 404, "registry_item_not_found");
  });

  test("writes are not allowed", async () => {
    for (const method of ["PUT", "DELETE", "POST", "PATCH"]) {
      refused(await world.write(method, { id: world.key, value: "x" }, "/api/delivery/registry"), 405);
    }
    refused(await world.read({ id: world.key }, management, "/api/registry"), 404);
  });
});

allRepliesKeptTheirPromises(world);
