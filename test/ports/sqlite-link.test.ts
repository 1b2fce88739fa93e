import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { rootPath } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { databaseFile, migrate, Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { SqliteLink } from "../../src/core/sql/engine/sqlite/link.ts";
import { SqliteReads } from "../../src/core/sql/engine/sqlite/reads.ts";
import { eventBounds } from "../../src/core/sql/event.ts";
import type { Point } from "../../src/core/sql/noun.ts";
import { Writer } from "../../src/core/sql/writes.ts";
import { listChildren } from "../../src/entry/tree-store.ts";
import { allNouns } from "../../src/nouns.ts";
import { closing } from "../ending.ts";
import { sqliteOptions } from "./sqlite-options.ts";

const isBusy = (error: unknown) =>
  error instanceof Problem && error.code === "busy" && /locked/.test(String(error.cause));

test("reads of the main thread are busy while the file is unreachable, and resume afterwards", async (t) => {
  const options = { ...sqliteOptions(), busyTimeoutMs: 50 };
  await closing(new Sqlite(options, "write"), async (made) => {
    migrate(made);
    const input = { data: "{}", isMergePatch: false, fields: {} };
    const context = { actor: "test", nowSeconds: 1 };
    const writer = new Writer(allNouns, made, ["*"], async () => undefined);
    await writer.run([{ id: 1, name: "createEntry", args: ["a", input, context] }]);
  });
  // Without a write-ahead log a writer blocks readers: a failure that a test can switch on and off.
  const other = new DatabaseSync(databaseFile(options.folder));
  t.after(() => other.close());
  other.exec("PRAGMA journal_mode = DELETE");
  const link = new SqliteLink(options);
  t.after(() => link.close());
  const points = new SqliteReads(allNouns, link, 1e6).points as Record<"entries" | "tokens", Point<unknown>>;
  const entry = points.entries.current("a");
  assert.ok(entry);
  await new Promise((resolve) => setImmediate(resolve));
  other.exec("BEGIN EXCLUSIVE");
  // Also the second read of the same turn: the cache cannot be validated.
  assert.throws(() => points.entries.current("a"), isBusy);
  assert.throws(() => points.entries.current("a"), isBusy);
  assert.throws(() => points.tokens.cached("hash"), isBusy);
  await assert.rejects(listChildren(link, rootPath, undefined, 10), isBusy);
  assert.throws(() => [...link.batches("SELECT slug FROM entry", [], 10)], isBusy);
  other.exec("ROLLBACK");
  assert.equal(points.entries.current("a"), entry);
  assert.equal((await listChildren(link, rootPath, undefined, 10)).length, 1);
});

test("the bounds of the log are looked up, however long it is: streams and followers ask several times a second", async () => {
  const asked: string[] = [];
  const counting = {
    row: async (text: string) => {
      asked.push(text);
      return [1, 1];
    },
  };
  await eventBounds(counting);
  await closing(new Sqlite(sqliteOptions(), "write"), (made) => {
    migrate(made);
    const plan = asked.flatMap((text) => made.rows(`EXPLAIN QUERY PLAN ${text}`)).map((row) => String(row[3]));
    assert.equal(plan.filter((step) => step.startsWith("SEARCH event")).length, 2, plan.join("; "));
    assert.ok(!plan.includes("SCAN event"), plan.join("; "));
  });
});
