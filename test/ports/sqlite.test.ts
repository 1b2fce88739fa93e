import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { openSqliteStore } from "../../src/database.ts";
import { closing } from "../ending.ts";
import { clockSuite } from "./clock.suite.ts";
import { entryStoreSuite } from "./entry-store.suite.ts";
import { fileStoreSuite } from "./file-store.suite.ts";
import { sessionStoreSuite } from "./session-store.suite.ts";
import { sqliteOptions } from "./sqlite-options.ts";
import { makeToken, tokenStoreSuite } from "./token-store.suite.ts";
import { openUploads } from "./uploads.ts";

entryStoreSuite("SQLite", () => openSqliteStore(sqliteOptions()));

fileStoreSuite("SQLite", () => openUploads());

clockSuite("SQLite", () => openSqliteStore(sqliteOptions()));

const shared = sqliteOptions();
const openShared = () => openSqliteStore(shared);
tokenStoreSuite("SQLite", openShared, openShared);

const sharedSessions = sqliteOptions();
const openSessions = () => openSqliteStore(sharedSessions);
sessionStoreSuite("SQLite", openSessions, openSessions);

test("SQLite: the field index is rebuilt exactly when the indexed keys change", async () => {
  const options = sqliteOptions();
  const input = { data: '{"year":1979,"text":"long"}', isMergePatch: false, fields: {} };
  await closing(openSqliteStore(options), async ({ entries }) => {
    for (const slug of ["a", "b"] as Slug[]) await entries.create(slug, input, { actor: "test", nowSeconds: 1 });
  });
  for (const indexKeys of [["year"], undefined, ["-text"], ["*"]]) {
    await closing(openSqliteStore({ ...options, indexKeys }), async (store) => {
      // Of one entry the rows are rebuilt, of the other they are written anew.
      await store.entries.update("a" as Slug, input, { actor: "test", nowSeconds: 2 });
      assert.deepEqual(await store.verify(), [], String(indexKeys));
    });
  }
});

test("SQLite: what became due before its index was built goes live with an event", async () => {
  const options = sqliteOptions();
  const input = { data: "{}", isMergePatch: false, fields: { publishedAt: 50 } };
  await closing(openSqliteStore({ ...options, indexKeys: ["year"] }), ({ entries }) =>
    entries.create("due" as Slug, input, { actor: "test", nowSeconds: 1 }),
  );
  await closing(openSqliteStore({ ...options, indexKeys: ["*"] }), async ({ entries, events }) => {
    await entries.goLive(51);
    const kinds = (await events.list(0, 10)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["entry.create", "entry.live"]);
  });
});

test("SQLite: a write that the file cannot store is busy and logs the reason", async (t) => {
  const options = { ...sqliteOptions(), busyTimeoutMs: 50 };
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  const other = new Sqlite(options, "write");
  t.after(() => other.close());
  other.begin();
  const input = { data: "{}", isMergePatch: false, fields: {} };
  await assert.rejects(store.entries.create("a" as Slug, input, { actor: "test", nowSeconds: 1 }), (error) => {
    assert.ok(error instanceof Problem && error.code === "busy", String(error));
    assert.match(String(error.cause), /database is locked\n +at /);
    return true;
  });
});

test("SQLite: calls that could not be written are counted with the next write", async (t) => {
  const options = { ...sqliteOptions(), busyTimeoutMs: 50 };
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  const token = await makeToken(store, "counted");
  const count = (nowSeconds: number) => store.tokens.countCall([{ argument: "token", token }], nowSeconds);
  const other = new Sqlite(options, "write");
  t.after(() => other.close());
  other.begin();
  await count(5);
  await assert.rejects(store.tokens.list(), (error) => error instanceof Problem && error.code === "busy");
  await count(4);
  other.rollback();
  const [counted] = await store.tokens.list();
  assert.deepEqual([counted?.calls, counted?.lastUsedAt], [2, 5]);
});

test("SQLite: a closed store accepts nothing and starts no thread", async () => {
  const store = await openSqliteStore(sqliteOptions());
  const input = { data: "{}", isMergePatch: false, fields: {} };
  const create = (slug: string) => store.entries.create(slug as Slug, input, { actor: "test", nowSeconds: 1 });
  const isBusy = (error: unknown) => error instanceof Problem && error.code === "busy";
  const before = create("before");
  await store.close();
  assert.equal((await before).slug, "before");
  await assert.rejects(create("after"), isBusy);
  await assert.rejects(store.verify(), isBusy);
});

test("SQLite: the size includes the write-ahead log", async (t) => {
  const options = sqliteOptions();
  const store = await openSqliteStore(options);
  t.after(() => store.close());
  const input = { data: `{"text":"${"x".repeat(500_000)}"}`, isMergePatch: false, fields: {} };
  await store.entries.create("a" as Slug, input, { actor: "test", nowSeconds: 1 });
  const size = await store.size();
  const onDisk = ["octavo.db", "octavo.db-wal"].map((name) => statSync(join(options.folder, name)).size);
  const [database = 0, log = 0] = onDisk;
  assert.ok(log > 500_000, String(onDisk));
  assert.equal(size, database + log);
});
