/** Earlier contents of entries, files and registry items. Contract, part two, §11, History. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { dialects, enterMedia, fetchBytes, plantFile } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused, sleep, table, tagOf } from "./world.ts";

const world = await enterMedia("history");
const { delivery, management } = world.tokens;
const of = (id: string, path: string, more = {}) => world.read({ id, ...more }, management, path);
const historyOf = async (name: string): Promise<Any[]> => dataOf(await of(world.id(name), "/api/entries/history"));
const at = (name: string, revision: number, token = management) =>
  world.read({ id: world.id(name), revision }, token, "/api/management/entries");
const update = async (name: string, data: object) => dataOf(await world.write("PATCH", { id: world.id(name), data }));
const restore = (args: Record<string, unknown>) => world.write("POST", args, "/api/entries/restore");
/** The sequence of the newest event at this path or key: other chapters write, too. */
const newest = async (subject: string): Promise<number> => {
  const events = dataOf(await world.read({ newest: true, limit: 1000 }, management, "/api/events"));
  return events.find((event: Any) => event.subject === subject).sequence;
};

describe("entries", () => {
  test("each update keeps the content before it; reads of a revision show it under today's id", async () => {
    const first = await world.create("one", { title: "a", n: 1.0, nested: { deep: [1, null] } });
    const created = await newest(world.id("one"));
    assert.deepEqual(await historyOf("one"), []);
    const before = await world.etag("one");
    await update("one", { title: "b", visibility: "hidden" });
    const updated = await newest(world.id("one"));
    await world.write("PUT", { id: world.id("one"), new_id: world.id("moved") });
    await update("moved", { title: "c" });
    const rows = await historyOf("moved");
    assert.deepEqual(
      rows.map((row) => row.revision),
      [updated, created],
    );
    for (const row of rows) {
      assert.deepEqual(Object.keys(row), ["revision", "at", "actor", "replaced_at", "replaced_by", "bytes"]);
      assert.ok(Math.abs(row.at - nowSeconds()) < 60 && row.bytes > 10);
      assert.match(row.actor, /^[\w-]{1,64}$/);
    }
    const earlier = await at("moved", created);
    assert.deepEqual(dataOf(earlier), { ...first, slug: world.id("moved") });
    assert.equal(earlier.headers["cache-control"], "private, no-cache");
    assert.notEqual(tagOf(earlier), before);
    assert.equal(dataOf(await at("moved", updated + 1)).title, "b");
    const projected = await world.read(
      { id: world.id("moved"), revision: created, options: { only: ["title"] } },
      management,
      "/api/management/entries",
    );
    assert.equal(dataOf(projected).title, "a");
  });

  test("delivery reads none of it", async () => {
    await world.create("public", { title: "a" });
    const created = await newest(world.id("public"));
    const tag = tagOf(await world.read({ id: world.id("public") }, delivery));
    await update("public", { title: "b" });
    for (const path of ["/api/entries", "/api/delivery/entries"]) {
      const reply = await world.read({ id: world.id("public"), revision: created }, delivery, path);
      assert.equal(dataOf(reply).title, "b");
      assert.notEqual(tagOf(reply), tag);
    }
    refused(await at("public", created, delivery), 403, "scope_missing");
  });

  test("a restore brings it back with a new revision, conditionally, and can be undone", async () => {
    const first = await world.create("back", { title: "a", only_once: true });
    const created = await newest(world.id("back"));
    const oldTag = await world.etag("back");
    await update("back", { title: "b", visibility: "draft" });
    const changed = await newest(world.id("back"));
    const call = { method: "POST", path: "/api/entries/restore", headers: { "if-match": oldTag } };
    const json = { ...world.pair, id: world.id("back"), revision: created };
    refused(await world.send({ ...call, json }), 412, "revision_mismatch");
    const tag = await world.etag("back");
    const reply = await world.send({ ...call, json, headers: { "if-match": tag } });
    assert.deepEqual({ ...dataOf(reply), modified_at: 0 }, { ...first, visibility: "draft", modified_at: 0 });
    assert.ok(![oldTag, tag].includes(tagOf(reply)));
    assert.equal(tagOf(reply), await world.etag("back"));
    assert.deepEqual(
      (await historyOf("back")).map((row) => row.revision),
      [changed, created],
    );
    const undone = dataOf(await restore({ id: world.id("back"), revision: changed }));
    assert.deepEqual([undone.title, undone.visibility], ["b", "draft"]);
  });

  test("a restore of an older text keeps a public page public; `state` brings the state back, too", async () => {
    const name = "kept-public";
    const id = world.id(name);
    const isPublic = async () => (await world.read({ id }, delivery)).status === 200;
    const draft = { visibility: "draft", routable: false, published_at: 1_700_000_000, created_by: "ann" };
    await world.create(name, { title: "draft", ...draft });
    const created = await newest(id);
    const moment = nowSeconds();
    await sleep(1100);
    const live = { visibility: "visible", routable: true, published_at: 1_710_000_000, created_by: "bob" };
    await update(name, { title: "live", ...live });
    const restored = dataOf(await restore({ id, revision: created }));
    assert.deepEqual({ ...restored, ...live }, restored);
    assert.deepEqual([restored.title, await isPublic()], ["draft", true]);
    await update(name, { title: "live" });
    assert.deepEqual(dataOf(await restore({ id, at: moment, subtree: true, state: false })), { restored: 1 });
    assert.deepEqual([(await world.entry(name)).title, await isPublic()], ["draft", true]);
    const whole = dataOf(await restore({ id, revision: created, state: true }));
    assert.deepEqual({ ...whole, ...draft }, whole);
    assert.equal(await isPublic(), false);
    await update(name, live);
    assert.deepEqual(dataOf(await restore({ id, at: moment, subtree: true, state: true })), { restored: 1 });
    assert.equal(await isPublic(), false);
  });

  test("a copy begins without history; what was deleted has none until it is restored", async () => {
    await world.create("copied", { n: 0 });
    await update("copied", { n: 1 });
    await world.write("PUT", { id: world.id("copied"), new_id: world.id("copy") }, "/api/entries/copy");
    assert.deepEqual(await historyOf("copy"), []);
    await world.write("DELETE", { id: world.id("copied") });
    refused(await of(world.id("copied"), "/api/entries/history"), 404, "entry_not_found");
    await world.create("copied", { n: 2 });
    assert.deepEqual(await historyOf("copied"), []);
  });

  test("pages are linked", async () => {
    await world.create("pages", { n: 0 });
    for (let n = 1; n <= 5; n++) await update("pages", { n });
    const all = await historyOf("pages");
    const seen: Any[] = [];
    let query: string | undefined = `id=${encodeURIComponent(world.id("pages"))}&limit=2`;
    while (query !== undefined) {
      const reply = await world.send({ path: "/api/entries/history", query: `${query}&token=${management}` });
      assert.ok(dataOf(reply).length <= 2);
      seen.push(...dataOf(reply));
      query = /<[^?>]*\?([^>]*)>; rel="next"/.exec(String(reply.headers.link ?? ""))?.[1];
    }
    assert.deepEqual(seen, all);
  });
});

