/** Order, paging, cursor and total. Contract §4, Order and §4, Pages; compatibility, Arguments. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Reply } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused } from "./world.ts";

const world = await enter("order");
const path = "/api/entries";
const { delivery, management } = world.tokens;

const { token, access_token } = world.pair;
for (const [name, v] of Object.entries({
  n1: "1",
  n2: "2",
  n10: '"10"',
  n10same: '"10.0"',
  exact10: "10",
  big: "9007199254740993",
  bigger: "9007199254740993.5",
  big0: "9007199254740992",
  minus: "-1.5",
  upper: '"Z"',
  lower: '"a"',
  accent: '"é"',
  plain: '"f"',
  news2: '"News 2"',
  news10: '"news 10"',
  fffd: '"\ufffd"',
  emoji: '"😀"',
  no: "false",
  yes: "true",
  nil: "null",
})) {
  const json = `{"id":"${world.id(`mixed/${name}`)}","token":"${token}","access_token":"${access_token}","data":{"v":${v},"w":{"x":${v}}}}`;
  assert.equal((await world.send({ method: "POST", path, json })).status, 200);
}
await world.create("mixed/absent", {});

const ascending = [
  ...["minus", "n1", "n2", "exact10", "n10", "n10same", "big0", "big", "bigger"],
  ...["lower", "accent", "plain", "news2", "news10", "upper", "fffd", "emoji"],
  ...["no", "yes"],
  ...["absent", "nil"],
];
const descending = [...ascending.slice(0, -2).reverse(), "absent", "nil"];

const ids = ["B", "a", "a b", "a-b", "a.b", "a/x", "a/x/y", "a0", "b", "é", "\uffee", "😀"];
await world.plant(Object.fromEntries(ids.map((id) => [`ids/${id}`, { same: 1 }])));
const byBytes = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
const children = byBytes.filter((id) => !id.includes("/"));

await world.plant({
  "films/a": { year: 2001, rank: 2, title: "x", author: { name: "C" } },
  "films/b": { year: 2000, rank: 1, title: "x", author: { name: "B" } },
  "films/c": { year: 2001, rank: 1, title: "y", author: { name: "A" } },
  "films/d": { year: 2000, rank: 2, title: "y" },
});

// Every value of each argument: src/core/list/order.test.ts, src/core/list/list.test.ts.
const films: [string, Arguments, string[]][] = [
  ["order_by with field, ascending by default", { order_by: { field: "rank" } }, ["b", "c", "a", "d"]],
  ["order_by with direction DESC", { order_by: { field: "rank", direction: "DESC" } }, ["a", "d", "b", "c"]],
  ["sort_by with key", { sort_by: { key: "rank", direction: "desc" } }, ["a", "d", "b", "c"]],
  ["two keys", { order_by: [{ field: "year" }, { field: "rank", direction: "desc" }] }, ["d", "b", "a", "c"]],
  ["a dotted key, missing values last", { order_by: { field: "author.name" } }, ["c", "b", "a", "d"]],
  ["slug down", { order_by: { field: "slug", direction: "desc" } }, ["d", "c", "b", "a"]],
  ["a key that no entry has", { order_by: { field: "nothing", direction: "desc" } }, ["a", "b", "c", "d"]],
  ["order and then limit", { order_by: { field: "rank" }, limit: 2 }, ["b", "c"]],
  ["set_first_result and set_max_result", { set_first_result: 1, set_max_result: 2 }, ["b", "c"]],
  ["return=limit with limit_value", { return: "limit", limit_value: 2 }, ["a", "b"]],
  ["limit_value=0, which means no limit", { limit_value: 0 }, ["a", "b", "c", "d"]],
  ["limit=0", { limit: 0 }, []],
  ["return=set_first_result", { return: "set_first_result", set_first_result_value: 2 }, ["c", "d"]],
  ["return=slice", { return: "slice", slice_offset_value: 1, slice_limit_value: 2 }, ["b", "c"]],
  ["an offset beyond the end", { offset: 99 }, []],
  ["the maximum limit", { limit: 10000 }, ["a", "b", "c", "d"]],
];

describe("order", () => {
  test("children are sorted by the bytes of their ids", async () => {
    assert.deepEqual(await world.list("ids", {}), children);
  });

  test("a subtree is sorted by the bytes of its ids", async () => {
    assert.deepEqual(await world.list("ids", { depth: "*" }), byBytes);
  });

  test("equal values are sorted by the bytes of the ids in either direction", async () => {
    assert.deepEqual(await world.list("ids", { order_by: { field: "same" } }), children);
    assert.deepEqual(await world.list("ids", { order_by: { field: "same", direction: "desc" } }), children);
  });

  test("numbers, texts as people read them, booleans; null and missing values last", async () => {
    assert.deepEqual(await world.list("mixed", { order_by: { field: "v" } }), ascending);
    assert.deepEqual(await world.list("mixed", { sort_by: { key: "w.x", direction: "ASC" } }), ascending);
  });

  test("descending order reverses the values and keeps null and missing values last", async () => {
    assert.deepEqual(await world.list("mixed", { order_by: { field: "v", direction: "desc" } }), descending);
  });

  for (const [name, filter, expected] of films) {
    test(`${name} gives ${expected.join(", ") || "nothing"}`, async () => {
      assert.deepEqual(await world.list("films", filter), expected);
    });
  }

  test("the same arguments in options[filter]", async () => {
    for (const [name, filter, expected] of films) {
      const reply = await world.read({ id: world.id("films"), options: { collection: "1", filter } });
      assert.deepEqual(
        dataOf(reply).map((entry: Any) => entry.slug.slice(-1)),
        expected,
        name,
      );
    }
  });
});

const sortKeys = (count: number): Arguments[] => Array.from({ length: count }, (_, n) => ({ field: `k${n}` }));

test("paging arguments that are none are refused by name; 11 sort keys, too", async () => {
  const ask = (filter: Arguments) => world.read({ id: world.id("films"), filter });
  for (const name of ["limit", "set_max_result", "limit_value"])
    refused(await ask({ [name]: 10001 }), 400, "limit_too_large", /10001.*10000|10000.*10001/);
  for (const name of ["limit", "set_max_result", "limit_value", "offset", "set_first_result"])
    for (const value of ["-1", "two", "1.5", "99999999999999999999", ["1"]])
      refused(await ask({ [name]: value }), 400, undefined, new RegExp(name));
  for (const order_by of [{ direction: "asc" }, { field: ["a"] }, sortKeys(11)] as Arguments[])
    refused(await ask({ order_by }), 400, undefined, /order_by|sort keys/);
});

test("10 sort keys are accepted", async () => {
  assert.deepEqual(await world.list("films", { order_by: sortKeys(10) }), ["a", "b", "c", "d"]);
});

// ---------------------------------------------------------------------------------------------------------- cursor

/** The URL of the next page in the Link header, or undefined. It must be relative and without tokens. */
function nextOf(reply: Reply): URL | undefined {
  const link = reply.headers.link as string | undefined;
  if (link === undefined) return undefined;
  const match = /^<([^>]+)>\s*;\s*rel="?next"?$/.exec(link);
  assert.ok(match?.[1], `a Link with rel=next, not ${link}`);
  assert.ok(match[1].startsWith("/") && !match[1].startsWith("//"), `a relative address, not ${match[1]}`);
  const next = new URL(match[1], "http://x");
  assert.equal(next.pathname, path);
  assert.equal(next.searchParams.get("token"), null);
  assert.equal(next.searchParams.get("access_token"), null);
  assert.ok(
    [...next.searchParams.keys()].some((key) => key.includes("cursor")),
    `a cursor in ${match[1]}`,
  );
  return next;
}

