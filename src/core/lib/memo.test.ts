import assert from "node:assert/strict";
import { test } from "node:test";
import { Memo } from "./memo.ts";

test("a memo computes a value once per key and is cleared when it is full", () => {
  const memo = new Memo<string, string>(2);
  const made: string[] = [];
  const get = (key: string) => memo.get(key, () => `${key}${made.push(key)}`);
  assert.deepEqual(["a", "b", "a", "b"].map(get), ["a1", "b2", "a1", "b2"]);
  assert.deepEqual(["c", "c", "a"].map(get), ["c3", "c3", "a4"]);
});

test("a memo does not cache failures", () => {
  const memo = new Memo<string, number>(2);
  assert.throws(() => memo.get("a", () => assert.fail("no")));
  assert.equal(
    memo.get("a", () => 1),
    1,
  );
});
