import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, toJson } from "../../src/core/lib/json.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
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

  const planOf = async (path: Slug, args: object): Promise<string | undefined> => {
    const query = parseCollection(path, toJson(args) as JsonObject, { maxLimit: 100, defaultLimit: 100 });
    return (await store.entries.list(query, accessOf({ kind: "delivery" }, 100), undefined)).plan;
  };

  test("a search of two letters reads what may match, and finds it anywhere in a text", async () => {
    const texts = { end: "so kj", start: "kj so", inside: "akja", alone: "kj", chinese: "水火木" };
    const input = { isMergePatch: false, fields: {} };
    for (let n = 0; n < 300; n++)
      await store.entries.create(`w/e${n}` as Slug, { ...input, data: `{"text":"words of ${n}"}` }, context);
    for (const [name, text] of Object.entries(texts))
      await store.entries.create(`w/${name}` as Slug, { ...input, data: JSON.stringify({ name, text }) }, context);
    await store.entries.indexTexts();
    const found = async (search: string) => {
      const pages = await storePages(store, "w" as Slug, { search, only: "name" }, access);
      return pages.flatMap((page) => (JSON.parse(page) as { name: string }[]).map(({ name }) => name));
    };
    assert.deepEqual(await found("KJ"), ["alone", "end", "inside", "start"]);
    assert.deepEqual(await found("火木"), ["chinese"]);
    assert.match((await planOf("w" as Slug, { search: "kj" })) ?? "", /^text by index, 4 entries read$/);
  });

  test("the newest of a subtree whose entries are older than those beside it are read alone", async () => {
    const input = { data: "{}", isMergePatch: false };
    const later = { actor: "test", nowSeconds: 100 };
    for (let n = 0; n < 300; n++)
      await store.entries.create(`s/new/e${n}` as Slug, { ...input, fields: { publishedAt: 50 + (n % 40) } }, later);
    for (let n = 0; n < 30; n++)
      await store.entries.create(`s/old/d${n % 3}/e${n}` as Slug, { ...input, fields: { publishedAt: 10 + n } }, later);
    const newest = { order_by: { field: "published_at", direction: "desc" }, depth: "*", limit: "10" };
    assert.match((await planOf("s/old" as Slug, newest)) ?? "", /^order by index \(published_at\), 11 entries read$/);
    const [first = ""] = await storePages(store, "s/old" as Slug, { ...newest, only: "slug" }, access, 1);
    const slugs = (JSON.parse(first) as { slug: string }[]).map(({ slug }) => slug);
    assert.deepEqual(
      slugs,
      Array.from({ length: 10 }, (_, i) => `s/old/d${(29 - i) % 3}/e${29 - i}`),
    );
  });

  test("an order by what thousands share has each item once, page by page", async () => {
    const input = { isMergePatch: false, fields: {} };
    const names = Array.from({ length: 700 }, (_, n) => `e${String((n * 9) % 700).padStart(3, "0")}`);
    for (const [n, name] of names.entries())
      await store.entries.create(
        `q/${name}` as Slug,
        { ...input, data: `{"kind":"${n < 650 ? "a" : "b"}","name":"${name}"}` },
        context,
      );
    for (const direction of ["asc", "desc"]) {
      const kindOf = (name: string) => (names.indexOf(name) < 650 ? "a" : "b");
      const sign = direction === "asc" ? 1 : -1;
      const expected = [...names].sort((a, b) => sign * kindOf(a).localeCompare(kindOf(b)) || (a < b ? -1 : 1));
      for (const limit of ["97", "700"]) {
        const pages = await storePages(
          store,
          "q" as Slug,
          { order_by: { field: "kind", direction }, only: "name", limit },
          access,
          20,
        );
        const found = pages.flatMap((page) => (JSON.parse(page) as { name: string }[]).map(({ name }) => name));
        assert.deepEqual(found, expected, `${direction} ${limit}`);
      }
    }
  });
});
