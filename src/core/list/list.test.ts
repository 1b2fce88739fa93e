import assert from "node:assert/strict";
import { test } from "node:test";
import { fraction, seed } from "../../../test/random.ts";
import { parseUrlEncoded } from "../lib/brackets.ts";
import { type LongText, wholeText } from "../lib/long-text.ts";
import { compareText, type Path } from "../path.ts";
import { Problem } from "../problem.ts";
import {
  type AnswerOptions,
  answerCollection,
  argumentNames,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  depthRange,
  hasPattern,
  pageStart,
  parseCollection,
} from "./list.ts";
import { orderKey } from "./order-key.ts";

const nowSeconds = Date.UTC(2024, 4, 10, 12) / 1000;
const bounds = { maxLimit: 100, defaultLimit: 50 };
const root = "movies" as Path;

function parse(query: string, path = root): CollectionQuery {
  return parseCollection(path, parseUrlEncoded(query, { maxPairs: 1000, maxDepth: 8, maxItems: 1000 }), bounds);
}

function item(path: string, fields = "", facts: Partial<CollectionItem> = {}): CollectionItem {
  const json = `{${fields}${fields && ","}"slug":${JSON.stringify(path)}}`;
  const serviceKeys = new Set(["slug"]);
  return { path: path as Path, json, serviceKeys, modifiedAt: 0, createdAt: 0, size: fields.length, ...facts };
}

const defaults: AnswerOptions = {
  arrival: "any",
  pageBytes: 1 << 24,
  regexpBudgetMs: 1000,
  random: () => 0,
  nowSeconds,
};

function answer(
  query: string,
  items: CollectionItem[],
  options: Partial<AnswerOptions> = {},
): Promise<CollectionAnswer> {
  return answerCollection(parse(query), "management", [items], { ...defaults, ...options });
}

/** The names (last segments) in an answer that is a list. */
const names = ({ json }: CollectionAnswer): string =>
  (JSON.parse(wholeText(json)) as { slug: string }[]).map(({ slug }) => slug.split("/").at(-1)).join(" ");

const letters = (text: string): CollectionItem[] => text.split("").map((name) => item(`movies/${name}`));

// ------------------------------------------------------------------------------------------------ the list

test("without arguments a collection is the direct children in path order, each as its own text", async () => {
  const items = [item("movies/b", '"n":1.0'), item("movies"), item("movies/a/x"), item("movies/a", '"a":{}')];
  const { json, next, total } = await answer("", items);
  assert.equal(json, '[{"a":{},"slug":"movies/a"},{"n":1.0,"slug":"movies/b"}]');
  assert.equal(next, undefined);
  assert.equal(total, undefined);
});

test("without a match the list is empty", async () => assert.equal((await answer("", [])).json, "[]"));

test("unknown arguments are ignored", () => assert.deepEqual(parse("colour=red&x[y]=z"), parse("")));

test("the list of arguments has exactly the arguments that are read", () => {
  /** Records every key that is read. */
  class Noting extends Map<string, never> {
    readonly asked = new Set<string>();
    override get(key: string): undefined {
      this.asked.add(key);
      return undefined;
    }
  }
  const args = new Noting();
  parseCollection(root, args, bounds);
  assert.deepEqual([...argumentNames.keys()].sort(), [...args.asked].sort());
});

test("an empty argument counts as missing", () => {
  const blank =
    "limit=&offset=&return=&search=&depth=&date=&size=&order_by=&sort_by=&group_by=&only=&except[]=&total=&cursor=&recursive=&exclude[]=";
  assert.deepEqual(parse(blank), parse(""));
});

test("a query can be sent to another thread", () => {
  const query = parse("depth=*&order_by[field]=a&where[key]=a&where[expr]=in&where[value]=b&only=a");
  assert.deepEqual(structuredClone(query), query);
});

// ------------------------------------------------------------------------------------------------ order

