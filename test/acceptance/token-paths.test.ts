/** Tokens for a part of the tree, tokens whose writes are staged, previews: every route. Contract, part two, §11. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plantFile, png, upload } from "./media.ts";
import { enterPictures, imageAt, plantBeside } from "./picture.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused } from "./world.ts";

const world = await enterPictures("token-paths");
const dot = png();
const id = (name: string): string => world.id(name);
const content = ["entries", "files", "folders"];
const paths = [id("up/in"), id("up/two")];

await world.plant({
  up: { title: "up", n: 0 },
  "up/in": { title: "in", n: 1 },
  "up/in/a": { title: "a", n: 2 },
  "up/in/draft": { title: "draft", n: 1, visibility: "draft" },
  "up/in/later": { title: "later", n: 1, published_at: nowSeconds() + 100_000 },
  "up/in-law": { title: "neighbour", n: 1 },
  "up/out": { title: "out", n: 1 },
  "up/out/b": { title: "b", n: 2 },
  "up/two/c": { title: "c", n: 1 },
});
for (const path of ["up/in/a.png", "up/in/deep/a.png", "up/out/b.png", "up/z.png", "up/two/c.png"]) {
  await plantFile(world, path, { bytes: dot });
}
for (const name of ["up/in/a", "up/out"]) {
  dataOf(await world.write("PATCH", { id: id(name), data: { n: 7 } }));
  dataOf(await world.write("PATCH", { id: id(name), data: { staged: 1 } }, "/api/entries/staged"));
}
const some = { resources: content, paths };
const limited = await world.token({ kind: "management", ...some });
const delivery = await world.token({ kind: "delivery", ...some });
const images = await world.token({ kind: "images", paths });
const limitedAccess = await world.token({ kind: "access", paths });
const whole = { token: world.tokens.management, access_token: world.tokens.access };
/** Of a maker that sees no more either: what is public elsewhere is in preview.test.ts. */
const preview = dataOf(
  await world.send({ method: "POST", path: "/api/tokens/preview", json: { ...whole, token: limited.token } }),
);
const pairs: [name: string, pair: { token: string; access_token: string }][] = [
  ["a management token with paths", { ...whole, token: limited.token }],
  ["an access token with paths", { ...whole, access_token: limitedAccess.token }],
];

/** What a reply says, without what it repeats of the request. */
const told = ({ status, text }: { status: number; text: string }, ...sent: string[]): string =>
  sent.reduce((all, path) => all.replaceAll(path, "<path>"), `${status} ${text}`).replace(/"request_id":"[^"]*"/, "");

const outside = ["up/out", "up/in-law", "up"];
const absent = "up/nothing";

// ---------------------------------------------------------------------------------------------- reads

type Read = [
  path: string,
  at: string,
  kinds: ("delivery" | "preview" | "management")[],
  places?: string[],
  inside?: string,
];
const all: Read[2] = ["delivery", "preview", "management"];
const filePlaces = ["up/out/b.png", "up/z.png", "up/out", "up"];
const reads: Read[] = [
  ["/api/entries", "id", all],
  ["/api/delivery/entries", "id", all],
  ["/api/management/entries", "id", ["management"]],
  ["/api/entries/staged", "id", ["management"]],
  ["/api/entries/history", "id", ["management"]],
  ["/api/files", "path", all, filePlaces, "up/in/a.png"],
  ["/api/media/files", "id", all, filePlaces, "up/in/a.png"],
  ["/api/folders", "path", ["delivery", "management"], ["up/out", "up"], "up/in"],
  ["/api/media/folders", "id", ["delivery", "management"], ["up/out", "up"], "up/in"],
  ["/api/files/history", "path", ["management"], ["up/out/b.png", "up/z.png"], "up/in/a.png"],
];
const secretOf = { delivery: delivery.token, preview: preview.token, management: limited.token };

