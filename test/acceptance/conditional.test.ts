/** ETag, 304, If-Match, caching headers, compression. Contract §4, Conditions and §4, Caching. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Call, Reply } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, sleep, tagOf } from "./world.ts";

const world = await enter("conditional");
const { delivery, management } = world.tokens;
const path = "/api/entries";
const get = (name: string, headers: Record<string, string> = {}, token = management, more: Any = {}): Promise<Reply> =>
  world.send({ path, query: { id: world.id(name), token, ...more }, headers });
const patch = (name: string, data: Any) => world.write("PATCH", { id: world.id(name), data });

describe("the ETag", () => {
  test("is in every reply that contains an entry", async () => {
    const id = world.id("writes");
    const created = await world.write("POST", { id, data: {} });
    const patched = await patch("writes", { a: 1 });
    for (const reply of [created, patched]) {
      if (reply.headers.etag !== undefined) assert.match(reply.headers.etag, /^"/);
    }
    if (patched.headers.etag) assert.equal(await world.etag("writes"), patched.headers.etag);
  });

  test("never repeats: not after changes that undo each other, not after delete and recreate", async () => {
    const tags: string[] = [];
    const note = async (name = "fresh") => tags.push(await world.etag(name));
    await world.create("fresh", { title: "a" });
    await note();
    await patch("fresh", { title: "b" });
    assert.equal(dataOf(await get("fresh", { "if-none-match": tags[0] as string })).title, "b");
    await note();
    await patch("fresh", { title: "a" });
    await note();
    await world.write("DELETE", { id: world.id("fresh") });
    await world.create("fresh", { title: "a" });
    await note();
    await world.write("PUT", { id: world.id("fresh"), new_id: world.id("fresh2") });
    await note("fresh2");
    await world.write("PUT", { id: world.id("fresh2"), new_id: world.id("fresh3") }, `${path}/copy`);
    await note("fresh3");
    await world.write("PUT", { id: world.id("fresh2"), new_id: world.id("fresh") });
    await note();
    assert.equal(new Set(tags).size, tags.length, tags.join(" "));
  });

  test("changes when an ancestor moves", async () => {
    await world.plant({ "anc/a": {}, "anc/a/b/c": {} });
    const before = await world.etag("anc/a/b/c");
    await world.write("PUT", { id: world.id("anc/a"), new_id: world.id("anc/z") });
    assert.notEqual(await world.etag("anc/z/b/c"), before);
    const old = await get("anc/z/b/c", { "if-none-match": before });
    assert.equal(old.status, 200);
  });

  test("of a collection changes exactly with its text", async () => {
    await world.plant({ "set/a": { t: 1 }, "set/b": { t: 1 } });
    const seen: [tag: string, text: string][] = [];
    const note = async () => {
      const reply = await get("set", {}, management, { filter: "" });
      seen.push([tagOf(reply), reply.text], [tagOf(await get("set", {}, management, { filter: "" })), reply.text]);
    };
    await note();
    await patch("set/a", { t: 2 });
    await note();
    await patch("set/a", { t: 1 });
    await note();
    await world.create("set/c", {});
    await note();
    await world.write("DELETE", { id: world.id("set/c") });
    await note();
    await world.write("DELETE", { id: world.id("set/b") });
    await world.create("set/b", { t: 1 });
    await note();
    await world.write("PUT", { id: world.id("set/b"), new_id: world.id("set/d") });
    await note();
    for (const [tag, text] of seen) {
      for (const [otherTag, otherText] of seen)
        if (tag === otherTag) assert.equal(text, otherText, "one tag, one text");
    }
    assert.ok(new Set(seen.map(([tag]) => tag)).size >= 5);
  });
});

describe("If-None-Match", () => {
  test("the current tag in any form gives 304 with the headers of the answer and no body", async () => {
    await world.create("inm", { title: "a" });
    const full = await get("inm");
    const tag = tagOf(full);
    for (const value of [tag, `"_x", ${tag}`, `${tag},"_x"`, `W/${tag}`, "*", `"a,b" , W/"c",${tag}`]) {
      const reply = await get("inm", { "if-none-match": value });
      assert.equal(reply.status, 304, value);
      assert.equal(reply.bytes.length, 0);
      assert.equal(reply.headers.etag, tag);
      assert.equal(reply.headers["cache-control"], full.headers["cache-control"]);
      assert.equal(reply.headers.vary, full.headers.vary);
    }
  });

  // A tag is a revision in base 36, which no underscore is in.
  test("any other tag gives the full reply", async () => {
    const tag = await world.etag("inm");
    for (const value of ['"_x"', tag.slice(1, -1), `"${tag.slice(1, -1)}x"`, '"*"', ""])
      assert.equal((await get("inm", { "if-none-match": value })).status, 200, value);
  });

  test("HEAD and collections answer 304 too", async () => {
    const tag = await world.etag("inm");
    const query = { id: world.id("inm"), token: management };
    assert.equal((await world.send({ method: "HEAD", path, query, headers: { "if-none-match": tag } })).status, 304);
    const filter = { filter: { only: ["title"], total: "true" } };
    const listed = await get("", {}, management, filter);
    const again = await get("", { "if-none-match": tagOf(listed) }, management, filter);
    assert.equal(again.status, 304);
    assert.equal(again.bytes.length, 0);
  });

  test("other lists and the statistics have a tag and answer 304, too", async () => {
    for (const [at, query] of [
      ["/api/events", { limit: 1 }],
      ["/api/registry/items", { id: "octavo.manifest" }],
    ] as [string, Any][]) {
      const ask = (headers = {}) => world.send({ path: at, query: { ...query, token: management }, headers });
      const reply = await ask({ "if-none-match": tagOf(await ask()) });
      assert.equal(reply.status, 304, at);
      assert.equal(reply.bytes.length, 0);
    }
    // The call that reads them changes them.
    for (const at of ["/api/tokens", "/api/stats"]) {
      const ask = (headers = {}) => world.send({ path: at, query: { token: management }, headers });
      tagOf(await ask());
      assert.equal((await ask({ "if-none-match": "*" })).status, 304, at);
    }
  });

  test("it does not turn a missing entry or a refusal into 304", async () => {
    refused(await get("nothing", { "if-none-match": "*" }), 404, "entry_not_found");
    refused(
      await world.send({
        path,
        query: { id: world.id("inm") },
        headers: { "if-none-match": "*" },
        uniqueAddress: true,
      }),
      401,
    );
  });

  test("Last-Modified is modified_at, and If-Modified-Since is ignored", async () => {
    const reply = await get("inm");
    assert.equal(reply.headers["last-modified"], new Date(dataOf(reply).modified_at * 1000).toUTCString());
    const since = new Date(Date.now() + 86_400_000).toUTCString();
    assert.equal((await get("inm", { "if-modified-since": since })).status, 200);
  });
});

type Write = { name: string; call: (name: string) => Call; status: number };
const json = (args: Any): Any => ({ ...world.pair, ...args });
const write = (name: string, method: string, at: string, more: (id: string) => Any = () => ({})): Write => ({
  name,
  call: (entry) => ({ method, path: at, json: json({ id: world.id(entry), ...more(world.id(entry)) }) }),
  status: method === "DELETE" ? 204 : 200,
});
const writes: Write[] = [
  write("PATCH", "PATCH", path, () => ({ data: { t: 2 } })),
  write("PUT", "PUT", path, (id) => ({ new_id: `${id}-new` })),
  write("PUT /copy", "PUT", `${path}/copy`, (id) => ({ new_id: `${id}-new` })),
  write("DELETE", "DELETE", path),
];

let made = 0;

for (const { name, call, status } of writes) {
  describe(`If-Match on ${name}`, () => {
    const write = (entry: string, ifMatch: string) => world.send({ ...call(entry), headers: { "if-match": ifMatch } });
    const plant = async () => {
      const entry = `if-${made++}`;
      await world.create(entry, { t: 1, title: "x".repeat(2000) });
      return entry;
    };

    // Every form of a tag: src/core/revision.test.ts.
    test("the current tag passes, also among others, and so does *", async () => {
      for (const form of [(tag: string) => `"_x", W/${tag}`, () => "*"]) {
        const entry = await plant();
        const value = form(await world.etag(entry));
        assert.equal((await write(entry, value)).status, status, value);
      }
    });

    test("the tag of any read of the current state passes", async () => {
      const readings: [string, (entry: string) => Promise<Reply>][] = [
        ["gzip", (entry) => get(entry, { "accept-encoding": "gzip" })],
        ["br", (entry) => get(entry, { "accept-encoding": "br" })],
        ["a delivery token", (entry) => get(entry, {}, delivery)],
        ["the delivery address", (entry) => world.read({ id: world.id(entry) }, delivery, "/api/delivery/entries")],
        ["a projection", (entry) => get(entry, {}, management, { options: { filter: { only: ["title"] } } })],
        ["HEAD", (entry) => world.send({ method: "HEAD", path, query: { id: world.id(entry), token: management } })],
      ];
      for (const [what, reading] of readings) {
        const entry = await plant();
        const tag = (await reading(entry)).headers.etag as string;
        assert.equal((await write(entry, tag)).status, status, what);
      }
    });

    test("any other tag is 412 and changes nothing", async () => {
      const entry = await plant();
      const stale = await world.etag(entry);
      await patch(entry, { u: 1 });
      const other = await world.etag("inm");
      const before = await get(entry);
      for (const value of [stale, other, '"*"', `"${tagOf(before).slice(1, -1)}x"`, '"_x", "y"', '""'])
        refused(await write(entry, value), 412, "revision_mismatch");
      const after = await get(entry);
      assert.equal(after.text, before.text);
      assert.equal(tagOf(after), tagOf(before));
      assert.equal(await world.statusOf(`${entry}-new`), 404);
    });

    test("a missing entry is 404, whatever the tag", async () => {
      refused(await write("nothing", "*"), 404, "entry_not_found");
      refused(await write("nothing", '"_x"'), 404, "entry_not_found");
    });
  });
}

test("If-Match on POST: 404 for a free id and nothing is created; 409 for a taken one", async () => {
  const post = (name: string, ifMatch: string) =>
    world.send({
      method: "POST",
      path,
      json: json({ id: world.id(name), data: {} }),
      headers: { "if-match": ifMatch },
    });
  await world.create("if-taken");
  const tag = await world.etag("if-taken");
  for (const value of ["*", '"_x"', tag]) {
    refused(await post("if-free", value), 404, "entry_not_found");
    assert.equal(await world.statusOf("if-free"), 404);
    refused(await post("if-taken", value), 409, "entry_exists");
  }
});

test("of many updates racing with one tag, exactly one wins", async () => {
  await world.create("race", { n: -1 });
  const tag = await world.etag("race");
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      world.send({
        method: "PATCH",
        path,
        json: json({ id: world.id("race"), data: { n } }),
        headers: { "if-match": tag },
      }),
    ),
  );
  const winners = replies.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1);
  for (const reply of replies.filter(({ status }) => status !== 200)) refused(reply, 412, "revision_mismatch");
  assert.deepEqual(await world.entry("race"), dataOf(winners[0]!));
});

describe("Cache-Control", () => {
  const control = (reply: Reply): string[] => (reply.headers["cache-control"] ?? "").split(/\s*,\s*/).sort();
  const managed = ["no-cache", "private"];
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  for (const [what, query] of [
    ["an entry", {}],
    ["a collection", { filter: "" }],
  ] as [string, Any][]) {
    test(`${what} read by management is private and not cached`, async () => {
      assert.deepEqual(control(await get("", {}, management, query)), managed);
      const byHeader = await world.send({ path, query: { id: world.prefix, ...query }, headers: bearer(management) });
      assert.deepEqual(control(byHeader), managed);
    });

    test(`${what} read by delivery is public when the token is in the address`, async () => {
      const reply = await get("", {}, delivery, query);
      const parts = control(reply).filter((part) => !part.startsWith("s-maxage"));
      assert.deepEqual(parts, ["max-age=0", "must-revalidate", "public"]);
    });

    test(`${what} read by delivery is private when the token is in a header`, async () => {
      const reply = await world.send({ path, query: { id: world.prefix, ...query }, headers: bearer(delivery) });
      assert.ok(control(reply).includes("private"), reply.headers["cache-control"]);
      assert.ok(!control(reply).includes("public"));
      const both = await get("", bearer(delivery), delivery, query);
      assert.ok(!control(both).includes("public") || control(both).includes("max-age=0"));
    });
  }

  test("replies to writes and from admin routes are not cacheable", async () => {
    const replies = [
      await world.write("POST", { id: world.id("cached"), data: {} }),
      await patch("cached", { a: 1 }),
      await world.read({}, management, "/api/tokens"),
      await world.read({}, management, "/api/events"),
      await world.read({}, management, "/api/stats"),
    ];
    for (const reply of replies) {
      const said = `${reply.call.method ?? "GET"} ${reply.call.path}: ${reply.headers["cache-control"]}`;
      assert.match(reply.headers["cache-control"] ?? "", /no-store|no-cache/, said);
      assert.doesNotMatch(reply.headers["cache-control"] ?? "", /public/, said);
    }
  });
});

