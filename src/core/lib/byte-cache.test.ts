import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteCache, lengthOf } from "./byte-cache.ts";

const bytes = (length: number) => new Uint8Array(length);

test("a full cache evicts the least recently used", () => {
  const cache = new ByteCache(80, lengthOf);
  for (const name of "abcdefgh") cache.put(name, bytes(10));
  assert.ok(cache.get("a"));
  cache.put("i", bytes(10));
  assert.ok(cache.get("a") && cache.get("i") && cache.get("c"));
  assert.equal(cache.get("b"), undefined);
});

test("an item larger than the budget is not cached and evicts nothing", () => {
  const cache = new ByteCache(80, lengthOf);
  cache.put("a", bytes(10));
  cache.put("large", bytes(11));
  assert.ok(cache.get("a"));
  assert.equal(cache.get("large"), undefined);
  new ByteCache(0, lengthOf).put("a", bytes(1));
});

test("a value replaces the one before under its name, and counts once", () => {
  const cache = new ByteCache(80, lengthOf);
  const last = bytes(10);
  for (let i = 0; i < 100; i++) cache.put("a", i === 99 ? last : bytes(10));
  for (const name of "bcdefgh") cache.put(name, bytes(10));
  assert.equal(cache.get("a"), last);
  cache.put("a", bytes(11));
  assert.equal(cache.get("a"), undefined);
});

test("empty values are cached, and a budget of 0 caches nothing else", () => {
  const [cache, none] = [new ByteCache(80, lengthOf), new ByteCache(0, lengthOf)];
  for (const each of [cache, none]) each.put("empty", bytes(0));
  for (const each of [cache, none]) each.put("one", bytes(1));
  assert.equal(cache.get("empty")?.length, 0);
  assert.equal(cache.get("one")?.length, 1);
  assert.equal(none.get("one"), undefined);
});
