/** Moving, copying and deleting subtrees. Contract §4, Move, §4, Copy and §4, Delete. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Reply } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, sleep } from "./world.ts";

const world = await enter("tree");
const copyPath = "/api/entries/copy";
const move = (from: string, to: string) => world.write("PUT", { id: world.id(from), new_id: world.id(to) });
const copy = (from: string, to: string) => world.write("PUT", { id: world.id(from), new_id: world.id(to) }, copyPath);
const remove = (name: string) => world.write("DELETE", { id: world.id(name) });

/** All entries below a name, as replied, by id. */
async function snapshot(name: string): Promise<Record<string, Any>> {
  const reply = await world.read({ id: world.id(name), filter: { depth: ">=0" } });
  if (reply.status === 404) return {};
  return Object.fromEntries(dataOf(reply).map((entry: Any) => [entry.slug.slice(world.prefix.length + 1), entry]));
}

const withoutSlug = ({ slug: _, ...rest }: Any): Any => rest;

async function unchangedBy(name: string, action: () => Promise<Reply>): Promise<Reply> {
  const before = await snapshot(name);
  const reply = await action();
  assert.deepEqual(await snapshot(name), before, "nothing changed");
  return reply;
}

describe("PUT /api/entries", () => {
  test("renaming answers the entry with the new slug; uuid, timestamps and data stay", async () => {
    const before = await world.create("rename/old", { title: "T", visibility: "hidden", published_at: 1700000000 });
    await sleep(1100);
    const answer = dataOf(await move("rename/old", "rename/new"));
    assert.deepEqual(answer, { ...before, slug: world.id("rename/new") });
    assert.deepEqual(await world.entry("rename/new"), answer);
    refused(await world.read({ id: world.id("rename/old") }), 404, "entry_not_found");
  });

  test("moving takes the whole subtree along, including drafts and orphans", async () => {
    await world.plant({
      "whole/a": { n: 1 },
      "whole/a/b": { n: 2, visibility: "draft" },
      "whole/a/gap/d": { n: 3 },
      "whole/a/b/c/d/e": { n: 4, published_at: nowSeconds() + 9999 },
    });
    const before = await snapshot("whole/a");
    assert.equal(Object.keys(before).length, 4);
    dataOf(await move("whole/a", "elsewhere/deep/z"));
    const after = await snapshot("elsewhere/deep/z");
    assert.deepEqual(
      Object.keys(after).sort(),
      Object.keys(before)
        .map((slug) => slug.replace("whole/a", "elsewhere/deep/z"))
        .sort(),
    );
    for (const [slug, entry] of Object.entries(before)) {
      const moved = after[slug.replace("whole/a", "elsewhere/deep/z")];
      assert.deepEqual(withoutSlug(moved), withoutSlug(entry), `${slug} moved unchanged`);
    }
    assert.deepEqual(await snapshot("whole/a"), {});
  });

  test("moving there and back restores everything", async () => {
    await world.plant({ "back/a": { n: 1 }, "back/a/b": { n: 2 } });
    const before = await snapshot("back/a");
    dataOf(await move("back/a", "back/x/y/z"));
    dataOf(await move("back/x/y/z", "back/a"));
    assert.deepEqual(await snapshot("back/a"), before);
    assert.deepEqual(await snapshot("back/x"), {});
  });

  test("only the subtree moves, not ids with the same beginning or LIKE matches", async () => {
    const neighbours = ["a-b", "a.b", "a b", "ab", "a0", "A", "A/x", "axb/x", "aéb", "a_bc/x", "a%", "a/other"];
    const names = ["like/a_b", "like/a_b/x", "like/a%", "like/a%/x", ...neighbours.map((name) => `like/${name}`)];
    await world.plant(Object.fromEntries([...new Set(names)].map((name) => [name, { name }])));
    dataOf(await move("like/a_b", "like-moved/a_b"));
    assert.deepEqual(Object.keys(await snapshot("like-moved")).sort(), ["like-moved/a_b", "like-moved/a_b/x"]);
    for (const name of neighbours) assert.equal((await world.entry(`like/${name}`)).name, `like/${name}`);
    dataOf(await move("like/a%", "like-moved/p"));
    assert.deepEqual(Object.keys(await snapshot("like-moved/p")).sort(), ["like-moved/p", "like-moved/p/x"]);
    for (const name of neighbours.filter((name) => name !== "a%")) {
      assert.equal((await world.entry(`like/${name}`)).name, `like/${name}`);
    }
  });

  test("a rename may change only the letter case or a space", async () => {
    await world.plant({ "case/x": { n: 1 }, "case/x/y": { n: 2 } });
    for (const [from, to] of [
      ["case/x", "case/X"],
      ["case/X", "case/X "],
      ["case/X ", "case/x"],
    ] as const) {
      dataOf(await move(from, to));
      assert.deepEqual(Object.keys(await snapshot("case")).sort(), [to, `${to}/y`]);
    }
  });

  test("moving to the same id is 200 and changes nothing", async () => {
    await world.plant({ "same/a": { n: 1 }, "same/a/b": { n: 2 } });
    const before = await world.read({ id: world.id("same/a") });
    const reply = await unchangedBy("same", () => move("same/a", "same/a"));
    assert.equal(reply.text, before.text);
    assert.equal(await world.etag("same/a"), before.headers.etag);
    assert.equal((await move("same/a", "same/a//")).status, 200, "outer slashes do not make it another id");
  });

  test("a path past the limits anywhere in the subtree is refused and nothing changes", async () => {
    const deep = Array.from({ length: 20 }, () => "d").join("/");
    await world.plant({ "far/a": { n: 1 }, [`far/a/${deep}`]: { n: 2 } });
    const target = `far/${Array.from({ length: 12 }, () => "t").join("/")}`;
    refused(await unchangedBy("far", () => move("far/a", target)), 400, "path_invalid");
    refused(await unchangedBy("far", () => copy("far/a", target)), 400, "path_invalid");
    const long = "l".repeat(200);
    await world.plant({ [`long/a/${long}/${long}`]: { n: 2 }, "long/a": { n: 1 } });
    const longTarget = `long/${long}/${long}/${long}`;
    refused(await unchangedBy("long", () => move("long/a", longTarget)), 400, "path_invalid");
    refused(await unchangedBy("long", () => copy("long/a", longTarget)), 400, "path_invalid");
  });

  test("of two concurrent moves to one target one succeeds, the other is refused completely", async () => {
    await world.plant({ "duel/a": { n: 1 }, "duel/a/x": {}, "duel/b": { n: 2 }, "duel/b/y": {} });
    const replies = await Promise.all([move("duel/a", "duel/t"), move("duel/b", "duel/t")]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    const slugs = Object.keys(await snapshot("duel")).sort();
    const aWon = replies[0]?.status === 200;
    assert.deepEqual(
      slugs,
      aWon ? ["duel/b", "duel/b/y", "duel/t", "duel/t/x"] : ["duel/a", "duel/a/x", "duel/t", "duel/t/y"],
    );
  });

  test("a child created during a move of its parent moves along or stays, never lost", async () => {
    await world.plant({ "meanwhile/a": { n: 1 } });
    const creates = Array.from({ length: 20 }, (_, n) =>
      world.write("POST", { id: world.id(`meanwhile/a/c${n}`), data: { n } }),
    );
    const moved = move("meanwhile/a", "meanwhile/b");
    const replies = await Promise.all([...creates, moved]);
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    const slugs = Object.keys(await snapshot("meanwhile"));
    for (let n = 0; n < 20; n++) {
      const places = slugs.filter((slug) => slug === `meanwhile/a/c${n}` || slug === `meanwhile/b/c${n}`);
      assert.equal(places.length, 1, `c${n} is in one place`);
    }
  });
});

describe("PUT /api/entries/copy", () => {
  test("copying answers the copy with a new uuid and new times, the rest kept", async () => {
    const before = await world.create("copy/a", {
      title: "T",
      visibility: "hidden",
      published_at: 1700000000,
      published_by: "ann",
      created_by: "bob",
      routable: false,
    });
    await sleep(1100);
    const answer = dataOf(await copy("copy/a", "copy/b"));
    assert.notEqual(answer.uuid, before.uuid);
    assert.match(answer.uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(answer.created_at > before.created_at && answer.modified_at > before.modified_at);
    const { uuid, created_at, modified_at } = answer;
    assert.deepEqual(answer, { ...before, slug: world.id("copy/b"), uuid, created_at, modified_at });
    assert.deepEqual(Object.keys(answer), Object.keys(before));
    assert.deepEqual(await world.entry("copy/b"), answer);
    assert.deepEqual(await world.entry("copy/a"), before);
  });

  test("the whole subtree is copied with new uuids, and the source stays", async () => {
    await world.plant({ "cp/a": { n: 1 }, "cp/a/b": { n: 2, visibility: "draft" }, "cp/a/x/y": { n: 3 } });
    const before = await snapshot("cp/a");
    const tag = await world.etag("cp/a");
    dataOf(await copy("cp/a", "cp/z/q"));
    const after = await snapshot("cp/z/q");
    assert.deepEqual(Object.keys(after).sort(), ["cp/z/q", "cp/z/q/b", "cp/z/q/x/y"]);
    const uuids = new Set([...Object.values(before), ...Object.values(after)].map((entry) => entry.uuid));
    assert.equal(uuids.size, 6);
    for (const [slug, entry] of Object.entries(after)) {
      const source = before[slug.replace("cp/z/q", "cp/a")];
      assert.equal(entry.n, source.n);
      assert.equal(entry.visibility, source.visibility);
      assert.equal(entry.published_at, source.published_at);
    }
    assert.deepEqual(await snapshot("cp/a"), before);
    assert.equal(await world.etag("cp/a"), tag);
  });

  test("a copy and its source are independent", async () => {
    await world.create("apart/a", { n: 1 });
    dataOf(await copy("apart/a", "apart/b"));
    dataOf(await world.write("PATCH", { id: world.id("apart/b"), data: { n: 2 } }));
    assert.equal((await world.entry("apart/a")).n, 1);
    await remove("apart/a");
    assert.equal((await world.entry("apart/b")).n, 2);
  });

  test("numbers past 2^53 and key order survive a copy and a move", async () => {
    const id = world.id("exact/a");
    const { token, access_token } = world.pair;
    await world.send({
      method: "POST",
      path: "/api/entries",
      json: `{"id":"${id}","token":"${token}","access_token":"${access_token}","data":{"z":9007199254740993,"1":1.0,"a":{}}}`,
    });
    const start = '{"data":{"z":9007199254740993,"1":1.0,"a":{},';
    assert.ok((await copy("exact/a", "exact/b")).text.startsWith(start));
    assert.ok((await move("exact/b", "exact/c")).text.startsWith(start));
    assert.ok((await world.read({ id: world.id("exact/c") })).text.startsWith(start));
  });

  test("only the subtree is copied, not LIKE matches", async () => {
    await world.plant({
      "cplike/a_b": {},
      "cplike/a_b/x": {},
      "cplike/axb/x": {},
      "cplike/A_B/x": {},
      "cplike/a_b-/x": {},
    });
    dataOf(await copy("cplike/a_b", "cplike-copy"));
    assert.deepEqual(Object.keys(await snapshot("cplike-copy")).sort(), ["cplike-copy", "cplike-copy/x"]);
  });
});

/** Entries that are there, a move or copy, and those after it with the number each had; or the refusal. Many at once: test/ports/entry-store. */
const relocations: [verb: "move" | "copy", there: string, from: string, to: string, after: string][] = [
  ["move", "a a/b", "a", "ab", "ab:0 ab/b:1"],
  ["move", "a a/x b/y", "a", "b", "b:0 b/x:1 b/y:2"],
  ["move", "a/b a/b/c a/other", "a/b", "a", "a:0 a/c:1 a/other:2"],
  ["move", "a/b a/b/b a/b/b/b", "a/b", "a", "a:0 a/b:1 a/b/b:2"],
  ["move", "a a/x b b/x", "a", "b", "entry_exists"],
  ["move", "a a/x/y b/x/y", "a", "b", "entry_exists"],
  ["move", "a a/b", "a/b", "a", "entry_exists"],
  ["move", "a/b a/b/c a/c", "a/b", "a", "entry_exists"],
  ["move", "a a/b", "a", "a/b", "move_into_itself"],
  ["move", "a a/b", "a", "a/b/c/d", "move_into_itself"],
  ["move", "a", "nothing", "b", "entry_not_found"],
  ["copy", "a/b a/b/c", "a/b", "a", "a:0 a/b:0 a/b/c:1 a/c:1"],
  ["copy", "a a/x b", "a", "b", "entry_exists"],
  ["copy", "a a/x", "a", "a", "entry_exists"],
  ["copy", "a a/x b/x", "a", "b", "entry_exists"],
  ["copy", "a a/b", "a", "a/b/c", "move_into_itself"],
  ["copy", "a", "nothing", "b", "entry_not_found"],
];
for (const [n, [verb, there, from, to, after]] of relocations.entries()) {
  test(`of ${there}, a ${verb} of ${from} to ${to}: ${after}`, async () => {
    const top = `table-${n}`;
    await world.plant(Object.fromEntries(there.split(" ").map((name, number) => [`${top}/${name}`, { number }])));
    const act = () => (verb === "move" ? move : copy)(`${top}/${from}`, `${top}/${to}`);
    if (!after.includes(":")) {
      const reply = await unchangedBy(top, act);
      return refused(reply, after === "entry_not_found" ? 404 : 409, after);
    }
    const before = await snapshot(top);
    dataOf(await act());
    const found = Object.entries(await snapshot(top)).map(
      ([slug, { number }]) => `${slug.slice(top.length + 1)}:${number}`,
    );
    assert.deepEqual(found.sort(), after.split(" ").sort());
    if (verb === "move") {
      const uuids = (all: Record<string, Any>) =>
        Object.values(all)
          .map(({ uuid }) => uuid)
          .sort();
      assert.deepEqual(uuids(await snapshot(top)), uuids(before));
    }
  });
}

describe("DELETE /api/entries", () => {
  test("deleting answers 204 without a body; repeated it is 404", async () => {
    await world.create("gone", { title: "T" });
    const reply = await remove("gone");
    assert.equal(reply.status, 204);
    assert.equal(reply.bytes.length, 0);
    assert.equal(reply.headers["content-type"], undefined);
    refused(await world.read({ id: world.id("gone") }), 404, "entry_not_found");
    refused(await remove("gone"), 404, "entry_not_found");
  });

  test("exactly the subtree is deleted", async () => {
    const neighbours = ["a-b", "a.b", "a b", "ab/x", "A", "A/x", "axb", "axb/x", "a_bc", "a"];
    const names = ["a_b", "a_b/x", "a_b/x/y/z", ...neighbours];
    await world.plant(Object.fromEntries(names.map((name) => [`rm/${name}`, { name }])));
    assert.equal((await remove("rm/a_b")).status, 204);
    assert.deepEqual(Object.keys(await snapshot("rm")).sort(), neighbours.map((name) => `rm/${name}`).sort());
  });

  test("an entry created after a delete is a new one", async () => {
    const first = await world.create("anew", { title: "T", extra: 1 });
    await world.create("anew/child", {});
    await remove("anew");
    const second = await world.create("anew", { title: "T" });
    assert.notEqual(second.uuid, first.uuid);
    assert.ok(!("extra" in second));
    assert.deepEqual(await world.list("anew", {}), []);
  });

  test("of many concurrent deletes of one entry, exactly one succeeds", async () => {
    await world.create("rmrace", {});
    const replies = await Promise.all(Array.from({ length: 10 }, () => remove("rmrace")));
    assert.equal(replies.filter(({ status }) => status === 204).length, 1);
    assert.equal(replies.filter(({ status }) => status === 404).length, 9);
  });
});

// What is no path, at each argument: path; what is missing or of another type: test/http/routes.
test("the root cannot be written", async () => {
  const calls: [string, string, Any][] = [
    ["PUT", "/api/entries", { new_id: world.id("root-moved") }],
    ["PUT", copyPath, { new_id: world.id("root-copied") }],
    ["DELETE", "/api/entries", {}],
    ["POST", "/api/entries", { data: {} }],
  ];
  for (const [method, path, more] of calls) {
    for (const id of ["", "/", "///"]) refused(await world.write(method, { ...more, id }, path), 400, undefined, /id/);
    const toRoot = { id: world.prefix, new_id: "" };
    if (method === "PUT") refused(await world.write(method, toRoot, path), 400, undefined, /new_id/);
  }
  assert.equal((await world.read({ id: "", filter: { limit: 1 } })).status, 200);
});

allRepliesKeptTheirPromises(world);