for (const [path, at, kinds, places = outside, inside = "up/in/a"] of reads) {
  for (const kind of kinds) {
    test(`GET ${path} with a ${kind} token reads what is inside, and nothing else exists`, async () => {
      const get = (name: string) => world.read({ [at]: id(name) }, secretOf[kind], path);
      assert.equal((await get(inside)).status, 200);
      // Of an ancestor /api/files lists what is inside, as of any folder.
      const nothing = await get(absent);
      for (const place of places.filter((name) => !(path.endsWith("/files") && name === "up"))) {
        assert.equal(told(await get(place), id(place)), told(nothing, id(absent)), place);
      }
      assert.equal(nothing.status, 404);
    });
  }
}

test("a revision of an entry outside is not there", async () => {
  const [row] = dataOf(await world.read({ id: id("up/out") }, undefined, "/api/entries/history"));
  const query = { id: id("up/out"), revision: row.revision };
  assert.equal((await world.read(query, undefined, "/api/management/entries")).status, 200);
  refused(await world.read(query, limited.token, "/api/management/entries"), 404, "entry_not_found");
});

describe("collections", () => {
  const below = (token: string, name: string, filter: object, path = "/api/entries") =>
    world.read({ id: id(name), filter: { depth: ">=0", ...filter } } as Any, token, path);
  const slugs = async (...rest: Parameters<typeof below>) =>
    dataOf(await below(...rest)).map(({ slug }: Any) => slug.slice(world.prefix.length + 4));

  for (const [what, filter] of Object.entries({
    plainly: {},
    "in an order": { order_by: { field: "slug", direction: "asc" } },
    "by a condition": { where: { key: "n", operator: "gte", value: 0 } },
    "by a text": { contains: "acceptance" },
  })) {
    test(`of an ancestor have what is inside, ${what}`, async () => {
      const expected = ["in", "in/a", "in/draft", "in/later", "two/c"];
      assert.deepEqual(await slugs(limited.token, "up", filter), expected);
      const isPublic = (name: string) => !["in/draft", "in/later"].includes(name);
      assert.deepEqual(await slugs(delivery.token, "up", filter), expected.filter(isPublic));
      assert.deepEqual(await slugs(preview.token, "up", filter), expected);
    });
  }

  test("count and total say only what is inside", async () => {
    for (const name of ["up", ""]) {
      const count = dataOf(await below(limited.token, name, { return: "count" }));
      assert.equal(count, 5);
      const total = await below(limited.token, name, { total: true, limit: 1 });
      assert.equal(total.headers["x-total-count"], "5");
    }
  });

  test("pages end with what is inside, and a cursor is for the same paths only", async () => {
    const first = await below(limited.token, "up", { limit: 4 });
    const cursor = new URL(String(first.headers.link).slice(1).split(">")[0] ?? "", world.url).searchParams.get(
      "cursor",
    );
    const next = await world.read({ id: id("up"), filter: { depth: ">=0", limit: 4 }, cursor } as Any, limited.token);
    assert.deepEqual(
      dataOf(next).map(({ slug }: Any) => slug),
      [id("up/two/c")],
    );
    const other = await world.read({ id: id("up"), filter: { depth: ">=0", limit: 4 }, cursor } as Any);
    refused(other, 400, "cursor_invalid");
  });

  test("of places outside are as of places without anything", async () => {
    const nothing = await below(limited.token, absent, {});
    refused(nothing, 404, "entry_not_found");
    for (const name of ["up/out", "up/in-law"]) {
      assert.equal(told(await below(limited.token, name, {}), id(name)), told(nothing, id(absent)));
    }
  });

  test("of files and folders have what is inside", async () => {
    const list = async (path: string, token: string, name: string): Promise<string[]> => {
      const query = { path: id(name), collection: true, options: { recursive: true } };
      const found = dataOf(await world.read(query as Any, token, path));
      return path === "/api/files"
        ? Object.keys(found)
        : found.map((one: Any) => one.path.slice(world.prefix.length + 4));
    };
    assert.deepEqual((await list("/api/files", limited.token, "up")).sort(), [
      "in/a.png",
      "in/deep/a.png",
      "two/c.png",
    ]);
    assert.deepEqual((await list("/api/folders", limited.token, "up")).sort(), ["in", "in/deep", "two"]);
    const outsideOf = (path: string, name: string) =>
      world.read({ path: id(name), collection: true }, limited.token, path);
    for (const path of ["/api/files", "/api/folders"]) {
      const nothing = await outsideOf(path, absent);
      assert.equal(told(await outsideOf(path, "up/out"), id("up/out")), told(nothing, id(absent)));
      refused(nothing, 404, "folder_not_found");
    }
  });

  test("the tree shows the way to what is inside as names", async () => {
    const children = async (name: string | undefined, more = {}) => {
      const query = { id: name === undefined ? "" : id(name), ...more };
      return world.read(query, limited.token, "/api/management/entries/children");
    };
    assert.deepEqual(dataOf(await children(undefined)), [{ slug: world.prefix, has_children: true, entry: null }]);
    assert.deepEqual(dataOf(await children("")), [{ slug: id("up"), has_children: true, entry: null }]);
    const up = dataOf(await children("up"));
    assert.deepEqual(
      up.map(({ slug, has_children, entry }: Any) => [slug, has_children, entry?.title]),
      [
        [id("up/in"), true, "in"],
        [id("up/two"), true, undefined],
      ],
    );
    assert.deepEqual(dataOf(await children("up", { after: id("up/in") })), up.slice(1));
    assert.equal(dataOf(await children("up/in")).length, 3);
    for (const name of ["up/out", absent]) refused(await children(name), 404, "entry_not_found");
  });

  test("working copies outside are not listed", async () => {
    const rows = dataOf(await world.read({ limit: 1000 }, limited.token, "/api/entries/staged/list"));
    assert.deepEqual(
      rows.map((row: Any) => row.id),
      [id("up/in/a")],
    );
  });
});

