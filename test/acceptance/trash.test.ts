/** What is deleted, restored and purged. Contract, part two, §11, Trash. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { dialects, enterMedia, fetchBytes, plantFile, png } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused, table } from "./world.ts";

const world = await enterMedia("trash");
const { delivery, management } = world.tokens;
const day = 24 * 3600;
const list = async (query: Record<string, string | number> = {}, token = management): Promise<Any[]> =>
  dataOf(await world.read({ search: world.prefix, ...query }, token, "/api/trash"));
const remove = (args: Record<string, unknown>, path = "/api/entries") => world.write("DELETE", args, path);
/** Deletes the entry; answers its item. */
const trashed = async (name: string): Promise<Any> => {
  assert.equal((await remove({ id: world.id(name) })).status, 204);
  const [item] = await list({ search: world.id(name), limit: 1 });
  return item;
};
const restore = (args: Record<string, unknown>) => world.write("POST", args, "/api/trash/restore");
const purge = (id: number) => world.write("DELETE", { id }, "/api/trash");
const uuidOf = async (name: string) => (await world.entry(name)).uuid;

describe("entries", () => {
  test("a deleted subtree is one item, and nothing else shows it", async () => {
    await world.create("gone", { title: "unfindable", n: 1 });
    await world.create("gone/below", { title: "unfindable" });
    const item = await trashed("gone");
    assert.deepEqual(Object.keys(item), [
      "id",
      "noun",
      "path",
      "count",
      "bytes",
      "deleted_at",
      "deleted_by",
      "expires_at",
    ]);
    assert.deepEqual([item.noun, item.path, item.count], ["entry", world.id("gone"), 2]);
    assert.ok(item.bytes > 20 && Math.abs(item.deleted_at - nowSeconds()) < 60);
    assert.equal(item.expires_at, item.deleted_at + 30 * day);
    for (const token of [delivery, management]) {
      assert.equal(await world.statusOf("gone", token), 404);
      const where = { key: "title", operator: "eq", value: "unfindable" };
      assert.deepEqual(await world.list("", { where, depth: ">0" }, token), []);
      const found = await world.read({ id: world.prefix, filter: { contains: "unfindable", depth: ">0" } }, token);
      assert.deepEqual(dataOf(found), []);
    }
    const children = await world.read({ id: world.prefix }, management, "/api/entries/children");
    assert.doesNotMatch(children.text, /gone/);
  });

  test("a restore brings back ids, uuids and times, with ETags that nobody has seen", async () => {
    const made = [await world.create("back", { n: 1 }), await world.create("back/a", { n: 2, visibility: "draft" })];
    made.push(await world.create("back/a/b", { n: 3, published_at: "2199-01-01" }));
    const names = ["back", "back/a", "back/a/b"];
    const tags = await Promise.all(names.map((name) => world.etag(name)));
    const item = await trashed("back");
    const restored = dataOf(await restore({ id: item.id }));
    assert.deepEqual({ ...restored, expires_at: 0 }, { ...item, expires_at: 0 });
    assert.deepEqual(await Promise.all(names.map((name) => world.entry(name))), made);
    for (const name of names) assert.ok(!tags.includes(await world.etag(name)), name);
    assert.equal(await world.statusOf("back/a", delivery), 404);
    assert.equal(await world.statusOf("back", delivery), 200);
    refused(await restore({ id: item.id }), 404, "trash_item_not_found");
    assert.ok(!(await list()).some(({ id }) => id === item.id));
  });

  test("a taken id is 409 and changes nothing; another id accepts it", async () => {
    await world.create("taken", {});
    await world.create("taken/a", { n: 1 });
    const uuid = await uuidOf("taken/a");
    const item = await trashed("taken");
    await world.create("taken/a", { n: "new" });
    refused(await restore({ id: item.id }), 409, "entry_exists", /taken\/a/);
    refused(await world.read({ id: world.id("taken") }), 404);
    const reply = dataOf(await restore({ id: item.id, new_id: world.id("else/where") }));
    assert.equal(reply.path, world.id("else/where"));
    assert.equal(await uuidOf("else/where/a"), uuid);
    assert.equal((await world.entry("taken/a")).n, "new");
  });

  test("delete, create again, delete again: two items of one path", async () => {
    await world.create("twice", { n: 1 });
    const first = await trashed("twice");
    await world.create("twice", { n: 2 });
    const second = await trashed("twice");
    assert.ok(second.id > first.id);
    dataOf(await restore({ id: first.id }));
    assert.equal((await world.entry("twice")).n, 1);
    refused(await restore({ id: second.id }), 409, "entry_exists");
    dataOf(await restore({ id: second.id, new_id: world.id("twice-2") }));
    assert.equal((await world.entry("twice-2")).n, 2);
  });

  test("history comes back with it", async () => {
    await world.create("past", { n: 1 });
    await world.write("PATCH", { id: world.id("past"), data: { n: 2 } });
    const item = await trashed("past");
    dataOf(await restore({ id: item.id, new_id: world.id("past-back") }));
    const [row] = dataOf(await world.read({ id: world.id("past-back") }, management, "/api/entries/history"));
    dataOf(await world.write("POST", { id: world.id("past-back"), revision: row.revision }, "/api/entries/restore"));
    assert.equal((await world.entry("past-back")).n, 1);
  });

  test("a purge, and a delete with purge=true, are for good", async () => {
    await world.create("purged", {});
    const item = await trashed("purged");
    assert.equal((await purge(item.id)).status, 204);
    refused(await purge(item.id), 404, "trash_item_not_found");
    refused(await restore({ id: item.id }), 404, "trash_item_not_found");
    await world.create("for-good", {});
    assert.equal((await remove({ id: world.id("for-good"), purge: true })).status, 204);
    assert.equal(await world.statusOf("for-good"), 404);
    assert.deepEqual(await list({ search: world.id("for-good") }), []);
  });

  test("a conditional delete still needs the state that it names", async () => {
    await world.create("conditional", {});
    const call = { method: "DELETE", path: "/api/entries", json: { ...world.pair, id: world.id("conditional") } };
    refused(await world.send({ ...call, headers: { "if-match": '"0"' } }), 412, "revision_mismatch");
    assert.deepEqual(await list({ search: world.id("conditional") }), []);
  });
});

