/** Things that are sent along with the entries that refer to them. Contract, part two, §10. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Reply } from "./client.ts";
import { enterMedia, plantFile, png } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused, tagOf } from "./world.ts";

const world = await enterMedia("include");
const { delivery, management } = world.tokens;
const at = (name: string) => world.id(name);
const soon = nowSeconds() + 3600;

await plantFile(world, "pics/cover.png", { bytes: png() });
await world.plant({
  people: {},
  posts: {},
  "people/ana": { title: "Ana", team: at("people/crew"), photo: at("pics/cover.png") },
  "people/bo": { title: "Bo", team: [at("people/crew"), at("people/ana")] },
  "people/crew": { title: "Crew", home: at("people/ana") },
  "people/draft": { title: "Draft", visibility: "draft" },
  "people/hidden": { title: "Hidden", visibility: "hidden" },
  "people/later": { title: "Later", published_at: soon },
  "posts/a": { author: at("people/ana"), cover: at("pics/cover.png"), seo: { image: at("pics/cover.png") } },
  "posts/b": { author: [at("people/bo"), at("people/ana"), at("people/none"), 7, null], "x.y": at("people/crew") },
  "posts/c": {
    author: [at("people/draft"), at("people/hidden"), at("people/later")],
    blocks: [{ who: at("people/bo") }],
  },
  "posts/d": { author: `/${at("people/ana")}/`, title: "no reference" },
});

/** `data` and, without the prefix, the ids and paths that are included. */
function parts(reply: Reply): { data: Any; included: Any; ids: string[]; paths: string[] } {
  assert.equal(reply.status, 200, reply.text);
  const body = JSON.parse(reply.text);
  assert.deepEqual(Object.keys(body), ["data", "included"]);
  assert.deepEqual(Object.keys(body.included), ["entries", "files"]);
  const short = (object: object) => Object.keys(object).map((key) => key.slice(world.prefix.length + 1));
  return { ...body, ids: short(body.included.entries), paths: short(body.included.files) };
}
const read = (query: Arguments, token = management, path = "/api/entries") => world.read(query, token, path);
const one = async (name: string, include: string | string[], token = management) =>
  parts(await read({ id: at(name), include }, token));