describe("previews", () => {
  test("read drafts, the future and working copies, and may not be kept", async () => {
    for (const path of ["/api/entries", "/api/delivery/entries"]) {
      for (const name of ["up/in/draft", "up/in/later"]) {
        const reply = await world.read({ id: id(name) }, preview.token, path);
        assert.equal(dataOf(reply).slug, id(name));
        assert.equal(reply.headers["cache-control"], "private, no-store");
      }
      assert.equal(dataOf(await world.read({ id: id("up/in/a") }, preview.token, path)).staged, 1);
      const where = { key: "staged", operator: "eq", value: 1 };
      const list = await world.read({ id: id("up/in"), filter: { where } }, preview.token, path);
      assert.deepEqual(
        dataOf(list).map(({ slug }: Any) => slug),
        [id("up/in/a")],
      );
      assert.equal(list.headers["cache-control"], "private, no-store");
    }
    const file = await world.read({ path: id("up/in/a.png") }, preview.token, "/api/files");
    assert.equal(file.headers["cache-control"], "private, no-store");
    assert.equal(file.headers["octavo-staged"], undefined);
  });

  test("expire after 7 days, at most after 30", async () => {
    const day = 24 * 3600;
    const make = (more: object) =>
      world.write("POST", { kind: "preview", resources: ["entries"], ...more }, "/api/tokens");
    assert.ok(Math.abs((preview as Any).expires_at - nowSeconds() - 7 * day) < 600);
    for (const expires_at of [null, nowSeconds() + 31 * day])
      refused(await make({ expires_at }), 400, undefined, /30 days/);
    for (const resources of [["folders"], ["registry"], ["admin"], []]) refused(await make({ resources }), 400);
    const longer = { id: preview.id, expires_at: nowSeconds() + 40 * day };
    refused(await world.write("PATCH", longer, "/api/tokens"), 400, undefined, /30 days/);
    assert.match(preview.token, /^oct_p_/);
  });

  test("are made, listed and revoked by whoever manages entries, within its own paths", async () => {
    const at = "/api/tokens/preview";
    const [, own] = pairs[0] as [string, typeof whole];
    const send = (method: string, args: object) => world.send({ method, path: at, json: { ...own, ...args } });
    const made = dataOf(await send("POST", {}));
    assert.deepEqual([made.kind, made.paths, made.resources], ["preview", paths, ["entries", "files"]]);
    const inner = dataOf(await send("POST", { paths: [id("up/in/a")], resources: ["entries"] }));
    for (const place of [id("up/out"), id("up"), id("up/in-law")]) {
      refused(await send("POST", { paths: [place] }), 404, "entry_not_found");
    }
    const foreign = dataOf(await world.write("POST", { paths: [id("up")] }, at));
    const listed = dataOf(await world.read({}, limited.token, at)).map((row: Any) => row.id);
    assert.deepEqual(new Set(listed), new Set([preview.id, made.id, inner.id]));
    refused(await send("DELETE", { id: foreign.id }), 404, "token_not_found");
    refused(await send("DELETE", { id: delivery.id }), 404, "token_not_found");
    for (const row of [made, inner]) assert.equal((await send("DELETE", { id: row.id })).status, 204);
    assert.equal((await world.write("DELETE", { id: foreign.id }, at)).status, 204);
    assert.equal((await world.read({ id: id("up/in") }, made.token)).status, 401);
    refused(await send("POST", { kind: "management" }), 400, "argument_unknown");
  });

  test("end with the revocation, the expiry or the narrowing of their maker, whom their row names", async () => {
    const at = "/api/tokens/preview";
    const maker = await world.token({ kind: "management", resources: ["entries", "files"], paths: [id("up")] });
    const make = async (more = {}) =>
      dataOf(await world.send({ method: "POST", path: at, json: { ...whole, token: maker.token, ...more } }));
    const [wide, inner] = [await make(), await make({ paths: [id("up/in")] })];
    assert.deepEqual([wide.maker, inner.maker], [maker.id, maker.id]);
    const rows = dataOf(await world.read({}, maker.token, at)).filter((row: Any) => row.maker === maker.id);
    assert.deepEqual(new Set(rows.map((row: Any) => row.id)), new Set([wide.id, inner.id]));
    const change = async (more: object) => dataOf(await world.write("PATCH", { id: maker.id, ...more }, "/api/tokens"));
    const statuses = () =>
      Promise.all([wide, inner].map(async ({ token }) => (await world.read({ id: id("up/in") }, token)).status));
    assert.deepEqual(await statuses(), [200, 200]);
    await change({ paths: [id("up/in"), id("up/out")] });
    assert.deepEqual(await statuses(), [401, 200]);
    await change({ paths: null, expires_at: nowSeconds() + 1000 });
    const bounded = await make();
    assert.ok(bounded.expires_at <= nowSeconds() + 1000, "it ends with its maker");
    assert.equal((await world.write("DELETE", { id: maker.id }, "/api/tokens")).status, 204);
    assert.deepEqual(await statuses(), [401, 401]);
    const left = dataOf(await world.read({}, undefined, "/api/tokens")).map((row: Any) => row.id);
    assert.ok(![wide, inner, bounded].some((row) => left.includes(row.id)));
    const byAdmin = dataOf(await world.write("POST", { kind: "preview", resources: ["entries"] }, "/api/tokens"));
    assert.equal(typeof byAdmin.maker, "string");
  });

  test("never reach further than their maker: without a list, or made by two tokens that share no path", async () => {
    const at = "/api/tokens/preview";
    for (const [, pair] of pairs) {
      const made = dataOf(await world.send({ method: "POST", path: at, json: { ...pair, paths: null } }));
      assert.deepEqual(made.paths, paths);
      // What is public there its maker reads without an access token, too.
      const outside = await world.read({ id: id("up/out") }, made.token);
      if (pair.token === limited.token) refused(outside, 404, "entry_not_found");
      else assert.equal(dataOf(outside).staged, undefined);
      refused(await world.send({ method: "POST", path: at, json: { ...pair, paths: [] } }), 400, undefined, /1 to 16/);
    }
    const elsewhere = await world.token({ kind: "access", paths: [id("up/out")] });
    const disjoint = { token: limited.token, access_token: elsewhere.token };
    for (const more of [{}, { paths: null }]) {
      refused(await world.send({ method: "POST", path: at, json: { ...disjoint, ...more } }), 403, "scope_missing");
    }
  });
});

