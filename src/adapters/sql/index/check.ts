import { FaultList } from "../../../domain/fault-list.ts";
import type { Row, SnapshotSql } from "../sql.ts";
import type { FieldRow } from "./field.ts";
import { rowsOf } from "./field-row.ts";
import { type FieldTable, inPartSql, placesFrom } from "./table.ts";

type Looking = { readonly sql: SnapshotSql; readonly isIndexed: (key: string) => boolean };

/** Sentences about differences between a field index and the rows of its table. Reads every row. */
export async function indexFaults({ sql, isIndexed }: Looking, table: FieldTable): Promise<string[]> {
  const { name, select, fields, toItem, pathOf } = table;
  const faults = new FaultList();
  let expected = 0;
  for await (const batch of sql.batches(select, [], 500)) {
    for (const row of batch) {
      const wanted = wantedRows(table, row, isIndexed);
      expected += wanted.length;
      // In parallel: on a server each query alone would be a round trip.
      const found = await Promise.all(wanted.map((field) => findField(sql, table, row, field)));
      for (const [i, { key }] of wanted.entries()) {
        if (!found[i]) faults.add(`The field index lacks ${key} of the ${name} ${pathOf(toItem(row))}`);
      }
    }
  }
  const kept = (await sql.row(`SELECT count(*) FROM ${fields.table}`))?.[0] as number;
  if (kept > expected) faults.add(`The field index has ${kept - expected} rows of no ${name}`);
  return faults.all();
}

/** The index rows that an item must have; none for data that cannot be read, which is reported elsewhere. */
function wantedRows(table: FieldTable, row: Row, isIndexed: Looking["isIndexed"]): FieldRow[] {
  try {
    return [...rowsOf(table.fields.dataOf(table.toItem(row)), table, { isIndexed }).rows.values()];
  } catch {
    return [];
  }
}

function findField(sql: SnapshotSql, table: FieldTable, row: Row, { key, isElement, kind, number, text }: FieldRow) {
  const { name, part, fields } = table;
  const at = placesFrom(part.length + 1);
  return sql.row(
    `SELECT 1 FROM ${fields.table} WHERE ${inPartSql(table)}
       AND key = (SELECT ${at(0)} * id FROM field_key WHERE name = ${at(1)})
       AND kind = ${at(2)} AND number = ${at(3)} AND text = ${at(4)} AND ${name} = ${at(5)}`,
    ...[...row.slice(-part.length), isElement ? -1 : 1, key, kind, number, text, row[0] as number],
  );
}
