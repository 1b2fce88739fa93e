import assert from "node:assert/strict";
import { after, test } from "node:test";
import { migrate, Sqlite, sqliteDialect } from "../../src/adapters/sql/engine/sqlite/connection.ts";
import { KeyNumbers } from "../../src/adapters/sql/index/key-number.ts";
import { readItems } from "../../src/adapters/sql/index/table.ts";
import { listQuickly } from "../../src/adapters/sql/list/entry-list.ts";
import type { ItemsById } from "../../src/adapters/sql/noun.ts";
import { Writer } from "../../src/adapters/sql/writes.ts";
import { accessOf } from "../../src/domain/access.ts";
import { parseCollection } from "../../src/domain/collection.ts";
import type { Slug } from "../../src/domain/path.ts";
import { wholeText } from "../../src/lib/long-text.ts";
import { sqliteOptions } from "./sqlite-options.ts";

test("an entry moved away between index lookup and read is not in the collection", async () => {
  const sqlite = new Sqlite(sqliteOptions(), "write");
  after(() => sqlite.close());
  migrate(sqlite);
  const writer = new Writer(sqlite, ["*"], async () => undefined);
  const context = { actor: "test", nowSeconds: 1 };
  const input = { data: '{"a":1}', isMergePatch: false, fields: {} };
  await writer.run([
    { id: 1, name: "createEntry", args: ["from/stays", input, context] },
    { id: 2, name: "createEntry", args: ["from/leaves", input, context] },
  ]);
  let isMoved = false;
  const itemsById: ItemsById = async function* (table, ids) {
    if (!isMoved) await writer.run([{ id: 3, name: "moveEntry", args: ["from/leaves", "to/it", undefined, context] }]);
    isMoved = true;
    yield* readItems(sqlite, table, [...ids]);
  };
  const query = parseCollection("from" as Slug, new Map(), { maxLimit: 100, defaultLimit: 100 });
  const options = { pageBytes: 1e6, scanBudgetMs: { delivery: 60_000, management: 60_000 }, regexpBudgetMs: 100 };
  const access = accessOf({ kind: "management" }, 1);
  const on = { sql: sqlite, isIndexed: () => true, keys: new KeyNumbers(), options, itemsById, dialect: sqliteDialect };
  const answer = await listQuickly(on, query, access);
  assert.deepEqual(
    JSON.parse(wholeText(answer?.json ?? "[]")).map((entry: { slug: string }) => entry.slug),
    ["from/stays"],
  );
});
