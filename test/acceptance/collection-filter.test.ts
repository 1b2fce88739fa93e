/** Conditions and operators. Contract §4, Filter and §4, Types; compatibility, Operators. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Arguments, ArgumentValue } from "./client.ts";
import { allRepliesKeptTheirPromises, dataOf, enter, refused, type Scenario, table } from "./world.ts";

const world = await enter("filter");
const path = "/api/entries";

/** Numbers are stored as written here, even above 2^53. */
const films: Record<string, string> = {
  alpha: `{"title":"Alpha","year":1999,"rating":7.5,"tags":["sf","drama"],"author":{"name":"Ann"},"seen":true,
    "note":null,"big":9007199254740993,"price":"15","released":"2020-01-15","published_at":1000000000,"published_by":"ann"}`,
  beta: `{"title":"beta","year":2005,"rating":8,"tags":["drama"],"author":{"name":"Bob"},"seen":false,
    "note":"null","big":9007199254740992,"price":15,"released":"2021-06-01 10:00","published_at":1200000000,"routable":false}`,
  gamma: `{"title":"Gamma ray","year":"2005","rating":8.0,"tags":[],"author":{},"seen":"true",
    "note":"","big":-0,"price":"9","released":"01-01-2022 12:00","published_at":1400000000,"visibility":"hidden"}`,
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

const rows: Row[] = [
  // eq and its names
  ["title", "eq", "Alpha", ["alpha"]],
  ["title", "=", "Alpha", ["alpha"]],
  ["title", "is", "Alpha", ["alpha"]],
  ["title", "eq", "alpha", []],
  ["title", "eq", "Alph", []],
  ["title", "eq", "", ["delta"]],
  ["title", "eq", "Alpha ", []],
  // the stored type decides
  ["year", "eq", "2005", ["beta", "gamma"]],
  ["year", "eq", "2005.0", ["beta"]],
  ["year", "eq", "2.005e3", ["beta"]],
  ["year", "eq", "x", []],
  ["year", "eq", "", []],
  ["rating", "eq", "8", ["beta", "gamma"]],
  ["rating", "eq", "8.00", ["beta", "gamma"]],
  ["rating", "eq", "7.5", ["alpha"]],
  ["rating", "eq", "7.50000000000000001", []],
  ["big", "eq", "9007199254740993", ["alpha"]],
  ["big", "eq", "9007199254740992", ["beta"]],
  ["big", "eq", "9007199254740993.0", ["alpha"]],
  ["big", "eq", "0", ["gamma"]],
  ["price", "eq", "15", ["alpha", "beta", "delta"]],
  ["seen", "eq", "true", ["alpha", "gamma"]],
  ["seen", "eq", "1", ["alpha", "delta"]],
  ["seen", "eq", "false", ["beta"]],
  ["seen", "eq", "0", ["beta"]],
  ["seen", "eq", "yes", []],
  ["note", "eq", "null", ["alpha", "beta"]],
  ["note", "eq", "", ["gamma"]],
  // lists
  ["tags", "eq", "drama", ["alpha", "beta"]],
  ["tags", "eq", "7", ["delta"]],
  ["tags", "eq", "true", ["delta"]],
  ["tags", "eq", "sf,drama", []],
  ["tags", "contains", "drama", ["alpha", "beta"]],
  ["tags", "contains", "western", []],
  ["tags", "member_of", "drama", ["alpha", "beta"]],
  ["tags", "member_of", "dra", []],
  ["tags", "ncontains", "drama", ["delta", "epsilon", "gamma"]],
  // dotted keys
  ["author.name", "eq", "Ann", ["alpha"]],
  ["author.name.first", "eq", "Cy", ["delta"]],
  ["tags.0", "eq", "sf", ["alpha"]],
  ["tags.0", "eq", "drama", ["beta"]],
  ["tags.9", "eq", "drama", []],
  ["nested.list.1.k", "eq", "w", ["delta"]],
  ["title.length", "eq", "5", []],
  ["tags.length", "eq", "2", []],
  ["author.constructor.name", "eq", "Object", []],
  // neq: a missing key matches
  ["title", "neq", "Alpha", ["beta", "delta", "epsilon", "gamma"]],
  ["title", "!=", "Alpha", ["beta", "delta", "epsilon", "gamma"]],
  ["title", "<>", "Alpha", ["beta", "delta", "epsilon", "gamma"]],
  ["year", "neq", "2005", ["alpha", "delta", "epsilon"]],
  ["year", "neq", "x", all],
  ["tags", "neq", "drama", ["delta", "epsilon", "gamma"]],
  ["seen", "neq", "true", ["beta", "delta", "epsilon"]],
  // order, numbers as decimals, numeric text as numbers
  ["year", "lt", "2005", ["alpha"]],
  ["year", "<", "2005", ["alpha"]],
  ["year", "lte", "2005", ["alpha", "beta", "gamma"]],
  ["year", "<=", "2005", ["alpha", "beta", "gamma"]],
  ["year", "gt", "2005", ["delta"]],
  ["year", ">", "2005", ["delta"]],
  ["year", "gte", "2005", ["beta", "delta", "gamma"]],
  ["year", ">=", "2005", ["beta", "delta", "gamma"]],
  ["big", "gt", "9007199254740992", ["alpha"]],
  ["big", "lt", "9007199254740993", ["beta", "gamma"]],
  ["big", "gte", "9007199254740993", ["alpha"]],
  ["price", "gt", "9", ["alpha", "beta", "delta"]],
  ["price", "lt", "10", ["gamma"]],
  ["price", "gte", "15.0", ["alpha", "beta", "delta"]],
  ["published_at", "gt", "1200000000", ["delta", "epsilon", "gamma"]],
  // text without case and marks
  ["title", "lt", "a", ["delta"]],
  ["title", "gte", "a", ["alpha", "beta", "gamma"]],
  ["title", "lt", "b", ["alpha", "delta"]],
  ["title", "lte", "ÁLPHA", ["alpha", "delta"]],
  ["title", "gt", "alpha", ["beta", "gamma"]],
  ["author.name", "gt", "Ann", ["beta"]],
  // lists of values
  ["year", "in", ["1999", "2010"], ["alpha", "delta"]],
  ["year", "in", "1999", ["alpha"]],
  ["year", "in", "1999,2010", []],
  ["title", "in", ["Alpha", ""], ["alpha", "delta"]],
  ["tags", "in", ["sf", "7"], ["alpha", "delta"]],
  ["year", "nin", ["1999", "2010"], ["beta", "epsilon", "gamma"]],
  ["title", "nin", ["Alpha"], ["beta", "delta", "epsilon", "gamma"]],
  ["year", "between", ["1999", "2005"], ["alpha", "beta", "gamma"]],
  ["year", "between", ["2000", "2004"], []],
  ["price", "between", ["9", "14.9"], ["gamma"]],
  ["big", "between", ["9007199254740993", "9007199254740993"], ["alpha"]],
  ["title", "between", ["a", "b"], ["alpha"]],
  ["title", "between", ["A", "H"], ["alpha", "beta", "gamma"]],
  ["title", "nbetween", ["A", "B"], ["beta", "delta", "gamma"]],
  ["year", "nbetween", ["1999", "2005"], ["delta"]],
  // text
  ["title", "contains", "amma", ["gamma"]],
  ["title", "like", "amma", ["gamma"]],
  ["title", "contains", "AMMA", []],
  ["title", "contains", "a", ["alpha", "beta", "gamma"]],
  ["title", "contains", "%", []],
  ["title", "like", "%a%", []],
  ["title", "like", "_eta", []],
  ["tags", "eq", "100%", ["delta"]],
  ["tags", "eq", "a_b", ["delta"]],
  ["tags", "eq", "axb", []],
  ["year", "contains", "00", ["beta", "gamma"]],
  ["title", "ncontains", "a", ["delta", "epsilon"]],
  ["title", "nlike", "a", ["delta", "epsilon"]],
  ["title", "start_with", "Al", ["alpha"]],
  ["title", "starts_with", "Al", ["alpha"]],
  ["title", "starts_with", "al", []],
  ["title", "ends_with", "ray", ["gamma"]],
  ["title", "ends_with", "a", ["alpha", "beta"]],
  ["year", "starts_with", "20", ["beta", "delta", "gamma"]],
  ["year", "ends_with", "9", ["alpha"]],
  // dates
  ["released", "newer", "2020-12-31", ["beta", "gamma"]],
  ["released", "older", "2021-06-01", ["alpha"]],
  ["released", "newer", "2021-06-01 10:00", ["gamma"]],
  ["released", "older", "01-01-2022 12:00", ["alpha", "beta"]],
  ["published_at", "newer", "2017-07-14", ["delta", "epsilon"]],
  ["published_at", "older", "1200000000", ["alpha"]],
  // regular expressions
  ["title", "regexp", "a", ["alpha", "beta", "gamma"]],
  ["title", "regexp", "^[A-Z]", ["alpha", "beta", "gamma"]],
  ["title", "regexp", "(?-i)^[A-Z]", ["alpha", "gamma"]],
  ["title", "regexp", "^B", ["beta"]],
  ["title", "regexp", "(?i)^b", ["beta"]],
  ["title", "regexp", "(?i)ALPHA|RAY$", ["alpha", "gamma"]],
  ["title", "regexp", "^$", ["delta"]],
  ["title", "regexp", "\\s", ["gamma"]],
  ["title", "nregexp", "^[a-z]", ["delta"]],
  ["title", "nregexp", "(?-i)^[A-Z]", ["beta", "delta"]],
  // exists: null is a value
  ["note", "exists", "true", ["alpha", "beta", "gamma"]],
  ["note", "exists", "false", ["delta", "epsilon"]],
  ["author.name", "exists", "1", ["alpha", "beta", "delta"]],
  ["author.name", "exists", "0", ["epsilon", "gamma"]],
  ["content", "exists", "true", all],
  // a missing key matches nothing else
  ["nothing", "eq", "", []],
  ["nothing", "eq", "null", []],
  ["nothing", "lt", "z", []],
  ["nothing", "contains", "", []],
  ["nothing", "in", ["", "null"], []],
  ["nothing", "regexp", ".*", []],
  ["nothing", "nregexp", "x", []],
  ["nothing", "nbetween", ["1", "2"], []],
  ["nothing", "older", "2030-01-01", []],
  ["nothing", "neq", "x", all],
  ["nothing", "nin", ["x"], all],
  ["nothing", "ncontains", "x", all],
  ["nothing", "nlike", "x", all],
  ["nothing", "exists", "false", all],
  // the service's fields
  ["visibility", "eq", "hidden", ["gamma"]],
  ["routable", "eq", "false", ["beta"]],
  ["routable", "eq", "0", ["beta"]],
  ["routable", "eq", "true", ["alpha", "delta", "epsilon", "gamma"]],
  ["published_by", "eq", "ann", ["alpha"]],
  ["published_by", "eq", "", ["beta", "delta", "epsilon", "gamma"]],
  ["slug", "eq", world.id("beta"), ["beta"]],
  ["slug", "ends_with", "/beta", ["beta"]],
  ["created_at", "gt", "1000", all],
  ["uuid", "regexp", "^[0-9a-f-]{36}$", all],
  // letter case of operators
  ["title", "EQ", "Alpha", ["alpha"]],
  ["title", "Starts_With", "Al", ["alpha"]],
  ["year", "BETWEEN", ["1999", "2005"], ["alpha", "beta", "gamma"]],
  // names of JavaScript's own properties are ordinary names
  ["toString", "exists", "true", []],
  ["hasOwnProperty", "exists", "true", []],
  ["valueOf", "neq", "x", all],
];

describe("one condition", () => {
  for (const [key, expr, value, expected] of rows) {
    test(`${key} ${expr} ${JSON.stringify(value)} finds ${expected.join(", ") || "nothing"}`, async () => {
      assert.deepEqual(await world.list("", { where: { key, expr, value } }), expected);
    });
  }
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

const refusals: Scenario[] = [
  { name: "an unknown operator", call: where("title", "matches", "x"), status: 400, about: /matches/ },
  {
    name: "an operator that is a method of objects",
    call: where("title", "toString", "x"),
    status: 400,
    about: /toString/,
  },
  { name: "an empty operator", call: where("title", "", "x"), status: 400 },
  {
    name: "a condition without a key",
    call: filterCall({ where: { expr: "eq", value: "x" } }),
    status: 400,
    about: /key/,
  },
  {
    name: "a condition without an operator",
    call: filterCall({ where: { key: "title", value: "x" } }),
    status: 400,
    about: /expr|operator/,
  },
  {
    name: "a condition without a value",
    call: filterCall({ where: { key: "title", expr: "eq" } }),
    status: 400,
    about: /value/,
  },
  {
    name: "an incomplete condition in and_where",
    call: filterCall({ where: ann, and_where: [{ key: "title" }] }),
    status: 400,
    about: /and_where/,
  },
  {
    name: "an incomplete condition in or_where",
    call: filterCall({ where: ann, or_where: [{ expr: "eq" }] }),
    status: 400,
    about: /or_where/,
  },
  { name: "a where that is text", call: filterCall({ where: "title" }), status: 400, about: /where/ },
  { name: "a condition that is text", call: filterCall({ and_where: ["title"] }), status: 400, about: /and_where/ },
  {
    name: "a key that is a list",
    call: filterCall({ where: { key: ["a"], expr: "eq", value: "x" } }),
    status: 400,
    about: /key/,
  },
  {
    name: "an operator that is a list",
    call: filterCall({ where: { key: "a", expr: ["eq"], value: "x" } }),
    status: 400,
  },
  { name: "between with one value", call: where("year", "between", ["1"]), status: 400, about: /between|value/ },
  {
    name: "between with three values",
    call: where("year", "between", ["1", "2", "3"]),
    status: 400,
    about: /between|value/,
  },
  { name: "between with a text", call: where("year", "between", "1999"), status: 400, about: /between|value/ },
  { name: "nbetween with one value", call: where("year", "nbetween", ["1"]), status: 400, about: /between|value/ },
  { name: "a list of values for eq", call: where("year", "eq", ["1999", "2005"]), status: 400, about: /value/ },
  { name: "an object as a value", call: where("year", "eq", { a: "1" }), status: 400, about: /value/ },
  { name: "exists with a word", call: where("title", "exists", "maybe"), status: 400, about: /value|exists/ },
  { name: "a regular expression that does not parse", call: where("title", "regexp", "("), status: 400 },
  { name: "a regular expression with look-ahead", call: where("title", "regexp", "(?=a)"), status: 400 },
  { name: "a regular expression with look-behind", call: where("title", "regexp", "(?<!a)b"), status: 400 },
  { name: "a regular expression with a back-reference", call: where("title", "regexp", "(a)\\1"), status: 400 },
  { name: "a regular expression with a huge repeat", call: where("title", "regexp", "(a{1000}){1000}"), status: 400 },
  { name: "a regular expression of 1,001 bytes", call: where("title", "regexp", "a".repeat(1001)), status: 400 },
  {
    name: "a regular expression of 1,001 bytes in 501 characters",
    call: where("title", "regexp", `a${"é".repeat(500)}`),
    status: 400,
  },
  { name: "51 conditions", call: filterCall({ and_where: conditions(51) }), status: 400 },
  {
    name: "51 conditions in all",
    call: filterCall({ where: ann, and_where: conditions(25), or_where: conditions(25) }),
    status: 400,
  },
  { name: "101 values", call: where("year", "in", values(101)), status: 400 },
  { name: "a value with U+0000", call: where("title", "eq", "a\0b"), status: 400 },
  { name: "a key with U+0000", call: where("a\0", "eq", "a"), status: 400 },
];

table("a filter is refused for", world, refusals);

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

  const injections = [
    "'",
    '"',
    "' OR 1=1 --",
    "%",
    "_",
    "\\",
    "*",
    ");",
    "$.title",
    "title') OR ('1'='1",
    "[0]",
    "a'b\"c",
  ];
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