const orders: [query: string, expected: string][] = [
  ["sort_by[key]=f&sort_by[direction]=desc", "c b a d"],
  ["sort_by[key]=f&sort_by[direction]=Asc", "a d b c"],
  ["sort_by[field]=f", "a d b c"],
  ["order_by[key]=f", "a d b c"],
  ["order_by[0][field]=f&order_by[1][field]=g&order_by[1][direction]=desc", "d a b c"],
  ["order_by[0][field]=f&sort_by[0][key]=g&sort_by[0][direction]=desc", "d a b c"],
  ["sort_by=mtime", "d c b a"],
  ["sort_by=atime", "d c b a"],
  ["sort_by=ctime", "b a c d"],
  ["order_by[field]=deep.er", "d c a b"],
  ["where[key]=g&where[expr]=eq&where[value]=1&order_by[field]=f&order_by[direction]=desc", "b a"],
];
for (const [query, expected] of orders) {
  test(`${query} gives ${expected}`, async () => {
    const items = [
      item("movies/a", '"f":1,"g":1', { modifiedAt: 4, createdAt: 2 }),
      item("movies/b", '"f":2,"g":1', { modifiedAt: 3, createdAt: 1 }),
      item("movies/c", '"f":3,"deep":{"er":"2"}', { modifiedAt: 2, createdAt: 3 }),
      item("movies/d", '"f":1.0,"g":2,"deep":{"er":1}', { modifiedAt: 1, createdAt: 4 }),
    ];
    assert.equal(names(await answer(query, items)), expected);
  });
}

// ------------------------------------------------------------------------------------------------ paging

const windows: [query: string, expected: string][] = [
  ["limit=2", "a b"],
  ["set_max_result=2", "a b"],
  ["limit_value=2", "a b"],
  ["return=limit&limit_value=2", "a b"],
  ["offset=3", "d e"],
  ["set_first_result=3", "d e"],
  ["return=set_first_result&set_first_result_value=3", "d e"],
  ["return=slice&slice_offset_value=1&slice_limit_value=2", "b c"],
  ["slice_offset=1&slice_limit=2", "b c"],
  ["limit=2&offset=4", "e"],
  ["offset=9", ""],
  ["limit=0", ""],
  ["set_max_result=0", ""],
  ["limit_value=0", "a b c d e"],
  ["limit=2&limit_value=2", "a b"],
];
for (const [query, expected] of windows) {
  test(`${query} gives "${expected}", whatever the order of candidates`, async () => {
    assert.equal(names(await answer(query, letters("edcba"))), expected);
    assert.equal(names(await answer(query, letters("abcde"), { arrival: "ordered" })), expected);
  });
}

test("every page but the last has a cursor", async () => {
  for (const arrival of ["ordered", "any"] as const) {
    const items = letters("abcde");
    const first = await answer("limit=2", items, { arrival });
    const second = await answer(`limit=2&cursor=${first.next}`, items, { arrival });
    const third = await answer(`limit=2&cursor=${second.next}`, items, { arrival });
    assert.deepEqual([first, second, third].map(names), ["a b", "c d", "e"]);
    assert.equal(third.next, undefined);
    assert.match(first.next ?? "", /^[\w-]+$/);
  }
});

test("a walk by values has each item once, also where the paths have another order or a value is long", async () => {
  const long = "x".repeat(300);
  for (const [b, c, a] of [
    ["1", "2", "3"],
    [`"${long}"`, `"${long}a"`, `"${long}b"`],
  ]) {
    const items = Object.entries({ a, b, c }).map(([name, value]) => item(`movies/${name}`, `"f":${value}`));
    for (const [direction, expected] of Object.entries({ asc: "b c a", desc: "a c b" })) {
      const walk: string[] = [];
      let cursor: string | undefined = "";
      while (cursor !== undefined && walk.length < 4) {
        const query = `order_by[field]=f&order_by[direction]=${direction}&limit=1&cursor=${cursor}`;
        const page: CollectionAnswer = await answer(query, items);
        walk.push(names(page));
        cursor = page.next;
      }
      assert.equal(walk.join(" "), expected);
    }
  }
});

test("after an offset the next page continues without it", async () => {
  const first = await answer("limit=2&offset=1", letters("abcde"));
  const second = await answer(`limit=2&offset=1&cursor=${first.next}`, letters("abcde"));
  assert.deepEqual([names(first), names(second), second.next], ["b c", "d e", undefined]);
});