describe("one entry", () => {
  test("has beside it, once each, what its fields refer to: by id, by path, in lists, nested, by a key with a dot", async () => {
    const a = await one("posts/a", "author,cover,seo.image");
    assert.deepEqual([a.ids, a.paths], [["people/ana"], ["pics/cover.png"]]);
    assert.deepEqual(a.included.entries[at("people/ana")], await world.entry("people/ana"));
    assert.deepEqual(a.data, await world.entry("posts/a"));
    const file = dataOf(await read({ path: at("pics/cover.png") }, management, "/api/files"));
    assert.deepEqual(a.included.files[at("pics/cover.png")], file);
    assert.deepEqual((await one("posts/b", ["author", "x.y"])).ids, ["people/bo", "people/ana", "people/crew"]);
    assert.deepEqual((await one("posts/c", "blocks.who")).ids, ["people/bo"]);
    assert.deepEqual((await one("posts/d", "author,title,slug,none")).ids, ["people/ana", "posts/d"]);
  });

  test("goes on from one thing to the next, at most three times", async () => {
    assert.deepEqual((await one("posts/a", "author.team")).ids, ["people/ana", "people/crew"]);
    const deep = await one("posts/b", "author.team.home,author.photo");
    assert.deepEqual(deep.ids.toSorted(), ["people/ana", "people/bo", "people/crew"]);
    assert.deepEqual(deep.paths, ["pics/cover.png"]);
    assert.deepEqual((await one("posts/a", "cover.title")).paths, ["pics/cover.png"]);
  });

  test("has what the token may see, and hidden entries as by id", async () => {
    assert.deepEqual((await one("posts/c", "author", delivery)).ids, ["people/hidden"]);
    assert.deepEqual((await one("posts/c", "author")).ids, ["people/draft", "people/hidden", "people/later"]);
    const entries = await world.token({ kind: "delivery", resources: ["entries"] });
    assert.deepEqual((await one("posts/a", "author,cover", entries.token)).paths, []);
    const inside = await world.token({ kind: "management", resources: ["entries", "files"], paths: [at("posts")] });
    const limited = await one("posts/a", "author,cover", inside.token);
    assert.deepEqual([limited.ids, limited.paths], [[], []]);
  });

  test("takes include in options too; only and except leave it alone, and it is sent where it is empty", async () => {
    const query = { id: at("posts/a"), options: { include: "author", filter: { only: ["cover"] } } };
    const found = parts(await read(query));
    assert.deepEqual([found.data, found.ids], [{ cover: at("pics/cover.png") }, ["people/ana"]]);
    assert.ok("title" in found.included.entries[at("people/ana")]);
    assert.deepEqual((await one("posts/a", "none")).ids, []);
    dataOf(await read({ id: at("posts/a"), include: "" }));
    assert.equal((await read({ id: at("posts/a"), options: { include: "author" }, strict: 1 })).status, 200);
    const old = { id: at("posts/a"), include: "author", revision: await world.newestEvent() };
    assert.deepEqual(parts(await read(old, management, "/api/management/entries")).ids, ["people/ana"]);
  });

  test("has an ETag of both: it changes with what is included, and with it alone", async () => {
    await world.create("people/tag", { n: 1 });
    await world.create("posts/tag", { author: at("people/tag") });
    const ask = (headers = {}) =>
      world.send({ path: "/api/entries", query: { id: at("posts/tag"), include: "author", token: delivery }, headers });
    const before = await ask();
    assert.equal(before.headers["last-modified"], undefined);
    const ifNoneMatch = { "If-None-Match": tagOf(before) };
    assert.equal((await ask(ifNoneMatch)).status, 304);
    await world.write("PATCH", { id: at("people/tag"), data: { n: 2 } });
    const after = await ask(ifNoneMatch);
    assert.equal(parts(after).included.entries[at("people/tag")].n, 2);
    await world.write("PATCH", { id: at("people/ana"), data: {} });
    assert.equal(tagOf(await ask()), tagOf(after));
  });

  test("reads working copies where they are laid over", async () => {
    await world.create("people/staged", { title: "live" });
    await world.create("posts/staged", { author: at("people/staged") });
    const staged = { ...world.pair, id: at("people/staged"), data: { title: "copy" } };
    dataOf(await world.send({ method: "PATCH", path: "/api/entries/staged", json: staged }));
    const titleOf = (reply: Reply) => parts(reply).included.entries[at("people/staged")].title;
    const query = { id: at("posts/staged"), include: "author" };
    assert.equal(titleOf(await read(query)), "live");
    assert.equal(titleOf(await read(query, management, "/api/entries/staged")), "copy");
    const list = {
      id: at("posts"),
      include: "author",
      filter: { where: { key: "slug", expr: "eq", value: at("posts/staged") } },
    };
    assert.equal(titleOf(await read(list, management, "/api/entries/staged")), "copy");
  });
});

