import type { SharedSql } from "../sql.ts";

/** The number of a text that is stored once; creates it if it is new. */
export async function intern(
  sql: SharedSql,
  table: "parent" | "field_key",
  column: string,
  text: string,
): Promise<number> {
  const find = `SELECT id FROM ${table} WHERE ${column} = ?1`;
  let row = await sql.row(find, text);
  if (!row) {
    sql.lockShared();
    // Another node may have created it meanwhile.
    row =
      (await sql.row(find, text)) ?? (await sql.row(`INSERT INTO ${table} (${column}) VALUES (?1) RETURNING id`, text));
  }
  return row?.[0] as number;
}
