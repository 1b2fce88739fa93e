import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowBatch } from "../../src/backup/backup.ts";
import { accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, toJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { openSqliteStore, type SqlStore } from "../../src/database.ts";
import { engines } from "./engines.ts";
import { sqliteOptions } from "./sqlite-options.ts";

const context = { actor: "test", nowSeconds: 1 };
const create = ({ entries }: SqlStore, id: string, data: object, visibility: "visible" | "draft" = "visible") =>
  entries.create(id as Slug, { data: JSON.stringify(data), isMergePatch: false, fields: { visibility } }, context);

async function ask({ entries }: SqlStore, args: object, kind: "management" | "delivery" = "management") {
  const query = parseCollection("t" as Slug, toJson(args) as JsonObject, { maxLimit: 100, defaultLimit: 100 });
  const { json, plan } = await entries.list(query, accessOf({ kind }, 2));
  return { plan, slugs: JSON.parse(wholeText(json)).map(({ slug }: { slug: string }) => slug.slice(2)) };
}

async function rowsIn({ rows }: SqlStore): Promise<RowBatch[]> {
  const found: RowBatch[] = [];
  await rows.snapshot(async (snapshot) => {
    for (const noun of rows.rules.keys()) for await (const rows of snapshot.rows(noun)) found.push({ noun, rows });
  });
  return found;
}

async function load({ rows }: SqlStore, batches: RowBatch[]): Promise<void> {
  const counts = Object.fromEntries([...rows.rules.keys()].map((noun) => [noun, 0]));
  for (const { noun, rows } of batches) counts[noun] = Number(counts[noun]) + rows.length;
  const all = async function* () {
    yield* batches;
  };
  await rows.load(all(), { counts, rows_sha256: "", blobs: { count: 0, bytes: 0, sha256: "" } });
}

const containing = (value: string) => ({ where: { key: "a", expr: "contains", value } });

/** The condition or word is in the text, though not in its fold, or the other way round. */
const matches: [stored: unknown, args: object][] = [
  ["cabe\u0301", containing("cabe")],
  ["caféx", { search: "CAFE\u0301X" }],
  ["ΣΑΣΑ", containing("ΣΑΣ")],
  ["xΣΑΣ", { search: "σας" }],
  ["İİ", { search: "i\u0307i" }],
  ["\u212Aelvin", { search: "KELVIN" }],
  ["\u0958\u0958\u0958", containing("\u0958\u0958\u0958")],
  ["a𐐀b", { search: "A𐐨B" }],
  [12345.678, containing("345.6")],
  [["x", "tag-list"], containing("tag-l")],
  [`100%_"\\!`, containing(`%_"\\`)],
];

for (const { name, skip, open } of engines) {
  test(`${name}: texts are found by the index`, { skip }, async (t) => {
    const store = await open();
    t.after(() => store.close());
    await create(store, "t/hidden", { a: "secretly" }, "draft");
    for (const [i, [stored]] of matches.entries()) await create(store, `t/e${i}`, { a: stored });
    await create(store, "t/long", { a: Array.from({ length: 20_000 }, (_, i) => i.toString(36)).join(" ") });
    await store.entries.indexTexts();
    for (const [i, [, args]] of matches.entries()) {
      const { slugs, plan } = await ask(store, args);
      assert.ok(slugs.includes(`e${i}`), JSON.stringify(args));
      assert.match(plan ?? "", /^text by index, /);
    }
    // It has more trigrams than are indexed, so every search reads it.
    assert.deepEqual(await ask(store, { search: "zzzz" }), { plan: "text by index, 1 entries read", slugs: [] });
    assert.deepEqual((await ask(store, { search: "fe8" })).slugs, ["long"]);
    // A delivery token is not told that a draft matches.
    assert.deepEqual((await ask(store, { search: "secretly" })).slugs, ["hidden"]);
    assert.equal((await ask(store, { search: "secretly" }, "delivery")).plan, "text by index, 1 entries read");
    assert.deepEqual(await store.verify(), []);
  });

  test(`${name}: a loaded store has all texts in the index`, { skip }, async (t) => {
    const [store, loaded] = [await open(), await open()];
    t.after(() => Promise.all([store.close(), loaded.close()]));
    await Promise.all(Array.from({ length: 200 }, (_, i) => create(store, `t/e${i}`, { a: `word-${i}-here` })));
    await load(loaded, await rowsIn(store));
    assert.deepEqual(await ask(loaded, { search: "word-17-here" }), {
      plan: "text by index, 1 entries read",
      slugs: ["e17"],
    });
    await create(loaded, "t/later", { a: "word-17-here" });
    await loaded.entries.indexTexts();
    assert.deepEqual((await ask(loaded, { search: "word-17-here" })).slugs, ["e17", "later"]);
    assert.deepEqual(await loaded.verify(), []);
  });
}

test("what is indexed moves through both levels, and verify names an entry that is missing", async (t) => {
  const options = sqliteOptions();
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  for (let from = 0; from < 40; from++) {
    const some = Array.from({ length: 10 }, (_, i) =>
      create(store, `t/e${from}-${i}`, { a: `word ${from} number ${i}` }),
    );
    await Promise.all(some);
    await store.entries.indexTexts();
  }
  const other = new Sqlite(options, "write");
  t.after(() => other.close());
  const levels = other.rows("SELECT DISTINCT level FROM entry_gram ORDER BY level").flat();
  assert.deepEqual(levels, [0, 1]);
  assert.deepEqual((await ask(store, { search: "word 17 number 3" })).slugs, ["e17-3"]);
  assert.deepEqual(await store.verify(), []);
  other.exec("DELETE FROM entry_gram WHERE first = (SELECT id FROM entry WHERE slug = 't/e0-0')");
  assert.match((await store.verify()).join("\n"), /The text index lacks words of the entry t\/e0-0/);
});

test("creates index texts as they go, so that few are pending", async (t) => {
  const options = sqliteOptions();
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  await Promise.all(Array.from({ length: 700 }, (_, i) => create(store, `t/e${i}`, { a: `word-${i}-here` })));
  // The writer takes calls in order: this one is answered after the work that the ones before have left.
  await create(store, "t/last", { a: "last" });
  const other = new Sqlite(options, "read");
  t.after(() => other.close());
  const [indexedTo, movedTo] = other.row("SELECT indexed_to, moved_to FROM entry_text") as [number, number];
  assert.ok(indexedTo >= 640, `${indexedTo} of 700 are indexed`);
  assert.ok(movedTo > 0, "nothing has left level 0");
  assert.deepEqual((await ask(store, { search: "word-17-here" })).slugs, ["e17"]);
  assert.deepEqual(await store.verify(), []);
});

test("a store without a text index scans; one that gets it back indexes what it has", async () => {
  const options = sqliteOptions();
  for (const [textIndex, plan] of [
    [undefined, /^text by index/],
    [false, /^(scan|order)/],
    [undefined, /^(scan|order)/],
    [true, /^text by index/],
  ] as const) {
    const store = await openSqliteStore({ ...options, textIndex });
    try {
      if (!(await store.entries.find("t/a" as Slug))) await create(store, "t/a", { a: "needle" });
      await store.entries.indexTexts();
      const found = await ask(store, { search: "needle", total: "1", order_by: { field: "uuid" } });
      assert.deepEqual(found.slugs, ["a"]);
      assert.match(found.plan ?? "", plan);
      assert.deepEqual(await store.verify(), []);
    } finally {
      await store.close();
    }
  }
});