// ---------------------------------------------------------------------------------------------- writes

type Write = [method: string, path: string, args: (place: string) => object, inside: string];
const entryWrites: Write[] = [
  ["POST", "/api/entries", (place) => ({ id: place, data: {} }), "up/in/new"],
  ["PATCH", "/api/entries", (place) => ({ id: place, data: { n: 3 } }), "up/in/new"],
  ["PATCH", "/api/entries/staged", (place) => ({ id: place, data: { n: 4 } }), "up/in/new"],
  ["DELETE", "/api/entries/staged", (place) => ({ id: place }), "up/in/new"],
  ["PATCH", "/api/management/entries", (place) => ({ id: place, data: { visibility: "draft" } }), "up/in/new"],
  ["POST", "/api/entries/publish", (place) => ({ id: place }), "up/in/new"],
  ["POST", "/api/entries/restore", (place) => ({ id: place, at: nowSeconds(), subtree: true }), "up/in/new"],
  ["PUT", "/api/entries/copy", (place) => ({ id: place, new_id: id("up/two/copied") }), "up/in/new"],
  ["PUT", "/api/entries/copy", (place) => ({ id: id("up/in/new"), new_id: place }), "up/in/copied"],
  ["PUT", "/api/entries", (place) => ({ id: place, new_id: id("up/two/moved") }), "up/in/new"],
  ["PUT", "/api/entries", (place) => ({ id: id("up/two/moved"), new_id: place }), "up/in/back"],
  ["DELETE", "/api/entries", (place) => ({ id: place }), "up/in/back"],
  ["DELETE", "/api/entries", (place) => ({ id: place }), "up/in/copied"],
  ["DELETE", "/api/entries", (place) => ({ id: place }), "up/two/copied"],
];
const folderWrites: Write[] = [
  ["POST", "/api/folders", (place) => ({ path: place }), "up/in/new"],
  ["PUT", "/api/folders/copy", (place) => ({ path: place, new_path: id("up/two/copied") }), "up/in/new"],
  ["PUT", "/api/folders/copy", (place) => ({ path: id("up/in/new"), new_path: place }), "up/in/copied"],
  ["PUT", "/api/media/folders", (place) => ({ id: id("up/in/copied"), new_id: place }), "up/in/moved"],
  ["DELETE", "/api/folders", (place) => ({ path: place }), "up/in/moved"],
  ["DELETE", "/api/folders", (place) => ({ path: place }), "up/two/copied"],
  ["DELETE", "/api/media/folders", (place) => ({ id: place }), "up/in/new"],
];
const fileWrites: Write[] = [
  ["PUT", "/api/files/copy", (place) => ({ path: place, new_path: id("up/two/copied.png") }), "up/in/a.png"],
  ["PUT", "/api/files/copy", (place) => ({ path: id("up/in/a.png"), new_path: place }), "up/in/b.png"],
  ["POST", "/api/files/meta", (place) => ({ path: place, field: "alt", value: "x" }), "up/in/b.png"],
  ["PATCH", "/api/files/meta", (place) => ({ path: place, field: "alt", value: "y" }), "up/in/b.png"],
  ["DELETE", "/api/media/files/meta", (place) => ({ id: place, field: "alt" }), "up/in/b.png"],
  ["PUT", "/api/files", (place) => ({ path: id("up/in/b.png"), new_path: place }), "up/in/c.png"],
  ["PUT", "/api/media/files", (place) => ({ id: place, new_id: id("up/two/d.png") }), "up/in/c.png"],
  ["DELETE", "/api/files", (place) => ({ path: place }), "up/two/d.png"],
  ["DELETE", "/api/files", (place) => ({ path: place }), "up/two/copied.png"],
];

