import assert from "node:assert/strict";
import { test } from "node:test";
import { PostgresLink } from "../../src/core/sql/engine/postgres/link.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";

/** Clients choose the shapes of lists: their statements must not fill the memory of the database server. */

test("a connection keeps a bounded number of prepared statements", { skip: lacksPostgres() ?? false }, async (t) => {
  const link = new PostgresLink(await postgresOptions());
  t.after(() => link.close());
  for (let shape = 0; shape < 1500; shape++)
    assert.deepEqual(await link.row(`SELECT ${shape} + ?1::int`, 1), [shape + 1]);
  const kept = (await link.row("SELECT count(*) FROM pg_prepared_statements"))?.[0] as number;
  assert.ok(kept <= 1000, `${kept} statements`);
  assert.deepEqual(await link.row("SELECT 0 + ?1::int", 5), [5]);
});
