import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, toJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import { isProblem } from "../../src/core/problem.ts";
import { onEachEngine } from "./engines.ts";

/**
 * A list reads one moment of the store, however many statements it takes: a subtree that moves is whole or absent.
 */

const size = 120;
const moves = 40;
const bounds = { maxLimit: 1000, defaultLimit: 1000 };
const context = { actor: "test", nowSeconds: 1 };
/** Of one statement, of several, of one for each parent, through the values that all share. */
const queries: object[] = [
  {},
  { order_by: { field: "n", direction: "desc" } },
  { order_by: { field: "same" }, depth: "*" },
  { where: { key: "same", expr: "eq", value: "1" }, order_by: { field: "published_at" } },
  { return: "count" },
];

onEachEngine(async (store) => {
  const create = (slug: string, data: string) =>
    store.entries.create(slug as Slug, { data, isMergePatch: false, fields: {} }, context);
  await create("a", "{}");
  await Promise.all(Array.from({ length: size }, (_, n) => create(`a/e${n}`, `{"n":${n},"same":1}`)));

  test("a list has each write that was answered before it", async () => {
    const few = { where: { key: "kept", expr: "eq", value: "1" }, order_by: { field: "slug" } };
    const ordered = { order_by: { field: "kept", direction: "desc" }, limit: "2" };
    const slugs = async (args: object, kind: "delivery" | "management") => {
      const query = parseCollection("k" as Slug, toJson(args) as JsonObject, bounds);
      const { json } = await store.entries.list(query, accessOf({ kind }, 10));
      return JSON.parse(wholeText(json)).map((entry: { slug: string }) => entry.slug.slice(2));
    };
    const list = async (found: string[], first: string[]) => {
      for (let n = 0; n < 3; n++) {
        for (const kind of ["delivery", "management"] as const) {
          assert.deepEqual(await slugs(few, kind), found);
          assert.deepEqual(await slugs(ordered, kind), first);
        }
      }
    };
    const patch = (slug: string, data: string) =>
      store.entries.update(slug as Slug, { data, isMergePatch: false, fields: {} }, context);
    await create("k", "{}");
    await list([], []);
    await create("k/a", '{"kept":1}');
    await list(["a"], ["a"]);
    await create("k/b", '{"kept":"1"}');
    // A text comes after the number that it is.
    await list(["a", "b"], ["b", "a"]);
    await create("k/d", '{"kept":3}');
    await list(["a", "b"], ["d", "b"]);
    await patch("k/b", '{"kept":2}');
    await list(["a"], ["d", "b"]);
    await store.entries.move("k/a" as Slug, { newSlug: "k/c" as Slug }, context);
    await list(["c"], ["d", "b"]);
    await store.entries.delete("k/d" as Slug, { to: "nowhere" }, context);
    await list(["c"], ["b", "c"]);
  });

  test("a list of a subtree that moves has all of it or does not find it", { timeout: 120_000 }, async () => {
    let isMoving = true;
    let whole = 0;
    const read = async (n: number) => {
      const top = n % 2 === 0 ? "a" : "b";
      const access = accessOf({ kind: n % 4 < 2 ? "delivery" : "management" }, 10);
      const args = queries[n % queries.length] as object;
      const query = parseCollection(top as Slug, toJson(args) as JsonObject, bounds);
      try {
        const found = JSON.parse(wholeText((await store.entries.list(query, access)).json));
        assert.equal(typeof found === "number" ? found : found.length, size, JSON.stringify(args));
        whole++;
      } catch (error) {
        if (!isProblem(error, "entry_not_found")) throw error;
      }
    };
    const reader = async (first: number) => {
      for (let n = first; isMoving; n += 3) {
        await read(n);
        // A list that is answered at once leaves the thread no turn for what the writer replies.
        await nextTurn();
      }
    };
    const readers = Promise.all([reader(0), reader(1), reader(2)]);
    const moving = (async () => {
      for (let n = 0; n < moves; n++) {
        const [from, to] = (n % 2 === 0 ? ["a", "b"] : ["b", "a"]) as [Slug, Slug];
        await store.entries.move(from, { newSlug: to }, context);
      }
    })();
    await moving.finally(() => {
      isMoving = false;
    });
    await readers;
    assert.ok(whole > 0);
  });
});
