import assert from "node:assert/strict";
import { test } from "node:test";
import { RowCache } from "./row-cache.ts";

test("a full cache drops the oldest, whatever was forgotten, renewed or cleared before", () => {
  const shape = { pathOf: ({ id }: { id: number }) => `e${id}`, bytesOf: () => 1, changedBy: [] };
  const cache = new RowCache<{ id: number }>(10, shape);
  let kept: number[] = [];
  for (let n = 0; n < 2000; n++) {
    const id = (n * 7919) % 31;
    if (n % 5 === 0) cache.forget(`e${id}`);
    else cache.put({ id });
    kept = kept.filter((each) => each !== id);
    if (n % 5 !== 0) kept = [...kept, id].slice(-10);
    if (n % 397 === 0) {
      cache.clear();
      kept = [];
    }
    const held = Array.from({ length: 31 }, (_, id) => id).filter((id) => cache.getById(id));
    assert.deepEqual(
      held,
      kept.toSorted((a, b) => a - b),
      `after ${n}`,
    );
  }
});
