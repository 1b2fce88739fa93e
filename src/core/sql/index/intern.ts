import { findNumber, numberOf, type SharedSql } from "../sql.ts";

/** The number of a text that is stored once; creates it if it is new. */
export async function intern(
  sql: SharedSql,
  table: "parent" | "field_key",
  column: string,
  text: string,
): Promise<number> {
  const find = `SELECT id FROM ${table} WHERE ${column} = ?1`;
  const known = await findNumber(sql, find, text);
  if (known !== undefined) return known;
  sql.lockShared();
  // Another node may have created it meanwhile.
  return (
    (await findNumber(sql, find, text)) ??
    numberOf(sql, `INSERT INTO ${table} (${column}) VALUES (?1) RETURNING id`, text)
  );
}