describe("files", () => {
  for (const { at: name, files } of dialects) {
    test(`${files}: bytes and fields come back`, async () => {
      const path = world.id(`${name}.txt`);
      const first = await plantFile(world, `${name}.txt`, { bytes: "first bytes", path: files });
      const created = await newest(path);
      await plantFile(world, `${name}.txt`, { bytes: "second", path: files });
      dataOf(await world.write("POST", { [name]: path, field: "alt", value: "text" }, `${files}/meta`));
      const rows = dataOf(await world.read({ [name]: path }, management, `${files}/history`));
      assert.deepEqual([rows.length, rows.at(-1).revision], [2, created]);
      const query = { [name]: path, revision: created };
      assert.deepEqual(dataOf(await world.read(query, management, `${files}/history/state`)), first);
      const bytes = await world.read(query, management, `${files}/history/bytes`);
      assert.deepEqual([bytes.status, bytes.text], [200, "first bytes"]);
      const part = await world.send({
        path: `${files}/history/bytes`,
        query: { ...query, token: management },
        headers: { range: "bytes=6-" },
      });
      assert.deepEqual([part.status, part.text], [206, "bytes"]);
      const restored = dataOf(await world.write("POST", query, `${files}/restore`));
      assert.deepEqual([restored.version, restored.filesize, restored.alt], [first.version, 11, undefined]);
      assert.equal((await fetchBytes(world, `${name}.txt`)).text, "first bytes");
      refused(
        await world.read({ ...query, revision: 1 }, management, `${files}/history/state`),
        404,
        "revision_not_found",
      );
      refused(await world.read(query, delivery, `${files}/history/bytes`), 403, "scope_missing");
    });
  }

  test("earlier bytes have the type of the name that the file has today", async () => {
    const [path, moved] = [world.id("typed.txt"), world.id("typed.md")];
    await plantFile(world, "typed.txt", { bytes: "first" });
    const revision = await newest(path);
    await plantFile(world, "typed.txt", { bytes: "second" });
    dataOf(await world.write("PUT", { path, new_path: moved }, "/api/files"));
    const state = await world.read({ path: moved, revision }, management, "/api/files/history/state");
    const restored = await world.write("POST", { path: moved, revision }, "/api/files/restore");
    assert.deepEqual([dataOf(state).type, dataOf(restored).type], ["text/markdown", "text/markdown"]);
  });
});

