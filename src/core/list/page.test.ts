import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fast-check.ts";
import type { Path } from "../path.ts";
import { Cursor, formatCursor } from "./cursor.ts";
import { compareRanks, type SortKey } from "./order.ts";
import { bytesOf, type Held, Page, Sample, shuffled, Undecided, type Window, withinBytes } from "./page.ts";

const compare = compareRanks([]);
const held = (path: string, json = "{}", ...values: string[]): Held => ({
  path: path as Path,
  values,
  json,
  jsonBytes: Buffer.byteLength(json),
  group: "",
});
const roomy = { pageBytes: 1e6, heldBytes: 1e9 };
const window = (part: Partial<Window>): Window => ({ offset: 0, limit: 10, ...roomy, ...part });
const pathOf = ({ path }: Held): string => path;

function pageOf(items: Held[], part: Partial<Window>, isSorted = false): Page {
  const page = new Page(compare, window(part), isSorted);
  for (const item of items) page.add(item, () => item);
  return page;
}

test("a page equals a slice of the sorted list, whatever the order of items", () => {
  const sizes = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), fc.nat(20)), { selector: ([path]) => path });
  fc.assert(
    fc.property(
      sizes,
      fc.nat(5),
      fc.nat(6),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      (all, offset, limit, pageBytes, isSorted) => {
        const items = all.map(([path, size]) => held(path, "x".repeat(size)));
        const inOrder = items.toSorted(compare);
        const page = pageOf(isSorted ? inOrder : items, { offset, limit, pageBytes }, isSorted);
        const expected = withinBytes(inOrder.slice(offset, offset + limit), pageBytes);
        assert.deepEqual(page.items().map(pathOf), expected.map(pathOf));
        assert.equal(page.hasMore, inOrder.length > offset + expected.length);
      },
    ),
    { numRuns: 300 },
  );
});

test("the first item is on its page however large it is", () => {
  const page = pageOf([held("b"), held("a", "x".repeat(1000))], { pageBytes: 10 });
  assert.deepEqual(page.items().map(pathOf), ["a"]);
  assert.ok(page.hasMore);
});

test("an item that cannot be on the page is not kept in memory", () => {
  const page = pageOf(
    "abcdefgh".split("").map((path) => held(path)),
    { limit: 2 },
    true,
  );
  page.add(held("z"), () => assert.fail("it was kept in memory"));
  assert.deepEqual(page.items().map(pathOf), ["a", "b"]);
});

test("with sorted items the first one beyond the page is known at once", () => {
  const page = new Page(compare, window({ limit: 1 }), true);
  page.add(held("a"), () => held("a"));
  assert.ok(!page.hasMore);
  page.add(held("b"), () => held("b"));
  assert.ok(page.hasMore);
});

test("bytes are counted in UTF-8, with the comma after each item, and 100 for each reference", () => {
  assert.equal(bytesOf(held("a", '"é"')), 5);
  const reference = { to: "b" as Path, rest: "" };
  assert.equal(bytesOf({ ...held("a", ""), references: [reference, reference] }), 201);
  assert.equal(bytesOf(held("a", "")), 1);
});

test("the memory of a sort is limited, including sort values", () => {
  const tooMuch = { code: "filter_too_complex" };
  const large = (n: number) => held(`p${n}`, "x".repeat(60));
  assert.throws(() => pageOf([large(1), large(2), large(3)], { offset: 5, heldBytes: 100 }), tooMuch);
  // Two bytes of JSON, a comma, the value.
  const byValue = (bytes: number) => pageOf([held("a", "{}", "x".repeat(bytes - 3))], { heldBytes: 100 });
  assert.deepEqual(byValue(100).items().map(pathOf), ["a"]);
  assert.throws(() => byValue(101), tooMuch);
});
test("what is left after a relief may take half of the memory, or each item would cost a sort", () => {
  const three = (bytes: number) =>
    pageOf(
      ["a", "b", "c"].map((path) => held(path, "x".repeat(bytes - 1))),
      { limit: 1, heldBytes: 100 },
    );
  assert.deepEqual(three(50).items().map(pathOf), ["a"]);
  assert.throws(() => three(51), { code: "filter_too_complex" });
});

const sorted: SortKey[] = [{ source: "field", key: "v", isDescending: false }];
const tail = "x".repeat(300);
const cursorAt = (item: Held) => new Cursor(formatCursor("binding", item), "binding", sorted);

test("undecided items are decided once the cursor's item is read", () => {
  const item = held("m", "{}", `${tail}m`);
  const undecided = new Undecided(1e6);
  for (const end of ["a", "m", "z"]) undecided.add(held(end, "{}", tail + end));
  const after = cursorAt(item);
  assert.throws(() => undecided.decide(after), { code: "cursor_invalid" });
  after.compare(item);
  assert.deepEqual(undecided.decide(after).map(pathOf), ["z"]);
});
test("undecided items are limited in bytes; without a cursor none are undecided", () => {
  const undecided = new Undecided(20);
  for (const path of ["a", "b"]) undecided.add(held(path, "x".repeat(9)));
  assert.throws(() => undecided.add(held("c", "")), { code: "filter_too_complex" });
  assert.deepEqual(new Undecided(10).decide(undefined), []);
});

test("a sample takes every item with equal probability", () => {
  // If `random` covers 0…1 evenly, each of the three items is in a sample of one equally often.
  const counts = new Map<string, number>();
  for (let first = 0; first < 6; first++) {
    for (let second = 0; second < 6; second++) {
      const draws = [first / 6, second / 6];
      const sample = new Sample(1, 1e6, () => draws.shift() as number);
      for (const path of ["a", "b", "c"]) sample.add(() => held(path));
      const path = pathOf(sample.items()[0] as Held);
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
  }
  assert.deepEqual(Object.fromEntries(counts), { a: 12, b: 12, c: 12 });
});
test("a sample of size 0 is empty, one larger than the list has all items", () => {
  for (const [size, paths] of [
    [0, ""],
    [5, "abc"],
  ] as const) {
    const sample = new Sample(size, 1e6, () => 0.999);
    for (const path of "abc") sample.add(() => held(path));
    assert.equal(sample.items().map(pathOf).join(""), paths);
  }
});
test("a sample counts the bytes of its current items only", () => {
  const sample = new Sample(1, 100, () => 0);
  for (let n = 0; n < 10; n++) sample.add(() => held(`p${n}`, "x".repeat(99)));
  assert.throws(() => sample.add(() => held("large", "x".repeat(100))), { code: "filter_too_complex" });
});

test("a shuffle gives each order once over all draws, and does not change its input", () => {
  const items = Object.freeze(["a", "b", "c"]);
  const orders = [];
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 2; j++) {
      const draws = [i / 3, j / 2];
      orders.push(shuffled(items, () => draws.shift() as number).join(""));
    }
  }
  assert.deepEqual(orders.toSorted(), ["abc", "acb", "bac", "bca", "cab", "cba"]);
  assert.deepEqual(
    shuffled([], () => 0),
    [],
  );
});

test("a byte limit keeps whole items, at least one, up to the limit inclusive", () => {
  const items = ["a", "b", "c"].map((path) => held(path, "1234"));
  for (const [pageBytes, count] of [
    [0, 1],
    [9, 1],
    [10, 2],
    [15, 3],
  ] as const) {
    assert.equal(withinBytes(items, pageBytes).length, count);
  }
  assert.deepEqual(withinBytes([], 0), []);
});
