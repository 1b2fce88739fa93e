import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultList, maxSentences } from "./fault-list.ts";

const listOf = (count: number): FaultList => {
  const list = new FaultList();
  for (let n = 0; n < count; n++) list.add(`fault ${n}`);
  return list;
};

test("no faults are an empty list", () => assert.deepEqual(new FaultList().all(), []));
test("sentences within the limit are listed", () => {
  assert.deepEqual(listOf(maxSentences).all().at(-1), `fault ${maxSentences - 1}`);
  assert.equal(listOf(maxSentences).all().length, maxSentences);
});
test("the others are counted, with faults that have no sentence", () => {
  const list = listOf(maxSentences + 2);
  list.addMore(3);
  assert.equal(list.all().length, maxSentences + 1);
  assert.equal(list.all().at(-1), "5 more faults of this kind");
});