describe("registry items", () => {
  test("a set and a delete keep the value", async () => {
    const id = `${world.key}.kept`;
    const put = (value: unknown) => world.write("PUT", { id, value }, "/api/registry");
    await put({ a: 1 });
    const created = await newest(id);
    await put([2]);
    await world.write("DELETE", { id: world.key }, "/api/registry");
    const rows = dataOf(await of(id, "/api/registry/history"));
    assert.deepEqual([rows.length, rows[1].revision], [2, created]);
    const state = await of(id, "/api/registry/history/state", { revision: created });
    assert.deepEqual(dataOf(state), { key: id, value: { a: 1 } });
    const reply = await world.write("POST", { id, revision: created }, "/api/registry/restore");
    assert.deepEqual(dataOf(reply), { key: id, value: { a: 1 } });
    assert.deepEqual(dataOf(await of(id, "/api/registry")), { key: id, value: { a: 1 } });
    await world.write("DELETE", { id: world.key }, "/api/registry");
  });
});

describe("a revision", () => {
  const reads = (id: string, path: string, revision: unknown) =>
    [
      world.read({ id, revision: String(revision) }, management, "/api/management/entries"),
      world.read({ path, revision: String(revision) }, management, "/api/files/history/state"),
      world.read({ path, revision: String(revision) }, management, "/api/files/history/bytes"),
      world.read({ id: world.key, revision: String(revision) }, management, "/api/registry/history/state"),
    ] as const;
  const restores = (id: string, path: string, revision: unknown) =>
    [
      world.write("POST", { id, revision }, "/api/entries/restore"),
      world.write("POST", { path, revision }, "/api/files/restore"),
      world.write("POST", { id: world.key, revision }, "/api/registry/restore"),
    ] as const;
  const made = async () => {
    const id = world.id("numbered");
    if ((await world.statusOf("numbered")) === 404) await world.create("numbered");
    const path = world.id("numbered.txt");
    await plantFile(world, "numbered.txt", { bytes: "text" });
    await world.write("PUT", { id: world.key, value: "a" }, "/api/registry");
    return { id, path };
  };

  test("past the newest event is not found, for reads and restores", async () => {
    const { id, path } = await made();
    for (const revision of [10 ** 9, 999_999_999_999_999]) {
      for (const reply of await Promise.all([...reads(id, path, revision), ...restores(id, path, revision)]))
        refused(reply, 404, "revision_not_found", new RegExp(String(revision)));
    }
  });

  test("between the last write of the thing and the newest event is the present content", async () => {
    const { id, path } = await made();
    const now = await world.newestEvent();
    for (const reply of await Promise.all(reads(id, path, now))) assert.equal(reply.status, 200, reply.text);
  });

  test("is taken as text of digits, too", async () => {
    const { id, path } = await made();
    for (const form of [String, Number]) {
      const now = await world.newestEvent();
      for (const reply of await Promise.all(restores(id, path, form(now)))) assert.equal(reply.status, 200, reply.text);
    }
  });

  test("that is none is refused as no whole number", async () => {
    const { id, path } = await made();
    for (const revision of ["x", "", "1.5", "-1"]) {
      for (const reply of await Promise.all([...reads(id, path, revision), ...restores(id, path, revision)]))
        refused(reply, 400, "argument_invalid", /"revision" was .*; expected a whole number/);
    }
    for (const reply of await Promise.all(restores(id, path, undefined)))
      refused(reply, 400, "argument_missing", /"revision" is missing; expected a/);
  });
});