for (const [who, pair] of pairs) {
  describe(`with ${who}`, () => {
    for (const [method, path, args, inside] of [...entryWrites, ...folderWrites, ...fileWrites]) {
      test(`${method} ${path} writes what is inside, and nothing else exists: ${inside}`, async () => {
        const send = (place: string, headers = {}) =>
          world.send({ method, path, json: { ...pair, ...args(place) }, headers });
        const nothing = await send(id(absent));
        refused(nothing, 404);
        const isFile = path.includes("files");
        for (const place of isFile ? ["up/out/b.png", "up/z.png"] : [...outside, world.prefix]) {
          const there = place === world.prefix ? place : id(place);
          const reply = await send(there, { "if-match": '"1"' });
          assert.equal(told(reply, there), told(nothing, id(absent)), place);
        }
        const reply = await send(id(inside));
        assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
      });
    }

    test("uploads lie inside", async () => {
      const put = (folder: string) => upload(world, { folder, name: "u.txt", fields: pair });
      assert.equal((await put("up/in")).status, 200);
      const nothing = await put(absent);
      refused(nothing, 404, "folder_not_found");
      for (const folder of ["up/out", "up"]) {
        assert.equal(told(await put(folder), id(folder)), told(nothing, id(absent)));
      }
    });

    test("the trash has what was inside", async () => {
      const list = async (): Promise<Any[]> =>
        dataOf(await world.read({ search: world.prefix }, limited.token, "/api/trash"));
      const items = await list();
      assert.ok(items.length > 0 && items.every(({ path }) => paths.some((inside) => path.startsWith(inside))));
      await world.create("up/out/gone", {});
      assert.equal((await world.write("DELETE", { id: id("up/out/gone") })).status, 204);
      const [item] = dataOf(await world.read({ search: id("up/out/gone") }, undefined, "/api/trash"));
      const send = (method: string, path: string, args: object) =>
        world.send({ method, path, json: { ...pair, ...args } });
      for (const args of [{ id: item.id }, { id: item.id, new_id: id("up/in/gone") }]) {
        refused(await send("POST", "/api/trash/restore", args), 404, "trash_item_not_found");
      }
      refused(await send("DELETE", "/api/trash", { id: item.id }), 404, "trash_item_not_found");
      const own = items.find(({ noun }) => noun === "entry");
      refused(await send("POST", "/api/trash/restore", { id: own.id, new_id: id("up/out/x") }), 404);
      const place = id(`up/in/restored-${who.length}`);
      assert.equal(dataOf(await send("POST", "/api/trash/restore", { id: own.id, new_id: place })).path, place);
    });
  });
}

