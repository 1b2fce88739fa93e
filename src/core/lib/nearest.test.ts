import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

const names = ["port", "host", "log", "data", "collection_limit", "collection_limit_max"];

test("a typo finds the intended name", () => {
  assert.equal(nearest("prot", names), "port");
  assert.equal(nearest("hots", names), "host");
  assert.equal(nearest("POTR", names), "port");
  assert.equal(nearest("colection_limits", names), "collection_limit");
  assert.equal(nearest("collection-limit-max", names), "collection_limit_max");
});

test("an unrelated word finds nothing", () => {
  assert.equal(nearest("zebra", names), undefined);
  assert.equal(nearest("", names), undefined);
  assert.equal(nearest("x".repeat(100_000), names), undefined);
});
