import assert from "node:assert/strict";
import { test } from "node:test";
import { NumberText } from "../lib/json.ts";
import type { Path } from "../path.ts";
import { Cursor, cursorBinding, formatCursor } from "./cursor.ts";
import type { Rank, SortKey, SortValue } from "./order.ts";
import { orderKey } from "./order-key.ts";

const order: SortKey[] = [{ source: "field", key: "v", isDescending: false }];
const descending: SortKey[] = [{ source: "field", key: "v", isDescending: true }];
const binding = cursorBinding("scope", "blog", order);
const rank = (path: string, ...values: SortValue[]): Rank => ({ path: path as Path, values });
const number = (text: string): SortValue => orderKey(new NumberText(text));
const at = (item: Rank, keys = order) => new Cursor(formatCursor(binding, item), binding, keys);
const sign = (cursor: Cursor, item: Rank) => {
  const compared = cursor.compare(item);
  return compared === undefined ? undefined : Math.sign(compared);
};

const values: [name: string, value: SortValue][] = [
  ["a text", orderKey("blå \u{1f600}\n")],
  ["an empty text", orderKey("")],
  ["a number above the largest double", number("9007199254740993")],
  ["true", orderKey(true)],
  ["false", orderKey(false)],
  ["nothing", undefined],
];
for (const [name, value] of values) {
  test(`a cursor after ${name} matches its own item and no other`, () => {
    const cursor = at(rank("blog/m", value));
    assert.equal(cursor.path, "blog/m");
    assert.equal(sign(cursor, rank("blog/m", value)), 0);
    assert.equal(sign(cursor, rank("blog/l", value)), -1);
    assert.equal(sign(cursor, rank("blog/n", value)), 1);
  });
}

test("values are compared before paths, in the direction of the order", () => {
  const item = rank("m", number("5"));
  assert.equal(sign(at(item), rank("z", number("4"))), -1);
  assert.equal(sign(at(item), rank("a", number("6"))), 1);
  assert.equal(sign(at(item, descending), rank("a", number("4"))), 1);
  assert.equal(sign(at(item, descending), rank("a")), 1);
  assert.equal(sign(at(rank("m", orderKey("t"))), rank("a", orderKey(true))), 1);
});

const long = "x".repeat(300);
test("for a long value the head decides if it differs", () => {
  const cursor = at(rank("m", `${long}b`));
  assert.equal(sign(cursor, rank("a", "w")), -1);
  assert.equal(sign(cursor, rank("a", "y")), 1);
});
test("with equal heads the position is undecided until the unchanged item is read", () => {
  const item = rank("m", `${long}b`);
  const cursor = at(item);
  assert.equal(sign(cursor, rank("a", `${long}a`)), undefined);
  assert.equal(sign(cursor, rank("m", `${long}changed`)), undefined);
  assert.equal(sign(cursor, item), 0);
  assert.equal(sign(cursor, rank("a", `${long}a`)), -1);
  assert.equal(sign(cursor, rank("a", `${long}c`)), 1);
});
test("a cursor is short, whatever the sort values", () => {
  for (const value of [long.repeat(1000), number(`1${"0".repeat(100_000)}1`)]) {
    assert.ok(formatCursor(binding, rank("m", value)).length < 1000);
  }
});
test("the item decides about digits beyond the head", () => {
  const [digits, other] = [`${"1".repeat(300)}2`, `${"1".repeat(300)}3`].map(number);
  const cursor = at(rank("m", digits));
  assert.equal(sign(cursor, rank("n", other)), undefined);
  assert.equal(sign(cursor, rank("m", digits)), 0);
  assert.equal(sign(cursor, rank("a", other)), 1);
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const garbage: [name: string, text: string][] = [
  ["no text", ""],
  ["no base64", "%%%"],
  ["no JSON", Buffer.from("[").toString("base64url")],
  ["no list", encode({ 0: binding })],
  ["an empty list", encode([])],
  ["another binding", encode(["x", "", "m", "k2x"])],
  ["a digest that is not a text", encode([binding, 0, "m", "k2x"])],
  ["a path that is not a text", encode([binding, "", 5, "k2x"])],
  ["a path with U+0000", encode([binding, "", "a\0", "k2x"])],
  ["a path outside of the tree", encode([binding, "", "../a", "k2x"])],
  ["a lone surrogate", encode([binding, "", "a\ud800", "k2x"])],
  ["too few values", encode([binding, "", "m"])],
  ["too many values", encode([binding, "", "m", "k2x", "k2y"])],
  ["an unknown kind", encode([binding, "", "m", "x1"])],
  ["an empty value", encode([binding, "", "m", ""])],
  ["a value of an earlier version", encode([binding, "", "m", "n5"])],
  ["a value with U+0000", encode([binding, "", "m", "k2a\0"])],
  ["a value with a lone surrogate", encode([binding, "", "m", "k2a\ud800"])],
  ["a bare number", encode([binding, "", "m", 5])],
  ["an object", encode([binding, "", "m", {}])],
];
for (const [name, text] of garbage) {
  test(`a cursor of ${name} is refused`, () =>
    assert.throws(() => new Cursor(text, binding, order), { code: "cursor_invalid" }));
}

test("a binding depends on each of its parts and on their boundaries", () => {
  const bindings = [cursorBinding("a", "b"), cursorBinding("a", "c"), cursorBinding("ab"), cursorBinding("a", "b", [])];
  assert.equal(new Set(bindings).size, bindings.length);
  assert.equal(cursorBinding("a", "b"), cursorBinding("a", "b"));
});
