/** Conditions and operators. Contract §4, Filter and §4, Types; compatibility, Operators. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, ArgumentValue, Call } from "./client.ts";
import { allRepliesKeptTheirPromises, dataOf, enter, refused } from "./world.ts";

const world = await enter("filter");
const path = "/api/entries";

/** Numbers are stored as written here, even above 2^53. */
const films: Record<string, string> = {
  alpha: `{"title":"Alpha","year":1999,"rating":7.5,"tags":["sf","drama"],"author":{"name":"Ann"},"seen":true,
    "note":null,"big":9007199254740993,"price":"15","released":"2020-01-15","published_at":1000000000,"published_by":"ann"}`,
  beta: `{"title":"beta","year":2005,"rating":8,"tags":["drama"],"author":{"name":"Bob"},"seen":false,
    "note":"null","big":9007199254740992,"price":15,"released":"2021-06-01 10:00","published_at":1200000000,"routable":false}`,
  gamma: `{"title":"Gamma ray","year":"2005","rating":8.0,"tags":[],"author":{},"seen":"true",
    "note":"","big":-0,"rows":[[1,2],3],"price":"9","released":"01-01-2022 12:00","published_at":1400000000,"visibility":"hidden"}`,
  delta: `{"title":"","year":2010,"rating":10,"tags":["100%","a_b",7,true],"author":{"name":{"first":"Cy"}},"seen":1,
    "price":15.0,"nested":{"list":[{"k":"v"},{"k":"w"}]},"published_at":1600000000}`,
  epsilon: `{"published_at":1700000000}`,
};

for (const [name, data] of Object.entries(films)) {
  const { token, access_token } = world.pair;
  const json = `{"id":"${world.id(name)}","token":"${token}","access_token":"${access_token}","data":${data}}`;
  assert.equal((await world.send({ method: "POST", path, json })).status, 200);
}
const all = ["alpha", "beta", "delta", "epsilon", "gamma"];

type Row = [key: string, operator: string, value: ArgumentValue, expected: string[]];

