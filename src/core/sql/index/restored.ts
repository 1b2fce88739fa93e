import { type FieldIndex, indexItems, rowsOf } from "./field-row.ts";
import { documentsOf, type FieldTable, missing } from "./table.ts";

/**
 * What comes back from the trash enters the field index some rows at a time, because other writes wait meanwhile. Until
 * then lists read those rows whatever the index says. Contract, part two, §11.
 */

/** This many items are indexed in one transaction, of at most so many bytes, or one. */
export const restoredGroup = 50;
const restoredBytes = 4 * 1024 * 1024;

/** SQL that is true for such a row. The second condition is that of an index. */
const isUnindexedSql = ({ name }: FieldTable): string =>
  `${name}.index_partial = ${missing.all} AND ${name}.index_partial > 0`;

/** SQL that finds something when there are such rows. */
export const hasUnindexedSql = (table: FieldTable): string =>
  `SELECT 1 FROM ${table.name} WHERE ${isUnindexedSql(table)} LIMIT 1`;

/** Indexes some of them. */
export async function indexUnindexed(index: FieldIndex, table: FieldTable): Promise<void> {
  const { sql } = index;
  const { name, part, select, fields, toItem } = table;
  const rows = await sql.rows(`${select} WHERE ${isUnindexedSql(table)} LIMIT ${restoredGroup}`);
  const items = [];
  const documents = await documentsOf(sql, table, rows.map(toItem), index.chains);
  let bytes = 0;
  for (const [i, row] of rows.entries()) {
    const [parent, listing] = row.slice(-part.length) as [number, number | undefined];
    const item = toItem(row);
    bytes += row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
    if (items.length > 0 && bytes > restoredBytes) break;
    items.push({
      owner: { item: item.id, parent, listing },
      ...rowsOf(documents[i] ?? fields.dataOf(item), table, index),
    });
  }
  await indexItems(index, table, items);
  const states = items.map(({ owner, lacking }) => [lacking, owner.item]);
  await sql.runAll(`UPDATE ${name} SET index_partial = ?1 WHERE id = ?2`, states);
}