const entry = world.id("table");
await world.create("table");
const read = (query: object, path = "/api/entries/history") => ({ path, query: { token: management, ...query } });
const post = (json: object, path = "/api/entries/restore") => ({
  method: "POST",
  path,
  json: { ...world.pair, ...json },
});
table("refusals", world, [
  {
    name: "no token",
    call: { path: "/api/entries/history", query: { id: entry } },
    status: 401,
    code: "token_missing",
  },
  { name: "a delivery token", call: read({ id: entry, token: delivery }), status: 403, code: "scope_missing" },
  {
    name: "no access token",
    call: post({ id: entry, revision: 1, access_token: "" }),
    status: 401,
    code: "access_token_missing",
  },
  {
    name: "an unknown argument",
    call: read({ id: entry, limits: 1 }),
    status: 400,
    code: "argument_unknown",
    about: /limit/,
  },
  { name: "no such entry", call: read({ id: world.id("none") }), status: 404, code: "entry_not_found" },
  { name: "a cursor of nothing", call: read({ id: entry, cursor: "x" }), status: 400, code: "cursor_invalid" },
  {
    name: "a limit of 0",
    call: read({ id: entry, limit: 0 }),
    status: 400,
    code: "argument_invalid",
    about: /"limit" was "0"/,
  },
  { name: "a limit of 1001", call: read({ id: entry, limit: 1001 }), status: 400, code: "argument_invalid" },
  {
    name: "revision 0",
    call: read({ id: entry, revision: 0 }, "/api/management/entries"),
    status: 400,
    code: "argument_invalid",
  },
  {
    name: "revision 0 of a registry item, which old values have",
    call: read({ id: world.key, revision: 0 }, "/api/registry/history/state"),
    status: 404,
    code: "revision_not_found",
  },
  { name: "no number", call: post({ id: entry, revision: "x" }), status: 400, code: "argument_invalid" },
  {
    name: "a number that is none",
    call: post({ id: entry, revision: 1.5 }),
    status: 400,
    code: "argument_invalid",
    about: /"revision" was "?1.5"?; expected a whole number/,
  },
  ...["-1", "1e3", "", "0x1", "1.0", "9".repeat(16)].map((revision) => ({
    name: `the text ${JSON.stringify(revision)} as a revision`,
    call: post({ id: entry, revision }),
    status: 400,
    code: "argument_invalid",
    about: /"revision" was .*; expected a whole number/,
  })),
  {
    name: "a revision before the entry",
    call: post({ id: entry, revision: 1 }),
    status: 404,
    code: "revision_not_found",
  },
  {
    name: "a revision and a filter",
    call: read({ id: entry, revision: 1, filter: { limit: 1 } }, "/api/management/entries"),
    status: 400,
    code: "argument_conflict",
  },
  {
    name: "neither revision nor time",
    call: post({ id: entry }),
    status: 400,
    code: "argument_missing",
    about: /revision/,
  },
  {
    name: "a revision and a time",
    call: post({ id: entry, revision: 1, at: 1 }),
    status: 400,
    code: "argument_conflict",
  },
  {
    name: "a revision of a subtree",
    call: post({ id: entry, revision: 1, subtree: true }),
    status: 400,
    code: "argument_conflict",
  },
  {
    name: "a time without subtree",
    call: post({ id: entry, at: 1 }),
    status: 400,
    code: "argument_missing",
    about: /subtree/,
  },
  {
    name: "a state that is no boolean",
    call: post({ id: entry, revision: 1, state: "all" }),
    status: 400,
    code: "argument_invalid",
    about: /"state" was "all"/,
  },
  {
    name: "a time that is none",
    call: post({ id: entry, at: "yesterday", subtree: true }),
    status: 400,
    code: "argument_invalid",
    about: /"at" was "yesterday"/,
  },
  {
    name: "a subtree of nothing",
    call: post({ id: world.id("none"), at: 1, subtree: true }),
    status: 404,
    code: "entry_not_found",
  },
  {
    name: "no such file",
    call: read({ path: `${world.prefix}/none` }, "/api/files/history"),
    status: 404,
    code: "file_not_found",
  },
  {
    name: "a registry key that is none",
    call: read({ id: "a b" }, "/api/registry/history"),
    status: 400,
    code: "argument_invalid",
  },
]);

allRepliesKeptTheirPromises(world);
