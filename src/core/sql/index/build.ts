import { numberOf, type TransactionSql } from "../sql.ts";
import type { FieldRow } from "./field.ts";
import { type FieldIndex, fieldColumns, insertInIndex, type RowOwner, rowsOf, valuesOf } from "./field-row.ts";
import { documentsOf, type FieldTable, hasTexts, type Indexed } from "./table.ts";
import { loadTexts } from "./text.ts";

/**
 * A field index that is built as a whole, by a start with other keys or another schema and by a restore: its rows are
 * collected without an order and inserted in that of the index, so that each of its pages is written once.
 */

const builtTable = ({ fields }: FieldTable): string => `built_${fields.table}`;
const secondIndex = ({ fields }: FieldTable): string => `${fields.table}_of`;

/** Empties the index. Until `endIndex` the rows of items are collected by `collectRows`. */
export async function beginIndex(sql: TransactionSql, table: FieldTable): Promise<void> {
  await sql.run(`DROP INDEX IF EXISTS ${secondIndex(table)}`);
  await sql.run(`DELETE FROM ${table.fields.table}`);
  await sql.run(`CREATE TEMP TABLE ${builtTable(table)} AS SELECT * FROM ${table.fields.table} WHERE 1 = 0`);
}

/** Collects the index rows of items, without waiting for it. */
export async function collectRows(
  index: FieldIndex,
  table: FieldTable,
  items: readonly { owner: RowOwner; rows: ReadonlyMap<string, FieldRow> }[],
): Promise<void> {
  const sets = [];
  for (const { owner, rows } of items) sets.push(...(await valuesOf(index, owner, rows.values())));
  index.sql.later(insertInIndex(table, builtTable(table)), sets);
}

export async function endIndex(sql: TransactionSql, table: FieldTable): Promise<void> {
  const columns = fieldColumns(table).join(", ");
  const key = [table.part[0], "key", ...table.part.slice(1), "value", table.name].join(", ");
  await sql.run(
    `INSERT INTO ${table.fields.table} (${columns}) SELECT ${columns} FROM ${builtTable(table)} ORDER BY ${key}`,
  );
  await sql.run(`DROP TABLE ${builtTable(table)}`);
  await sql.run(`CREATE INDEX ${secondIndex(table)} ON ${table.fields.table} (${table.name}, key, value)`);
  for (const filled of [table.name, table.fields.table]) await sql.run(`{analyze ${filled}}`);
}

/** Called with how many rows of how many were read. */
export type OnBuilt = (plural: string, done: number, all: number) => void;

/** Builds the index of a table from its rows, and its text index if `isWhole`. */
export async function buildIndex(
  index: FieldIndex,
  table: FieldTable,
  isWhole: boolean,
  onBuilt: OnBuilt = () => undefined,
): Promise<void> {
  const { sql } = index;
  const all = await numberOf(sql, `SELECT count(*) FROM ${table.name}`);
  await beginIndex(sql, table);
  await collectItems(index, table, "1 = 1", (done) => onBuilt(table.plural, done, all));
  await endIndex(sql, table);
  if (isWhole && hasTexts(table))
    await loadTexts(sql, table, (indexed) => onBuilt(`texts of ${table.plural}`, indexed, all));
}

/** Collects the index rows of the stored items for which the SQL is true. */
export async function collectItems(
  index: FieldIndex,
  table: FieldTable,
  condition: string,
  onDone: (count: number) => void = () => undefined,
): Promise<void> {
  const { sql } = index;
  const { name, part, select, fields, toItem, keptListing } = table;
  const nowSeconds = Math.floor(Date.now() / 1000);
  let done = 0;
  for (let last = 0; ; ) {
    const rows = await sql.rows(`${select} WHERE ${name}.id > ?1 AND ${condition} ORDER BY ${name}.id LIMIT 500`, last);
    if (rows.length === 0) break;
    const read = rows.map(toItem);
    const documents = await documentsOf(sql, table, read, index.chains);
    const items = rows.map((row, i) => {
      const item = read[i] as Indexed;
      const parent = row.at(-part.length) as number;
      const owner = { item: item.id, parent, listing: keptListing?.(item, nowSeconds, row.at(-1) as number) };
      return { owner, ...rowsOf(documents[i] ?? fields.dataOf(item), table, index) };
    });
    await collectRows(index, table, items);
    const states = items.map(({ owner, lacking }) => [lacking, owner.item]);
    await sql.runAll(`UPDATE ${name} SET index_partial = ?1 WHERE id = ?2 AND index_partial <> ?1`, states);
    const listings = items.map(({ owner }) => [owner.listing ?? 0, owner.item]);
    if (keptListing) await sql.runAll(`UPDATE ${name} SET listing = ?1 WHERE id = ?2 AND listing <> ?1`, listings);
    last = items.at(-1)?.owner.item as number;
    done += rows.length;
    onDone(done);
  }
}
