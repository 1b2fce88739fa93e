import assert from "node:assert/strict";
import { test } from "node:test";
import { SqliteStore } from "../../src/adapters/sql/store.ts";
import type { Slug } from "../../src/domain/path.ts";
import { entryStoreSuite } from "./entry-store.suite.ts";
import { fileStoreSuite } from "./file-store.suite.ts";
import { sqliteOptions } from "./sqlite-options.ts";
import { tokenStoreSuite } from "./token-store.suite.ts";
import { openUploads } from "./uploads.ts";

entryStoreSuite("SQLite", () => SqliteStore.open(sqliteOptions()));

fileStoreSuite("SQLite", () => openUploads());

const shared = sqliteOptions();
const openShared = () => SqliteStore.open(shared);
tokenStoreSuite("SQLite", openShared, openShared);

test("SQLite: the field index is rebuilt when other keys are to be indexed, and only then", async () => {
  const options = sqliteOptions();
  const input = { data: '{"year":1979,"text":"long"}', isMergePatch: false, fields: {} };
  const first = await SqliteStore.open(options);
  await first.entries.create("a" as Slug, input, { actor: "test", nowSeconds: 1 });
  await first.close();
  for (const indexKeys of [["year"], undefined, ["-text"], ["*"]]) {
    const store = await SqliteStore.open({ ...options, indexKeys });
    assert.deepEqual(await store.verify(), [], String(indexKeys));
    await store.entries.update("a" as Slug, input, undefined, { actor: "test", nowSeconds: 2 });
    assert.deepEqual(await store.verify(), [], String(indexKeys));
    await store.close();
  }
});
