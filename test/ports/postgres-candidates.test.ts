import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { accessOf } from "../../src/core/access/access.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { openPostgresStore, type SqlStore } from "../../src/database.ts";
import { closing } from "../ending.ts";
import { until } from "../harness.ts";
import { storeFilePages, storePages } from "../plain-collection.ts";
import { lacksPostgres } from "../postgres.ts";
import { postgresOptions } from "./postgres-options.ts";
import { openUploads } from "./uploads.ts";

/** PostgreSQL looks up what an index finds, and reads none of its siblings: rows are counted, also before any ANALYZE. */

const [siblings, parents, every] = [1500, 150, 50];
const matches = siblings / every;
/** A match is read to be tested, and once more for the page; beside them the path of the list is looked up. */
const mostOf = (found: number): number => found * 2 + 5;
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
async function rowsRead(url: string, table = "entry"): Promise<number> {
  // A connection says what it has read when the server ends it, which is after the client has.
  const others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  await until(async () => (await ask(url, others)).length === 0, "a connection stays open");
  const text = "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = $1";
  const [[read] = []] = await ask(url, text, [table]);
  return Number(read);
}

/** Asks the server by a connection of its own. */
async function ask(url: string, text: string, values: string[] = []): Promise<unknown[][]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query({ text, values, rowMode: "array" })).rows;
  } finally {
    await client.end();
  }
}

/** Tables of items and of their fields that the planner has been told nothing of; no autovacuum tells it. */
const untold = (url: string) =>
  ask(url, "SELECT relname FROM pg_class WHERE relname = ANY (string_to_array($1, ',')) AND reltuples < 0", [told]);
const told = "entry,entry_field,file,file_field";
const forget = (url: string, tables = told) =>
  ask(
    url,
    tables
      .split(",")
      .map((name) => `ALTER TABLE ${name} SET (autovacuum_enabled = false)`)
      .join(";"),
  );

const where = (key: string, expr: string, value: string) => ({ where: { key, expr, value } });

test("a list reads the candidates of its conditions and not their siblings", { skip: lacksPostgres() }, async (t) => {
  const options = await postgresOptions();
  const store = await openPostgresStore(options);
  await fill(store);
  // Up to 512 of the newest would be candidates of each text condition otherwise, whatever the statement.
  await store.entries.indexTexts();
  await store.close();
  for (const isAnalyzed of [false, true]) {
    if (isAnalyzed) await ask(options.url, "ANALYZE");
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
        assert.ok(read <= mostOf(matches), `${read} rows for ${matches} matches among ${siblings}`);
      });
    }
  }
});

test("a list of files reads the candidates and not their siblings", { skip: lacksPostgres() }, async (t) => {
  const options = await postgresOptions();
  const uploads = await openUploads(undefined, undefined, (_, blobFolder) =>
    openPostgresStore({ ...options, blobFolder }),
  );
  const { store, upload } = uploads;
  // A table of one page is best read whole, as the planner knows once a run of autovacuum has told it.
  await forget(options.url, "file,folder");
  const [files, folders] = [500, 50];
  for (const name of ["big", ...Array.from({ length: folders }, (_, n) => `f${n}`)])
    await store.folders.create(name as Path, context);
  await Promise.all(Array.from({ length: folders }, (_, n) => upload(`f${n}/a.txt`, "granite")));
  const extension = (n: number) => (n % every === 0 ? "md" : "txt");
  await Promise.all(Array.from({ length: files }, (_, n) => upload(`big/${n}.${extension(n)}`, "granite")));
  await store.close();
  const read = () => Promise.all(["file", "folder"].map((table) => rowsRead(options.url, table)));
  const isFound = where("extension", "eq", "md");
  for (const [name, args] of [
    ["eq", isFound],
    ["in the order of a field", { ...isFound, order_by: { field: "title", direction: "desc" } }],
    ["eq and contains", { ...isFound, and_where: [{ key: "title", expr: "contains", value: "0" }] }],
  ] as const)
    await t.test(name, async () => {
      const before = await read();
      const asked = await openPostgresStore(options);
      const pages = await storeFilePages(asked, "big" as Path, args).finally(() => asked.close());
      const found = pages.flatMap((page) => JSON.parse(page)).length;
      assert.equal(found, files / every);
      for (const [i, after] of (await read()).entries()) {
        const rows = after - (before[i] as number);
        assert.ok(rows <= mostOf(found), `${rows} rows of ${i === 0 ? "files" : "folders"} for ${found} matches`);
      }
    });
});

test("the planner knows the tables after a restore and after an index is built", {
  skip: lacksPostgres(),
}, async () => {
  const [from, to] = [await postgresOptions(), await postgresOptions()];
  const restored = await closing(openPostgresStore(from), async (source) => {
    await forget(from.url);
    await source.entries.create("a" as Slug, { data: '{"n":1}', isMergePatch: false, fields: {} }, context);
    return closing(openPostgresStore(to), async (target) => {
      await forget(to.url);
      const before = await untold(to.url);
      await copyRows(source, target);
      return { before, after: await untold(to.url) };
    });
  });
  assert.deepEqual([restored.before.length, restored.after], [4, []]);

  assert.equal((await untold(from.url)).length, 4);
  await (await openPostgresStore({ ...from, indexKeys: ["n"] })).close();
  assert.deepEqual(await untold(from.url), []);
});

async function copyRows(from: SqlStore, to: SqlStore): Promise<void> {
  await from.rows.snapshot(async (rows) => {
    const rowNouns = [...from.rows.rules.keys()];
    const counts: Record<string, number> = {};
    for (const noun of rowNouns) counts[noun] = await rows.count(noun);
    const batches = async function* () {
      for (const noun of rowNouns) for await (const batch of rows.rows(noun)) yield { noun, rows: batch };
    };
    await to.rows.load(batches(), { counts, rows_sha256: "", blobs: { count: 0, bytes: 0, sha256: "" } });
  });
}
