import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import { toJson } from "../../src/core/lib/json.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import { isProblem } from "../../src/core/problem.ts";
import { Postgres } from "../../src/core/sql/engine/postgres/connection.ts";
import { PresumedSnapshot } from "../../src/core/sql/engine/postgres/presumed-snapshot.ts";
import { NotPresumed } from "../../src/core/sql/list/presumed.ts";
import { openPostgresStore } from "../../src/database.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";

/** Statements without a transaction must not answer from two states of the store. */

const context = { actor: "test", nowSeconds: 1 };
const input = { data: "{}", isMergePatch: false, fields: {} };
const slugs = "SELECT slug FROM entry WHERE slug > ?1 ORDER BY slug";

test("a read without a transaction", { skip: lacksPostgres() ?? false }, async (t) => {
  const options = await postgresOptions();
  const store = await openPostgresStore(options);
  const postgres = await Postgres.connect(options);
  t.after(async () => {
    await postgres.close();
    await store.close();
  });
  await store.entries.create("a" as Slug, input, context);
  await store.entries.create("b" as Slug, input, context);

  await t.test("hears the facts once, before the first rows", async () => {
    const sql = new PresumedSnapshot(postgres, { sizes: new Map(), layered: new Map() });
    const heard: unknown[] = [];
    sql.first(
      (b) => [`${b.text("x")}`, "(SELECT count(*) FROM entry)"],
      (facts) => heard.push(facts),
    );
    assert.deepEqual(await sql.rows(slugs, ""), [["a"], ["b"]]);
    assert.deepEqual(await sql.rows(slugs, "b"), []);
    assert.deepEqual(await sql.row("SELECT NULL, slug FROM entry WHERE slug = ?1", "a"), [null, "a"]);
    assert.deepEqual(heard, [["x", 2]]);
  });

  await t.test("is given up when the store has changed between two of its statements", async () => {
    const sql = new PresumedSnapshot(postgres, { sizes: new Map(), layered: new Map() });
    assert.deepEqual(await sql.rows(slugs, "a"), [["b"]]);
    await store.entries.create("c" as Slug, input, context);
    await assert.rejects(sql.rows(slugs, "a"), NotPresumed);
  });

  await t.test("says first that the path does not exist, then that a cursor is wrong", async () => {
    const list = (path: string) => {
      const args = toJson({ cursor: "wrong", order_by: { field: "n" } });
      const query = parseCollection(path as Slug, args as never, { maxLimit: 100, defaultLimit: 10 });
      return store.entries.list(query, accessOf({ kind: "delivery" } as never, 2));
    };
    await assert.rejects(list("none"), (error) => isProblem(error, "entry_not_found"));
    await assert.rejects(list("a"), (error) => isProblem(error, "cursor_invalid"));
  });
});