test("items created and deleted during paging do not affect the others", async () => {
  const first = await answer("limit=2", letters("acegi"));
  const second = await answer(`limit=2&cursor=${first.next}`, letters("abdegi"));
  assert.equal(names(second), "d e");
});

test("a page that cannot be sorted within the limits is refused before the sort", async () => {
  const items = letters("abcdefghijklmnopqrstuvwxyz").map((one) => ({ ...one, json: one.json.padEnd(200) }));
  const refused = answer("offset=25&order_by[field]=f", items, { pageBytes: 50 });
  await assert.rejects(refused, { code: "filter_too_complex" });
});

test("the total counts every match, whatever the page", async () => {
  for (const query of ["limit=2&total=true", "limit=0&total=1", "offset=4&total=on", "return=exists&total=true"]) {
    assert.equal((await answer(query, letters("abcde"), { arrival: "ordered" })).total, 5, query);
  }
  const first = await answer("limit=2&total=true", letters("abcde"), { arrival: "ordered" });
  const second = await answer(`limit=2&total=true&cursor=${first.next}`, letters("abcde"), { arrival: "ordered" });
  assert.deepEqual([names(second), second.total], ["c d", 5]);
});

test("reading stops when the page is full, unless the total is requested", async () => {
  let read = 0;
  function* batches() {
    for (const letter of "abcdefgh") {
      read++;
      yield [item(`movies/${letter}`)];
    }
  }
  await answerCollection(parse("limit=2"), "management", batches(), { ...defaults, arrival: "ordered" });
  assert.equal(read, 3);
  await answerCollection(parse("return=exists"), "management", batches(), defaults);
  assert.equal(read, 4);
});

test("candidates may be asynchronous", async () => {
  async function* batches() {
    yield letters("ab");
    yield letters("c");
  }
  assert.equal(names(await answerCollection(parse(""), "management", batches(), defaults)), "a b c");
});

// ------------------------------------------------------------------------------------------------ cursors

const cursorOf = async (query: string, scope = "management"): Promise<string> => {
  const { next } = await answerCollection(parse(query), scope, [letters("abc")], defaults);
  assert.ok(next);
  return next;
};
const useCursor = (query: string, cursor: string, scope = "management") =>
  answerCollection(parse(`${query}&cursor=${cursor}`), scope, [letters("abc")], defaults);

test("a cursor is invalid for another filter, order, depth, search or scope", async () => {
  const cursor = await cursorOf("limit=1");
  const others = [
    "limit=1&where[key]=a&where[expr]=neq&where[value]=b",
    "limit=1&order_by[field]=a",
    "limit=1&depth=*",
    "limit=1&search=a",
    "limit=1&size=>0",
  ];
  for (const other of others) await assert.rejects(useCursor(other, cursor), { code: "cursor_invalid" }, other);
  await assert.rejects(useCursor("limit=1", cursor, "delivery"), { code: "cursor_invalid" });
  const elsewhere = parseCollection("books" as Path, new Map([["cursor", cursor]]), bounds);
  await assert.rejects(answerCollection(elsewhere, "management", [], defaults), { code: "cursor_invalid" });
});

test("what is no cursor is refused", async () => {
  await assert.rejects(useCursor("", "x"), { code: "cursor_invalid" });
  assert.throws(() => parse("cursor[]=x"), { code: "cursor_invalid" });
});

test("a cursor is valid for another page size and projection", async () => {
  assert.equal(names(await useCursor("limit=2&only=slug", await cursorOf("limit=1"))), "b c");
});

test("a cursor among deleted long texts is refused, unless the head of the text determines the position", async () => {
  const long = "x".repeat(5000);
  const items = [`${long}a`, `${long}b`, `${long}c`].map((f, i) => item(`movies/${"abc"[i]}`, `"f":"${f}"`));
  const { next } = await answer("order_by[field]=f&limit=2", items);
  const goOn = (...left: CollectionItem[]) => answer(`order_by[field]=f&cursor=${next}`, left);
  await assert.rejects(goOn(...items.slice(0, 1), ...items.slice(2)), { code: "cursor_invalid" });
  assert.equal(names(await goOn(item("movies/d", '"f":"y"'), item("movies/e", '"f":"x"'))), "d");
});