// What each operator means for each type: src/core/list/filter.test.ts, src/core/list/match.test.ts; indexes agree with it: test/properties.
const rows: Row[] = [
  // eq and its names
  ["title", "eq", "Alpha ", []],
  // the stored type decides
  ["year", "eq", "2005.0", ["beta"]],
  ["rating", "eq", "8", ["beta", "gamma"]],
  ["big", "eq", "9007199254740993", ["alpha"]],
  ["big", "eq", "9007199254740992", ["beta"]],
  ["price", "eq", "15", ["alpha", "beta", "delta"]],
  ["seen", "eq", "1", ["alpha", "delta"]],
  ["note", "eq", "null", ["alpha", "beta"]],
  // lists
  ["tags", "eq", "drama", ["alpha", "beta"]],
  ["tags", "eq", "7", ["delta"]],
  ["tags", "contains", "drama", ["alpha", "beta"]],
  ["tags", "member_of", "dra", []],
  ["tags", "ncontains", "drama", ["delta", "epsilon", "gamma"]],
  // dotted keys
  ["author.name", "eq", "Ann", ["alpha"]],
  ["author.name.first", "eq", "Cy", ["delta"]],
  ["tags.0", "eq", "drama", ["beta"]],
  ["nested.list.1.k", "eq", "w", ["delta"]],
  ["title.length", "eq", "5", []],
  ["author.constructor.name", "eq", "Object", []],
  // neq: a missing key matches
  ["title", "<>", "Alpha", ["beta", "delta", "epsilon", "gamma"]],
  ["year", "neq", "x", all],
  ["tags", "neq", "drama", ["delta", "epsilon", "gamma"]],
  // order, numbers as decimals, numeric text as numbers
  ["year", "<", "2005", ["alpha"]],
  ["year", "lte", "2005", ["alpha", "beta", "gamma"]],
  ["year", "gt", "2005", ["delta"]],
  ["year", "gte", "2005", ["beta", "delta", "gamma"]],
  ["big", "gt", "9007199254740992", ["alpha"]],
  ["price", "lt", "10", ["gamma"]],
  ["published_at", "gt", "1200000000", ["delta", "epsilon", "gamma"]],
  // text without case and marks
  ["title", "lt", "b", ["alpha", "delta"]],
  ["title", "lte", "ÁLPHA", ["alpha", "delta"]],
  ["title", "gt", "alpha", ["beta", "gamma"]],
  // lists of values
  ["year", "in", ["1999", "2010"], ["alpha", "delta"]],
  ["year", "in", "1999,2010", []],
  ["tags", "in", ["sf", "7"], ["alpha", "delta"]],
  ["title", "nin", ["Alpha"], ["beta", "delta", "epsilon", "gamma"]],
  ["price", "between", ["9", "14.9"], ["gamma"]],
  ["big", "between", ["9007199254740993", "9007199254740993"], ["alpha"]],
  ["title", "between", ["A", "H"], ["alpha", "beta", "gamma"]],
  ["year", "nbetween", ["1999", "2005"], ["delta"]],
  // text
  ["title", "contains", "AMMA", []],
  ["title", "like", "%a%", []],
  ["tags", "eq", "a_b", ["delta"]],
  ["year", "contains", "00", ["beta", "gamma"]],
  ["title", "nlike", "a", ["delta", "epsilon"]],
  ["title", "start_with", "Al", ["alpha"]],
  ["title", "ends_with", "a", ["alpha", "beta"]],
  ["year", "starts_with", "20", ["beta", "delta", "gamma"]],
  // dates
  ["released", "newer", "2021-06-01 10:00", ["gamma"]],
  ["released", "older", "01-01-2022 12:00", ["alpha", "beta"]],
  ["published_at", "older", "1200000000", ["alpha"]],
  // times of the service read dates where their value is no number; of a day its first second counts
  ["published_at", "eq", "2001-09-09T01:46:40Z", ["alpha"]],
  ["published_at", "=", "2001-09-09", []],
  ["published_at", "neq", "09-09-2001 01:46:40", ["beta", "delta", "epsilon", "gamma"]],
  ["published_at", "lt", "2008-01-10T22:20:00+01:00", ["alpha"]],
  ["published_at", "lte", "2008-01-10 21:20", ["alpha", "beta"]],
  ["published_at", "lte", "2008-01-10", ["alpha"]],
  ["published_at", "gt", "2020-09-13", ["delta", "epsilon"]],
  ["published_at", "gte", "2023-11-14 22:13:20", ["epsilon"]],
  ["published_at", "in", ["2001-09-09 01:46:40", "1700000000"], ["alpha", "epsilon"]],
  ["published_at", "nin", ["2001-09-09 01:46:40", "1700000000"], ["beta", "delta", "gamma"]],
  ["published_at", "between", ["2008-01-10", "2014-05-13T16:53:20Z"], ["beta", "gamma"]],
  ["published_at", "nbetween", ["2008-01-10", "1400000000"], ["alpha", "delta", "epsilon"]],
  ["created_at", "gte", "yesterday", all],
  ["modified_at", "gt", "1 week ago", all],
  ["modified_at", "lt", "7 days ago", []],
  ["created_at", "lte", "now", all],
  // a date of the client's data is a text, as it is
  ["released", "eq", "2020-01-15", ["alpha"]],
  ["released", "gte", "2021-06-01", ["beta"]],
  // regular expressions
  ["title", "regexp", "^[A-Z]", ["alpha", "beta", "gamma"]],
  ["title", "regexp", "(?-i)^[A-Z]", ["alpha", "gamma"]],
  ["title", "nregexp", "^[a-z]", ["delta"]],
  // exists: null is a value
  ["note", "exists", "true", ["alpha", "beta", "gamma"]],
  ["author.name", "exists", "0", ["epsilon", "gamma"]],
  // a missing key matches nothing else
  ["nothing", "eq", "null", []],
  ["nothing", "lt", "z", []],
  ["nothing", "in", ["", "null"], []],
  ["nothing", "nregexp", "x", []],
  ["nothing", "neq", "x", all],
  ["nothing", "nin", ["x"], all],
  ["nothing", "exists", "false", all],
  ["nothing", "nbetween", ["a", "b"], []],
  ["year", "nregexp", "^1", ["beta", "delta", "gamma"]],
  // a list is looked into by a number only, and no further than its elements
  ["nested.list.k", "eq", "w", []],
  ["nested.list.k", "exists", "false", all],
  ["nested.list.k", "neq", "w", all],
  ["nested.list", "eq", "w", []],
  ["rows", "eq", "3", ["gamma"]],
  ["rows", "eq", "2", []],
  ["rows", "neq", "2", all],
  ["rows.1", "eq", "3", ["gamma"]],
  ["rows.0", "member_of", "2", ["gamma"]],
  // the service's fields
  ["visibility", "eq", "hidden", ["gamma"]],
  ["routable", "eq", "0", ["beta"]],
  ["published_by", "eq", "", ["beta", "delta", "epsilon", "gamma"]],
  ["slug", "ends_with", "/beta", ["beta"]],
  ["created_at", "gt", "1000", all],
  // letter case of operators
  ["title", "Starts_With", "Al", ["alpha"]],
  // names of JavaScript's own properties are ordinary names
  ["toString", "exists", "true", []],
  ["valueOf", "neq", "x", all],
];