test("two tokens with paths write where both hold", async () => {
  const access = await world.token({ kind: "access", paths: [id("up/two"), id("up/out"), id("up/in/a")] });
  const pair = { token: limited.token, access_token: access.token };
  const update = async (name: string) =>
    (await world.send({ method: "PATCH", path: "/api/entries", json: { ...pair, id: id(name), data: { n: 9 } } }))
      .status;
  assert.deepEqual(
    [await update("up/two/c"), await update("up/in/a"), await update("up/in"), await update("up/out")],
    [200, 200, 404, 404],
  );
});

test("a copy over a taken name does not lie beside the path of its token", async () => {
  const path = id("up/lone/a.png");
  await plantFile(world, "up/lone/a.png", { bytes: dot });
  const { token } = await world.token({ kind: "management", resources: content, paths: [path] });
  for (const [at, key] of [
    ["/api/files", "path"],
    ["/api/media/files", "id"],
  ] as const) {
    const json = { ...whole, token, [key]: path, [`new_${key}`]: path };
    refused(await world.send({ method: "PUT", path: `${at}/copy`, json }), 404, "file_not_found");
  }
  refused(await world.read({ path: id("up/lone/a-1.png") }, undefined, "/api/files"), 404);
});

test("what has no path is not written with an access token that has paths", async () => {
  const pair = { ...whole, access_token: limitedAccess.token };
  const refuse = async (method: string, path: string, args: object) =>
    refused(await world.send({ method, path, json: { ...pair, ...args } }), 403, "scope_missing");
  await refuse("PUT", "/api/registry", { id: world.key, value: 1 });
  await refuse("POST", "/api/tokens", { kind: "access" });
  await refuse("DELETE", "/api/tokens", { id: limited.id });
});

