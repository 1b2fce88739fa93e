/** A preview token reads what delivery reads, and what is not public below its paths. Contract §11, Preview. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Reply } from "./client.ts";
import { enterMedia, plantFile, png } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, nowSeconds, refused } from "./world.ts";

const world = await enterMedia("preview");
const id = (name: string): string => world.id(name);
const soon = nowSeconds() + 100_000;
const types = { id: `${world.key}-preview`, paths: [`${world.prefix}/**`] };
const reference = { type: "string", format: "entry" };

dataOf(
  await world.write(
    "PUT",
    { ...types, schema: { properties: { author: reference, cover: { type: "string", format: "file" } } } },
    "/api/types",
  ),
);
await plantFile(world, "pictures/cover.png", { bytes: png() });
await world.plant({
  blog: { title: "Blog", n: 0 },
  "blog/live": { title: "live", n: 1, content: "*live*" },
  "blog/x": {
    title: "draft x",
    n: 2,
    visibility: "draft",
    author: id("people/ann"),
    cover: id("pictures/cover.png"),
    content: "*x*",
  },
  "blog/x/part": { title: "part", n: 3, published_at: soon },
  "blog/x-law": { title: "neighbour", n: 4, visibility: "draft" },
  "blog/secret": { title: "secret", n: 5, visibility: "draft", only: "hidden words" },
  "blog/later": { title: "later", n: 6, published_at: soon },
  "blog/unlisted": { title: "unlisted", n: 7, visibility: "hidden" },
  "blog/changed": { title: "changed", n: 8, author: id("people/bob") },
  "people/ann": { title: "Ann", n: 1 },
  "people/bob": { title: "Bob", n: 2, visibility: "draft" },
});
const staged = "/api/entries/staged";
for (const name of ["blog/changed", "people/ann", "blog/x"])
  dataOf(await world.write("PATCH", { id: id(name), data: { title: `${name} as staged`, n: 50 } }, staged));

const resources = ["entries", "files"];
const preview = await world.token({ kind: "preview", resources, paths: [id("blog/x")] });
const delivery = await world.token({ kind: "delivery", resources });

const get = (query: Any, token = preview.token, path = "/api/entries") =>
  world.read({ ...query, id: id(query.id) }, token, path);
const told = ({ status, text }: Reply, ...sent: string[]): string =>
  `${status} ${sent.reduce((all, name) => all.replaceAll(id(name), "<id>"), text).replace(/"request_id":"[^"]*"/, "")}`;
const slugsOf = (entries: Any): string[] => entries.map(({ slug }: Any) => slug.slice(world.prefix.length + 1));
const slugs = (reply: Reply): string[] => slugsOf(dataOf(reply));
/** A reply with what it includes. */
async function including(query: Any, token?: string): Promise<Any> {
  const reply = await get(query, token);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text);
}
const both = ["/api/entries", "/api/delivery/entries"];

describe("outside of its paths a preview reads what delivery reads", () => {
  for (const path of both) {
    test(`entries by id at ${path}`, async () => {
      for (const name of ["blog", "blog/live", "blog/unlisted", "blog/changed", "people/ann"]) {
        const reply = await get({ id: name }, preview.token, path);
        assert.deepEqual(dataOf(reply), dataOf(await get({ id: name }, delivery.token, path)), name);
        assert.equal(reply.headers["cache-control"], "private, no-store");
        assert.equal(reply.headers["octavo-staged"], undefined);
      }
      const nothing = await get({ id: "blog/nothing" }, preview.token, path);
      assert.equal(nothing.status, 404);
      for (const name of ["blog/secret", "blog/later", "blog/x-law", "people/bob"]) {
        const reply = await get({ id: name }, preview.token, path);
        assert.equal(told(reply, name), told(nothing, "blog/nothing"), name);
      }
    });
  }

  test("files, of any folder", async () => {
    const query = { path: id("pictures/cover.png") };
    const read = (token: string) => world.read(query, token, "/api/files");
    assert.deepEqual(dataOf(await read(preview.token)), dataOf(await read(delivery.token)));
    const list = await world.read({ path: id("pictures"), filter: "" }, preview.token, "/api/files");
    assert.deepEqual(Object.keys(dataOf(list)), ["cover.png"]);
  });

  test("no history, no working copies, no tree of management", async () => {
    const query = { id: id("blog/live") };
    for (const path of [staged, `${staged}/list`, "/api/entries/history", "/api/management/entries"])
      refused(await world.read(path.endsWith("list") ? {} : query, preview.token, path), 403, "scope_missing");
  });
});