describe("one condition", () => {
  for (const [key, expr, value, expected] of rows) {
    test(`${key} ${expr} ${JSON.stringify(value)} finds ${expected.join(", ") || "nothing"}`, async () => {
      assert.deepEqual(await world.list("", { where: { key, expr, value } }), expected);
    });
  }
});

test("nothing is one of no values, and everything is none of them", async () => {
  const keys = ["title", "year", "tags", "author", "nothing", "slug", "routable", "created_at", "visibility", "uuid"];
  const found = async (filter: object) =>
    Object.values(dataOf(await world.read({ id: world.prefix, filter: JSON.stringify(filter) }))).map(
      (entry) => (entry as { slug: string }).slug.split("/").at(-1) as string,
    );
  for (const key of keys) {
    const none = { key, expr: "in", value: [] };
    const every = { key, expr: "nin", value: [] };
    assert.deepEqual(await found({ where: none }), [], key);
    assert.deepEqual(await found({ where: every }), all, key);
    assert.deepEqual(await found({ where: every, order_by: { field: "title" }, limit: 1 }), ["delta"], key);
    assert.deepEqual(await found({ where: isDelta, and_where: [every] }), ["delta"], key);
    assert.deepEqual(await found({ where: isDelta, and_where: [none] }), [], key);
    assert.deepEqual(await found({ where: none, or_where: [isDelta] }), ["delta"], key);
    assert.deepEqual(await found({ where: isDelta, or_where: [every] }), all, key);
    const count = { where: every, return: "count" };
    assert.equal(dataOf(await world.read({ id: world.prefix, filter: JSON.stringify(count) })), 5, key);
  }
  const without = { where: { key: "title", expr: "in" } };
  refused(await world.read({ id: world.prefix, filter: JSON.stringify(without) }), 400, "filter_invalid", /absent/);
});

describe("times that cannot be read", () => {
  const values: [operator: string, value: ArgumentValue][] = [
    ...["eq", "neq", "lt", "lte", "gt", "gte"].map((operator): [string, string] => [operator, "soon"]),
    ["eq", ""],
    ["eq", "null"],
    ["gte", "2024-02-30"],
    ["in", ["2024-05-01", "later"]],
    ["nin", ["soon"]],
    ["between", ["2024-05-01", "then"]],
    ["nbetween", ["", "2024-05-01"]],
  ];
  for (const [expr, value] of values) {
    test(`${expr} ${JSON.stringify(value)} is refused with the forms of dates`, async () => {
      for (const key of ["published_at", "created_at", "modified_at"]) {
        for (const name of ["where", "and_where", "or_where"]) {
          const filter = { [name]: [{ key, expr, value }] };
          const reply = await world.read({ id: world.prefix, filter });
          refused(reply, 400, "filter_invalid", /2024-05-01/);
        }
      }
    });
  }
  test("pages of a list with a date of the clock follow each other", async () => {
    const query = { where: { key: "created_at", expr: "gte", value: "2 days ago" }, limit: 3 };
    assert.deepEqual(await world.list("", query), all.slice(0, 3));
  });
});

const ann = { key: "author.name", expr: "eq", value: "Ann" };
const is2005 = { key: "year", expr: "eq", value: "2005" };
const rated8 = { key: "rating", expr: "eq", value: "8" };
const hasNote = { key: "note", expr: "exists", value: "true" };
const isDelta = { key: "year", expr: "eq", value: "2010" };

