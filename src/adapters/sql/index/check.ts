import { FaultList } from "../../../domain/fault-list.ts";
import { type JsonObject, parseJson } from "../../../lib/json.ts";
import type { Row, SnapshotSql } from "../sql.ts";
import { type FieldRow, fieldRows } from "./field.ts";

type Looking = { readonly sql: SnapshotSql; readonly isIndexed: (key: string) => boolean };

/** Sentences about differences between the field index and the entries. Reads every entry. */
export async function indexFaults({ sql, isIndexed }: Looking): Promise<string[]> {
  const faults = new FaultList();
  let expected = 0;
  for await (const batch of sql.batches("SELECT id, slug, parent, data, listing FROM entry", [], 500)) {
    for (const row of batch) {
      const wanted = wantedRows(row, isIndexed);
      expected += wanted.length;
      // In parallel: on a server each query alone would be a round trip.
      const found = await Promise.all(wanted.map((field) => findField(sql, row, field)));
      for (const [i, { key }] of wanted.entries()) {
        if (!found[i]) faults.add(`The field index lacks ${key} of the entry ${row[1]}`);
      }
    }
  }
  const kept = (await sql.row("SELECT count(*) FROM entry_field"))?.[0] as number;
  if (kept > expected) faults.add(`The field index has ${kept - expected} rows of no entry`);
  return faults.all();
}

/** The index rows that an entry must have; none for data that cannot be read, which is reported elsewhere. */
function wantedRows([, , , data]: Row, isIndexed: (key: string) => boolean): FieldRow[] {
  try {
    return [...fieldRows(parseJson(data as string) as JsonObject, isIndexed).rows.values()];
  } catch {
    return [];
  }
}

const findField = (
  sql: SnapshotSql,
  [id, , parent, , listing]: Row,
  { key, isElement, kind, number, text }: FieldRow,
) =>
  sql.row(
    `SELECT 1 FROM entry_field WHERE parent = ?1 AND key = (SELECT ?3 * id FROM field_key WHERE name = ?2)
       AND listing = ?4 AND kind = ?5 AND number = ?6 AND text = ?7 AND entry = ?8`,
    ...[parent as number, key, isElement ? -1 : 1, listing as number, kind, number, text, id as number],
  );
