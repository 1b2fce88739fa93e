import assert from "node:assert/strict";
import { test } from "node:test";
import type { BackupRow } from "../../src/backup/backup.ts";
import type { Slug } from "../../src/core/path.ts";
import { onEachEngine } from "./engines.ts";

/** What the log keeps of the entries that a write changes. Contract, part two, §12. */

const context = { actor: "test", nowSeconds: 1000 };
const draft = { visibility: "draft" as const };
const future = { publishedAt: 2000 };

onEachEngine(async (store) => {
  const input = (fields: object, data = "{}") => ({ data, isMergePatch: true, fields });
  const create = (id: string, fields: object = {}) => store.entries.create(id as Slug, input(fields), context);
  const rowsOf = (noun: "event" | "event_entry"): Promise<BackupRow[]> =>
    store.rows.snapshot(async (rows) => {
      const all: BackupRow[] = [];
      for await (const batch of rows.rows(noun)) all.push(...batch);
      return all;
    });
  /** What the newest event keeps: [kind, its entry's uuid, public before, public after]. */
  const newest = async () => {
    const event = (await rowsOf("event")).at(-1) as BackupRow;
    return [event.kind, event.uuid, event.was_public, event.is_public];
  };
  /** The members that the newest event keeps, by slug before or after. */
  const members = async () => {
    const { newest: sequence } = await store.events.bounds();
    const rows = (await rowsOf("event_entry")).filter((row) => row.sequence === sequence);
    return rows.map((row) => `${row.old_slug} > ${row.new_slug} ${row.was_listed}${row.is_listed}`).toSorted();
  };

  test("a write of one entry keeps its uuid, and whether it was and is public", async () => {
    const { uuid } = await create("one");
    assert.deepEqual(await newest(), ["entry.create", uuid, 0, 1]);
    await store.entries.update("one" as Slug, input(draft), context);
    assert.deepEqual(await newest(), ["entry.update", uuid, 1, 0]);
    await store.entries.update("one" as Slug, input({ visibility: "hidden" }), context);
    assert.deepEqual(await newest(), ["entry.update", uuid, 0, 2]);
    await store.entries.update("one" as Slug, input({ visibility: "visible" }), context);
    assert.deepEqual(await newest(), ["entry.update", uuid, 2, 1]);
    await store.entries.move("one" as Slug, { newSlug: "two" as Slug }, context);
    assert.deepEqual(await newest(), ["entry.move", uuid, 1, 1]);
    const copy = await store.entries.copy("two" as Slug, { newSlug: "copy" as Slug }, context);
    assert.notEqual(copy.uuid, uuid);
    assert.deepEqual(await newest(), ["entry.copy", copy.uuid, 0, 1]);
    await store.entries.delete("two" as Slug, { to: "trash" }, context);
    assert.deepEqual(await newest(), ["entry.delete", uuid, 1, 0]);
    await create("later", future);
    assert.deepEqual((await newest()).slice(2), [0, 0]);
    assert.deepEqual(await rowsOf("event_entry"), []);
  });

  test("a write of a subtree keeps each entry that was or is public, with its slugs", async () => {
    await create("top", draft);
    await create("top/a");
    await create("top/b", future);
    await create("top/c/d", { visibility: "hidden" });
    await create("copied/other");
    await store.entries.copy("top" as Slug, { newSlug: "copied" as Slug }, context);
    assert.deepEqual((await newest()).slice(1), [null, null, null]);
    assert.deepEqual(await members(), ["null > copied/a 01", "null > copied/c/d 00"]);
    await store.entries.move("top" as Slug, { newSlug: "moved/here" as Slug }, context);
    assert.deepEqual(await members(), ["top/a > moved/here/a 11", "top/c/d > moved/here/c/d 00"]);
    await store.entries.delete("moved/here" as Slug, { to: "trash" }, context);
    assert.deepEqual(await members(), ["moved/here/a > null 10", "moved/here/c/d > null 00"]);
    assert.deepEqual(await store.verify(), []);
  });

  test("pruned events take their entries with them", async () => {
    await create("last");
    await store.events.prune(context.nowSeconds + 1);
    assert.deepEqual(await rowsOf("event_entry"), []);
  });
});
