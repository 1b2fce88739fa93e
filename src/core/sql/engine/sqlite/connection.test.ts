import assert from "node:assert/strict";
import { constants, DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { written } from "./connection.ts";

test("a statement with a limit is prepared once, whatever its values are", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE item (id INTEGER)");
  let looks = 0;
  // Asked for each name of a statement while it is prepared.
  database.setAuthorizer(() => {
    looks++;
    return constants.SQLITE_OK;
  });
  const text = "SELECT id FROM (SELECT id FROM item WHERE id > ?2 LIMIT ?1) AS some ORDER BY id LIMIT ?1 OFFSET ?2";
  const statement = database.prepare(written(text));
  assert.ok(looks > 0);
  looks = 0;
  for (const value of [1, 2, 3]) statement.all(value, value);
  assert.equal(looks, 0);
  database.close();
});
