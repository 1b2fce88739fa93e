import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import { migrate, Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { openPostgresStore } from "../../src/database.ts";
import { allNouns } from "../../src/nouns.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** The columns of the rules (row-rules.ts) are compared with the schema that the migrations make. */

/** Columns that are in no backup: numbers of rows, and what is derived from other columns. */
const madeAnew: Readonly<Record<string, readonly string[]>> = {
  entry: ["id", "parent", "listing", "index_partial"],
  file: ["id", "index_partial"],
  folder: ["id", "parent"],
  version: ["id"],
  trash_folder: ["parent"],
};
/** What a row refers to by number, and a backup by path: the number has another type. */
const byNumber = new Set(["file.folder"]);

type Found = readonly [table: string, column: string, type: string, isNullable: boolean];

function compare(found: readonly Found[]): void {
  const described = [...allNouns.rowTables.values()].flatMap(({ rule, table }) =>
    Object.entries(rule.columns).map(([column, { type, isNullable }]) => `${table}.${column} ${type} ${isNullable}`),
  );
  const inSchema = found
    .filter(([table, column]) => !madeAnew[table]?.includes(column))
    .map(([table, column, type, isNullable]) => {
      const name = `${table}.${column}`;
      return `${name} ${byNumber.has(name) ? "text" : type} ${isNullable}`;
    });
  assert.deepEqual(inSchema.sort(), described.sort());
}

const tables = [...allNouns.rowTables.values()].map(({ table }) => table);

describe("SQLite", () => {
  test("each column of the schema is in the table of columns, with its type", (t) => {
    const sqlite = new Sqlite(sqliteOptions(), "write");
    t.after(() => sqlite.close());
    migrate(sqlite);
    const columns = tables.flatMap((table) =>
      sqlite
        .rows(`SELECT name, lower(type), "notnull" OR pk FROM pragma_table_info(?1)`, table)
        .map(([name, type, isNeeded]): Found => [table, String(name), String(type), isNeeded === 0]),
    );
    compare(columns);
  });
});

describe("PostgreSQL", { skip: lacksPostgres() || undefined }, () => {
  test("each column of the schema is in the table of columns, with its type", async (t) => {
    const options = await postgresOptions();
    const store = await openPostgresStore(options);
    const client = new pg.Client({ connectionString: options.url });
    t.after(() => store.close());
    t.after(() => client.end());
    await client.connect();
    const { rows } = await client.query(
      `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = ANY ($1)`,
      [tables],
    );
    compare(
      rows.map(({ table_name, column_name, data_type, is_nullable }): Found => {
        const type = data_type === "bigint" ? "integer" : data_type;
        return [table_name, column_name, type, is_nullable === "YES"];
      }),
    );
  });
});
