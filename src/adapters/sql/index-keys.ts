import { addFieldRows, type FieldIndex } from "./entry-field.ts";
import { indexedKeys } from "./field-index.ts";
import type { Sqlite } from "./sqlite.ts";

/**
 * Which keys the field index of this store holds: what was asked for when it was last served. Another wish rebuilds
 * the index; no wish (the command line beside a running server) takes what is there. Answers the setting in force.
 */
export async function settleIndexKeys(sqlite: Sqlite, wished: readonly string[] | undefined): Promise<string[]> {
  const stored = sqlite.row("SELECT value FROM store_state WHERE name = 'index_keys'")?.[0];
  const held = typeof stored === "string" ? stored : undefined;
  if (held !== undefined && (wished === undefined || wished.join() === held)) return held.split(",");
  const keys = [...(wished ?? ["*"])];
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    if (held !== undefined) await rebuild(sqlite, { isIndexed: indexedKeys(keys), keyIds: new Map() });
    sqlite.run(
      "INSERT INTO store_state (name, value) VALUES ('index_keys', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
      keys.join(),
    );
    sqlite.exec("COMMIT");
  } catch (error) {
    sqlite.exec("ROLLBACK");
    throw error;
  }
  return keys;
}

async function rebuild(sqlite: Sqlite, index: FieldIndex): Promise<void> {
  sqlite.run("DELETE FROM entry_field");
  for (let last = 0; ; ) {
    const rows = sqlite.rows("SELECT id, parent, data FROM entry WHERE id > ?1 ORDER BY id LIMIT 500", last);
    if (rows.length === 0) return;
    for (const [id, parent, data] of rows as [number, number, string][]) {
      const isPartial = await addFieldRows(sqlite, index, parent, id, data);
      sqlite.run("UPDATE entry SET index_partial = ?1 WHERE id = ?2", Number(isPartial), id);
      last = id;
    }
  }
}
