import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import { parseUrlEncoded } from "../lib/brackets.ts";
import { type JsonObject, NumberText, parseJson } from "../lib/json.ts";
import type { Path } from "../path.ts";
import type { Code } from "../problem.ts";
import {
  compareRanks,
  compareSortValues,
  headOf,
  isSortable,
  parseOrder,
  type SortKey,
  type SortValue,
  sortValues,
} from "./order.ts";
import { orderKey } from "./order-key.ts";

const parse = (query: string) =>
  parseOrder(parseUrlEncoded(query, { maxPairs: 100, maxDepth: 8, maxItems: 100 }))
    .map(({ source, key, isDescending }) => `${isDescending ? "-" : ""}${source === "field" ? key : `(${source})`}`)
    .join(" ");

const accepted: [query: string, order: string][] = [
  ["", ""],
  ["order_by=", ""],
  ["order_by[]=&order_by[]=", ""],
  ["order_by[field]=a", "a"],
  ["order_by[key]=a&order_by[direction]=", "a"],
  ["order_by[field]=a.b&order_by[direction]=DESC", "-a.b"],
  ["sort_by[key]=a&sort_by[direction]=asc", "a"],
  ["sort_by[field]=a", "a"],
  ["order_by[0][field]=a&order_by[1][field]=b&order_by[1][direction]=desc", "a -b"],
  // order_by precedes sort_by, whatever the order in the query.
  ["sort_by=mtime&order_by[field]=a", "a (modified)"],
  ["sort_by=CTIME", "(created)"],
  ["sort_by=atime", "(modified)"],
  ["order_by=mtime", "(modified)"],
  ["order_by[field]=mtime", "mtime"],
  // `field` takes precedence over `key`.
  ["order_by[key]=a&order_by[field]=b", "b"],
];
for (const [query, order] of accepted) {
  test(`"${query}" sorts by "${order}"`, () => assert.equal(parse(query), order));
}