describe("a previewed page", () => {
  test("has its author as the public sees that, and its picture", async () => {
    const { data, included } = await including({ id: "blog/x", include: "author,cover" });
    assert.equal(data.title, "blog/x as staged");
    assert.deepEqual(Object.keys(included.files), [id("pictures/cover.png")]);
    assert.deepEqual(Object.keys(included.entries), [id("people/ann")]);
    assert.equal(included.entries[id("people/ann")].title, "Ann");
    const changed = await including({ id: "blog/changed", include: "author" });
    assert.deepEqual(changed.included.entries, {}, "a draft outside is not included");
    const list = await including({
      id: "blog",
      filter: { where: { key: "author", operator: "exists", value: true } },
      include: "author",
    });
    assert.deepEqual(slugsOf(list.data), ["blog/changed", "blog/x"]);
    assert.deepEqual(Object.keys(list.included.entries), [id("people/ann")]);
  });

  test("has the menu, in which it stands itself", async () => {
    const filter = { order_by: { field: "n", direction: "asc" } };
    assert.deepEqual(slugs(await get({ id: "blog", filter })), ["blog/live", "blog/changed", "blog/x"]);
    assert.deepEqual(slugs(await get({ id: "blog", filter }, delivery.token)), ["blog/live", "blog/changed"]);
    assert.deepEqual(slugs(await get({ id: "people", filter })), ["people/ann"]);
  });

  test("is HTML, as what is around it", async () => {
    for (const [name, html] of [
      ["blog/x", "<p><em>x</em></p>\n"],
      ["blog/live", "<p><em>live</em></p>\n"],
    ] as const) {
      const reply = await get({ id: name, render: "html" });
      assert.equal(dataOf(reply).content, html);
      assert.equal(reply.headers["cache-control"], "private, no-store");
    }
    const listed = dataOf(
      await get({ id: "blog", filter: { order_by: { field: "n", direction: "asc" } }, render: "html" }),
    );
    assert.deepEqual(new Set(listed.map(({ content }: Any) => content)).has("<p><em>x</em></p>\n"), true);
  });
});

describe("a list across the border", () => {
  const every = ["blog", "blog/changed", "blog/live", "blog/x", "blog/x/part", "people/ann"];
  const cases: [what: string, filter: Any, expected: string[]][] = [
    ["plainly", {}, every],
    [
      "in an order",
      { order_by: { field: "n", direction: "desc" } },
      ["blog/x", "blog/changed", "blog/x/part", "blog/live", "people/ann", "blog"],
    ],
    ["by a condition", { where: { key: "n", operator: "gte", value: 3 } }, ["blog/changed", "blog/x", "blog/x/part"]],
    ["by the live state outside", { where: { key: "title", operator: "eq", value: "Ann" } }, ["people/ann"]],
    ["by the copy inside", { where: { key: "n", operator: "eq", value: 50 } }, ["blog/x"]],
    [
      "by a negated condition",
      { where: { key: "n", operator: "neq", value: 50 } },
      every.filter((one) => one !== "blog/x"),
    ],
    ["by the visibility", { where: { key: "visibility", operator: "eq", value: "draft" } }, ["blog/x"]],
    ["by hidden", { where: { key: "visibility", operator: "eq", value: "hidden" } }, []],
    ["by a date ahead", { where: { key: "published_at", operator: "eq", value: soon } }, ["blog/x/part"]],
    ["by a text of a draft", { contains: "hidden words" }, []],
    ["by a text of a copy outside", { contains: "as staged" }, ["blog/x"]],
    ["by words", { where: { key: "title", operator: "contains", value: "secret" } }, []],
    ["by a field that only a draft has", { where: { key: "only", operator: "exists", value: true } }, []],
    ["by a pattern", { where: { key: "title", operator: "regexp", value: "secret|later|live" } }, ["blog/live"]],
  ];
  for (const [what, filter, expected] of cases) {
    test(`has both, ${what}`, async () => {
      const within = { depth: ">=1", ...filter };
      const found = slugs(await get({ id: "", filter: within }));
      assert.deepEqual(filter.order_by ? found : found.toSorted(), filter.order_by ? expected : expected.toSorted());
      assert.equal(dataOf(await get({ id: "", filter: { ...within, return: "count" } })), expected.length);
      assert.equal(dataOf(await get({ id: "", filter: { ...within, return: "exists" } })), expected.length > 0);
      const total = await get({ id: "", filter: { ...within, limit: 1, total: true } });
      assert.equal(total.headers["x-total-count"], String(expected.length));
    });
  }

  test("page by page", async () => {
    for (const order_by of [
      undefined,
      { field: "n", direction: "desc" },
      { field: "published_at", direction: "asc" },
    ]) {
      const filter = order_by ? { depth: ">=1", limit: 1, order_by } : { depth: ">=1", limit: 1 };
      const whole = slugs(await get({ id: "", filter: { ...filter, limit: 100 } }));
      const pages: string[] = [];
      let reply = await get({ id: "", filter });
      while (reply.headers.link !== undefined && pages.length < 20) {
        pages.push(...slugs(reply));
        const [, next = ""] = /<([^>]+)>/.exec(String(reply.headers.link)) ?? [];
        reply = await world.send({ path: next, headers: { Authorization: `Bearer ${preview.token}` } });
      }
      pages.push(...slugs(reply));
      assert.deepEqual(pages, whole);
    }
  });

  test("at a place that is not public has what is", async () => {
    const hidden = { id: "blog/secret", filter: "" };
    assert.equal(told(await get(hidden), "blog/secret"), told(await get({ ...hidden, id: "blog/none" }), "blog/none"));
    assert.equal((await get({ id: "blog/x", filter: "" })).status, 200);
  });
});