const follow = (next: URL, as = management): Promise<Reply> =>
  world.send({ path: next.pathname, query: `${next.search.slice(1)}&token=${as}` });

/** The ids of all pages, one list for each. */
async function walk(name: string, filter: Arguments, as = management, between?: (page: number) => Promise<void>) {
  const pages: string[][] = [];
  let reply = await world.read({ id: world.id(name), filter }, as);
  for (;;) {
    pages.push(dataOf(reply).map((entry: Any) => entry.slug.slice(world.id(name).length + 1)));
    const next = nextOf(reply);
    if (!next) return pages;
    assert.ok(pages.length < 100, "the walk ends");
    await between?.(pages.length);
    reply = await follow(next, as);
  }
}

describe("the cursor", () => {
  const walks: [string, string, Arguments, string[]][] = [
    ["id order over a subtree", "ids", { depth: "*" }, byBytes],
    ["mixed values, descending", "mixed", { order_by: { field: "v", direction: "desc" } }, descending],
    ["ties", "ids", { order_by: { field: "same", direction: "desc" } }, children],
    [
      "two keys",
      "films",
      { order_by: [{ field: "year" }, { field: "rank", direction: "desc" }] },
      ["d", "b", "a", "c"],
    ],
  ];
  for (const [what, name, filter, expected] of walks) {
    for (const limit of [1, 3]) {
      test(`walks ${what} by ${limit}, each entry once and in order`, async () => {
        const pages = await walk(name, { ...filter, limit });
        assert.deepEqual(pages.flat(), expected);
        for (const page of pages.slice(0, -1)) assert.equal(page.length, limit);
      });
    }
  }

  test("the last page has no Link", async () => {
    for (const filter of [{}, { limit: 4 }, { limit: 5 }, { offset: 2, limit: 2 }, { offset: 9 }] as Arguments[]) {
      const reply = await world.read({ id: world.id("films"), filter: { depth: "1", ...filter } });
      assert.equal(reply.headers.link, undefined, JSON.stringify(filter));
    }
  });

  test("the next page keeps every argument except the tokens: projection, total and options, too", async () => {
    const reply = await world.send({
      path,
      query: {
        id: world.id("films"),
        options: { collection: "true", filter: { limit: 2, only: ["title"], total: "true" } },
        token: management,
      },
    });
    const next = nextOf(reply);
    assert.ok(next);
    const second = await follow(next);
    assert.deepEqual(dataOf(second), [{ title: "y" }, { title: "y" }]);
    assert.equal(second.headers["x-total-count"], "4");
  });

  test("the Link contains every argument except the tokens, whatever the encoding of their names", async () => {
    const kept: [string, string][] = [
      ["id", world.id("films")],
      ["filter[limit]", "1"],
      ["filter[only][]", "title"],
      ["tokens", "a"],
      ["x_token", "b"],
      ["access_token_", "c"],
    ];
    const { token, access_token } = world.pair;
    for (const [name, accessName] of [
      ["token", "access_token"],
      ["%74oken", "access%5Ftoken"],
    ]) {
      const query = `${name}=${token}&${new URLSearchParams(kept)}&${accessName}=${access_token}`;
      const reply = await world.send({ path, query });
      assert.equal(reply.status, 200, reply.text);
      const next = nextOf(reply) as URL;
      assert.deepEqual([...next.searchParams].slice(0, -1), kept);
      assert.equal([...next.searchParams.keys()].at(-1), "cursor");
      assert.ok(!String(reply.headers.link).includes(access_token), "no secret under any name");
      assert.ok(!String(reply.headers.link).includes(token), "no secret under any name");
    }
  });

  test("an argument with special characters survives the Link", async () => {
    await world.plant({ "odd é&=+#/a": { t: "x&y=z +%#" }, "odd é&=+#/b": { t: "x&y=z +%#" } });
    const pages = await walk("odd é&=+#", { where: { key: "t", expr: "eq", value: "x&y=z +%#" }, limit: 1 });
    assert.deepEqual(pages, [["a"], ["b"]]);
  });

  test("the Link is a single URL even if the query was not encoded", async () => {
    const query = `id=${world.id("films")}&filter[depth]=>=1&filter[limit]=1&x=<y>"&token=${management}`;
    const one = await world.send({ path, query });
    const link = String(one.headers.link);
    assert.match(link, /^<[^<>"\s]+>; ?rel="?next"?$/, link);
    assert.equal((await follow(nextOf(one) as URL)).status, 200);
  });

  test("paging with the token in the header keeps it out of the Link, too", async () => {
    const query = { id: world.id("films"), filter: { limit: 3 } };
    const headers = { authorization: `Bearer ${management}` };
    const next = nextOf(await world.send({ path, query, headers }));
    assert.ok(next);
    const second = await world.send({ path, query: next.search.slice(1), headers });
    assert.deepEqual(dataOf(second).length, 1);
  });

  test("an entry that does not change during the walk appears exactly once", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `e${String(n).padStart(2, "0")}`);
    await world.plant(Object.fromEntries(names.map((name, n) => [`moving/${name}`, { rank: (n * 5) % 12 }])));
    const gone = new Set(["e00", "e05", "e11"]);
    const pages = await walk("moving", { order_by: { field: "rank" }, limit: 2 }, management, async (page) => {
      if (page === 1) await world.create("moving/a-new", { rank: -5 });
      if (page === 2) await world.create("moving/z-new", { rank: 3.5 });
      const name = [...gone][page - 1];
      if (name) await world.write("DELETE", { id: world.id(`moving/${name}`) });
    });
    const seen = pages.flat();
    for (const name of names.filter((name) => !gone.has(name))) {
      assert.equal(seen.filter((other) => other === name).length, 1, `${name} once in ${seen}`);
    }
    assert.equal(new Set(seen).size, seen.length, "nothing twice");
  });

  test("hidden entries cause neither gaps nor short pages for delivery", async () => {
    const names = Array.from({ length: 10 }, (_, n) => [
      `gaps/${n}`,
      { visibility: n % 3 === 0 ? "visible" : n % 3 === 1 ? "draft" : "hidden" },
    ]);
    await world.plant(Object.fromEntries(names));
    assert.deepEqual(await walk("gaps", { limit: 2 }, delivery), [
      ["0", "3"],
      ["6", "9"],
    ]);
  });

  test("a cursor is bound to the filter, the id and the token's access", async () => {
    const next = nextOf(await world.read({ id: world.id("films"), filter: { order_by: { field: "rank" }, limit: 1 } }));
    assert.ok(next);
    const name = [...next.searchParams.keys()].find((key) => key.includes("cursor")) as string;
    const changed = (change: (query: URLSearchParams) => void, as = management) => {
      const other = new URL(next);
      change(other.searchParams);
      return follow(other, as);
    };
    assert.equal((await follow(next)).status, 200);
    const where = (query: URLSearchParams) => {
      query.set("filter[where][key]", "rank");
      query.set("filter[where][expr]", "eq");
      query.set("filter[where][value]", "1");
    };
    const cursor = next.searchParams.get(name) as string;
    const half = cursor.slice(0, Math.floor(cursor.length / 2));
    const tampered = cursor.slice(0, 3) + (cursor[3] === "A" ? "B" : "A") + cursor.slice(4);
    const refusals: [string, Promise<Reply>][] = [
      ["another condition", changed(where)],
      ["another order", changed((query) => query.set("filter[order_by][field]", "year"))],
      ["another direction", changed((query) => query.set("filter[order_by][direction]", "desc"))],
      ["another id", changed((query) => query.set("id", world.id("ids")))],
      ["another depth", changed((query) => query.set("filter[depth]", "*"))],
      ["another scope", changed(() => undefined, delivery)],
      ["a text that is not a cursor", changed((query) => query.set(name, "abc"))],
      ["a truncated cursor", changed((query) => query.set(name, half))],
      ["a changed cursor", changed((query) => query.set(name, tampered))],
      ["an empty cursor", changed((query) => query.set(name, "eyJhIjoxfQ=="))],
    ];
    for (const [what, reply] of refusals) {
      const problem = refused(await reply, 400, "cursor_invalid");
      assert.ok(problem, what);
    }
  });

  test("a tampered cursor is answered or refused, never a 500", async () => {
    for (const name of ["mixed", "ids"]) {
      const next = nextOf(await world.read({ id: world.id(name), filter: { order_by: { field: "v" }, limit: 1 } }));
      assert.ok(next);
      const key = [...next.searchParams.keys()].find((key) => key.includes("cursor")) as string;
      const cursor = next.searchParams.get(key) as string;
      for (let at = 0; at < cursor.length; at++) {
        for (const letter of ["A", "_", "9"]) {
          const other = new URL(next);
          other.searchParams.set(key, cursor.slice(0, at) + letter + cursor.slice(at + 1));
          const reply = await follow(other);
          if (reply.status !== 200) refused(reply, 400, "cursor_invalid");
        }
      }
    }
  });
});