test("images are those inside, also of the folder entries, and any watermark", async () => {
  await plantBeside(world, "entries", "fallback.png", dot);
  await plantBeside(world, "watermarks", "mark.png", dot);
  const status = async (path: string, token: string, args: Any = {}) =>
    (await imageAt(world, path, args, { token })).status;
  assert.equal(await status(id("up/in/a.png"), images.token, { w: "1", mark: `${world.prefix}/mark.png` }), 200);
  for (const path of [id("up/out/b.png"), id("up/z.png"), id("fallback.png"), `watermarks/${world.prefix}/mark.png`]) {
    assert.equal(await status(path, images.token), 404, path);
  }
  const entries = await world.token({ kind: "images", paths: [`entries/${world.prefix}`] });
  assert.equal(await status(id("fallback.png"), entries.token), 200);
});

// ---------------------------------------------------------------------------------------------- making such tokens

describe("a token with paths", () => {
  const make = (input: Record<string, unknown>) => world.write("POST", input, "/api/tokens");
  const wrong: [what: string, input: Record<string, unknown>, about: RegExp][] = [
    ["has no resource admin", { kind: "management", resources: ["entries", "admin"], paths: ["a"] }, /paths.*admin/],
    ["has no resource registry", { kind: "delivery", resources: ["entries", "registry"], paths: ["a"] }, /registry/],
    ["has at most 16", { kind: "images", paths: Array.from({ length: 17 }, (_, i) => `a${i}`) }, /16/],
    ["has at least one", { kind: "images", paths: [] }, /1 to 16/],
    ["has none that is the root", { kind: "images", paths: [""] }, /paths/],
    ["has valid ones", { kind: "images", paths: ["a/../b"] }, /paths/],
    ["has texts", { kind: "images", paths: [1] }, /paths/],
    ["has writes only when it manages", { kind: "delivery", resources: ["entries"], writes: "staged" }, /writes/],
    ["has known writes", { kind: "management", resources: ["entries"], writes: "none" }, /writes/],
  ];
  for (const [what, input, about] of wrong) {
    test(what, async () => void refused(await make(input), 400, undefined, about));
  }

  test("has them in their stored form, each once, and they can be changed", async () => {
    const row = (await world.token({ kind: "images", paths: ["/cafe\u0301/", "caf\u00e9", "b/c"] })) as Any;
    assert.deepEqual(row.paths, ["caf\u00e9", "b/c"]);
    const change = async (paths: string[] | null) =>
      dataOf(await world.write("PATCH", { id: row.id, paths }, "/api/tokens"));
    assert.deepEqual((await change(["d"])).paths, ["d"]);
    assert.equal((await change(null)).paths, undefined);
    const admin = await world.token({ kind: "management", resources: ["admin"] });
    refused(await world.write("PATCH", { id: admin.id, paths: ["a"] }, "/api/tokens"), 400, undefined, /admin/);
  });
});

// ---------------------------------------------------------------------------------------------- writes: staged