const compositions: [string, Arguments, string[]][] = [
  ["where as a list is a conjunction", { where: [is2005, hasNote] }, ["beta", "gamma"]],
  ["where as a list of one", { where: [ann] }, ["alpha"]],
  ["where and and_where", { where: is2005, and_where: [rated8, { ...hasNote }] }, ["beta", "gamma"]],
  ["and_where alone", { and_where: [is2005, { key: "title", expr: "eq", value: "beta" }] }, ["beta"]],
  ["and_where that contradicts where", { where: ann, and_where: [is2005] }, []],
  ["where or or_where", { where: ann, or_where: [isDelta] }, ["alpha", "delta"]],
  [
    "(where and and_where) or or_where, not where and (…)",
    { where: ann, and_where: [is2005], or_where: [isDelta] },
    ["delta"],
  ],
  [
    "two or_where",
    { where: ann, or_where: [isDelta, { key: "title", expr: "eq", value: "beta" }] },
    ["alpha", "beta", "delta"],
  ],
  ["operator for expr", { where: { key: "title", operator: "eq", value: "beta" } }, ["beta"]],
  ["the list form of the later releases", { where: [{ key: "title", operator: "eq", value: "beta" }] }, ["beta"]],
  [
    "an entry that matches twice is listed once",
    { where: ann, or_where: [ann, { key: "year", expr: "eq", value: "1999" }] },
    ["alpha"],
  ],
];

describe("several conditions", () => {
  for (const [name, filter, expected] of compositions) {
    test(name, async () => assert.deepEqual(await world.list("", filter), expected));
  }

  test("the same in options[filter]", async () => {
    for (const [, filter, expected] of compositions) {
      const options = { collection: "true", filter };
      const reply = await world.read({ id: world.prefix, options });
      assert.deepEqual(
        dataOf(reply).map((entry: { slug: string }) => entry.slug.slice(world.prefix.length + 1)),
        expected,
      );
    }
  });

  test("brackets may be raw or percent-encoded, in upper or lower case", async () => {
    const raw = `id=${world.prefix}&token=${world.tokens.management}&filter`;
    const tails = [
      `${raw}[where][key]=title&filter[where][expr]=eq&filter[where][value]=beta`,
      `${raw}%5Bwhere%5D%5Bkey%5D=title&filter%5bwhere%5d%5bexpr%5d=eq&filter%5Bwhere%5D[value]=beta`,
    ];
    for (const query of tails) {
      const reply = await world.send({ path, query });
      assert.deepEqual(dataOf(reply).length, 1, query);
      assert.equal(dataOf(reply)[0].title, "beta");
    }
  });

  test("a plus and %20 are both a space", async () => {
    const start = `id=${world.prefix}&token=${world.tokens.management}&filter[where][key]=title&filter[where][expr]=eq`;
    for (const value of ["Gamma+ray", "Gamma%20ray"]) {
      assert.equal(dataOf(await world.send({ path, query: `${start}&filter[where][value]=${value}` })).length, 1);
    }
  });

  test("a repeated filter gives the same reply", async () => {
    const ask = () => world.read({ id: world.prefix, filter: { where: is2005, or_where: [ann] } });
    const [first, second] = [await ask(), await ask()];
    assert.equal(first.text, second.text);
    assert.equal(first.headers.etag, second.headers.etag);
  });
});

const filterCall = (filter: Arguments) => ({
  path,
  query: { id: world.prefix, token: world.tokens.management, filter },
});
const where = (key: string, expr: string, value: ArgumentValue) => filterCall({ where: { key, expr, value } });
const conditions = (count: number): Arguments[] =>
  Array.from({ length: count }, () => ({ key: "title", expr: "neq", value: "nothing" }));
const values = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

// Each form that is refused, by its name: src/core/list/filter.test.ts.
const refusals: [name: string, call: Call, about?: RegExp][] = [
  ["an unknown operator", where("title", "matches", "x"), /matches/],
  ["an operator that is a method of objects", where("title", "toString", "x"), /toString/],
  ["a condition without a key", filterCall({ where: { expr: "eq", value: "x" } }), /key/],
  ["an incomplete condition in and_where", filterCall({ where: ann, and_where: [{ key: "title" }] }), /and_where/],
  ["an incomplete condition in or_where", filterCall({ where: ann, or_where: [{ expr: "eq" }] }), /or_where/],
  ["a where that is text", filterCall({ where: "title" }), /where/],
  ["between with one value", where("year", "between", ["1"]), /between|value/],
  ["an object as a value", where("year", "eq", { a: "1" }), /value/],
  ["a regular expression with look-ahead", where("title", "regexp", "(?=a)")],
  ["a regular expression with a back-reference", where("title", "regexp", "(a)\\1")],
  ["a regular expression of 1,001 bytes", where("title", "regexp", "a".repeat(1001))],
  ["51 conditions in all", filterCall({ where: ann, and_where: conditions(25), or_where: conditions(25) })],
  ["101 values", where("year", "in", values(101))],
  ["a value with U+0000", where("title", "eq", "a\0b")],
  ["a key with U+0000", where("a\0", "eq", "a")],
];
test("a filter is refused for each form that none has", async () => {
  for (const [name, call, about] of refusals) {
    const reply = await world.send(call);
    assert.equal(reply.status, 400, name);
    refused(reply, 400, undefined, about);
  }
});

