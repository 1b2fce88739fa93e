import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PostgresWriter } from "../../src/core/sql/engine/postgres/write-connection.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { deleteRows, insertRows, type Value, type WriteSql } from "../../src/core/sql/sql.ts";
import { type Parts, writeSql } from "../../src/core/sql/sql-text.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** One text for both engines: each writes the parameters and the parts, and nothing else. */

const parts = { new_uuid: "uuid()", numbers_of: (list: string) => `list(${list})` } as unknown as Parts;
const write = (text: string): string => writeSql(text, parts, (number) => `<${number}>`);

test("parameters and parts are written", () => {
  assert.equal(write("SELECT {new_uuid}, ?1, ?12 FROM {numbers_of ?2}"), "SELECT uuid(), <1>, <12> FROM list(<2>)");
});

test("texts in quotes, names in quotes and comments stay as they are", () => {
  for (const text of [
    "'?1 {new_uuid}'",
    "'it''s ?1'",
    '"?1 {new_uuid}"',
    "-- it's ?1 {new_uuid}",
    "/* it's ?1\n {new_uuid} */",
    "'{}'",
    "? {} CROSS JOIN",
  ])
    assert.equal(write(`${text}\n ?1`), `${text}\n <1>`);
});

test("a part that does not exist is refused", () => {
  assert.throws(() => write("SELECT {uuid}"), /\{uuid\}/);
});

const table = "CREATE TEMP TABLE kept (id BIGINT PRIMARY KEY, name TEXT, weight {real}, note TEXT)";
const columns = ["id", "name", "weight", "note"];
const types = ["integer", "text", "real", "text"] as const;
const odd = ['"a" \\ {b}, ?1', "VALUES (?1) ON CONFLICT", "NULL", "", "\n'é𝔘' -- {new_uuid}", null];

function suite(name: string, skip: string | undefined, open: () => Promise<WriteSql & { close(): unknown }>): void {
  describe(name, { skip }, async () => {
    const sql = await open();
    test.before(() => sql.begin());
    test.after(async () => {
      await sql.rollback();
      await sql.close();
    });

    test("rows that are written at once are those that are written one by one", async () => {
      await sql.run(table);
      const rows: Value[][] = odd.map((text, i) => [i, text, i / 4, i % 2 ? null : text]);
      const kept = () => sql.rows("SELECT id, name, weight, note FROM kept ORDER BY id");
      await sql.runAll(insertRows("kept", columns, types), rows);
      assert.deepEqual(
        (await kept()).map((row) => [...row]),
        rows,
      );
      const onConflict = "ON CONFLICT (id) DO UPDATE SET name = excluded.name WHERE excluded.name <> '?1'";
      const changed: Value[][] = rows.map(([id]) => [id ?? 0, id === 2 ? "?1" : `n${id}`, 9, "x"]);
      sql.later(insertRows("kept", columns, types, onConflict), changed);
      const expected = rows.map(([id, text, ...rest]) => [id, id === 2 ? text : `n${id}`, ...rest]);
      assert.deepEqual(
        (await kept()).map((row) => [...row]),
        expected,
      );
      const which = deleteRows("kept", "id = ?1 AND name = ?2 AND note IS NULL", ["integer", "text"]);
      await sql.runAll(which, [
        [1, "n1"],
        [3, "other"],
        [4, "n4"],
      ]);
      assert.deepEqual((await sql.rows("SELECT id FROM kept ORDER BY id")).flat(), [0, 2, 3, 4, 5]);
      await sql.runAll(which, [[3, "n3"]]);
      await sql.runAll(which, []);
      assert.deepEqual((await sql.rows("SELECT id FROM kept ORDER BY id")).flat(), [0, 2, 4, 5]);
    });

    test("a SELECT for several sets answers each", async () => {
      const text = "SELECT ?1 || '?1', ?2 + 1 WHERE ?2 > 1";
      const found = await sql.rowsAll(
        text,
        [
          ["a", 1],
          ["b", 2],
          ["c", 3],
        ],
        ["text", "integer"],
      );
      assert.deepEqual(
        found.map((rows) => rows.map((row) => [...row])),
        [[], [["b?1", 3]], [["c?1", 4]]],
      );
    });

    test("each part runs", async () => {
      const text = `SELECT a.value + b.value FROM (SELECT value FROM {numbers_of ?1}) AS a
        {join_in_order} (SELECT value FROM {numbers_of ?2}) AS b ON b.value > a.value WHERE {watch a.value} ORDER BY 1`;
      assert.deepEqual((await sql.rows(text, "[1,2]", "[2,3]")).flat(), [3, 4, 5]);
      const [uuid, other, secret] = (await sql.row("SELECT {new_uuid}, {new_uuid}, {new_secret}")) ?? [];
      assert.match(String(uuid), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.notEqual(uuid, other);
      assert.match(String(secret), /^[0-9a-f]{64}$/);
      await sql.run("CREATE TABLE looked_up (id {number_key}, name {text}) {strict}");
      await sql.run("INSERT INTO looked_up (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')");
      await sql.run("{analyze looked_up}");
      const names = "SELECT name FROM (SELECT value FROM {numbers_of ?1}) AS a {row_by_id looked_up a.value}";
      assert.deepEqual((await sql.rows(`${names} WHERE name <> ?2`, "[3,1,9]", "a")).flat(), ["c"]);
      assert.equal((await sql.rows("SELECT {limit_time ?1}", "60000")).length, 1);
    });
  });
}

suite("SQLite", undefined, async () => new Sqlite(sqliteOptions(), "write"));
suite("PostgreSQL", lacksPostgres() || undefined, async () => new PostgresWriter(await postgresOptions()));
