import { FaultList } from "../../fault-list.ts";
import type { Scanning } from "../noun.ts";
import type { Row, Value } from "../sql.ts";
import { fieldColumns, isRowSql, rowsOf, rowTypes } from "./field-row.ts";
import { KeyNumbers } from "./key-number.ts";
import type { Chains } from "./layer.ts";
import { RowSums } from "./row-sums.ts";
import { documentsOf, type FieldTable, type Indexed, undamaged } from "./table.ts";

type Looking = Pick<Scanning, "sql" | "keys" | "isIndexed"> & { chains: Chains | undefined };

const itemBatch = 500;
/** A row is small; on a server each batch is a round trip. */
const indexBatch = 10_000;

/**
 * Sentences about differences between a field index and the rows of its table. Reads the index once in its own order and
 * its table once, and compares sums of both; then looks for each row of the items with different sums.
 */
export async function indexFaults({ sql, isIndexed, options }: Scanning, table: FieldTable): Promise<string[]> {
  // Numbers that were read before do not show damage.
  const on: Looking = { sql, isIndexed, keys: new KeyNumbers(), chains: options.chains };
  const sums = new RowSums();
  const wanted = await addWanted(on, table, sums);
  const held = await subtractHeld(on, table, sums);
  const faults = new FaultList();
  for (const sentence of await countFaults(sql, table)) faults.add(sentence);
  if (wanted === held && sums.areZero) return faults.all();
  const lacking = await findLacking(on, table, sums, faults);
  const more = held - (wanted - lacking);
  if (more > 0) faults.add(`The field index has ${more} rows of no ${table.name}`);
  return faults.all();
}

/** Sentences about parts whose number of rows is not the kept one. */
async function countFaults(sql: Scanning["sql"], { name, counts, part, parents }: FieldTable): Promise<string[]> {
  if (!counts) return [];
  const columns = part.join(", ");
  const rows = await sql.rows(
    `SELECT (SELECT path FROM ${parents} AS above WHERE above.id = counted.${part[0]}) FROM (
       SELECT ${columns}, 1 AS count FROM ${name} UNION ALL SELECT ${columns}, -count FROM ${counts}
     ) AS counted GROUP BY ${columns} HAVING sum(count) <> 0 LIMIT 100`,
  );
  return rows.map(([path]) => `The kept number of children of "${path ?? ""}" in the table ${name} is wrong`);
}

/** Adds the index rows that the items must have; answers how many. */
async function addWanted(on: Looking, table: FieldTable, sums: RowSums): Promise<number> {
  let count = 0;
  for await (const batch of on.sql.batches(table.select, [], itemBatch)) {
    for (const { values } of await wantedRows(on, table, batch)) {
      sums.add(values.at(-1) as number, values);
      count++;
    }
  }
  return count;
}

/** Subtracts all rows of the index; answers how many. */
async function subtractHeld({ sql }: Looking, table: FieldTable, sums: RowSums): Promise<number> {
  let count = 0;
  const select = `SELECT ${fieldColumns(table).join(", ")} FROM ${table.fields.table}`;
  for await (const batch of sql.batches(select, [], indexBatch)) {
    for (const row of batch) sums.subtract(row.at(-1) as number, row);
    count += batch.length;
  }
  return count;
}

/** Looks for each index row of the items with different sums; answers how many are lacking. */
async function findLacking(on: Looking, table: FieldTable, sums: RowSums, faults: FaultList): Promise<number> {
  const { name, select, fields, toItem, pathOf } = table;
  const find = `SELECT 1 FROM ${fields.table} WHERE ${isRowSql(table)}`;
  let count = 0;
  for await (const batch of on.sql.batches(select, [], itemBatch)) {
    const wanted = await wantedRows(
      on,
      table,
      batch.filter(([id]) => sums.differsFor(id as number)),
    );
    const sets = wanted.map(({ values }) => values);
    const found = await on.sql.rowsAll(find, sets, rowTypes(table));
    for (const [i, { key, row }] of wanted.entries()) {
      if (found[i]?.length) continue;
      faults.add(`The field index lacks ${key} of the ${name} ${pathOf(toItem(row))}`);
      count++;
    }
  }
  return count;
}

type WantedRow = { key: string; values: Value[]; row: Row };

/** The index rows that items must have; none for data that cannot be read, which is reported elsewhere. */
async function wantedRows(on: Looking, table: FieldTable, rows: readonly Row[]): Promise<WantedRow[]> {
  const { sql, keys, isIndexed, chains } = on;
  const items = rows.map((row) => undamaged(() => table.toItem(row)));
  const there = items.filter((item) => item !== undefined && !item.isUnindexed) as Indexed[];
  const documents = new Map((await documentsOf(sql, table, there, chains)).map((data, i) => [there[i], data]));
  const wanted: WantedRow[] = [];
  for (const [i, row] of rows.entries()) {
    const data = documents.get(items[i]);
    if (!data) continue;
    const part = row.slice(-table.part.length);
    for (const { key, isElement, value } of rowsOf(data, table, { isIndexed }).rows.values()) {
      // No row has the number 0: a key without a number is one that the index lacks.
      const id = (await keys.find(sql, key)) ?? 0;
      wanted.push({ key, values: [...part, isElement ? -id : id, value, row[0] as number], row });
    }
  }
  return wanted;
}