describe("a collection", () => {
  const list = (filter: Arguments, include: Arguments | string = "author", token = management) =>
    read(
      {
        id: at("posts"),
        filter: typeof include === "string" ? filter : { ...filter, ...include },
        ...(typeof include === "string" ? { include } : {}),
      },
      token,
    );

  test("has beside it what its items refer to, once each, whatever the order and form", async () => {
    const first = parts(await list({ where: { key: "slug", expr: "in", value: [at("posts/a"), at("posts/b")] } }));
    assert.deepEqual(first.ids.toSorted(), ["people/ana", "people/bo"]);
    assert.equal(first.data.length, 2);
    const inFilter = parts(await list({ limit: 1 }, { include: "author,cover" }));
    assert.deepEqual([inFilter.ids, inFilter.paths], [["people/ana"], ["pics/cover.png"]]);
    const ordered = { order_by: { field: "slug", direction: "desc" }, except: ["author"] };
    const named = ["a", "b"].map((name) => at(`posts/${name}`));
    const where = { key: "slug", expr: "in", value: named };
    const ids = parts(await list({ ...ordered, where })).ids;
    assert.deepEqual(ids, ["people/bo", "people/ana"]);
    for (const form of ["first", "last", "next", "random", "shuffle"])
      assert.ok(parts(await list({ where, return: form })).ids.includes("people/ana"), form);
    assert.deepEqual(parts(await list({ where, return: "count" })).included, { entries: {}, files: {} });
    assert.deepEqual(parts(await list({ where, return: "exists" })).data, true);
    assert.equal(parts(await list({ where, group_by: "cover" })).ids.length, 2);
    const seen = parts(await list({ where: { key: "slug", expr: "eq", value: at("posts/c") } }, "author", delivery));
    assert.deepEqual(seen.ids, ["people/hidden"]);
  });

  test("is read from memory only while nothing changed that it includes", async () => {
    const titles = async () =>
      parts(await list({ limit: 2 }, "author", delivery)).included.entries[at("people/ana")].title;
    for (const title of ["one", "two", "three"]) {
      dataOf(await world.write("PATCH", { id: at("people/ana"), data: { title } }));
      for (let i = 0; i < 3; i++) assert.equal(await titles(), title);
    }
  });

  test("ends a page before it includes too much; a single entry that does is refused", async () => {
    const things = Array.from({ length: 130 }, (_, i) => `things/${String(i).padStart(3, "0")}`);
    await world.plant(Object.fromEntries(things.map((name) => [name, { text: "x" }])));
    const big = "y".repeat(900_000);
    const large = Array.from({ length: 20 }, (_, i) => `large/${i}`);
    for (const name of large) await world.create(name, { big });
    await world.create("heavy", {});
    for (let i = 0; i < 5; i++) await world.create(`heavy/${i}`, { refs: large.slice(i * 4, i * 4 + 4).map(at), n: i });
    await world.create("heavy/all", { refs: large.map(at) });
    refused(await read({ id: at("heavy/all"), include: "refs" }), 400, "include_too_large", /include/);
    const pages: number[] = [];
    const seen = new Set<string>();
    const only = { where: { key: "n", expr: "gte", value: 0 } };
    let reply = await read({ id: at("heavy"), filter: only, include: "refs" });
    for (;;) {
      const page = parts(reply);
      pages.push(page.data.length);
      for (const id of page.ids) seen.add(id);
      for (const entry of page.data) for (const id of entry.refs) assert.ok(page.included.entries[id], id);
      const next = /<([^>]+)>; rel="next"/.exec(String(reply.headers.link ?? ""))?.[1];
      if (!next) break;
      const [path, query] = next.split("?") as [string, string];
      reply = await world.send({ path, query: `${query}&token=${management}` });
    }
    assert.equal(seen.size, 20);
    assert.ok(pages.length > 1 && pages.reduce((sum, count) => sum + count) === 5, pages.join());
    refused(await read({ id: at("heavy"), include: "refs", filter: { return: "shuffle" } }), 400, "include_too_large");
    const dangling = Array.from({ length: 10_001 }, (_, i) => `none/${i}`);
    await world.create("dangling", { refs: dangling });
    refused(await read({ id: at("dangling"), include: "refs" }), 400, "include_too_large");
    await world.create("many", { refs: things.map(at) });
    assert.equal(parts(await read({ id: at("many"), include: "refs" })).ids.length, 130);
  });
});

test("what is no list of names is refused, and names the argument", async () => {
  const eleven = Array.from({ length: 11 }, (_, i) => `f${i}`).join();
  for (const include of ["a.b.c.d", "a..b", ",", ".a", "a.", eleven, { a: "b" }]) {
    refused(await read({ id: at("posts/a"), include }), 400, "argument_invalid", /include/);
    refused(await read({ id: at("posts"), filter: { include } }), 400, "argument_invalid", /filter\[include\]/);
    refused(await read({ id: at("posts/a"), options: { include } }), 400, "argument_invalid", /options\[include\]/);
  }
  const ten = eleven.split(",").slice(1).join(", ");
  assert.equal((await read({ id: at("posts/a"), include: ten })).status, 200);
});

allRepliesKeptTheirPromises(world);
