import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, toJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { onEachEngine } from "./engines.ts";

/** Totals that the database keeps: after each kind of write they are the numbers of the items that a list has. */

const bounds = { maxLimit: 1000, defaultLimit: 1000 };
const context = { actor: "test", nowSeconds: 10 };
const size = 150;

onEachEngine(async (store) => {
  const { entries } = store;
  const write = (id: string, change: "create" | "update", fields: object = {}) =>
    entries[change](id as Slug, { data: '{"n":1}', isMergePatch: false, fields }, context);
  const total = async (path: string, args: object, kind: "delivery" | "management") => {
    const query = parseCollection(path as Path, toJson({ ...args, total: "true" }) as JsonObject, bounds);
    const { json, total } = await entries.list(query, accessOf({ kind }, 10));
    return [total, JSON.parse(wholeText(json)).length];
  };
  const other = { where: { key: "n", expr: "neq", value: "2" } };
  const areRight = async (path: string, listed: number, all: number) => {
    for (const args of [{}, { depth: "*" }, other]) {
      assert.deepEqual(await total(path, args, "delivery"), [listed, listed]);
      assert.deepEqual(await total(path, args, "management"), [all, all]);
    }
  };

  test("totals after writes at once, moves, hidden and deleted entries are those of the lists", async () => {
    await write("a", "create");
    await write("b", "create");
    await Promise.all(Array.from({ length: size }, (_, n) => write(`a/e${n}`, "create")));
    await areRight("a", size, size);
    await Promise.all(Array.from({ length: 30 }, (_, n) => write(`a/e${n}`, "update", { visibility: "hidden" })));
    await areRight("a", size - 30, size);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        entries.move(`a/e${n + 20}` as Slug, { newSlug: `b/e${n}` as Slug }, context),
      ),
    );
    await areRight("a", size - 40, size - 20);
    await areRight("b", 10, 20);
    await entries.copy("b" as Slug, { newSlug: "a/b" as Slug }, context);
    assert.deepEqual(await total("a", { depth: "*" }, "management"), [size - 20 + 21, size - 20 + 21]);
    await Promise.all(
      ["a/b", "a/e149", "a/e148"].map((id, i) =>
        entries.delete(id as Slug, { to: i === 1 ? "nowhere" : "trash" }, context),
      ),
    );
    await areRight("a", size - 42, size - 22);
    await entries.move("a" as Slug, { newSlug: "c" as Slug }, context);
    await areRight("c", size - 42, size - 22);
    assert.deepEqual(await store.verify(), []);
  });
});