test("a page starts after the item of its cursor, whose sort values are known where the cursor has them whole", async () => {
  assert.equal(pageStart(parse(""), "management"), undefined);
  const cursor = await cursorOf("limit=1");
  assert.deepEqual(pageStart(parse(`cursor=${cursor}`), "management"), { path: "movies/a", values: [] });
  const startOf = async (value: string) => {
    const items = [item("movies/a", `"f":${JSON.stringify(value)}`), item("movies/b", `"f":${JSON.stringify(value)}`)];
    const { next } = await answer("limit=1&order_by[field]=f", items);
    return pageStart(parse(`order_by[field]=f&cursor=${next}`), "management");
  };
  assert.deepEqual(await startOf("Äpfel"), { path: "movies/a", values: [orderKey("Äpfel")] });
  assert.deepEqual(await startOf("x".repeat(300)), { path: "movies/a", values: undefined });
});

// ------------------------------------------------------------------------------------------------ return

/** Of nothing, of one, and by each spelling; the others: src/core/list/shape.test.ts. */
const shapes: [query: string, items: string, expected: string][] = [
  ["return=FIRST", "ba", '"a"'],
  ["return=first", "", "null"],
  ["return=last", "", "null"],
  ["return=next", "b", "null"],
  ["return=exists", "", "false"],
  ["return=count", "", "0"],
  ["return=random", "a", '"a"'],
  ["return=random&random_value=null", "a", '"a"'],
  ["return=random", "", "null"],
  ["return=random&random_value=0", "ab", "[]"],
  ["return=random&random=5", "a", '["a"]'],
  ["return=random&random=5", "", "[]"],
  ["return=shuffle", "a", '["a"]'],
  ["return=shuffle", "", "[]"],
];
for (const [query, items, expected] of shapes) {
  test(`${query} of "${items}" is ${expected}, without a cursor`, async () => {
    const { json, next } = await answer(query, letters(items));
    assert.equal(wholeText(json).replaceAll(/\{"slug":"movies\/(\w)"\}/g, '"$1"'), expected);
    assert.equal(next, undefined);
  });
}

test("the last of all may be beyond a page", async () => {
  const items = Array.from({ length: bounds.defaultLimit + 1 }, (_, i) => item(`movies/${100 + i}`));
  assert.equal((await answer("return=last", items)).json, '{"slug":"movies/150"}');
});