describe("the largest allowed filters are accepted", () => {
  test("50 conditions", async () => assert.deepEqual(await world.list("", { and_where: conditions(50) }), all));
  test("100 values", async () => {
    const value = [...values(99), "1999"];
    assert.deepEqual(await world.list("", { where: { key: "year", expr: "in", value } }), ["alpha"]);
  });
  test("a regular expression of 1,000 bytes", async () => {
    const value = `Alpha|${"b".repeat(994)}`;
    assert.deepEqual(await world.list("", { where: { key: "title", expr: "regexp", value } }), ["alpha"]);
  });
});

describe("hostile filters", () => {
  test("a regular expression with catastrophic backtracking is answered or refused as too costly", async () => {
    await world.plant({ "bomb/a": { title: `${"a".repeat(50_000)}!` } });
    const bombs: [value: string, isMatch: boolean][] = [
      ["(a+)+$", false],
      ["(a|a)*$", true],
      ["(.*)*x", false],
      ["(a|b|ab)*c", false],
    ];
    for (const [value, isMatch] of bombs) {
      const reply = await world.read({
        id: world.id("bomb"),
        filter: { where: { key: "title", expr: "regexp", value } },
      });
      if (reply.status === 503) refused(reply, 503, "filter_too_costly");
      else assert.equal(dataOf(reply).length, isMatch ? 1 : 0, value);
    }
    const where = { key: "title", expr: "regexp", value: "a{1,500}a{1,500}$" };
    refused(await world.read({ id: world.id("bomb"), filter: { where } }), 400, "filter_too_complex");
  });

  test("other requests are answered while a costly filter runs", async () => {
    const letters = Array.from({ length: 500_000 }, (_, n) =>
      (Math.imul(n * n + 7 * n, 2654435761) >>> 9) & 1 ? "a" : "b",
    );
    const title = `${letters.join("")}d`;
    // A fast machine searches one of them within the limit, but not all of them.
    const names = Array.from({ length: 8 }, (_, n) => `costly/${n}`);
    await world.plant(Object.fromEntries(names.map((name) => [name, { title }])));
    const where = { key: "title", expr: "regexp", value: "[ab]{500}(a[ab]{300}|b[ab]{100})d" };
    let open = 4;
    const costly = Array.from({ length: open }, async () => {
      const reply = await world.read({ id: world.id("costly"), filter: { where } });
      open--;
      return reply;
    });
    assert.equal(await world.statusOf("alpha"), 200);
    assert.ok(open > 0, "a point read waits for every filter");
    for (const reply of await Promise.all(costly)) refused(reply, 503, "filter_too_costly");
  });

  const injections = ["'", '"', "' OR 1=1 --", "%", "\\", ");", "$.title", "title') OR ('1'='1", "[0]"];
  test("text that looks like SQL or a JSON path is only text", async () => {
    for (const text of injections) {
      for (const expr of ["eq", "contains", "starts_with", "gt", "in"]) {
        const byValue = await world.read({ id: world.prefix, filter: { where: { key: "title", expr, value: text } } });
        if (expr !== "gt") assert.deepEqual(dataOf(byValue), [], `title ${expr} ${text}`);
        const byKey = await world.read({ id: world.prefix, filter: { where: { key: text, expr, value: "x" } } });
        assert.deepEqual(dataOf(byKey), [], `${text} ${expr} x`);
      }
    }
  });

  test("invalid list indexes never cause a 500", async () => {
    for (const index of ["5", "999999999", "-1", "01", "x", "1e3"]) {
      const tail = `filter[and_where][${index}][key]=title&filter[and_where][${index}][expr]=eq&filter[and_where][${index}][value]=beta`;
      const reply = await world.send({ path, query: `id=${world.prefix}&token=${world.tokens.management}&${tail}` });
      if (reply.status === 200) assert.deepEqual(dataOf(reply).length, 1, `index ${index} means one condition`);
      else refused(reply, 400);
    }
  });
});

allRepliesKeptTheirPromises(world);
