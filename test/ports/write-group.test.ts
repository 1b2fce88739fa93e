// Slow: hundreds of concurrent writes on both engines.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { formatRevision } from "../../src/core/revision.ts";
import { random } from "../random.ts";
import { onEachEngine } from "./engines.ts";

/** Writes that share a transaction: each succeeds or is refused as if it were alone, whatever the others do. */

const context = { actor: "test", nowSeconds: 1000 };
const input = (value: object) => ({ data: JSON.stringify(value), isMergePatch: false, fields: {} });

onEachEngine(async (store) => {
  const create = (id: string, value: object = {}, ifMatch?: string) =>
    store.entries.create(id as Slug, input(value), { ...context, ifMatch });
  const update = (id: string, value: object, ifMatch?: string) =>
    store.entries.update(id as Slug, input(value), { ...context, ifMatch });
  const dataOf = async (id: string) => JSON.parse((await store.entries.find(id as Slug))?.data ?? "null");
  const codes = (settled: PromiseSettledResult<unknown>[]) =>
    settled.map((one) =>
      one.status === "fulfilled" ? "done" : one.reason instanceof Problem ? one.reason.code : one.reason,
    );

  test("new entries with the same new parents and the same new keys", async () => {
    const ids = Array.from({ length: 200 }, (_, n) => `new/${n % 5}/deep/e${n}`);
    await Promise.all(ids.map((id, n) => create(id, { [`key ${n % 7}`]: n, shared: 1 })));
    for (const [n, id] of ids.entries()) assert.equal((await dataOf(id)).shared, 1, String(n));
  });

  test("a path has characters that mean something in a list", async () => {
    const ids = ['a"b', "a,b", "{a}", "NULL", " a ", "a'b", 'é{"",}'].map((name) => `odd/${name}`);
    await Promise.all([...ids, ...ids].map((id, n) => create(id, { n }).catch(() => undefined)));
    for (const [n, id] of ids.entries()) assert.equal((await dataOf(id)).n, n, id);
  });

  test("a refused write leaves neither an event nor anything else, and the others succeed", async () => {
    await create("once/a", { n: 0 });
    const before = await store.events.bounds();
    const asked = [
      create("once/a", { n: 1 }),
      create("once/b", { n: 2 }),
      create("once/b", { n: 3 }),
      update("once/none", { n: 4 }),
      update("once/a", { n: 5 }, '"0"'),
      update("once/a", { n: 6 }),
      create("once/c", { n: 7 }, "*"),
    ];
    assert.deepEqual(codes(await Promise.allSettled(asked)), [
      "entry_exists",
      "done",
      "entry_exists",
      "entry_not_found",
      "revision_mismatch",
      "done",
      "entry_not_found",
    ]);
    assert.equal((await store.events.bounds()).newest, before.newest + 2);
    assert.deepEqual([(await dataOf("once/a")).n, (await dataOf("once/b")).n, await dataOf("once/c")], [6, 2, null]);
  });

  test("of many updates with one tag exactly one succeeds", async () => {
    const { revision } = await create("race/a", { n: 0 });
    const tag = `"${formatRevision(revision)}"`;
    const outcomes = codes(
      await Promise.allSettled(Array.from({ length: 40 }, (_, n) => update("race/a", { n }, tag))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === "done").length, 1);
    assert.equal(outcomes.filter((outcome) => outcome === "revision_mismatch").length, 39);
  });

  test("no update of one entry is lost", async () => {
    await create("sum/a", {});
    await Promise.all(Array.from({ length: 60 }, (_, n) => update("sum/a", { [`k${n}`]: n })));
    const data = await dataOf("sum/a");
    for (let n = 0; n < 60; n++) assert.equal(data[`k${n}`], n);
  });

  test("a write after another in the queue sees its effect, whatever their kinds", async () => {
    const draw = random(11);
    for (let round = 0; round < 30; round++) {
      const top = `mix/${round}`;
      const asked = [create(top), create(`${top}/a`, { n: 1 }), update(`${top}/a`, { n: 2 })];
      const moved = `moved/${round}`;
      asked.push(store.entries.move(top as Slug, { newSlug: moved as Slug }, context));
      asked.push(create(`${top}/a`, { n: 3 }), update(`${moved}/a`, { n: 4 }));
      if (draw(2) === 0) asked.push(store.entries.copy(moved as Slug, { newSlug: `copy/${round}` as Slug }, context));
      assert.ok(codes(await Promise.allSettled(asked)).every((outcome) => outcome === "done"));
      assert.deepEqual([(await dataOf(`${top}/a`)).n, (await dataOf(`${moved}/a`)).n], [3, 4]);
    }
  });

  test("texts of entries that are created and updated at once are found", async () => {
    const ids = Array.from({ length: 900 }, (_, n) => `text/e${n}`);
    const words = (n: number, kind: string) => ({ text: `${kind}${n} ${"abcdefghij".slice(n % 8)} x${n * 7919}` });
    for (let from = 0; from < ids.length; from += 180) {
      const created = ids.slice(from, from + 180).map((id, i) => create(id, words(from + i, "first")));
      const updated = ids
        .slice(0, from)
        .map((id, n) => (n % 3 === 0 ? update(id, words(n, `later${from}`)) : undefined));
      await Promise.all([...created, ...updated]);
    }
    assert.deepEqual(await store.verify(), []);
    await store.entries.indexTexts();
    assert.deepEqual(await store.verify(), []);
  });

  test("revisions are those of the events", async () => {
    const { newest } = await store.events.bounds();
    const made = await Promise.all(Array.from({ length: 50 }, (_, n) => create(`log/e${n}`)));
    const events = await store.events.list(newest, 100);
    assert.equal(events.length, 50);
    const byPath = new Map(events.map(({ subject, sequence }) => [subject as string, sequence]));
    for (const { slug, revision } of made) assert.equal(byPath.get(slug), revision);
  });
});
