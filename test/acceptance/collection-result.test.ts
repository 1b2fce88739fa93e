/** What a collection answers: return, only, except, depth, group_by, search, find. Contract §4, Collections; compatibility, Collections. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, Reply } from "./client.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, enter, refused, tagOf } from "./world.ts";

const world = await enter("result");
const path = "/api/entries";
const { management } = world.tokens;

await world.plant({
  "films/a": { title: "Alien", year: 1979, genre: "sf", author: { name: "Ann", born: 1970 }, tags: ["x", "y"] },
  "films/b": { title: "Brazil", year: 1985, genre: "sf", author: { name: "Bob", born: 1980 }, tags: ["the quick fox"] },
  "films/c": { title: "Casablanca", year: 1942, genre: "drama", author: { name: "Cy" }, content: "a lazy dog" },
  tree: { t: 0 },
  "tree/a": { t: 1 },
  "tree/a/b": { t: 2 },
  "tree/a/b/c": { t: 3 },
  "tree/x/y/z": { t: 3 },
  "bare/a": { t: 1 },
  "bare/a/b": { t: 2 },
  empty: {},
});

const ask = (name: string, filter: Arguments | string): Promise<Reply> => world.read({ id: world.id(name), filter });
const films = async (filter: Arguments): Promise<Any> => dataOf(await ask("films", filter));
const name = (entry: Any): string => entry.slug.slice(-1);

describe("a collection or one entry", () => {
  // Each form of a flag: src/core/list/argument.test.ts.
  test("a filter or a flag reads a collection, anything else one entry", async () => {
    const read = async (name: string, query: string) =>
      dataOf(await world.send({ path, query: `id=${world.id(name)}&token=${management}&${query}` }));
    const many = "filter= filter filter[]= filter[] filter[limit]=99 options[collection]=true options[collection]=1";
    for (const query of [...many.split(" "), "options[collection]=yes", "options[collection]=true&filter[limit]=99"])
      assert.deepEqual((await read("films", query)).map(name), ["a", "b", "c"], query);
    for (const query of [
      "options[collection]=false",
      "options[collection]=0",
      "options[collection]=",
      "x=1",
      "options=",
    ])
      assert.equal((await read("tree", query)).slug, world.id("tree"), query);
  });

  test("an entry without children has an empty collection", async () => {
    assert.deepEqual(dataOf(await ask("empty", "")), []);
    assert.deepEqual(await films({ where: { key: "title", expr: "eq", value: "Zardoz" } }), []);
  });

  test("a collection below a missing entry is 404", async () => {
    refused(await ask("nothing", ""), 404);
    refused(await ask("nothing/at/all", { return: "count" }), 404);
    refused(await world.read({ id: world.id("nothing"), options: { collection: "true" } }), 404);
    refused(await ask("films-", ""), 404);
    refused(await ask("film", ""), 404);
  });

  test("the root can be listed", async () => {
    for (const id of ["", "/"]) {
      const filter = { where: { key: "slug", expr: "eq", value: world.prefix } };
      const data = dataOf(await world.read({ id, filter }));
      assert.deepEqual(
        data.map((entry: Any) => entry.slug),
        [world.prefix],
      );
    }
  });

  test("the entries of a collection are the objects a single read answers", async () => {
    const listed = await ask("films", "");
    const single = await Promise.all(["a", "b", "c"].map((id) => world.read({ id: world.id(`films/${id}`) })));
    const joined = single.map(({ text }) => text.slice('{"data":'.length, -1)).join(",");
    assert.equal(listed.text, `{"data":[${joined}]}`);
  });
});

describe("return", () => {
  const order_by = { field: "year" };
  const none = { where: { key: "title", expr: "eq", value: "Zardoz" } };

  test("first, next and last answer one object in the requested order", async () => {
    assert.equal((await films({ return: "first", order_by })).title, "Casablanca");
    assert.equal((await films({ return: "next", order_by })).title, "Alien");
    assert.equal((await films({ return: "last", order_by })).title, "Brazil");
    assert.equal((await films({ return: "first" })).title, "Alien");
    assert.equal((await films({ return: "last" })).title, "Casablanca");
  });

  test("first, next and last answer null without a match", async () => {
    for (const what of ["first", "next", "last", "random"])
      assert.equal(await films({ return: what, ...none }), null, what);
    assert.equal(await films({ return: "next", where: { key: "year", expr: "eq", value: "1979" } }), null);
  });

  // The chance of each: src/core/list/page.test.ts.
  test("random answers one object, with random_value a list of that length; shuffle answers all", async () => {
    assert.ok(["a", "b", "c"].includes(name(await films({ return: "random" }))));
    for (const argument of ["random_value", "random"]) {
      const two = await films({ return: "random", [argument]: 2 });
      assert.equal(two.length, 2);
      assert.notEqual(name(two[0]), name(two[1]));
      assert.equal((await films({ return: "random", [argument]: 99 })).length, 3);
    }
    assert.deepEqual((await films({ return: "random", random_value: 9, offset: 1, limit: 1 })).map(name), ["b"]);
    assert.deepEqual((await films({ return: "shuffle" })).map(name).sort(), ["a", "b", "c"]);
  });

  test("a random reply never gives 304: each text has a tag of its own", async () => {
    const texts = new Map<string, string>();
    for (let n = 0; n < 40; n++) {
      const reply = await ask("films", { return: "random" });
      const tag = tagOf(reply);
      assert.equal(texts.get(tag) ?? reply.text, reply.text, "one tag, one text");
      texts.set(tag, reply.text);
    }
    assert.equal(texts.size, 3, "each of the three comes up in 40 draws");
  });

  test("count is an integer and exists a boolean", async () => {
    assert.equal(await films({ return: "count" }), 3);
    assert.equal(await films({ return: "count", ...none }), 0);
    assert.equal(await films({ return: "exists" }), true);
    assert.equal(await films({ return: "exists", ...none }), false);
    assert.equal(dataOf(await ask("empty", { return: "count" })), 0);
    assert.equal(await films({ return: "count", where: { key: "genre", expr: "eq", value: "sf" } }), 2);
    for (const offset of ["1", "4", "999999"]) {
      assert.equal(await films({ return: "count", offset }), 3, "of all matches, whatever the page");
      assert.equal(await films({ return: "exists", offset }), true);
    }
  });

  test("options[filter][return] works the same", async () => {
    const options = { collection: "true", filter: { return: "count" } };
    assert.equal(dataOf(await world.read({ id: world.id("films"), options })), 3);
  });
});

describe("facets", () => {
  const facets = async (filter: Arguments) => JSON.parse((await ask("films", filter)).text).facets;

  test("values are counted over all matches, the most frequent first, each item of a list once", async () => {
    assert.equal(
      JSON.stringify(await facets({ facets: "genre,tags", limit: "1" })),
      '{"genre":{"sf":2,"drama":1},"tags":{"the quick fox":1,"x":1,"y":1}}',
    );
    const sf = { where: { key: "genre", expr: "eq", value: "sf" } };
    assert.deepEqual(
      await facets({ ...sf, facets: ["year", "author.name"], order_by: { field: "year" }, limit: "1" }),
      {
        year: { 1979: 1, 1985: 1 },
        "author.name": { Ann: 1, Bob: 1 },
      },
    );
    assert.deepEqual(await facets({ ...sf, facets: "nothing" }), { nothing: {} });
  });

  test("every page, total and count stay what they are", async () => {
    const filter = { facets: "genre", limit: "2", total: "true" };
    const first = await ask("films", filter);
    assert.equal(first.headers["x-total-count"], "3");
    assert.deepEqual(JSON.parse(first.text).data.map(name), ["a", "b"]);
    const cursor = /cursor=([^&>]+)/.exec(String(first.headers.link))?.[1] as string;
    const second = await world.read({ id: world.id("films"), filter, cursor });
    assert.deepEqual(JSON.parse(second.text).data.map(name), ["c"]);
    for (const reply of [first, second])
      assert.deepEqual(JSON.parse(reply.text).facets, { genre: { sf: 2, drama: 1 } });
    const counted = await ask("films", { facets: "genre", return: "count" });
    assert.equal(counted.text, '{"data":3,"facets":{"genre":{"sf":2,"drama":1}}}');
  });

  test("more than five fields and what is no text are refused", async () => {
    assert.deepEqual(await facets({ facets: "" }), undefined);
    for (const wrong of ["a,b,c,d,e,f", ["a", "b", "c", "d", "e,f"], { a: "b" }]) {
      refused(await ask("films", { facets: wrong as never }), 400, "filter_invalid", /filter\[facets\]/);
    }
  });
});

describe("only and except", () => {
  test("only answers only the named keys", async () => {
    assert.deepEqual(await films({ only: ["title", "year"] }), [
      { title: "Alien", year: 1979 },
      { title: "Brazil", year: 1985 },
      { title: "Casablanca", year: 1942 },
    ]);
    assert.deepEqual(await films({ only: ["nothing"] }), [{}, {}, {}]);
    assert.deepEqual(Object.keys((await films({ only: ["slug"] }))[0]), ["slug"]);
  });

  test("only accepts a single name", async () => {
    assert.deepEqual(await films({ only: "genre" }), [{ genre: "sf" }, { genre: "sf" }, { genre: "drama" }]);
  });

  test("only accepts dotted keys", async () => {
    assert.deepEqual(await films({ only: ["author.name"] }), [
      { author: { name: "Ann" } },
      { author: { name: "Bob" } },
      { author: { name: "Cy" } },
    ]);
  });

  test("except leaves out only the named keys", async () => {
    const all = await films({ limit: 99 });
    const some = await films({ except: ["title", "author.born", "uuid", "nothing"] });
    for (const [n, entry] of all.entries()) {
      const { title: _, uuid: __, author, ...rest } = entry;
      assert.deepEqual(some[n], { ...rest, author: { name: author.name } });
    }
  });

  test("conditions and sorting still see the keys that are left out", async () => {
    const filter = {
      only: ["title"],
      where: { key: "genre", expr: "eq", value: "sf" },
      order_by: { field: "year", direction: "desc" },
    };
    assert.deepEqual(await films(filter), [{ title: "Brazil" }, { title: "Alien" }]);
    assert.deepEqual(
      (await films({ except: ["year"], return: "first", order_by: { field: "year" } })).title,
      "Casablanca",
    );
  });

  test("a projection keeps numbers as written", async () => {
    const { token, access_token } = world.pair;
    const json = `{"id":"${world.id("exact/a")}","token":"${token}","access_token":"${access_token}","data":{"n":9007199254740993,"o":{"p":1.0,"q":1}}}`;
    assert.equal((await world.send({ method: "POST", path, json })).status, 200);
    const only = await ask("exact", { only: ["n", "o.p"] });
    assert.equal(only.text, '{"data":[{"n":9007199254740993,"o":{"p":1.0}}]}');
    assert.ok(
      (await ask("exact", { except: ["o.q"] })).text.startsWith('{"data":[{"n":9007199254740993,"o":{"p":1.0},'),
    );
  });

  test("options[filter] projects a single entry too", async () => {
    const ask = (filter: Arguments) => world.read({ id: world.id("films/a"), options: { filter } });
    const only = await ask({ only: ["title", "author.name"] });
    assert.deepEqual(dataOf(only), { title: "Alien", author: { name: "Ann" } });
    const whole = await world.read({ id: world.id("films/a") });
    assert.notEqual(only.headers.etag, whole.headers.etag);
    const { title: _, ...rest } = dataOf(whole);
    assert.deepEqual(dataOf(await ask({ except: ["title"] })), rest);
  });

  test("a different projection has a different ETag", async () => {
    const tags = await Promise.all(
      ["", { only: ["title"] }, { only: ["year"] }, { except: ["title"] }].map(
        async (filter) => (await ask("films", filter as Arguments | string)).headers.etag,
      ),
    );
    assert.equal(new Set(tags).size, 4);
  });
});

// Each comparison: src/core/list/find.test.ts.
const depths: [string | string[], string[]][] = [
  ["0", [""]],
  ["2", ["a/b"]],
  ["> 1", ["a/b", "a/b/c", "x/y/z"]],
  ["<=2", ["", "a", "a/b"]],
  [[">0", "<=1"], ["a"]],
  [">31", []],
];

describe("depth", () => {
  test("direct children by default", async () => assert.deepEqual(await world.list("tree", {}), ["a"]));
  for (const [depth, expected] of depths) {
    test(`depth ${JSON.stringify(depth)} lists ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await world.list("tree", { depth }), expected);
      const reply = await world.read({
        id: world.id("tree"),
        options: { collection: "true", find: { depth }, filter: {} },
      });
      const slugs = dataOf(reply).map((entry: Any) => entry.slug.slice(world.id("tree").length + 1));
      assert.deepEqual(slugs, expected, "the same in options[find]");
    });
  }

  test("* is every depth below", async () => {
    assert.deepEqual(await world.list("bare", { depth: "*" }), ["a", "a/b"]);
    const below = (await world.list("tree", { depth: "*" })).filter((name) => name !== "");
    assert.deepEqual(below, ["a", "a/b", "a/b/c", "x/y/z"]);
  });

  test("depth 0 of a parent without an entry is nothing", async () => {
    assert.deepEqual(await world.list("bare", { depth: "0" }), []);
  });
});

describe("group_by", () => {
  test("answers an object of lists", async () => {
    const data = await films({ group_by: "genre" });
    assert.deepEqual(Object.keys(data).sort(), ["drama", "sf"]);
    assert.deepEqual(data.sf.map(name), ["a", "b"]);
    assert.deepEqual(data.drama.map(name), ["c"]);
    assert.deepEqual(data.drama[0], await world.entry("films/c"));
  });

  test("groups larger than a page are refused with a hint how to narrow them", async () => {
    assert.deepEqual(Object.keys(await films({ group_by: "genre", limit: 3 })), ["sf", "drama"]);
    refused(await ask("films", { group_by: "genre", limit: 2 }), 400, "filter_too_complex", /group_by.*limit/);
    assert.deepEqual(Object.keys(await films({ group_by: "genre", limit: 2, search: "sf" })), ["sf"]);
  });

  test("a special value is only the name of a group", async () => {
    await world.plant({
      "odd/a": { g: "__proto__" },
      "odd/b": { g: "constructor" },
      "odd/c": { g: "" },
      "odd/d": { g: "10" },
    });
    const data = dataOf(await ask("odd", { group_by: "g" }));
    assert.deepEqual(Object.getOwnPropertyNames(data).sort(), ["", "10", "__proto__", "constructor"]);
  });
});

describe("search", () => {
  const searches: [string, string[]][] = [
    ["Alien", ["a"]],
    ["quick", ["b"]],
    ["lazy", ["c"]],
    ["Ann", ["a"]],
    ["sf", ["a", "b"]],
    ["xyzzy", []],
  ];
  for (const [text, expected] of searches) {
    test(`${text} finds ${expected.join(", ") || "nothing"}`, async () => {
      assert.deepEqual(await world.list("films", { search: text }), expected);
    });
  }

  test("it is combined with the other conditions", async () => {
    const where = { key: "year", expr: "gt", value: "1980" };
    assert.deepEqual(await world.list("films", { search: "sf", where }), ["b"]);
  });

  test("it searches the client's texts at any depth, and not the service's fields", async () => {
    const own = { published_by: "Publisher", created_by: "Creator", visibility: "hidden", routable: false };
    await world.plant({
      "texts/top": { title: "Wombat", ...own },
      "texts/content": { content: "a wombat" },
      "texts/deep": { a: [{ visibility: ["one WOMBAT"] }] },
      "texts/none": { wombat: 1 },
    });
    assert.deepEqual(await world.list("texts", { search: "wombat" }), ["content", "deep", "top"]);
    const { uuid } = await world.entry("texts/top");
    for (const text of ["hidden", "visible", "publisher", "creator", "texts", "top", uuid, "wombat texts"]) {
      assert.deepEqual(await world.list("texts", { search: text }), [], text);
    }
    // The find argument of Flextype reads the whole object.
    assert.deepEqual(await world.list("texts", { contains: "hidden" }), ["top"]);
    assert.deepEqual(await world.list("texts", { contains: "texts/none" }), ["none"]);
  });

  test("text that looks like search syntax is only text", async () => {
    for (const text of `" ' * AND OR%20NOT ( a%20AND%20( NEAR( title:Alien ^ - % \\ "" :`.split(" ")) {
      const reply = await ask("films", { search: text.replaceAll("%20", " ") });
      assert.ok(Array.isArray(dataOf(reply)), text);
    }
  });
});

describe("find", () => {
  // Every condition: src/core/list/find.test.ts.
  const finds: [string, Arguments, string[]][] = [
    ["contains in a list", { contains: "quick" }, ["b"]],
    ["not_contains", { not_contains: "lazy" }, ["a", "b"]],
    ["a pattern with flags", { contains: "/^THE q.+x$/i" }, ["b"]],
    ["a pattern or a text", { contains: ["/^Al/", "lazy"] }, ["a", "c"]],
    ["a pattern for the part below the collection", { path: "/^[ab]$/" }, ["a", "b"]],
    ["a path with slashes, which is not a pattern", { path: "/films/b" }, ["b"]],
    ["date on modified_at", { date: ">= 2018-01-01" }, ["a", "b", "c"]],
    ["size", { size: ">= 1K" }, []],
  ];
  for (const [what, find, expected] of finds) {
    test(`${what} finds ${expected.join(", ") || "nothing"}, in the filter and in options[find]`, async () => {
      assert.deepEqual(await world.list("films", find), expected);
      const reply = await world.read({ id: world.id("films"), options: { collection: "true", find } });
      assert.deepEqual(dataOf(reply).map(name), expected);
    });
  }

  test("exclude omits whole branches", async () => {
    assert.deepEqual(await world.list("tree", { depth: ">0", exclude: "b" }), ["a", "x/y/z"]);
    assert.deepEqual(await world.list("tree", { depth: ">0", exclude: ["b", "x"] }), ["a"]);
  });

  test("sort_by of a time orders by it", async () => {
    for (const sort_by of ["mtime", "ctime", "atime"])
      assert.deepEqual((await world.list("films", { sort_by })).sort(), ["a", "b", "c"]);
  });

  test("find is combined with the conditions of the filter", async () => {
    const filter = { where: { key: "genre", expr: "eq", value: "sf" }, only: ["title"] };
    const options = { collection: "true", find: { contains: "Bob" }, filter };
    assert.deepEqual(dataOf(await world.read({ id: world.id("films"), options })), [{ title: "Brazil" }]);
  });
});

// Every other one: src/core/list/list.test.ts, find, order, projection.
const refusals: [name: string, filter: Arguments, about: RegExp][] = [
  ["a return that is a method of objects", { return: "constructor" }, /constructor/],
  ["random_value=-1", { return: "random", random_value: -1 }, /random_value/],
  ["a depth with one invalid member", { depth: [">0", "x"] }, /depth/],
  ["a date that is not a comparison", { date: ">= someday-ish" }, /date/],
  ["a size that is not a comparison", { size: "huge" }, /size/],
  ["only as an object", { only: { a: { b: "c" } } }, /only/],
  ["a pattern with look-ahead", { path: "/a(?=b)/" }, /path/],
  ["a pattern with the flag x", { contains: "/a b/ix" }, /contains.*"x"/],
  ["a pattern of 1,001 bytes", { contains: `/${"a".repeat(999)}/` }, /contains/],
  ["a search as a list", { search: ["a"] }, /search/],
  ["group_by as a list of objects", { group_by: [{ a: "b" }] }, /group_by/],
];
for (const [what, filter, about] of refusals)
  test(`a collection is refused for ${what}`, async () => refused(await ask("films", filter), 400, undefined, about));

test("PHP callbacks and method names from Flextype are never run", async () => {
  for (const options of [
    { collection: "true", find: { filter: "phpinfo", sort: "system" } },
    { collection: "true", method: "fetchAnything" },
    { method: "constructor" },
  ] as Arguments[]) {
    const reply = await world.read({ id: world.id("tree"), options });
    assert.ok([200, 400].includes(reply.status), reply.text);
  }
});

allRepliesKeptTheirPromises(world);