describe("a token whose writes are staged", async () => {
  const staged = await world.token({ kind: "management", resources: content, writes: "staged" });
  const other = await world.token({ kind: "management", resources: content, writes: "staged" });
  const send = (method: string, path: string, args: object, token = staged.token) =>
    world.send({ method, path, json: { ...whole, token, ...args } });
  const at = (name: string, more = {}) => ({ id: id(name), ...more });

  const allowed = new Set(["PATCH /api/entries/staged", "DELETE /api/entries/staged"]);
  test("every other write is refused", async () => {
    const others: Write[] = [
      ["POST", "/api/trash/restore", () => ({ id: 1 }), ""],
      ["DELETE", "/api/trash", () => ({ id: 1 }), ""],
      ["POST", "/api/files/restore", (path) => ({ path, revision: 1 }), ""],
      ["POST", "/api/tokens/preview", () => ({}), ""],
      ["POST", "/api/files/meta", () => ({ path: id("up/in/a.png"), field: "alt", value: "x" }), ""],
      ["PATCH", "/api/files/meta", () => ({ path: id("up/in/a.png"), field: "title", value: "x" }), ""],
      ["DELETE", "/api/media/files/meta", () => ({ id: id("up/in/a.png"), field: "alt" }), ""],
    ];
    // What it says of a file's words depends on whose it is: of one that is there.
    const writes = [...entryWrites, ...folderWrites, ...fileWrites].filter(([, path]) => !path.endsWith("/meta"));
    for (const [method, path, args] of [...writes, ...others]) {
      if (allowed.has(`${method} ${path}`)) continue;
      refused(await send(method, path, args(id("up/in/a"))), 403, "scope_missing", /writes:all/);
    }
  });

  test("creates drafts, and no other entries", async () => {
    refused(await send("POST", "/api/entries", at("up/in/s", { data: {} })), 403, "scope_missing");
    const visible = { data: { visibility: "visible" } };
    refused(await send("POST", "/api/entries", at("up/in/s", visible)), 403, "scope_missing");
    dataOf(await send("POST", "/api/entries", at("up/in/s", { data: { visibility: "draft" } })));
  });

  test("stages, and drops the copies that it alone changed, or its own keys of a copy", async () => {
    const stage = async (data: object, token?: string) =>
      dataOf(await send("PATCH", "/api/entries/staged", at("up/in", { data }), token));
    const drop = (more = {}, token?: string) => send("DELETE", "/api/entries/staged", at("up/in", more), token);
    const view = async () => dataOf(await world.read({ id: id("up/in") }, undefined, "/api/entries/staged"));
    await stage({ n: 5 });
    refused(await drop({}, other.token), 403, "scope_missing");
    // Each share of a copy: test/ports/staged.
    await stage({ mine: 1, visibility: "hidden" }, other.token);
    refused(await drop({}, other.token), 403, "scope_missing", /"keys".*"mine", "visibility"/);
    refused(await drop({ keys: ["n"] }, other.token), 403, "scope_missing");
    for (const keys of [["none"], []]) refused(await drop({ keys }), 400, "argument_invalid", /"keys"/);
    assert.equal((await drop({ keys: ["mine", "visibility"] }, other.token)).status, 204);
    const left = await view();
    assert.deepEqual([left.n, left.mine, left.visibility], [5, undefined, "visible"]);
    // Whose writes go live may drop what it likes; without any key left there is no copy.
    assert.equal((await world.write("DELETE", at("up/in", { keys: ["n"] }), "/api/entries/staged")).status, 204);
    refused(await drop(), 409, "nothing_staged");
    await stage({ n: 5 });
    assert.equal((await drop()).status, 204);
    refused(await send("POST", "/api/entries/publish", at("up/in/s")), 403, "scope_missing");
    assert.equal((await world.entry("up/in")).n, 1);
  });

  test("uploads, and replaces nothing", async () => {
    const fields = { ...whole, token: staged.token };
    const put = (more = {}) => upload(world, { folder: "up/in", name: "s.txt", fields: { ...fields, ...more } });
    assert.equal((await put()).status, 200);
    refused(await put({ on_conflict: "replace" }), 403, "scope_missing");
    refused(await put(), [403, 409]);
    refused(await put({ on_conflict: "fail" }), 409, "file_exists");
    assert.equal(dataOf(await put({ on_conflict: "suffix" })).filename, "s-1.txt");
    // It describes what it has uploaded.
    const described = { path: id("up/in/s.txt"), field: "alt", value: "Words" };
    assert.equal(dataOf(await send("POST", "/api/files/meta", described)).alt, "Words");
    refused(await send("PATCH", "/api/files/meta", described, other.token), 403, "scope_missing");
  });
});

allRepliesKeptTheirPromises(world);