describe("files and folders", () => {
  for (const { at, to, files, folders } of dialects) {
    test(`${files}: a file keeps its bytes and comes back at its path or another`, async () => {
      const name = `${at}/one.txt`;
      const path = world.id(name);
      const file = await plantFile(world, name, { bytes: "the bytes", path: files });
      dataOf(await world.write("POST", { [at]: path, field: "alt", value: "text" }, `${files}/meta`));
      assert.equal((await remove({ [at]: path }, files)).status, 204);
      assert.equal((await fetchBytes(world, name)).status, 404);
      const [item] = await list({ search: path, noun: "file" });
      assert.deepEqual([item.count, item.bytes], [1, 9]);
      dataOf(await restore({ id: item.id }));
      const back = dataOf(await world.read({ [at]: path }, management, files));
      const { alt, ...rest } = back;
      assert.deepEqual([alt, rest], ["text", file]);
      assert.equal((await fetchBytes(world, name)).text, "the bytes");
      await remove({ [at]: path }, files);
      const [again] = await list({ search: path, noun: "file" });
      const place = world.id(`${at}-new/deep/two.txt`);
      dataOf(await restore({ id: again.id, new_id: place }));
      assert.equal(dataOf(await world.read({ [at]: place }, management, files)).alt, "text");
      dataOf(await world.write("PUT", { [at]: place, [to]: path }, files));
    });

    test(`${folders}: a folder comes back with everything in it, empty folders too`, async () => {
      const top = world.id(`${at}-folder`);
      await plantFile(world, `${at}-folder/a/one.txt`, { bytes: "1", path: files });
      await plantFile(world, `${at}-folder/two.txt`, { bytes: "22", path: files });
      dataOf(await world.write("POST", { [at]: `${top}/empty/deep` }, folders));
      assert.equal((await remove({ [at]: top }, folders)).status, 204);
      const [item] = await list({ search: top, noun: "folder" });
      assert.deepEqual([item.count, item.bytes], [6, 3]);
      dataOf(await world.write("POST", { [at]: top }, folders));
      refused(await restore({ id: item.id }), 409, "folder_exists");
      assert.equal((await remove({ [at]: top, purge: true }, folders)).status, 204);
      assert.deepEqual(
        (await list({ search: top, noun: "folder" })).map(({ id }) => id),
        [item.id],
      );
      dataOf(await restore({ id: item.id }));
      for (const [name, size] of [
        ["a/one.txt", 1],
        ["two.txt", 2],
      ] as const) {
        assert.equal(dataOf(await world.read({ [at]: `${top}/${name}` }, management, files)).filesize, size);
      }
      assert.equal((await world.read({ [at]: `${top}/empty/deep` }, management, folders)).status, 200);
    });
  }
});

