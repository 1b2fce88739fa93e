import assert from "node:assert/strict";
import { test } from "node:test";
import { allSettled } from "./all-settled.ts";

test("results are in the order of the list", async () => {
  const late = Promise.withResolvers<number>();
  const all = allSettled([late.promise, Promise.resolve(2)]);
  late.resolve(1);
  assert.deepEqual(await all, [1, 2]);
  assert.deepEqual(await allSettled([]), []);
});

test("after a failure the rest is waited for, and the first failure of the list is thrown", async () => {
  const late = Promise.withResolvers<number>();
  let isOver = false;
  const all = allSettled([late.promise, Promise.reject(new Error("second"))]).finally(() => {
    isOver = true;
  });
  const outcome = assert.rejects(all, /first/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  late.reject(new Error("first"));
  await outcome;
});
