import assert from "node:assert/strict";
import { test } from "node:test";
import { closing } from "../../test/ending.ts";
import { sqliteOptions } from "../../test/ports/sqlite-options.ts";
import { accessOf } from "../core/access/access.ts";
import { parseCollection } from "../core/list/list.ts";
import type { Path, Slug } from "../core/path.ts";
import { Sqlite } from "../core/sql/engine/sqlite/connection.ts";
import { KeyNumbers } from "../core/sql/index/key-number.ts";
import { scanning } from "../core/sql/scans.ts";
import { openSqliteStore } from "../database.ts";
import { allNouns } from "../nouns.ts";
import { findIn } from "./find-store.ts";
import { wayOf } from "./way.ts";

/** What a search answers while words are being indexed. Contract §25, Bounds. */

const way = wayOf(undefined, "en");
const access = accessOf({ kind: "management" }, 2);
const by = { actor: "test", nowSeconds: 1 };

/** More entries than one write of the index has. */
const many = 300;

test("an index that is being built answers nothing, also to a search that has waited", async () => {
  const options = sqliteOptions();
  const store = await openSqliteStore(options);
  for (let i = 0; i < many; i++)
    await store.entries.create(
      `e${i}` as Slug,
      { data: JSON.stringify({ title: "common" }), isMergePatch: false, fields: {} },
      by,
    );
  // A store that closes ends the build after the write under way.
  let closed: Promise<void> | undefined;
  await store.searches.index(way, () => {
    closed = store.close();
  });
  await closed;
  const found = await closing(new Sqlite({ ...options, busyTimeoutMs: 100 }, "read"), (sqlite) => {
    const on = scanning(allNouns, sqlite, options as never, new KeyNumbers());
    const ask = { q: "common", prefix: true, facets: [], wantsWhy: false, way, locale: way.source };
    return findIn(on, ask, parseCollection("" as Path, new Map(), { maxLimit: 10, defaultLimit: 10 }), access, true);
  });
  assert.equal(found, undefined);
});
