/** Who refers to a thing; deletes that are refused for it, moves that take references along. Contract, part two, §10. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atEnd } from "../ending.ts";
import { enterMedia, plantFile, png } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, tagOf } from "./world.ts";

const world = await enterMedia("reference");
const { delivery, management } = world.tokens;
const at = (name: string) => world.id(name);
const own = (name: string) => `${world.prefix.replace(/[^a-z0-9_-]/g, "-")}-${name}`;

const send = (method: string, path: string, args: object, pair: object = world.pair) =>
  world.send({ method, path, json: { ...pair, ...args } });
const usersOf = async (name: string, more: object = {}, token = management): Promise<string[]> => {
  const rows = dataOf(await world.read({ id: at(name), ...more }, token, "/api/entries/references")) as Any[];
  return rows.map(({ id, pointers }) => `${id.slice(world.prefix.length + 1)} ${pointers.join()}`);
};
const fileUsers = async (path: string, more: object = {}): Promise<string[]> => {
  const rows = dataOf(await world.read({ path: at(path), ...more }, management, "/api/files/references")) as Any[];
  return rows.map(({ id, pointers }) => `${id.slice(world.prefix.length + 1)} ${pointers.join()}`);
};
const move = (from: string, to: string, more: object = {}) =>
  send("PUT", "/api/entries", { id: at(from), new_id: at(to), ...more });
const remove = (name: string, more: object = {}) => send("DELETE", "/api/entries", { id: at(name), ...more });

for (const name of ["post", "strict"]) atEnd(() => send("DELETE", "/api/types", { id: own(name) }));

const entry = { type: "string", format: "entry" };
const schema = {
  properties: {
    author: entry,
    cover: { format: "file" },
    cast: { type: "array", items: { properties: { actor: entry } } },
    tags: { type: "array", items: entry },
    "a/b": entry,
  },
  patternProperties: { "^k{900}k+.$": entry },
};
dataOf(await send("PUT", "/api/types", { id: own("post"), paths: [at("posts/**")], schema }));
await plantFile(world, "pics/a.png", { bytes: png() });
await plantFile(world, "pics/deep/b.png", { bytes: png() });
await world.plant({
  people: {},
  "people/ana": { friend: at("people/bo") },
  "people/ana/pets": {},
  "people/bo": {},
  posts: {},
  "posts/1": { author: at("people/ana"), cover: at("pics/a.png"), "a/b": at("people/ana") },
  "posts/2": { cast: [{ actor: at("people/bo") }, { actor: at("people/ana") }], title: at("people/ana") },
  "posts/3": { tags: [at("people/ana/pets"), at("posts/3")], visibility: "draft" },
  "posts/4": { author: at("people/anabel"), cover: at("pics/deep/b.png") },
  loose: { author: at("people/ana") },
});

describe("the list", () => {
  test("has entries whose types mark the field, with its places, drafts included", async () => {
    assert.deepEqual(await usersOf("people/ana"), ["posts/1 /author,/a~1b", "posts/2 /cast/1/actor"]);
    assert.deepEqual(await usersOf("people/bo"), ["posts/2 /cast/0/actor"]);
    assert.deepEqual(await usersOf("people/ana", { descendants: true }), [
      "posts/1 /author,/a~1b",
      "posts/2 /cast/1/actor",
      "posts/3 /tags/0",
    ]);
    assert.deepEqual(await usersOf("posts/3"), []);
    assert.deepEqual(await usersOf("loose"), []);
    assert.deepEqual(await fileUsers("pics/a.png"), ["posts/1 /cover"]);
    assert.deepEqual(await fileUsers("pics", { descendants: true }), ["posts/1 /cover", "posts/4 /cover"]);
  });

  test("is read page by page", async () => {
    const first = await world.read({ id: at("people/ana"), limit: 1 }, management, "/api/entries/references");
    assert.deepEqual(
      (dataOf(first) as Any[]).map(({ id }) => id),
      [at("posts/1")],
    );
    const cursor = /cursor=([^>&]+)/.exec(String(first.headers.link))?.[1] as string;
    assert.deepEqual(await usersOf("people/ana", { limit: 1, cursor }), ["posts/2 /cast/1/actor"]);
    refused(await world.read({ id: at("people/ana"), cursor: "?" }, management, "/api/entries/references"), 400);
  });

  test("is for management, within the token's paths", async () => {
    const path = "/api/entries/references";
    refused(await world.read({ id: at("people/ana") }, delivery, path), 403, "scope_missing");
    refused(await world.read({ id: at("people/none") }, management, path), 404, "entry_not_found");
    refused(
      await world.read({ path: at("pics/none.png") }, management, "/api/files/references"),
      404,
      "file_not_found",
    );
    const paths = [at("people"), at("posts/2")];
    const limited = await world.token({ kind: "management", resources: ["entries", "files"], paths });
    assert.deepEqual(await usersOf("people/ana", {}, limited.token), ["posts/2 /cast/1/actor"]);
    refused(await world.read({ id: at("posts/1") }, limited.token, path), 404, "entry_not_found");
    refused(
      await world.read({ path: at("pics/a.png") }, limited.token, "/api/files/references"),
      404,
      "file_not_found",
    );
  });
});

describe("an entry that refers in very many places", () => {
  const many = { tags: Array.from({ length: 150 }, () => at("star")) };
  const long = Object.fromEntries(["a", "b", "c"].map((last) => [`${"k".repeat(9000)}${last}`, at("star")]));

  test("is listed with the first of them, and that there are more", async () => {
    await world.plant({ star: {}, "posts/long": long, "posts/many": many });
    const first = Array.from({ length: 100 }, (_, i) => `/tags/${i}`);
    const rows = [
      { id: at("posts/long"), pointers: [`/${Object.keys(long)[0]}`], has_more: true },
      { id: at("posts/many"), pointers: first, has_more: true },
    ];
    assert.deepEqual(dataOf(await world.read({ id: at("star") }, management, "/api/entries/references")), rows);
    assert.deepEqual(refused(await remove("star", { restrict: true }), 409, "in_use").references, rows);
    const names = Array.from({ length: 60 }, (_, i) => `posts/fan${i}`);
    await world.plant(Object.fromEntries(names.map((name) => [name, { author: at("star"), name }])));
    dataOf(await move("star", "sun", { update_references: true }));
    for (const name of names) {
      const { author, name: kept } = dataOf(await world.read({ id: at(name) }, management)) as Any;
      assert.deepEqual([author, kept], [at("sun"), name]);
      await remove(name);
    }
    const { tags } = dataOf(await world.read({ id: at("posts/many") }, management)) as Any;
    assert.deepEqual(tags, Array(150).fill(at("sun")), "all of them are redirected");
    for (const name of ["posts/long", "posts/many", "sun"]) await remove(name);
  });
});

describe("restrict", () => {
  test("refuses to delete what others refer to, also below it, and names who", async () => {
    const body = refused(await remove("people/bo", { restrict: true }), 409, "in_use", /id/);
    assert.deepEqual(body.references, [{ id: at("posts/2"), pointers: ["/cast/0/actor"] }]);
    assert.equal(refused(await remove("people", { restrict: true }), 409, "in_use").references.length, 4);
    const file = (path: string, url: string) => send("DELETE", url, { path: at(path), restrict: true });
    refused(await file("pics/a.png", "/api/files"), 409, "in_use");
    refused(await file("pics", "/api/folders"), 409, "in_use");
    assert.equal(await world.statusOf("people/bo"), 200);
  });

  test("lets go what nothing refers to, and what only its own parts refer to", async () => {
    await world.plant({ "posts/own": {}, "posts/own/part": { author: at("posts/own") }, "people/free": {} });
    for (const name of ["posts/own", "people/free"])
      assert.equal((await remove(name, { restrict: true })).status, 204, name);
    await world.create("people/used", {});
    await world.create("posts/user", { author: at("people/used") });
    refused(await remove("people/used", { restrict: true, purge: true }), 409, "in_use");
    assert.equal((await remove("people/used")).status, 204);
    assert.equal((await remove("posts/user")).status, 204);
  });
});

describe("update_references", () => {
  test("redirects references to the moved entry and all below, each with an event; others keep their bytes", async () => {
    await world.plant({
      "team/x": { n: 1 },
      "team/x/y": { n: 2 },
      "posts/r1": { author: at("team/x"), tags: [at("team/x/y"), at("team/xy"), at("team/x")], title: at("team/x") },
      "posts/r2": { cast: [{ actor: at("team/x/y"), role: "lead" }] },
      "posts/r3": { author: at("people/ana") },
    });
    const [untouched, before] = [await world.etag("posts/r3"), await world.etag("posts/r1")];
    const newest = await world.newestEvent();
    const moved = await move("team/x", "crew/z", { update_references: true });
    assert.equal(dataOf(moved).slug, at("crew/z"));
    const r1 = await world.entry("posts/r1");
    assert.deepEqual([r1.author, r1.tags], [at("crew/z"), [at("crew/z/y"), at("team/xy"), at("crew/z")]]);
    assert.equal(r1.title, at("team/x"));
    assert.deepEqual((await world.entry("posts/r2")).cast, [{ actor: at("crew/z/y"), role: "lead" }]);
    assert.equal(await world.etag("posts/r3"), untouched);
    assert.notEqual(await world.etag("posts/r1"), before);
    const events = await world.eventsAfter(newest);
    const ours = events.filter(({ subject }) => String(subject).startsWith(world.prefix));
    const kinds = ours.map(({ kind, subject }) => `${kind} ${subject.slice(world.prefix.length + 1)}`);
    assert.deepEqual(kinds, ["entry.move team/x", "entry.update posts/r1", "entry.update posts/r2"]);
    assert.deepEqual(await usersOf("crew/z", { descendants: true }), [
      "posts/r1 /author,/tags/0,/tags/2",
      "posts/r2 /cast/0/actor",
    ]);
    const history = await world.read({ id: at("posts/r1") }, management, "/api/history/entries");
    assert.ok(history.status === 404 || history.text.includes("update"), history.text);
  });

  test("redirects what the moved entries say of each other, and answers the last state", async () => {
    await world.plant({
      "posts/tree": { author: at("posts/tree/leaf") },
      "posts/tree/leaf": { author: at("posts/tree") },
    });
    const moved = await move("posts/tree", "posts/wood", { update_references: true });
    assert.equal(dataOf(moved).author, at("posts/wood/leaf"));
    assert.equal(tagOf(moved), await world.etag("posts/wood"));
    assert.equal((await world.entry("posts/wood/leaf")).author, at("posts/wood"));
  });

  test("works for files and folders, and leaves references alone without it", async () => {
    const put = (path: string, from: string, to: string, more: object) =>
      send("PUT", path, { path: at(from), new_path: at(to), ...more });
    dataOf(await put("/api/files", "pics/a.png", "pics/c.png", { update_references: true }));
    assert.equal((await world.entry("posts/1")).cover, at("pics/c.png"));
    dataOf(await put("/api/folders", "pics/deep", "photos", { update_references: true }));
    assert.equal((await world.entry("posts/4")).cover, at("photos/b.png"));
    dataOf(await put("/api/files", "pics/c.png", "pics/a.png", {}));
    assert.equal((await world.entry("posts/1")).cover, at("pics/c.png"));
  });

  test("moves nothing when a type refuses the new path", async () => {
    const strict = { properties: { home: { format: "entry", pattern: "/homes/" } } };
    dataOf(await send("PUT", "/api/types", { id: own("strict"), paths: [at("strict/*")], schema: strict }));
    await world.plant({ "homes/a": {}, "strict/b": { home: at("homes/a") } });
    refused(await move("homes/a", "houses/a", { update_references: true }), 422, "data_invalid", /strict\/b/);
    assert.equal(await world.statusOf("homes/a"), 200);
    dataOf(await move("homes/a", "houses/a"));
  });

  test("touches only what the token reaches", async () => {
    await world.plant({
      "team/limited": {},
      "posts/l1": { author: at("team/limited") },
      "posts/l2": { author: at("team/limited") },
    });
    const paths = [at("team"), at("posts/l1")];
    const limited = await world.token({ kind: "management", resources: ["entries"], paths });
    const pair = { token: limited.token, access_token: world.pair.access_token };
    const args = { id: at("team/limited"), new_id: at("team/l"), update_references: true };
    dataOf(await send("PUT", "/api/entries", args, pair));
    assert.equal((await world.entry("posts/l1")).author, at("team/l"));
    assert.equal((await world.entry("posts/l2")).author, at("team/limited"));
  });
});

describe("a working copy", () => {
  const stage = (name: string, data: object) => send("PATCH", "/api/entries/staged", { id: at(name), data });
  const publish = async (name: string) =>
    dataOf(await send("POST", "/api/entries/publish", { id: at(name), current: true }));

  test("has its references redirected by moves, so that a publish brings no dead one back", async () => {
    for (const path of ["shots/a.png", "shots/deep/b.png"]) await plantFile(world, path, { bytes: png() });
    await world.plant({ "team/s": {}, "posts/s1": { author: at("team/s") }, "posts/s2": {}, "posts/s3": {} });
    const picture = `/project/uploads/${at("shots/a.png")}`;
    dataOf(await stage("posts/s1", { author: at("team/s"), tags: [at("team/s")], content: `![a](${picture})` }));
    dataOf(await stage("posts/s2", { cover: at("shots/a.png") }));
    dataOf(await stage("posts/s3", { cover: at("shots/deep/b.png") }));
    dataOf(await move("team/s", "crew/s", { update_references: true }));
    const put = (path: string, from: string, to: string) =>
      send("PUT", path, { path: at(from), new_path: at(to), update_references: true });
    dataOf(await put("/api/files", "shots/a.png", "shots/c.png"));
    dataOf(await put("/api/folders", "shots/deep", "takes"));
    const { author, tags, content } = await publish("posts/s1");
    assert.deepEqual([author, tags], [at("crew/s"), [at("crew/s")]]);
    assert.equal(content, `![a](/project/uploads/${at("shots/c.png")})`);
    assert.equal((await publish("posts/s2")).cover, at("shots/c.png"));
    assert.equal((await publish("posts/s3")).cover, at("takes/b.png"));
  });

  test("refuses deletes with restrict, of files and folders too; the list of references has what is live", async () => {
    await plantFile(world, "used/d.png", { bytes: png() });
    await world.plant({ "people/drafted": {}, "posts/s4": {} });
    dataOf(await stage("posts/s4", { author: at("people/drafted"), cover: at("used/d.png") }));
    const row = (pointer: string) => [{ id: at("posts/s4"), pointers: [pointer], staged: true }];
    assert.deepEqual(
      refused(await remove("people/drafted", { restrict: true }), 409, "in_use").references,
      row("/author"),
    );
    for (const [url, name] of [
      ["/api/files", "used/d.png"],
      ["/api/folders", "used"],
    ] as const) {
      const refusal = refused(await send("DELETE", url, { path: at(name), restrict: true }), 409, "in_use");
      assert.deepEqual(refusal.references, row("/cover"));
    }
    assert.deepEqual(await usersOf("people/drafted"), []);
    dataOf(await stage("posts/s4", { author: at("people/ana") }));
    assert.equal((await remove("people/drafted", { restrict: true })).status, 204);
  });
});

describe("a token without entries", () => {
  test("neither hears of references through its files nor changes them", async () => {
    await plantFile(world, "pics/used.png", { bytes: png() });
    await world.plant({ "posts/u": { cover: at("pics/used.png") } });
    const { token } = await world.token({ kind: "management", resources: ["files", "folders"] });
    const pair = { token, access_token: world.pair.access_token };
    for (const [path, name] of [
      ["/api/files", "pics/used.png"],
      ["/api/folders", "pics"],
    ] as const) {
      const moved = { path: at(name), new_path: at(`moved-${name}`), update_references: true };
      refused(await send("PUT", path, moved, pair), 403, "scope_missing", /entries/);
      refused(await send("DELETE", path, { path: at(name), restrict: true }, pair), 403, "scope_missing", /entries/);
    }
    assert.equal((await world.entry("posts/u")).cover, at("pics/used.png"));
  });

  test("and one without files does not learn which files exist", async () => {
    const { token } = await world.token({ kind: "management", resources: ["entries"] });
    const list = (name: string) => world.read({ path: at(name) }, token, "/api/files/references");
    assert.deepEqual(dataOf(await list("pics/used.png")), [{ id: at("posts/u"), pointers: ["/cover"] }]);
    assert.deepEqual(dataOf(await list("pics/none.png")), []);
  });
});

allRepliesKeptTheirPromises(world);

describe("links in prose", () => {
  test("are references: of content, and of fields that a type marks as prose", async () => {
    const prose = (contentMediaType: string) => ({ type: "string", contentMediaType });
    dataOf(
      await send("PUT", "/api/types", {
        id: own("prose"),
        paths: [at("prose/**")],
        schema: { properties: { text: prose("text/markdown"), page: prose("text/html"), plain: { type: "string" } } },
      }),
    );
    atEnd(() => send("DELETE", "/api/types", { id: own("prose") }));
    await plantFile(world, "linked/a-b.png", { bytes: png() });
    const [goal, below] = [`/${at("goal")}`, `/${at("goal/sub")}`];
    const picture = `/project/uploads/${at("linked/a-b.png")}`;
    await world.plant({
      goal: { content: `[Itself](${goal})` },
      "goal/sub": {},
      goals: {},
      "untyped/inline": { content: `See [it](${goal}), [part](${goal}#part "A title") and ![a](${picture}).` },
      "untyped/not": {
        content: `${goal} [x](https://example.org${goal}) [y](${goal}s) \`[z](${goal})\`\n\n~~~\n[c](${goal})\n~~~\n`,
        other: `[x](${goal})`,
      },
      "prose/md": { text: `[a][r]\n\n[r]: <${goal}/>\n`, plain: `[x](${goal})`, content: `[b](${below}?q=1)` },
      "prose/html": { page: `<a href='${goal}'>a</a><img src="${picture}?w=1">` },
    });
    assert.deepEqual(await usersOf("goal"), ["prose/html /page", "prose/md /text", "untyped/inline /content"]);
    assert.deepEqual(await usersOf("goal", { descendants: true }), [
      "prose/html /page",
      "prose/md /text,/content",
      "untyped/inline /content",
    ]);
    assert.deepEqual(await fileUsers("linked/a-b.png"), ["prose/html /page", "untyped/inline /content"]);
    const refusal = refused(await remove("goal", { restrict: true }), 409, "in_use");
    assert.equal((refusal.references as Any[]).length, 3);
    const kept = await world.etag("untyped/not");

    dataOf(await move("goal", "new (goal)", { update_references: true }));
    const [moved, part] = [`/${at("new%20%28goal%29")}`, `/${at("new%20%28goal%29/sub")}`];
    assert.equal(
      (await world.entry("untyped/inline")).content,
      `See [it](${moved}), [part](${moved}#part "A title") and ![a](${picture}).`,
    );
    const md = await world.entry("prose/md");
    assert.deepEqual(
      [md.text, md.plain, md.content],
      [`[a][r]\n\n[r]: </${at("new (goal)")}/>\n`, `[x](${goal})`, `[b](${part}?q=1)`],
    );
    assert.equal(
      (await world.entry("prose/html")).page,
      `<a href='/${at("new (goal)")}'>a</a><img src="${picture}?w=1">`,
    );
    assert.equal((await world.entry("new (goal)")).content, `[Itself](${moved})`);
    assert.equal(await world.etag("untyped/not"), kept);
    assert.deepEqual(await usersOf("new (goal)"), ["prose/html /page", "prose/md /text", "untyped/inline /content"]);

    dataOf(
      await send("PUT", "/api/files", {
        path: at("linked/a-b.png"),
        new_path: at("linked/ü.png"),
        update_references: true,
      }),
    );
    assert.ok(
      String((await world.entry("untyped/inline")).content).endsWith(`![a](/project/uploads/${at("linked/ü.png")}).`),
    );
    assert.deepEqual(await fileUsers("linked/ü.png"), ["prose/html /page", "untyped/inline /content"]);
  });
});
