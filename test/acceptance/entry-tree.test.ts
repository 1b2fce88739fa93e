/** Moving, copying and deleting subtrees. Contract §4, Move, §4, Copy and §4, Delete. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { meanwhile } from "../ending.ts";
import type { Reply } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, nowSeconds, refused, sleep, table } from "./world.ts";

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

  test("a move from a to ab is not a move into itself", async () => {
    await world.plant({ "near/a": { n: 1 }, "near/a/b": { n: 2 } });
    dataOf(await move("near/a", "near/ab"));
    assert.deepEqual(Object.keys(await snapshot("near")).sort(), ["near/ab", "near/ab/b"]);
  });

  test("a taken target is refused and nothing changes", async () => {
    await world.plant({ "taken/a": { n: 1 }, "taken/a/x": { n: 2 }, "taken/b": { n: 3 }, "taken/b/x": { n: 4 } });
    refused(await unchangedBy("taken", () => move("taken/a", "taken/b")), 409, "entry_exists");
  });

  test("a taken id of a descendant is refused and nothing changes", async () => {
    await world.plant({ "clash/a": { n: 1 }, "clash/a/x/y": { n: 2 }, "clash/b/x/y": { n: 3 } });
    refused(await unchangedBy("clash", () => move("clash/a", "clash/b")), 409, "entry_exists");
  });

  test("a target that is only a parent is merged into", async () => {
    await world.plant({ "merge/a": { n: 1 }, "merge/a/x": { n: 2 }, "merge/b/y": { n: 3 } });
    dataOf(await move("merge/a", "merge/b"));
    const after = await snapshot("merge");
    assert.deepEqual(Object.keys(after).sort(), ["merge/b", "merge/b/x", "merge/b/y"]);
    assert.equal(after["merge/b/y"].n, 3);
  });

  test("a/b moves up to a when a is only a parent", async () => {
    await world.plant({ "up/a/b": { n: 1 }, "up/a/b/c": { n: 2 }, "up/a/other": { n: 3 } });
    dataOf(await move("up/a/b", "up/a"));
    const after = await snapshot("up");
    assert.deepEqual(Object.keys(after).sort(), ["up/a", "up/a/c", "up/a/other"]);
    assert.equal(after["up/a"].n, 1);
    assert.equal(after["up/a/c"].n, 2);
  });

  test("a/b does not move onto an entry a", async () => {
    await world.plant({ "onto/a": { n: 1 }, "onto/a/b": { n: 2 } });
    refused(await unchangedBy("onto", () => move("onto/a/b", "onto/a")), 409, "entry_exists");
  });

  test("the move may take ids that it frees", async () => {
    await world.plant({ "shift/a/b": { n: 1 }, "shift/a/b/b": { n: 2 }, "shift/a/b/b/b": { n: 3 } });
    const before = await snapshot("shift");
    dataOf(await move("shift/a/b", "shift/a"));
    const after = await snapshot("shift");
    assert.deepEqual(Object.keys(after).sort(), ["shift/a", "shift/a/b", "shift/a/b/b"]);
    assert.equal(after["shift/a"].uuid, before["shift/a/b"].uuid);
    assert.equal(after["shift/a/b"].uuid, before["shift/a/b/b"].uuid);
    assert.equal(after["shift/a/b/b"].uuid, before["shift/a/b/b/b"].uuid);
  });

  test("moving up is refused when a descendant would collide with another entry", async () => {
    await world.plant({ "upclash/a/b": { n: 1 }, "upclash/a/b/c": { n: 2 }, "upclash/a/c": { n: 3 } });
    refused(await unchangedBy("upclash", () => move("upclash/a/b", "upclash/a")), 409, "entry_exists");
  });

  test("moving into itself is refused and nothing changes", async () => {
    await world.plant({ "self/a": { n: 1 }, "self/a/b": { n: 2 } });
    for (const target of ["self/a/b", "self/a/new", "self/a/b/c/d"]) {
      refused(await unchangedBy("self", () => move("self/a", target)), 409, "move_into_itself");
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

  test("a missing source is 404", async () => {
    refused(await move("nothing", "nothing-new"), 404, "entry_not_found");
    assert.equal(await world.statusOf("nothing-new"), 404);
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

  test("a reader never sees a partial move", async () => {
    const names = Array.from({ length: 40 }, (_, n) => [`atomic/a/${n}`, { n }]);
    await world.plant({ "atomic/a": {}, ...Object.fromEntries(names) });
    const counts: number[] = [];
    const moveAbout = async () => {
      for (let n = 0; n < 4; n++) {
        dataOf(await move("atomic/a", "atomic/b"));
        dataOf(await move("atomic/b", "atomic/a"));
      }
    };
    await meanwhile(moveAbout(), async () => {
      const reply = await world.read({ id: world.id("atomic"), filter: { depth: "*" } });
      counts.push(dataOf(reply).length);
      const sides = new Set(dataOf(reply).map((entry: Any) => entry.slug.slice(world.id("atomic/").length)[0]));
      assert.equal(sides.size, 1, "all at one place");
    });
    assert.deepEqual([...new Set(counts)], [41]);
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

  test("a taken target, such as itself, is refused and nothing changes", async () => {
    await world.plant({ "cptaken/a": { n: 1 }, "cptaken/a/x": {}, "cptaken/b": { n: 2 } });
    refused(await unchangedBy("cptaken", () => copy("cptaken/a", "cptaken/b")), 409, "entry_exists");
    refused(await unchangedBy("cptaken", () => copy("cptaken/a", "cptaken/a")), 409);
  });

  test("a taken id of a descendant is refused and nothing changes", async () => {
    await world.plant({ "cpclash/a": { n: 1 }, "cpclash/a/x": {}, "cpclash/b/x": { n: 2 } });
    refused(await unchangedBy("cpclash", () => copy("cpclash/a", "cpclash/b")), 409, "entry_exists");
  });

  test("copying into itself is refused and nothing changes", async () => {
    await world.plant({ "cpself/a": { n: 1 }, "cpself/a/b": { n: 2 } });
    for (const target of ["cpself/a/new", "cpself/a/b/c"]) {
      refused(await unchangedBy("cpself", () => copy("cpself/a", target)), 409, "move_into_itself");
    }
  });

  test("a/b copies to a when a is only a parent", async () => {
    await world.plant({ "cpup/a/b": { n: 1 }, "cpup/a/b/c": { n: 2 } });
    dataOf(await copy("cpup/a/b", "cpup/a"));
    assert.deepEqual(Object.keys(await snapshot("cpup")).sort(), ["cpup/a", "cpup/a/b", "cpup/a/b/c", "cpup/a/c"]);
  });

  test("a missing source is 404", async () => {
    refused(await copy("nothing", "nothing-new"), 404, "entry_not_found");
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

const root = { id: "", filter: { limit: 1 } };
const rootIsThere = async () => assert.equal((await world.read(root)).status, 200);
const writes: { method: string; path: string; what: string; more: Record<string, unknown> }[] = [
  { method: "PUT", path: "/api/entries", what: "moving", more: { new_id: world.id("root-moved") } },
  { method: "PUT", path: copyPath, what: "copying", more: { new_id: world.id("root-copied") } },
  { method: "DELETE", path: "/api/entries", what: "deleting", more: {} },
];

table("the root cannot be written", world, [
  ...writes.flatMap(({ method, path, what, more }) =>
    ["", "/", "///"].map((id) => ({
      name: `${what} the root as ${JSON.stringify(id)} is refused`,
      call: { method, path, json: { ...world.pair, ...more, id } },
      status: 400,
      check: rootIsThere,
    })),
  ),
  ...writes.map(({ method, path, what, more }) => ({
    name: `${what} without an id is refused`,
    call: { method, path, json: { ...world.pair, ...more } },
    status: 400,
    about: /id/,
    check: rootIsThere,
  })),
  ...writes.slice(0, 2).flatMap(({ method, path, what }) => [
    {
      name: `${what} to the root is refused`,
      call: { method, path, json: { ...world.pair, id: world.prefix, new_id: "" } },
      status: 400,
      about: /new_id/,
      check: rootIsThere,
    },
    {
      name: `${what} without a new_id is refused`,
      call: { method, path, json: { ...world.pair, id: world.prefix } },
      status: 400,
      about: /new_id/,
    },
    {
      name: `${what} with a new_id as a list is refused`,
      call: { method, path, json: { ...world.pair, id: world.prefix, new_id: [world.id("x")] } },
      status: 400,
      about: /new_id/,
    },
  ]),
  {
    name: "creating the root is refused",
    call: { method: "POST", path: "/api/entries", json: { ...world.pair, id: "/", data: {} } },
    status: 400,
  },
]);

allRepliesKeptTheirPromises(world);