describe("the reach of its maker", () => {
  test("is its own, at the time of the request", async () => {
    const paths = [id("blog"), id("pictures")];
    const maker = await world.token({ kind: "management", resources, paths });
    const pair = { ...world.pair, token: maker.token };
    const made = dataOf(
      await world.send({ method: "POST", path: "/api/tokens/preview", json: { ...pair, paths: [id("blog/x")] } }),
    );
    const statuses = () =>
      Promise.all(["blog/x", "blog/live", "people/ann", "blog/secret"].map((name) => world.statusOf(name, made.token)));
    assert.deepEqual(await statuses(), [200, 200, 404, 404]);
    const { included } = await including({ id: "blog/x", include: "author,cover" }, made.token);
    assert.deepEqual(Object.values(included).flatMap(Object.keys as never), [id("pictures/cover.png")]);
    const listed = await get(
      { id: "", filter: { depth: ">=1", order_by: { field: "slug", direction: "asc" } } },
      made.token,
    );
    assert.deepEqual(slugs(listed), ["blog", "blog/changed", "blog/live", "blog/x", "blog/x/part"]);
    const change = async (more: object) => dataOf(await world.write("PATCH", { id: maker.id, ...more }, "/api/tokens"));
    await change({ paths: [id("blog/x"), id("people")] });
    assert.deepEqual(await statuses(), [200, 404, 200, 404]);
    await change({ paths: [id("people")] });
    assert.deepEqual(await statuses(), [401, 401, 401, 401]);
    await change({ paths: null });
    assert.deepEqual(await statuses(), [200, 200, 200, 404]);
  });
});

test("a preview of a release shows that below its paths, and elsewhere what is public", async () => {
  const release = dataOf(await world.write("POST", { title: "r" }, "/api/releases"));
  await world.plant({ "r/in": { title: "old" }, "r/out": { title: "old" } });
  for (const name of ["r/in", "r/out"])
    dataOf(await world.write("PATCH", { id: id(name), data: { title: "new" }, release: release.id }, staged));
  for (const name of ["r/in/draft", "r/out/draft"])
    dataOf(await world.write("POST", { id: id(name), data: { visibility: "draft" }, release: release.id }));
  const made = dataOf(await world.write("POST", { release: release.id, paths: [id("r/in")] }, "/api/tokens/preview"));
  assert.equal(dataOf(await get({ id: "r/in" }, made.token)).title, "new");
  assert.equal(dataOf(await get({ id: "r/out" }, made.token)).title, "old");
  assert.deepEqual(slugs(await get({ id: "r", filter: { depth: ">=1" } }, made.token)), [
    "r/in",
    "r/in/draft",
    "r/out",
  ]);
  assert.equal((await get({ id: "r/out/draft" }, made.token)).status, 404);
  const where = { key: "title", operator: "eq", value: "new" };
  assert.deepEqual(slugs(await get({ id: "r", filter: { where } }, made.token)), ["r/in"]);
  assert.equal((await world.write("DELETE", { id: release.id }, "/api/releases")).status, 204);
});

await allRepliesKeptTheirPromises(world);
