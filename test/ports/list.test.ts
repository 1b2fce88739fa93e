import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/domain/access.ts";
import type { Slug } from "../../src/domain/path.ts";
import { storePages } from "../plain-collection.ts";
import { onEachEngine } from "./engines.ts";

const context = { actor: "test", nowSeconds: 1 };
const access = accessOf({ kind: "management" }, 2);

onEachEngine(async (store) => {
  // From the last to the first: the order of their numbers is not that of their paths.
  const names = Array.from({ length: 60 }, (_, n) => `e${59 - n}`);
  await store.entries.create("t" as Slug, { data: "{}", isMergePatch: false, fields: {} }, context);
  for (const [n, name] of names.entries()) {
    const data = JSON.stringify({ name, n, text: `a sunny day ${n}` });
    await store.entries.create(`t/${name}` as Slug, { data, isMergePatch: false, fields: {} }, context);
  }
  const inOrder = [...names].sort();
  const list = async (args: object): Promise<string[]> => {
    const pages = await storePages(store, "t" as Slug, { only: "name", ...args }, access);
    return pages.flatMap((page) => (JSON.parse(page) as { name: string }[]).map(({ name }) => name));
  };

  for (const [what, args] of [
    ["a search", { search: "sunny" }],
    ["a part of a text", { where: { key: "text", expr: "contains", value: "sunny" } }],
    ["a pattern", { where: { key: "text", expr: "regexp", value: "sun+y" } }],
  ] as const) {
    test(`what ${what} finds is in the order that is asked for`, async () => {
      assert.deepEqual(await list(args), inOrder);
      assert.deepEqual(await list({ ...args, order_by: { field: "n" } }), names);
      assert.deepEqual(await list({ ...args, order_by: { field: "n", direction: "desc" } }), names.toReversed());
    });

    test(`the pages of what ${what} finds have each match once`, async () => {
      assert.deepEqual(await list({ ...args, limit: "7" }), inOrder);
      assert.deepEqual(await list({ ...args, limit: "7", order_by: { field: "n" } }), names);
    });
  }

  test("at depth 0 there is the entry itself and nothing below it", async () => {
    for (const depth of ["0", "<1", "<=0"]) {
      assert.deepEqual(
        await storePages(store, "t" as Slug, { only: "slug", depth }, access),
        ['[{"slug":"t"}]'],
        depth,
      );
      assert.deepEqual(await storePages(store, "t" as Slug, { return: "count", depth }, access), ["1"], depth);
    }
  });

  test("a page begins after a long value with a code point of two units across the end of what its cursor holds", async () => {
    // A cursor has the first 256 characters of a value; here a code point of two characters lies across the end.
    const start = "x".repeat(254);
    const values = { a: `${start}aaa`, b: `${start}\u{1f600}b`, c: `${start}\u{1f600}c`, d: `${start}\uffeed` };
    for (const [name, v] of Object.entries(values)) {
      const data = JSON.stringify({ name, v });
      await store.entries.create(`h/${name}` as Slug, { data, isMergePatch: false, fields: {} }, context);
    }
    const args = { only: "name", order_by: { field: "v" } };
    const whole = await storePages(store, "h" as Slug, args, access);
    const pages = await storePages(store, "h" as Slug, { ...args, limit: "1" }, access);
    const namesOf = (some: string[]) =>
      some.flatMap((page) => (JSON.parse(page) as { name: string }[]).map(({ name }) => name));
    assert.deepEqual(namesOf(whole), ["a", "d", "b", "c"]);
    assert.deepEqual(namesOf(pages), ["a", "d", "b", "c"]);
  });
});
