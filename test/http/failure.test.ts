import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../../src/core/sql/call.ts";
import { migrate, Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { Writer } from "../../src/core/sql/writes.ts";
import { allNouns } from "../../src/nouns.ts";
import { openDatabase } from "../database.ts";
import { temporaryFolder, useWorld } from "../harness.ts";

const call = (id: number, slug: string, data = '{"a":1}'): Call => ({
  id,
  name: "createEntry",
  args: [slug, { data, isMergePatch: false, fields: {} }, { actor: "test", nowSeconds: 1 }],
});

test("a full disk refuses the write that does not fit; other writes and the store are intact", async (t) => {
  const sqlite = new Sqlite({ folder: temporaryFolder(), busyTimeoutMs: 100 }, "write");
  t.after(() => sqlite.close());
  migrate(sqlite);
  const writer = new Writer(allNouns, sqlite, ["*"], async () => undefined);
  const pages = sqlite.row("PRAGMA page_count")?.[0] as number;
  sqlite.exec(`PRAGMA max_page_count = ${pages + 40}`);
  const large = JSON.stringify({ text: "x".repeat(900_000) });
  const replies = await writer.run([call(1, "small"), call(2, "large", large), call(3, "other")]);
  assert.deepEqual(
    replies.map((reply) => ("problem" in reply ? reply.problem.code : "done")),
    ["done", "storage_full", "done"],
  );
  assert.deepEqual(sqlite.rows("SELECT slug FROM entry ORDER BY slug"), [["other"], ["small"]]);
  assert.deepEqual(sqlite.rows("SELECT subject FROM event ORDER BY sequence"), [["small"], ["other"]]);
  assert.deepEqual(sqlite.rows("PRAGMA integrity_check"), [["ok"]]);
});

test("an unexpected error does not affect other calls and reveals no details", async (t) => {
  const sqlite = new Sqlite({ folder: temporaryFolder(), busyTimeoutMs: 100 }, "write");
  t.after(() => sqlite.close());
  migrate(sqlite);
  const writer = new Writer(allNouns, sqlite, ["*"], async () => undefined);
  const replies = await writer.run([call(1, "a"), { ...call(2, "b"), args: ["b"] }, call(3, "c")]);
  assert.deepEqual(
    replies.map((reply) => Object.keys(reply)[1]),
    ["value", "error", "value"],
  );
  assert.deepEqual(sqlite.rows("SELECT slug FROM entry ORDER BY slug"), [["a"], ["c"]]);
});

const folder = temporaryFolder();
const world = useWorld({ data: folder, "busy-timeout-ms": "50" });

test("while another process holds the write lock a write is 503 with Retry-After; reads continue", async (t) => {
  const body = { id: "locked", data: { a: 1 }, token: world.token.management, access_token: world.token.access };
  const other = openDatabase(folder);
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  const refused = await world.send("POST", "/api/entries", { body });
  assert.equal(refused.status, 503, refused.text);
  assert.equal(refused.json.code, "busy");
  assert.equal(refused.headers.get("retry-after"), "1");
  assert.ok(!/sqlite|locked by|octavo\.db/i.test(refused.json.detail as string));
  const query = { id: "octavo.manifest", token: world.token.management };
  assert.equal((await world.send("GET", "/api/registry", { query })).status, 200);
  other.exec("ROLLBACK");
  assert.equal((await world.send("POST", "/api/entries", { body })).status, 200);
});

test("a write of another process is visible to the next read", async (t) => {
  const query = { id: "seen", token: world.token.management };
  const body = { id: "seen", data: { n: 1 }, token: world.token.management, access_token: world.token.access };
  await world.send("POST", "/api/entries", { body });
  assert.equal((await world.send("GET", "/api/entries", { query })).status, 200);
  const other = new Sqlite({ folder, busyTimeoutMs: 5000 }, "write");
  t.after(() => other.close());
  const writer = new Writer(allNouns, other, ["*"], async () => undefined);
  const by = { actor: "test", nowSeconds: 1 };
  await writer.run([{ id: 1, name: "deleteEntry", args: ["seen", { to: "trash" }, by] }]);
  assert.equal((await world.send("GET", "/api/entries", { query })).status, 404);
  const tokens = other.rows("SELECT id FROM token WHERE kind = 'delivery'");
  await writer.run([{ id: 2, name: "revokeToken", args: [tokens[0]?.[0], by] }]);
  const revoked = await world.send("GET", "/api/entries", { query: { id: "seen", token: world.token.delivery } });
  assert.equal(revoked.status, 401);
});
