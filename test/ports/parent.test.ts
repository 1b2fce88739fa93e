import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as postgres from "../../src/core/sql/engine/postgres/connection.ts";
import { PostgresWriter } from "../../src/core/sql/engine/postgres/write-connection.ts";
import * as sqlite from "../../src/core/sql/engine/sqlite/connection.ts";
import type { Row, WriteSql } from "../../src/core/sql/sql.ts";
import { Writer } from "../../src/core/sql/writes.ts";
import { allNouns } from "../../src/nouns.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sqliteOptions } from "./sqlite-options.ts";

const context = { actor: "test", nowSeconds: 1 };
const input = { data: '{"n":1}', isMergePatch: false, fields: {} };

async function openSqlite(t: TestContext): Promise<WriteSql> {
  const sql = new sqlite.Sqlite(sqliteOptions(), "write");
  t.after(() => sql.close());
  sqlite.migrate(sql);
  return sql;
}

async function openPostgres(t: TestContext): Promise<WriteSql> {
  const options = await postgresOptions();
  const first = await postgres.Postgres.connect(options);
  await postgres.migrate(first).finally(() => first.close());
  const sql = new PostgresWriter(options);
  t.after(() => sql.close());
  return sql;
}

for (const [name, open, skip] of [
  ["SQLite", openSqlite, false],
  ["PostgreSQL", openPostgres, lacksPostgres() ?? false],
] as const) {
  test(`${name}: a path is recorded as a parent exactly while it has a child`, {
    skip,
  }, async (t) => {
    const sql = await open(t);
    const writer = new Writer(allNouns, sql, ["*"], async () => undefined);
    const write = async (operation: string, ...args: unknown[]) => {
      const [reply] = await writer.run([{ id: 1, name: operation, args: [...args, context] }]);
      assert.ok(reply && "value" in reply, JSON.stringify(reply));
    };
    const parents = async () => ((await sql.rows("SELECT path FROM parent ORDER BY path")) as Row[]).flat();
    for (const slug of ["2026/05/31/a", "2026/05/31/b", "2026/06/01/c"]) await write("createEntry", slug, input);
    await write("deleteEntry", "2026/05/31/a", { to: "trash" });
    assert.deepEqual(await parents(), ["2026/05/31", "2026/06/01"]);
    await write("moveEntry", "2026/05/31/b", { newSlug: "2026/06/01/b" });
    assert.deepEqual(await parents(), ["2026/06/01"]);
    await write("moveEntry", "2026/06/01/b", { newSlug: "2026/06/01/d" });
    await write("createEntry", "2026/06/01/d/below", input);
    assert.deepEqual(await parents(), ["2026/06/01", "2026/06/01/d"]);
    // The old parent path is the target of a descendant that moves there.
    await write("deleteEntry", "2026/06/01/c", { to: "trash" });
    await write("moveEntry", "2026/06/01/d", { newSlug: "2026/06/01" });
    assert.deepEqual(await parents(), ["2026/06", "2026/06/01"]);
    await write("deleteEntry", "2026/06/01", { to: "trash" });
    assert.deepEqual(await parents(), []);
    // The transaction that removed the last child adds another one.
    const calls = ["x/1", "x/2"].map((slug, id) => ({ id, name: "createEntry", args: [slug, input, context] }));
    const gone = { id: 9, name: "deleteEntry", args: ["x/1", { to: "trash" }, context] };
    const replies = await writer.run([calls[0], gone, calls[1]].filter((call) => call !== undefined));
    assert.ok(replies.every((reply) => "value" in reply));
    assert.deepEqual(await parents(), ["x"]);
    assert.deepEqual(await sql.rows("SELECT slug, path FROM entry JOIN parent ON parent.id = parent"), [["x/2", "x"]]);
  });
}
