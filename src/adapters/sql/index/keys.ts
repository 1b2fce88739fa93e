import { type JsonObject, parseJson } from "../../../lib/json.ts";
import { inTransaction, type Sql, type WriteSql } from "../sql.ts";
import { addFieldRows, type FieldIndex } from "./entry-field.ts";
import { indexedKeys } from "./field.ts";

/**
 * Which keys the field index of this store holds: the setting with which it was last served. A different setting
 * rebuilds the index; an absent one (the command line beside a running server) keeps it. Answers the setting in force.
 */
export const settleIndexKeys = (sql: WriteSql, wished: readonly string[] | undefined): Promise<string[]> =>
  inTransaction(sql, () => settle(sql, wished));

async function settle(sql: Sql, wished: readonly string[] | undefined): Promise<string[]> {
  const held = await findIndexKeys(sql);
  if (held && (wished === undefined || wished.join() === held.join())) return held;
  const keys = [...(wished ?? ["*"])];
  if (held) await rebuild(sql, { isIndexed: indexedKeys(keys), keyIds: new Map() });
  await sql.run(
    "INSERT INTO store_state (name, value) VALUES ('index_keys', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
    keys.join(),
  );
  return keys;
}

/** The keys in force; undefined in a store that was never opened. */
export async function findIndexKeys(sql: Sql): Promise<string[] | undefined> {
  const row = await sql.row("SELECT value FROM store_state WHERE name = 'index_keys'");
  return (row?.[0] as string | undefined)?.split(",");
}

async function rebuild(sql: Sql, index: FieldIndex): Promise<void> {
  await sql.run("DELETE FROM entry_field");
  for (let last = 0; ; ) {
    const rows = await sql.rows("SELECT id, parent, data FROM entry WHERE id > ?1 ORDER BY id LIMIT 500", last);
    if (rows.length === 0) return;
    for (const [id, parent, data] of rows as [number, number, string][]) {
      const isPartial = await addFieldRows(sql, index, parent, id, parseJson(data) as JsonObject);
      await sql.run("UPDATE entry SET index_partial = ?1 WHERE id = ?2", Number(isPartial), id);
      last = id;
    }
  }
}
