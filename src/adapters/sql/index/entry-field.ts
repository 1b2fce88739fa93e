import type { Path } from "../../../domain/path.ts";
import { type JsonObject, parseJson } from "../../../lib/json.ts";
import { isWithinSql, type Sql, type Value, type ValueType } from "../sql.ts";
import { type FieldRow, fieldRows } from "./field.ts";

/** A writer's caches for the field index: which keys are indexed, and the numbers of the key names met so far. */
export type FieldIndex = {
  isIndexed(key: string): boolean;
  /** Must be cleared when a transaction is rolled back: a number assigned in it is void. */
  keyIds: Map<string, number>;
};

/** Whose index rows: the entry's number, its parent's, and its listing. */
export type RowOwner = { entry: number; parent: number; listing: number };

/** Adds an entry's index rows; answers whether some were left out. */
export async function addFieldRows(sql: Sql, index: FieldIndex, owner: RowOwner, data: JsonObject): Promise<boolean> {
  const { rows, isPartial } = fieldRows(data, index.isIndexed);
  await sql.runAll(insertSql, await valuesOf(sql, index, owner, rows.values()), rowTypes);
  return isPartial;
}

/** Adds the index rows of many entries at once. */
export async function indexEntries(
  sql: Sql,
  index: FieldIndex,
  entries: readonly { owner: RowOwner; rows: ReadonlyMap<string, FieldRow> }[],
): Promise<void> {
  const sets: Value[][] = [];
  for (const { owner, rows } of entries) sets.push(...(await valuesOf(sql, index, owner, rows.values())));
  await sql.runAll(insertSql, sets, rowTypes);
}

/** Removes an entry's index rows, derived from the data they were built from: no second index is needed. */
export async function removeFieldRows(sql: Sql, index: FieldIndex, owner: RowOwner, data: JsonObject): Promise<void> {
  const gone = fieldRows(data, index.isIndexed).rows;
  await sql.runAll(deleteSql, await valuesOf(sql, index, owner, gone.values()), rowTypes);
}

/**
 * Updates the index rows from one state of the data and listing to the next: writes only the difference. Answers
 * whether some were left out.
 */
export async function replaceFieldRows(
  sql: Sql,
  index: FieldIndex,
  owner: RowOwner,
  before: JsonObject,
  after: { data: JsonObject; listing: number },
): Promise<boolean> {
  const old = fieldRows(before, index.isIndexed).rows;
  const { rows, isPartial } = fieldRows(after.data, index.isIndexed);
  const isSame = owner.listing === after.listing;
  const without = (from: typeof rows, kept: typeof rows) =>
    isSame ? [...from].filter(([name]) => !kept.has(name)).map(([, row]) => row) : from.values();
  await sql.runAll(deleteSql, await valuesOf(sql, index, owner, without(old, rows)), rowTypes);
  const made = await valuesOf(sql, index, { ...owner, listing: after.listing }, without(rows, old));
  await sql.runAll(insertSql, made, rowTypes);
  return isPartial;
}

const insertSql =
  "INSERT INTO entry_field (parent, key, listing, kind, number, text, entry) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
const deleteSql =
  "DELETE FROM entry_field WHERE parent = ?1 AND key = ?2 AND listing = ?3 AND kind = ?4 AND number = ?5 AND text = ?6 AND entry = ?7";
const rowTypes: ValueType[] = ["integer", "integer", "integer", "integer", "real", "text", "integer"];

async function valuesOf(
  sql: Sql,
  index: FieldIndex,
  { entry, parent, listing }: RowOwner,
  rows: Iterable<FieldRow>,
): Promise<Value[][]> {
  const sets: Value[][] = [];
  for (const { key, isElement, kind, number, text } of rows) {
    const keyId = index.keyIds.get(key) ?? (await ensureKey(sql, index, key));
    sets.push([parent, isElement ? -keyId : keyId, listing, kind, number, text, entry]);
  }
  return sets;
}

/** Gives the copies of entries below `top` the index rows of their sources. */
export async function copyFieldRows(sql: Sql, top: Path, copies: { from: number; to: number }[]): Promise<void> {
  if (copies.length === 0) return;
  await sql.run("CREATE TEMP TABLE IF NOT EXISTS copied (original BIGINT PRIMARY KEY, copy BIGINT NOT NULL)");
  await sql.run("DELETE FROM copied");
  const pairs = copies.map(({ from, to }) => [from, to]);
  await sql.runAll("INSERT INTO copied (original, copy) VALUES (?1, ?2)", pairs, ["integer", "integer"]);
  await sql.run(
    `INSERT INTO entry_field (parent, key, listing, kind, number, text, entry)
     SELECT entry.parent, field.key, field.listing, field.kind, field.number, field.text, copied.copy
     FROM parent CROSS JOIN entry_field AS field ON field.parent = parent.id
       JOIN copied ON copied.original = field.entry JOIN entry ON entry.id = copied.copy
     WHERE ${isWithinSql("parent.path", "?1")}`,
    top,
  );
  await sql.run("DELETE FROM copied");
}

/** The index rows of an entry's data. */
export function rowsOf(data: string, index: FieldIndex): ReturnType<typeof fieldRows> {
  return fieldRows(parseJson(data) as JsonObject, index.isIndexed);
}

async function ensureKey(sql: Sql, index: FieldIndex, name: string): Promise<number> {
  const row =
    (await sql.row("SELECT id FROM field_key WHERE name = ?1", name)) ??
    (await sql.row("INSERT INTO field_key (name) VALUES (?1) RETURNING id", name));
  const id = row?.[0] as number;
  // Clients choose the names: a bound keeps a flood of names from filling the memory.
  if (index.keyIds.size < maxKnownKeys) index.keyIds.set(name, id);
  return id;
}

const maxKnownKeys = 10_000;