describe("the total", () => {
  test("X-Total-Count is the number of matches, whatever the page", async () => {
    const ask = async (filter: Arguments) => {
      const reply = await world.read({ id: world.id("films"), filter: { total: "true", ...filter } });
      dataOf(reply);
      return reply.headers["x-total-count"];
    };
    assert.equal(await ask({}), "4");
    assert.equal(await ask({ limit: 1 }), "4");
    assert.equal(await ask({ limit: 1, offset: 3 }), "4");
    assert.equal(await ask({ where: { key: "rank", expr: "eq", value: "1" }, limit: 1 }), "2");
    assert.equal(await ask({ where: { key: "rank", expr: "eq", value: "77" } }), "0");
  });

  test("it is absent by default", async () => {
    for (const filter of ["", { limit: 1 }, { total: "false" }] as (Arguments | string)[]) {
      const reply = await world.read({ id: world.id("films"), filter });
      assert.equal(dataOf(reply).length > 0, true);
      assert.equal(reply.headers["x-total-count"], undefined);
    }
  });
});

test("a page ends at 16 MiB, and the rest follows on the next page", async () => {
  const content = "x".repeat(1_000_000);
  for (let n = 0; n < 18; n++) await world.create(`heavy/${String(n).padStart(2, "0")}`, { content });
  const pages = await walk("heavy", { depth: "1" });
  assert.ok(pages.length >= 2, "more than one page");
  assert.equal(pages.flat().length, 18);
  assert.equal(new Set(pages.flat()).size, 18);
  const first = await world.read({ id: world.id("heavy"), filter: "" });
  assert.ok(first.bytes.length <= 18 * 1024 * 1024, `${first.bytes.length} bytes in one page`);
  for (let n = 0; n < 18; n++) await world.write("DELETE", { id: world.id(`heavy/${String(n).padStart(2, "0")}`) });
});

test("Server-Timing tells how a list was read, and only to who may see every write", async () => {
  const query = { id: world.id("films"), filter: { order_by: { field: "rank" } } };
  const timingOf = async (token: string, path = "/api/entries") =>
    (await world.read(query, token, path)).headers["server-timing"];
  const bounded = await world.token({ kind: "management", resources: ["entries"], paths: [world.prefix] });
  const preview = await world.token({ kind: "preview", resources: ["entries"] });
  for (const token of [world.tokens.delivery, bounded.token, preview.token]) {
    for (let n = 0; n < 4; n++) assert.equal(await timingOf(token), undefined);
  }
  for (const path of ["/api/entries", "/api/management/entries", "/api/delivery/entries"])
    assert.match(String(await timingOf(world.tokens.management, path)), /^list;desc=/);
  const reply = await world.read({ id: world.id("films"), filter: { order_by: { field: "rank" }, limit: 7 } });
  assert.match(String(reply.headers["server-timing"] ?? ""), /^list;desc="[ -~]+";dur=[\d.]+$/);
});

allRepliesKeptTheirPromises(world);