describe("compression", async () => {
  const codings = { br: brotliDecompressSync, gzip: gunzipSync };
  await world.create("large", { content: "lorem ipsum ".repeat(500) });
  await world.create("small", { content: "x" });
  const plain = await get("large");

  test("without Accept-Encoding nothing is compressed", () => {
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.equal(Number(plain.headers["content-length"] ?? plain.bytes.length), plain.bytes.length);
  });

  for (const [coding, decode] of Object.entries(codings)) {
    test(`${coding} has the same text, smaller, with its own tag`, async () => {
      const reply = await get("large", { "accept-encoding": coding });
      assert.equal(reply.headers["content-encoding"], coding);
      assert.equal(decode(reply.bytes).toString(), plain.text);
      assert.ok(reply.bytes.length < plain.bytes.length / 2);
      assert.notEqual(tagOf(reply), tagOf(plain));
      if (reply.headers["content-length"]) assert.equal(Number(reply.headers["content-length"]), reply.bytes.length);
      const again = await get("large", { "accept-encoding": coding, "if-none-match": tagOf(reply) });
      assert.equal(again.status, 304);
      assert.equal(tagOf(again), tagOf(reply));
    });

    test(`${coding} is used for collections too`, async () => {
      const filter = { filter: { where: { key: "slug", expr: "ends_with", value: "/large" } } };
      const [coded, uncoded] = [
        await get("", { "accept-encoding": coding }, delivery, filter),
        await get("", {}, delivery, filter),
      ];
      assert.equal(coded.headers["content-encoding"], coding);
      assert.equal(coded.text, uncoded.text);
      assert.notEqual(tagOf(coded), tagOf(uncoded));
    });
  }

  // Each weight: src/core/lib/accept.test.ts.
  const negotiations: [string, (string | undefined)[]][] = [
    ["gzip, deflate, br", ["br", "gzip"]],
    ["br;q=0, gzip", ["gzip"]],
    ["gzip;q=0", [undefined]],
    ["br;q=0.1, gzip;q=0.9", ["gzip", "br"]],
    ["zstd", [undefined]],
    ["*", [undefined, "br", "gzip"]],
    ["x-gzip;q=1, ,;", [undefined, "gzip"]],
  ];
  test("a coding is one that the client accepts", async () => {
    for (const [accept, expected] of negotiations) {
      const reply = await get("large", { "accept-encoding": accept });
      assert.equal(reply.status, 200);
      assert.ok(
        expected.includes(reply.headers["content-encoding"]),
        `${accept}: ${reply.headers["content-encoding"]}`,
      );
      assert.equal(reply.text, plain.text);
    }
    assert.ok([200, 406].includes((await get("large", { "accept-encoding": "*;q=0" })).status));
  });

  test("a reply under 1 KiB is not compressed", async () => {
    const reply = await get("small", { "accept-encoding": "br, gzip" });
    assert.equal(reply.headers["content-encoding"], undefined);
  });

  test("HEAD has the headers of the compressed reply and no body", async () => {
    const query = { id: world.id("large"), token: management };
    const reply = await world.send({ method: "HEAD", path, query, headers: { "accept-encoding": "gzip" } });
    assert.equal(reply.bytes.length, 0);
    assert.equal(reply.headers["content-encoding"], "gzip");
    assert.equal(tagOf(reply), tagOf(await get("large", { "accept-encoding": "gzip" })));
  });

  test("replies to writes are compressed, too", async () => {
    const call = { method: "PATCH", path, json: json({ id: world.id("large"), data: { touched: 1 } }) };
    const reply = await world.send({ ...call, headers: { "accept-encoding": "gzip" } });
    assert.equal(dataOf(reply).touched, 1);
  });
});

test("Last-Modified does not go back over a delete and recreate", async () => {
  const modified = async () => new Date((await get("again")).headers["last-modified"] as string).getTime();
  await world.create("again", {});
  const first = await modified();
  await sleep(1100);
  await world.write("DELETE", { id: world.id("again") });
  await world.create("again", {});
  assert.ok((await modified()) > first);
});

allRepliesKeptTheirPromises(world);