test("group_by is an object of lists in the order of the items", async () => {
  const items = [
    item("movies/a", '"y":1999'),
    item("movies/b", '"y":"old"'),
    item("movies/c", '"y":1999'),
    item("movies/d"),
    item("movies/e", '"y":true'),
    item("movies/f", '"y":[1]'),
  ];
  const { json, next } = await answer("group_by=y&only=slug", items);
  const short = wholeText(json).replaceAll(/\{"slug":"movies\/(\w)"\}/g, '"$1"');
  assert.equal(short, '{"1999":["a","c"],"old":["b"],"":["d","f"],"true":["e"]}');
  assert.equal(next, undefined);
  assert.match(wholeText((await answer("group_by=y&limit=6", items)).json), /"":\[\{"slug":"movies\/d"\},\{"y":\[1\]/);
  assert.equal((await answer("group_by=y&offset=5&limit=1", items)).json, '{"":[{"y":[1],"slug":"movies/f"}]}');
  assert.equal((await answer("group_by=y", [])).json, "{}");
  assert.equal((await answer("group_by=y&limit=0", items)).json, "{}");
});

test("groups larger than a page are refused with a hint: a part would look complete", async () => {
  const items = letters("abcdef").map((one) => ({
    ...one,
    json: `{"y":1,"text":"${"x".repeat(100)}","slug":"${one.path}"}`,
  }));
  const tooMany = { code: "filter_too_complex", message: /one page.*filter\[only\].*filter\[limit\]/ };
  for (const arrival of ["ordered", "any"] as const) {
    await assert.rejects(answer("group_by=y&limit=5", items, { arrival }), tooMany);
    await assert.rejects(answer("group_by=y&order_by[field]=y&limit=5&total=1", items, { arrival }), tooMany);
    await assert.rejects(answer("group_by=y", items, { arrival, pageBytes: 300 }), tooMany);
    assert.equal(typeof (await answer("group_by=y&only=slug", items, { arrival, pageBytes: 300 })).json, "string");
  }
});

const chances: [query: string, among: string][] = [
  ["return=random&random=2", "abcdef"],
  ["return=random&random=2&offset=2", "cdef"],
  ["return=random&random=2&offset=4&order_by[field]=slug&order_by[direction]=desc", "ab"],
  ["return=random&random=2&offset=1&limit=3", "bcd"],
  ["return=random&random=2&limit=3&order_by[field]=slug&order_by[direction]=desc", "def"],
  ["return=random&random=9&offset=3", "def"],
  ["return=random&random=9&limit=3", "abc"],
];
for (const [query, among] of chances) {
  for (const arrival of ["ordered", "any"] as const) {
    test(`${query} chooses among ${among}, ${arrival === "ordered" ? "read in order" : "read in any order"}, beyond every page`, async () => {
      const seen = new Set<string>();
      const ordered = query.includes("desc") ? "fedcba" : "abcdef";
      const items = letters(arrival === "ordered" ? ordered : "fbdaec");
      // A page would end at the default limit of 1, and at the first item's bytes.
      const asked = parseCollection(root, parseUrlEncoded(query, { maxPairs: 9, maxDepth: 8, maxItems: 9 }), {
        maxLimit: 100,
        defaultLimit: 1,
      });
      const options = { ...defaults, random: fraction(seed), arrival, pageBytes: 30 };
      for (let i = 0; i < 200; i++) {
        const list = names(await answerCollection(asked, "management", [items], options)).split(" ");
        assert.equal(new Set(list).size, Math.min(asked.randomCount as number, among.length));
        for (const name of list) seen.add(name);
      }
      assert.equal([...seen].sort().join(""), among);
    });
  }
}

test("a random sample above the memory limit is refused", async () => {
  await assert.rejects(answer("return=random&random=50", letters("abcdef"), { pageBytes: 3 }), {
    code: "filter_too_complex",
  });
});

// ------------------------------------------------------------------------------------------------ find arguments

const dated = (day: number) => Date.UTC(2024, 4, day, 6) / 1000;
const tree = [
  item("movies", '"content":"all of them"', { modifiedAt: dated(1), size: 10 }),
  item("movies/alien", '"title":"Alien","content":"In space"', { modifiedAt: dated(9), size: 1000 }),
  item("movies/alien/cast", '"names":["Ripley","Äsh"]', { modifiedAt: dated(10), size: 1024 }),
  item("movies/drafts", '"title":"Drafts","n":42', { modifiedAt: dated(3), size: 2000 }),
  item("movies/drafts/a/b", '"content":"deep space"', { modifiedAt: dated(2), size: 3_000_000 }),
];
/** One of each argument; what each may say: src/core/list/find.test.ts. */
const finds: [query: string, expected: string][] = [
  ["", "alien drafts"],
  ["depth=0", "movies"],
  ["recursive=true", "alien cast drafts b"],
  ["depth=*&date[]=>+2024-05-02+00:00&date[]=until+2024-05-03T07:00:00Z", "drafts b"],
  ["depth=*&size[]=>1.5K&size[]=<3M", "drafts"],
  ["depth=*&exclude[]=a&exclude[]=cast", "alien drafts"],
  ["depth=*&contains[]=/RIPLEY/imsu&contains[]=Drafts", "cast drafts"],
  ["depth=*&not_contains=/s.ace/", "cast drafts"],
  ["depth=*&path[]=lien/c&path[]=/b$/", "cast b"],
  ["depth=*&search=a%CC%88sh", "cast"],
];
for (const [query, expected] of finds) {
  test(`${query || "no argument"} finds "${expected}"`, async () => {
    assert.equal(names(await answer(query, tree)), expected);
  });
}

test("an answer needs the depths of its arguments", () => {
  assert.deepEqual(depthRange(parse("depth[]=>1&depth[]=<=4")), { min: 2, max: 4 });
});

// ------------------------------------------------------------------------------------------------ refusals

const refused: [query: string, argument: string, code?: string][] = [
  ["return=everything", "filter[return]"],
  ["return[]=all", "filter[return]"],
  ["limit=-1", "filter[limit]"],
  ["limit=many", "filter[limit]"],
  ["limit=1.5", "filter[limit]"],
  ["limit[]=1", "filter[limit]"],
  ["offset=-1", "filter[offset]"],
  ["slice_offset_value=x", "filter[slice_offset_value]"],
  ["limit=101", "filter[limit]", "limit_too_large"],
  ["limit_value=101", "filter[limit_value]", "limit_too_large"],
  ["return=random&random=101", "filter[random]", "limit_too_large"],
  ["return=random&random_value=-1", "filter[random_value]"],
  ["limit=1&set_max_result=2", "filter[set_max_result]", "argument_conflict"],
  ["group_by[]=a", "filter[group_by]"],
  ["total=perhaps", "filter[total]"],
  ["only[x]=a", "filter[only]"],
  ["except[][x]=a", "filter[except]"],
];
for (const [query, argument, code = "filter_invalid"] of refused) {
  test(`${query} is refused by name`, () => {
    assert.throws(
      () => parse(query),
      (error) => error instanceof Problem && error.code === code && error.message.includes(`"${argument}"`),
    );
  });
}

test("each limit may be the maximum", () => {
  for (const name of ["limit", "limit_value"]) assert.equal(parse(`${name}=100`).limit, 100);
  assert.equal(parse("return=random&random=100").randomCount, 100);
});

test("a query has a pattern where a condition or a find argument is one", () => {
  const condition = (name: string, operator: string) =>
    `${name}[key]=a&${name}[operator]=${operator}&${name}[value]=true`;
  for (const query of [condition("where", "regexp"), condition("or_where[0]", "nregexp"), "contains=/a/"])
    assert.ok(hasPattern(parse(`${query}&and_where[0][key]=b&and_where[0][expr]=eq&and_where[0][value]=`)), query);
  for (const query of ["", condition("where", "eq"), condition("or_where[0]", "exists"), "contains=a"])
    assert.ok(!hasPattern(parse(query)), query);
});

test("patterns of find arguments share the time budget of the request's regular expressions", async () => {
  for (const query of ["contains=/b$/", "not_contains=/b$/", "path=/b$/"]) {
    assert.equal(typeof (await answer(query, letters("abc"))).json, "string");
    await assert.rejects(answer(query, letters("abc"), { regexpBudgetMs: 0 }), { code: "filter_too_costly" });
  }
});

test("patterns that take too long to parse together are too costly", () => {
  // Some 40 ms each.
  const slow = `(?i)${"\\PL".repeat(300)}`;
  const condition = (i: number) => `and_where[${i}][key]=a&and_where[${i}][expr]=regexp&and_where[${i}][value]=${slow}`;
  const times = <T>(make: (i: number) => T) => Array.from({ length: 50 }, (_, i) => make(i)).join("&");
  assert.throws(() => parse(times(condition)), { code: "filter_too_costly" });
  assert.throws(() => parse(times((i) => `contains[${i}]=/${slow}/`)), { code: "filter_too_costly" });
});

test("the order of candidates does not matter", async () => {
  const items = [...letters("edc"), ...tree].sort((a, b) => compareText(b.path, a.path));
  for (const query of ["order_by[field]=title&limit=4&depth=*", "limit=3&depth=*", "return=last", "return=next"]) {
    const shuffledItems = [...items].sort((a, b) => compareText(a.json, b.json));
    assert.deepEqual(await answer(query, items), await answer(query, shuffledItems));
  }
});

test("a long reply has the same text in chunks, whatever its shape", async () => {
  const items = Array.from({ length: 50 }, (_, i) => item(`movies/${i}`, `"y":${i % 3},"t":"${"жöx".repeat(10_000)}"`));
  const short = (json: LongText) => wholeText(json).replaceAll("жöx".repeat(10_000), "");
  const long = { pageBytes: 1e9 };
  for (const query of ["", "group_by=y", "return=shuffle"]) {
    const { json } = await answer(query, items, long);
    assert.ok(Array.isArray(json) && json.length > 3, query);
    const few = await answer(
      query,
      items.map((one) => ({ ...one, json: short(one.json) })),
      long,
    );
    assert.equal(short(json), few.json, query);
  }
});
