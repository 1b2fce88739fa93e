import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { openPostgresStore } from "../../src/adapters/sql/engine/postgres/store.ts";
import type { SqlStore } from "../../src/adapters/sql/store.ts";
import { accessOf } from "../../src/domain/access/access.ts";
import type { Slug } from "../../src/domain/path.ts";
import { storePages } from "../plain-collection.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";

/** PostgreSQL looks up what an index finds, and reads none of its siblings: rows are counted, also before any ANALYZE. */

const [siblings, parents, every] = [1500, 150, 50];
const matches = siblings / every;
/** A match is read to be tested, and again for the page; beside them the path of the list is looked up. */
const most = matches * 2 + 5;
const access = accessOf({ kind: "management" }, 2);
const context = { actor: "test", nowSeconds: 1 };

async function fill({ entries }: SqlStore): Promise<void> {
  const create = (slug: string, data: object) =>
    entries.create(slug as Slug, { data: JSON.stringify(data), isMergePatch: false, fields: {} }, context);
  const small = Array.from({ length: parents }, (_, n) => `p${n}`);
  await Promise.all(["big", ...small].map((slug) => create(slug, {})));
  await Promise.all(small.flatMap((slug) => ["a", "b"].map((name) => create(`${slug}/${name}`, { text: "granite" }))));
  const big = Array.from({ length: siblings }, (_, n) =>
    create(`big/${n}`, {
      n,
      text: n % every === 0 ? "amber basalt" : `granite ${n}`,
      kind: n % every === 0 ? "x" : "y",
    }),
  );
  await Promise.all(big);
}

/** Rows of the table of entries that all connections have read; those that are closed have said so. */
async function rowsRead(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const text = "SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_user_tables WHERE relname = 'entry'";
  const { rows } = await client.query(text);
  await client.end();
  return Number(rows[0].read);
}

const where = (key: string, expr: string, value: string) => ({ where: { key, expr, value } });

test("a list reads the candidates of its conditions and not their siblings", { skip: lacksPostgres() }, async (t) => {
  const options = await postgresOptions();
  const store = await openPostgresStore(options);
  await fill(store);
  // Up to 512 of the newest would be candidates of each text condition otherwise, whatever the statement.
  await store.entries.indexTexts();
  await store.close();
  for (const isAnalyzed of [false, true]) {
    const client = new pg.Client(options.url);
    await client.connect();
    if (isAnalyzed) await client.query("ANALYZE");
    await client.end();
    for (const [name, args] of [
      ["search", { search: "amber basalt" }],
      ["contains", where("text", "contains", "amber")],
      ["regexp", where("text", "regexp", "amber +basalt")],
      ["eq", where("kind", "eq", "x")],
      ["search in the order of a field", { search: "amber basalt", order_by: { field: "n" } }],
    ] as const) {
      await t.test(`${name}, ${isAnalyzed ? "after" : "before"} ANALYZE`, async () => {
        const before = await rowsRead(options.url);
        const asked = await openPostgresStore(options);
        const pages = await storePages(asked, "big" as Slug, { ...args, only: "slug" }, access).finally(() =>
          asked.close(),
        );
        assert.equal(pages.flatMap((page) => JSON.parse(page)).length, matches);
        const read = (await rowsRead(options.url)) - before;
        assert.ok(read <= most, `${read} rows for ${matches} matches among ${siblings}`);
      });
    }
  }
});
