import type { JsonObject } from "../../lib/json.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import { Memo } from "../../lib/memo.ts";
import type { Path } from "../../path.ts";
import {
  deleteRows,
  insertRows,
  isWithinSql,
  type RowsWrite,
  type SharedSql,
  type Sql,
  type Value,
  type ValueType,
} from "../sql.ts";
import { type FieldRow, fieldRows } from "./field.ts";
import { intern } from "./intern.ts";
import { type Chains, isMarked, LayeredData } from "./layer.ts";
import { type FieldTable, type IndexedTable, missing } from "./table.ts";

/**
 * The indexes as a writer has them: its connection, which keys the field index has, and the numbers of the key names met
 * so far.
 */
export type FieldIndex = {
  readonly sql: SharedSql;
  isIndexed(key: string): boolean;
  /** Absent where there are no locales. */
  readonly chains?: Chains;
  /** Must be cleared when a transaction is rolled back: a number assigned in it is void. */
  keyIds: Map<string, MaybePromise<number>>;
};

/** Whose index rows: the item's number, its parent's, and its listing if it has one. Without any: an unindexed item. */
export type RowOwner = { item: number; parent: number; listing?: number; isUnindexed?: boolean };

/** Adds an item's index rows, without waiting for them. */
export async function addFieldRows(
  index: FieldIndex,
  table: FieldTable,
  owner: RowOwner,
  data: JsonObject,
): Promise<void> {
  index.sql.later(writesOf(table).insert, await valuesOf(index, owner, rowsOf(data, table, index).rows.values()));
}

/** Adds the index rows of many items at once, without waiting for them. */
export async function indexItems(
  index: FieldIndex,
  table: FieldTable,
  items: readonly { owner: RowOwner; rows: ReadonlyMap<string, FieldRow> }[],
): Promise<void> {
  const sets: Value[][] = [];
  for (const { owner, rows } of items) sets.push(...(await valuesOf(index, owner, rows.values())));
  index.sql.later(writesOf(table).insert, sets);
}

/** Removes an item's index rows, derived from the data they were built from: no second index is needed. */
export async function removeFieldRows(
  index: FieldIndex,
  table: FieldTable,
  owner: RowOwner,
  data: JsonObject,
): Promise<void> {
  const gone = rowsOf(data, table, index).rows;
  index.sql.later(writesOf(table).remove, await valuesOf(index, owner, gone.values()));
}

/**
 * Updates the index rows from one state of the data and place to the next: writes only the difference. Answers what the
 * index lacks of the item now: see `missing`.
 */
export async function replaceFieldRows(
  index: FieldIndex,
  table: FieldTable,
  before: { owner: RowOwner; data: JsonObject },
  after: { owner: RowOwner; data: JsonObject },
): Promise<number> {
  const old = rowsOf(before.data, table, index).rows;
  const { rows, lacking } = rowsOf(after.data, table, index);
  const isSame = !before.owner.isUnindexed && partOf(before.owner).join() === partOf(after.owner).join();
  const without = (from: typeof rows, kept: typeof rows) =>
    isSame ? [...from].filter(([name]) => !kept.has(name)).map(([, row]) => row) : from.values();
  index.sql.later(writesOf(table).remove, await valuesOf(index, before.owner, without(old, rows)));
  index.sql.later(writesOf(table).insert, await valuesOf(index, after.owner, without(rows, old)));
  return lacking;
}

/** The columns of a field index; the values of a row are in this order. */
export const fieldColumns = ({ part, name }: IndexedTable): readonly string[] => [...part, "key", "value", name];

/** Their types. */
export const rowTypes = ({ part }: IndexedTable): ValueType[] => [
  ...part.map(() => "integer" as const),
  "integer",
  "text",
  "integer",
];

/** Inserts rows into a table with the columns of the index. */
export const insertInIndex = (table: FieldTable, into = table.fields.table): RowsWrite =>
  insertRows(into, fieldColumns(table), rowTypes(table));

/** The writes of a table's rows, which every write has, made once. */
const writesOf = (table: FieldTable) =>
  writes.get(table, () => ({
    insert: insertInIndex(table),
    remove: deleteRows(table.fields.table, isRowSql(table), rowTypes(table)),
  }));
const writes = new Memo<FieldTable, { insert: RowsWrite; remove: RowsWrite }>(100);

/** SQL that is true for one row of a field index: its values are those of fieldColumns. */
export const isRowSql = (table: IndexedTable): string =>
  fieldColumns(table)
    .map((column, i) => `${column} = ?${i + 1}`)
    .join(" AND ");

/** Where in the index: the values of `IndexedTable.part`. */
const partOf = ({ parent, listing }: RowOwner): number[] => (listing === undefined ? [parent] : [parent, listing]);

export async function valuesOf(index: FieldIndex, owner: RowOwner, rows: Iterable<FieldRow>): Promise<Value[][]> {
  const sets: Value[][] = [];
  if (owner.isUnindexed) return sets;
  const part = partOf(owner);
  for (const { key, isElement, value } of rows) {
    const known = index.keyIds.get(key) ?? ensureKey(index, key);
    const keyId = typeof known === "number" ? known : await known;
    sets.push([...part, isElement ? -keyId : keyId, value, owner.item]);
  }
  return sets;
}

/** Gives the copies of items below `top` the index rows of their sources. */
export async function copyFieldRows(
  sql: Sql,
  table: FieldTable,
  top: Path,
  copies: { from: number; to: number }[],
): Promise<void> {
  if (copies.length === 0) return;
  await sql.run("CREATE TEMP TABLE IF NOT EXISTS copied (original BIGINT PRIMARY KEY, copy BIGINT NOT NULL)");
  await sql.run("DELETE FROM copied");
  const pairs = copies.map(({ from, to }) => [from, to]);
  await sql.runAll(insertRows("copied", ["original", "copy"], ["integer", "integer"]), pairs);
  const { name, parents, fields } = table;
  const [parent, ...columns] = fieldColumns(table);
  const values = columns.slice(0, -1).map((column) => `field.${column}`);
  await sql.run(
    `INSERT INTO ${fields.table} (${[parent, ...columns].join(", ")})
     SELECT ${[`${name}.${parent}`, ...values, "copied.copy"].join(", ")}
     FROM ${parents} AS above {join_in_order} ${fields.table} AS field ON field.${parent} = above.id
       JOIN copied ON copied.original = field.${name} JOIN ${name} ON ${name}.id = copied.copy
     WHERE ${isWithinSql("above.path", "?1")}`,
    top,
  );
  await sql.run("DELETE FROM copied");
}

/** The index rows of an item's data, and what the index lacks of it: see `missing`. */
export function rowsOf(data: JsonObject, { fields }: FieldTable, { isIndexed }: Pick<FieldIndex, "isIndexed">) {
  const isOwn = (key: string) => data instanceof LayeredData || !isMarked(key);
  const { rows, lacking } = fieldRows(data, (key) => isOwn(key) && fields.isIndexed(key, isIndexed));
  return { rows, lacking: lacking === 0 ? missing.none : missing.from(lacking) };
}

/** The number of a key name; creates it if it is new. Writes that run at once ask for it once. */
async function ensureKey({ sql, keyIds }: FieldIndex, name: string): Promise<number> {
  const asked = intern(sql, "field_key", "name", name);
  keyIds.set(name, asked);
  const id = await asked;
  // Clients choose the names: a bound keeps a flood of names from filling the memory.
  if (keyIds.size <= maxKnownKeys) keyIds.set(name, id);
  else keyIds.delete(name);
  return id;
}

const maxKnownKeys = 10_000;