test("images of a deleted file are gone, also those that were drawn before, and come back with it", async () => {
  await plantFile(world, "picture.png", { bytes: png() });
  const draw = async () =>
    (await world.send({ path: `/api/images/${world.id("picture.png")}`, query: { w: 2, token: world.tokens.images } }))
      .status;
  assert.equal(await draw(), 200);
  assert.equal((await remove({ path: world.id("picture.png") }, "/api/files")).status, 204);
  assert.equal(await draw(), 404);
  const [item] = await list({ search: world.id("picture.png") });
  dataOf(await restore({ id: item.id }));
  assert.equal(await draw(), 200);
});

describe("tokens", () => {
  test("a token sees items of its own nouns, and no others", async () => {
    const { token } = await world.token({ kind: "management", resources: ["files"] });
    await world.create("secret", {});
    const item = await trashed("secret");
    await plantFile(world, "seen.txt", { bytes: "x" });
    await remove({ path: world.id("seen.txt") }, "/api/files");
    const seen = await list({}, token);
    assert.ok(seen.length > 0 && seen.every(({ noun }) => noun === "file"));
    assert.deepEqual(await list({ noun: "entry" }, token), []);
    const pair = { token, access_token: world.tokens.access };
    for (const [method, path] of [
      ["POST", "/api/trash/restore"],
      ["DELETE", "/api/trash"],
    ] as const)
      refused(await world.send({ method, path, json: { ...pair, id: item.id } }), 404, "trash_item_not_found");
    const other = await world.token({ kind: "management", resources: ["registry"] });
    refused(await world.read({}, other.token, "/api/trash"), 403, "scope_missing", /management:entries/);
  });
});

const read = (query: object) => ({ path: "/api/trash", query: { token: management, ...query } });
const post = (json: object) => ({ method: "POST", path: "/api/trash/restore", json: { ...world.pair, ...json } });
await world.create("in-the-way");
await world.create("table");
const { id } = await trashed("table");
table("refusals", world, [
  { name: "no token", call: { path: "/api/trash" }, status: 401, code: "token_missing" },
  { name: "a delivery token", call: read({ token: delivery }), status: 403, code: "scope_missing" },
  { name: "no access token", call: post({ id, access_token: "" }), status: 401, code: "access_token_missing" },
  { name: "an unknown argument", call: read({ nouns: "entry" }), status: 400, code: "argument_unknown", about: /noun/ },
  {
    name: "an unknown noun",
    call: read({ noun: "token" }),
    status: 400,
    code: "argument_invalid",
    about: /"noun" was "token"/,
  },
  { name: "a cursor of nothing", call: read({ cursor: "-1" }), status: 400, code: "cursor_invalid" },
  { name: "a limit of 1001", call: read({ limit: 1001 }), status: 400, code: "argument_invalid" },
  { name: "no id", call: post({}), status: 400, code: "argument_missing" },
  { name: "an id that is no number", call: post({ id: "x" }), status: 400, code: "argument_invalid" },
  { name: "an id of nothing", call: post({ id: 10 ** 9 }), status: 404, code: "trash_item_not_found" },
  { name: "an id past every number", call: post({ id: 1e300 }), status: 400, code: "argument_invalid" },
  { name: "the root", call: post({ id, new_id: "" }), status: 400, code: "path_invalid" },
  { name: "a path that leaves", call: post({ id, new_id: "a/../b" }), status: 400, code: "path_invalid" },
  {
    name: "a taken path",
    call: post({ id, new_id: world.id("in-the-way") }),
    status: 409,
    code: "entry_exists",
    about: /new_id/,
  },
  {
    name: "purge that is no flag",
    call: {
      method: "DELETE",
      path: "/api/entries",
      json: { ...world.pair, id: world.id("in-the-way"), purge: "maybe" },
    },
    status: 400,
    code: "argument_invalid",
  },
]);

allRepliesKeptTheirPromises(world);