const keys = (count: number) => Array.from({ length: count }, (_, n) => `order_by[${n}][field]=f${n}`).join("&");
const tooMany = keys(11);
const refused: [query: string, code: Code, message: RegExp][] = [
  ["order_by=name", "filter_invalid", /filter\[order_by\]" was .*filter\[order_by\]\[field\]/],
  ["sort_by=name", "filter_invalid", /filter\[sort_by\]\[key\]/],
  ["sort_by=constructor", "filter_invalid", /mtime, ctime, atime/],
  ["order_by[field]=", "filter_invalid", /filter\[order_by\]\[field\]/],
  ["order_by[direction]=asc", "filter_invalid", /filter\[order_by\]\[field\]" was/],
  ["order_by[key]=", "filter_invalid", /filter\[order_by\]\[key\]" was/],
  ["sort_by[direction]=asc", "filter_invalid", /filter\[sort_by\]\[key\]" was/],
  ["order_by[field][]=a", "filter_invalid", /filter\[order_by\]\[field\]/],
  ["order_by[field]=a&order_by[direction]=down", "filter_invalid", /direction\]" was .*asc or desc/],
  ["order_by[field]=a&order_by[direction][]=asc", "filter_invalid", /asc or desc/],
  ["order_by[]=a", "filter_invalid", /filter\[order_by\]\[0\]/],
  ["order_by[0][field]=a&order_by[1]=", "filter_invalid", /filter\[order_by\]\[1\]/],
  [tooMany, "filter_too_complex", /at most 10/],
  [tooMany.replace("order_by[10][field]", "sort_by[key]"), "filter_too_complex", /at most 10/],
];
for (const [query, code, message] of refused) {
  test(`"${query.slice(0, 60)}" is refused`, () => assert.throws(() => parse(query), { code, message }));
}
test("ten sort keys are accepted", () => assert.equal(parse(keys(10)).split(" ").length, 10));

const by = (key: string, isDescending = false): SortKey => ({ source: "field", key, isDescending });
const number = (text: string): SortValue => orderKey(new NumberText(text));

/** The objects' names, sorted by `v`. */
function sorted(objects: Record<string, string>, isDescending: boolean): string {
  const order = [by("v", isDescending)];
  const ranks = Object.entries(objects).map(([name, json]) => {
    const values = sortValues(order, { modifiedAt: 0, createdAt: 0 }, () => parseJson(json) as JsonObject);
    return { path: name as Path, values };
  });
  return ranks
    .sort(compareRanks(order))
    .map(({ path }) => path)
    .join(" ");
}

const kinds = {
  list: '{"v":[1]}',
  missing: "{}",
  null: '{"v":null}',
  object: '{"v":{}}',
  true: '{"v":true}',
  false: '{"v":false}',
  z: '{"v":"z"}',
  a: '{"v":"a"}',
  empty: '{"v":""}',
  ten: '{"v":"10"}',
  nine: '{"v":9}',
};
test("numbers, texts, booleans, then values without an order by path", () => {
  assert.equal(sorted(kinds, false), "nine ten empty a z false true list missing null object");
});
test("descending reverses everything except values without an order and ties", () => {
  assert.equal(sorted(kinds, true), "true false z a empty ten nine list missing null object");
});
test("equal values are ordered by path, ascending either way", () => {
  const ties = { b: '{"v":1.0}', a: '{"v":1}', c: '{"v":10e-1}' };
  for (const isDescending of [false, true]) assert.equal(sorted(ties, isDescending), "a b c");
});
test("numbers are compared beyond the precision of a double", () => {
  assert.equal(
    sorted({ b: '{"v":9007199254740993}', a: '{"v":"9007199254740994"}', c: '{"v":9007199254740992}' }, false),
    "c b a",
  );
});
test("a text that is a number comes after the number, and has the place of it", () => {
  const texts = { d: '{"v":2}', a: '{"v":"1"}', b: '{"v":1.0}', c: '{"v":"1e0"}' };
  assert.equal(sorted(texts, false), "b a c d");
  assert.equal(sorted(texts, true), "d c a b");
});
test("texts are ordered without case and marks, and their digits by number", () => {
  const texts = {
    ten: '{"v":"News 10"}',
    two: '{"v":"news 2"}',
    z: '{"v":"Zebra"}',
    a: '{"v":"apple"}',
    u: '{"v":"Äpfel"}',
  };
  assert.equal(sorted(texts, false), "u a two ten z");
  assert.equal(sorted(texts, true), "z ten two a u");
});
test("texts are compared by their code points, not by UTF-16 units", () => {
  assert.equal(sorted({ high: '{"v":"\u{10000}"}', low: '{"v":"\uffff"}' }, false), "low high");
});

test("times are taken from the item without parsing the object", () => {
  const order: SortKey[] = [
    { source: "modified", key: "", isDescending: false },
    { source: "created", key: "", isDescending: false },
  ];
  const values = sortValues(order, { modifiedAt: 7, createdAt: -3 }, () => assert.fail("the object was read"));
  assert.deepEqual(values, [orderKey(7), orderKey(-3)]);
});

test("without sort keys paths decide", () => {
  const compare = compareRanks([]);
  assert.ok(compare({ path: "a" as Path, values: [] }, { path: "b" as Path, values: [] }) < 0);
});

const sortable: fc.Arbitrary<SortValue> = fc.oneof(
  fc.string({ unit: "binary" }).map(orderKey),
  fc.boolean().map(orderKey),
  fc.constant(undefined),
  fc.stringMatching(/^-?\d{1,12}(\.\d{1,12})?$/).map(number),
);
test("different heads have the order of their values", () => {
  fc.assert(
    fc.property(sortable, sortable, fc.integer({ min: 1, max: 5 }), fc.boolean(), (a, b, length, isDescending) => {
      const heads = compareSortValues(headOf(a, length), headOf(b, length), isDescending);
      if (heads !== 0) assert.equal(Math.sign(heads), Math.sign(compareSortValues(a, b, isDescending)));
    }),
    { numRuns: 300 },
  );
});
test("the keys of numbers, texts and booleans are sortable, those of null and beyond the last are not", () => {
  for (const value of [-1, 0, "", "a", false, true]) assert.ok(isSortable(orderKey(value)), String(value));
  for (const key of [orderKey(null), "5"]) assert.ok(!isSortable(key), key);
});
test("a head never splits a code point, and a short value is its own head", () => {
  assert.equal(headOf("\u{1f600}\u{1f601}x", 1), "\u{1f600}");
  assert.equal(headOf("ab", 2), "ab");
  assert.equal(headOf(undefined, 1), undefined);
});
test("the order is total: antisymmetric and transitive over kinds", () => {
  fc.assert(
    fc.property(sortable, sortable, sortable, fc.boolean(), (a, b, c, isDescending) => {
      const compare = (x: SortValue, y: SortValue) => Math.sign(compareSortValues(x, y, isDescending));
      assert.equal(compare(a, b), 0 - compare(b, a));
      if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.ok(compare(a, c) <= 0);
    }),
    { numRuns: 300 },
  );
});
