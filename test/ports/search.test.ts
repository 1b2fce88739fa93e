import assert from "node:assert/strict";
import { test } from "node:test";
import type { RowBatch } from "../../src/backup/backup.ts";
import { accessOf } from "../../src/core/access/access.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { openSqliteStore, type SqlStore } from "../../src/database.ts";
import { wayOf } from "../../src/search/way.ts";
import { openDatabase } from "../database.ts";
import { storeSearch } from "../properties/search-model.ts";
import { engines } from "./engines.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** The index of words: how it is built, how it shrinks again, what makes it anew. Contract §25. */

const way = wayOf(undefined, "en");
const by = { actor: "test", nowSeconds: 1 };
const access = accessOf({ kind: "management" }, 2);

const inputOf = (data: object) => ({ data: JSON.stringify(data), isMergePatch: false, fields: {} });
const create = ({ entries }: SqlStore, id: string, data: object) => entries.create(id as Slug, inputOf(data), by);
async function idsOf(store: SqlStore, q: string, own = way): Promise<readonly string[]> {
  const ask = { q, prefix: true, facets: [], top: "" as Path, args: {}, limit: 100, offset: 0 };
  const told = await storeSearch(store, ask, access, own);
  return typeof told === "string" ? [told] : told.ids.toSorted();
}

async function rowsIn({ rows }: SqlStore): Promise<RowBatch[]> {
  const found: RowBatch[] = [];
  await rows.snapshot(async (snapshot) => {
    for (const noun of rows.rules.keys()) for await (const rows of snapshot.rows(noun)) found.push({ noun, rows });
  });
  return found;
}

async function loadRows({ rows }: SqlStore, batches: RowBatch[]): Promise<void> {
  const counts = Object.fromEntries([...rows.rules.keys()].map((noun) => [noun, 0]));
  for (const { noun, rows } of batches) counts[noun] = Number(counts[noun]) + rows.length;
  const all = async function* () {
    yield* batches;
  };
  await rows.load(all(), { counts, rows_sha256: "", blobs: { count: 0, bytes: 0, sha256: "" } });
}

/** More entries than one write of the index has. */
const many = 600;
async function fill(store: SqlStore): Promise<void> {
  for (let i = 0; i < many; i++) await create(store, `e${i}`, { title: `common number${i}` });
}

for (const { name, skip, open } of engines) {
  test(`${name}: an index that is mostly of what has ended is swept, and answers the same`, { skip }, async (t) => {
    const store = await open();
    t.after(() => store.close());
    const ids = Array.from({ length: 40 }, (_, i) => `e${i}`);
    for (const id of ids) await create(store, id, { title: `common ${id}`, text: "before" });
    await store.searches.index(way);
    // The ends of half of them are known where searches are answered, those of the others are not.
    for (const [i, id] of ids.entries()) {
      await store.entries.update(id as Slug, inputOf({ text: i % 2 ? "odd" : "even" }), by);
      await store.searches.index(way);
      if (i === 20) assert.equal((await idsOf(store, "common")).length, 40);
    }
    for (const id of ids.slice(0, 10)) await store.entries.delete(id as Slug, { to: "trash" }, by);
    await store.searches.index(way);
    await store.searches.sweep(way, 10_000);
    assert.deepEqual(await idsOf(store, "before"), []);
    await store.searches.sweep(way, 1);
    const left = ids.slice(10).sort();
    for (const q of ["", "common", "comm", "commno"]) assert.deepEqual(await idsOf(store, q), left, q);
    assert.deepEqual(await idsOf(store, "before"), []);
    assert.deepEqual(
      await idsOf(store, "odd"),
      left.filter((id) => Number(id.slice(1)) % 2 === 1),
    );
    // Lists go on after what is left of them.
    await create(store, "new", { title: "common", text: "odd before" });
    await store.searches.index(way);
    assert.deepEqual(await idsOf(store, "before"), ["new"]);
    assert.deepEqual(await idsOf(store, "common"), [...left, "new"].sort());
    assert.deepEqual(await store.verify(), []);
  });

  test(`${name}: a build says how far it is, and finds everything`, { skip }, async (t) => {
    const store = await open();
    t.after(() => store.close());
    await fill(store);
    const said: string[] = [];
    await store.searches.index(way, (sentence) => said.push(sentence));
    assert.equal(said.length, 2);
    for (const sentence of said) assert.match(sentence, /^words are being indexed, \d\d % of the entries so far$/);
    assert.deepEqual(await idsOf(store, `number${many - 1}`), [`e${many - 1}`]);
    said.length = 0;
    await store.searches.index(way, (sentence) => said.push(sentence));
    assert.equal(said.length, 0);
    // Words of another language have other stems.
    const other = wayOf(undefined, "de");
    await store.searches.index(other, (sentence) => said.push(sentence));
    assert.equal(said.length, 2);
    assert.deepEqual(await idsOf(store, `number${many - 1}`, other), [`e${many - 1}`]);
    // It goes on with a log that says nothing of entries, and is not made anew when that is cut short.
    said.length = 0;
    for (let i = 0; i < many; i++) await store.folders.create(`f${i}` as Path, by);
    await store.searches.index(other);
    await store.events.prune(2);
    await store.searches.index(other, (sentence) => said.push(sentence));
    assert.equal(said.length, 0);
  });
}

test("a build that was cut short goes on where it was", async (t) => {
  const options = sqliteOptions();
  const first = await openSqliteStore(options);
  await fill(first);
  // A store that closes ends the build after the write under way.
  let closed: Promise<void> | undefined;
  await first.searches.index(way, () => {
    closed = first.close();
  });
  await closed;
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  const said: string[] = [];
  await store.searches.index(way, (sentence) => said.push(sentence));
  assert.equal(said.length, 1);
  assert.deepEqual((await idsOf(store, "common")).length, 100);
  assert.deepEqual(await idsOf(store, "number0"), ["e0"]);
});

test("a store that a backup was loaded into has an index of its own", async (t) => {
  const [from, to] = [await openSqliteStore(sqliteOptions()), await openSqliteStore(sqliteOptions())];
  t.after(() => Promise.all([from.close(), to.close()]));
  await create(from, "e", { title: "kept" });
  await create(from, "e/draft", { title: "kept" });
  await to.searches.index(way);
  assert.deepEqual(await idsOf(to, "kept"), []);
  await loadRows(to, await rowsIn(from));
  assert.deepEqual(await idsOf(to, "kept"), ["e", "e/draft"]);
});

test("an entry with damaged data stops no index: the others are found", async (t) => {
  const options = sqliteOptions();
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  for (const id of ["bad", "good"]) await create(store, id, { title: "kept" });
  const database = openDatabase(options.folder);
  database.exec(`UPDATE entry SET data = '{"title":' WHERE slug = 'bad'`);
  database.close();
  await store.searches.index(way);
  assert.deepEqual(await idsOf(store, "kept"), ["good"]);
});
