import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { before, test } from "node:test";
import { orderKey } from "../../src/core/list/order-key.ts";
import type { Slug } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { RowSums } from "../../src/core/sql/index/row-sums.ts";
import type { Value } from "../../src/core/sql/sql.ts";
import { openSqliteStore } from "../../src/database.ts";
import { closing } from "../ending.ts";
import { sqliteOptions } from "./sqlite-options.ts";

const context = { actor: "test", nowSeconds: 1 };

const [seven, eight] = [orderKey("title 7"), orderKey("title 8")];

const damages: [name: string, statement: string, faults: RegExp[]][] = [
  [
    "a row is lacking",
    `DELETE FROM entry_field WHERE value = '${seven}'`,
    [/^The field index lacks title of the entry e\/7$/],
  ],
  [
    "a row is of another entry: as many rows as before",
    `UPDATE entry_field SET entry = 99999 WHERE value = '${seven}'`,
    [/^The field index lacks title of the entry e\/7$/, /^The field index has 1 rows of no entry$/],
  ],
  [
    "two entries have each other's rows",
    `UPDATE entry_field SET value = CASE value WHEN '${seven}' THEN '${eight}' ELSE '${seven}' END
     WHERE value IN ('${seven}', '${eight}')`,
    [/lacks title of the entry e\/7$/, /lacks title of the entry e\/8$/, /has 2 rows of no entry$/],
  ],
  [
    "a number differs",
    `UPDATE entry_field SET value = '${orderKey(7.5)}' WHERE value = '${orderKey(7)}'`,
    [/lacks n of the entry e\/7$/, /has 1 rows/],
  ],
  [
    "a key is unknown",
    "DELETE FROM field_key WHERE name = 'once'",
    [/lacks once of the entry e\/9$/, /has 1 rows of no entry$/],
  ],
  [
    "a kept number is another one",
    "UPDATE entry_count SET count = count + 1",
    [/^The kept number of children of "e" in the table entry is wrong$/],
  ],
];

/** A store with 600 entries in order; each test damages a copy. */
const sound = sqliteOptions();
before(() =>
  closing(openSqliteStore(sound), async (store) => {
    await Promise.all(
      Array.from({ length: 600 }, (_, n) => {
        const data = JSON.stringify({ title: `title ${n}`, n, ...(n === 9 ? { once: true } : {}) });
        return store.entries.create(`e/${n}` as Slug, { data, isMergePatch: false, fields: {} }, context);
      }),
    );
    assert.deepEqual(await store.verify(), []);
  }),
);

for (const [name, statement, faults] of damages) {
  test(`octavo verify finds what differs in the field index: ${name}`, async () => {
    const options = sqliteOptions();
    cpSync(sound.folder, options.folder, { recursive: true });
    const other = new Sqlite(options, "write");
    other.exec(statement);
    other.close();
    const found = await closing(openSqliteStore(options), (store) => store.verify());
    assert.equal(found.length, faults.length, found.join("\n"));
    for (const [i, fault] of faults.entries()) assert.match(found[i] as string, fault);
  });
}

test("sums of rows are zero only for equal sets, in any order", () => {
  const rows: [item: number, values: Value[]][] = Array.from({ length: 5000 }, (_, n) => [
    n % 700,
    [n, `text ${n}`, n / 3, "", "é"],
  ]);
  const sums = new RowSums();
  for (const row of rows) sums.add(...row);
  for (const row of rows.toReversed()) sums.subtract(...row);
  assert.ok(sums.areZero);
  for (const [n, other] of [0, 0.5, "", "text 0", -1].entries()) {
    const changed = new RowSums();
    changed.add(5, [n, "a", 1]);
    changed.subtract(5, [n, "a", other]);
    assert.ok(!changed.areZero, `${other}`);
    assert.ok(changed.differsFor(5));
    assert.ok(!changed.differsFor(6));
  }
  // A row of one item in place of the same row of another one with the same sum.
  const moved = new RowSums();
  moved.add(1, [1]);
  moved.subtract(1 + 65_536, [1]);
  assert.ok(!moved.areZero);
});
