import type { Path } from "../../domain/path.ts";
import { type JsonObject, parseJson } from "../../lib/json.ts";
import { type FieldRow, fieldRows } from "./field-index.ts";
import type { Sql } from "./sql.ts";

export type IndexedKeys = (key: string) => boolean;

/** Adds an entry's index rows; answers whether some were left out. */
export async function addFieldRows(
  sql: Sql,
  isIndexed: IndexedKeys,
  parent: number,
  entry: number,
  data: string,
): Promise<boolean> {
  const { rows, isPartial } = rowsOf(data, isIndexed);
  for (const row of rows.values()) await insertRow(sql, parent, entry, row);
  return isPartial;
}

/** Removes an entry's index rows, found from the data they were made of: no second index is needed. */
export async function removeFieldRows(
  sql: Sql,
  isIndexed: IndexedKeys,
  parent: number,
  entry: number,
  data: string,
): Promise<void> {
  for (const row of rowsOf(data, isIndexed).rows.values()) await deleteRow(sql, parent, entry, row);
}

/** Brings the index rows from one state of the data to the next: only what differs is written. */
export async function replaceFieldRows(
  sql: Sql,
  isIndexed: IndexedKeys,
  parent: number,
  entry: number,
  before: string,
  after: string,
): Promise<boolean> {
  const old = rowsOf(before, isIndexed);
  const next = rowsOf(after, isIndexed);
  for (const [name, row] of old.rows) if (!next.rows.has(name)) await deleteRow(sql, parent, entry, row);
  for (const [name, row] of next.rows) if (!old.rows.has(name)) await insertRow(sql, parent, entry, row);
  return next.isPartial;
}

async function insertRow(sql: Sql, parent: number, entry: number, row: FieldRow): Promise<void> {
  await sql.run(
    "INSERT INTO entry_field (parent, key, kind, number, text, entry) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    parent,
    await ensureKey(sql, row.key),
    row.kind,
    row.number,
    row.text,
    entry,
  );
}

async function deleteRow(sql: Sql, parent: number, entry: number, row: FieldRow): Promise<void> {
  await sql.run(
    "DELETE FROM entry_field WHERE parent = ?1 AND key = ?2 AND kind = ?3 AND number = ?4 AND text = ?5 AND entry = ?6",
    parent,
    await ensureKey(sql, row.key),
    row.kind,
    row.number,
    row.text,
    entry,
  );
}

/** Gives the copies of entries below `top` the index rows of their originals. */
export async function copyFieldRows(sql: Sql, top: Path, copies: { from: number; to: number }[]): Promise<void> {
  if (copies.length === 0) return;
  await sql.run("CREATE TEMP TABLE IF NOT EXISTS copied (original INTEGER PRIMARY KEY, copy INTEGER NOT NULL)");
  await sql.run("DELETE FROM copied");
  for (const { from, to } of copies) await sql.run("INSERT INTO copied (original, copy) VALUES (?1, ?2)", from, to);
  await sql.run(
    `INSERT INTO entry_field (parent, key, kind, number, text, entry)
     SELECT entry.parent, field.key, field.kind, field.number, field.text, copied.copy
     FROM parent CROSS JOIN entry_field AS field ON field.parent = parent.id
       JOIN copied ON copied.original = field.entry JOIN entry ON entry.id = copied.copy
     WHERE parent.path = ?1 OR (parent.path >= ?1 || '/' AND parent.path < ?1 || '0')`,
    top,
  );
  await sql.run("DELETE FROM copied");
}

function rowsOf(data: string, isIndexed: IndexedKeys): ReturnType<typeof fieldRows> {
  return fieldRows(parseJson(data) as JsonObject, isIndexed);
}

async function ensureKey(sql: Sql, name: string): Promise<number> {
  const known = await sql.row("SELECT id FROM field_key WHERE name = ?1", name);
  if (known) return known[0] as number;
  return (await sql.row("INSERT INTO field_key (name) VALUES (?1) RETURNING id", name))?.[0] as number;
}
