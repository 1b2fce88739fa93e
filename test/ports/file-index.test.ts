import assert from "node:assert/strict";
import { test } from "node:test";
import { orderKey } from "../../src/core/list/order-key.ts";
import type { Path } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { migrationsAfter } from "../../src/core/sql/migration.ts";
import { openSqliteStore } from "../../src/database.ts";
import { storeFilePages } from "../plain-collection.ts";
import { sqliteOptions } from "./sqlite-options.ts";

const byTitle = { where: { key: "title", expr: "eq", value: "old" }, return: "count" };

test("opening a store of the previous schema builds the index of files, and verify checks it", async () => {
  const options = sqliteOptions();
  const old = new Sqlite(options, "write");
  for (const text of migrationsAfter(0).slice(0, 5)) old.exec(text);
  old.exec(`PRAGMA user_version = 5;
    INSERT INTO store_state (name, value) VALUES ('index_keys', '*') ON CONFLICT (name) DO UPDATE SET value = '*';
    INSERT INTO event (sequence, at, kind, subject, count, actor) VALUES (1, 1, 'file.upload', 'a.txt', 1, 'test');
    INSERT INTO blob (hash, size, unreferenced_since, generation) VALUES ('${"0".repeat(64)}', 1, 1, 0);
    INSERT INTO file (folder, name, title, description, type, blob, size, uploaded_at, meta, created_at, modified_at,
      revision)
    SELECT id, 'a.txt', 'old', '', 'text/plain', '${"0".repeat(64)}', 1, 1, '{"n":1}', 1, 1, 1 FROM folder;`);
  old.close();
  const store = await openSqliteStore(options);
  try {
    assert.deepEqual(await storeFilePages(store, "" as Path, byTitle), ["1"]);
    assert.deepEqual(await store.verify(), []);
    const other = new Sqlite(options, "write");
    other.exec(`DELETE FROM file_field WHERE value = '${orderKey("old")}'`);
    assert.deepEqual(await store.verify(), ["The field index lacks title of the file a.txt"]);
    other.exec(
      `UPDATE file_field SET file = 99; INSERT INTO file_field SELECT folder, key, '${orderKey("x")}', file FROM file_field`,
    );
    assert.match((await store.verify()).join("\n"), /The field index has \d+ rows of no file/);
    other.close();
  } finally {
    await store.close();
  }
});
