import { rowNouns } from "../../domain/backup.ts";
import { FaultList } from "../../domain/fault-list.ts";
import { rowFault, rowName, type StoredNoun } from "../../domain/row.ts";
import { type JsonObject, parseJson } from "../../lib/json.ts";
import { rowsOf } from "./backup.ts";
import { isDamage } from "./damage.ts";
import { type FieldRow, fieldRows } from "./index/field.ts";
import { relationFaults } from "./relation.ts";
import type { Row, SnapshotSql } from "./sql.ts";

/**
 * Sentences about what is wrong with the store; none when all is well. Reads every row: for `octavo verify`. What
 * cannot be read for damage of the database is a sentence, too.
 */
export async function verifyStore(sql: SnapshotSql, isIndexed: (key: string) => boolean): Promise<string[]> {
  const faults: string[] = [];
  const looks: [what: string, look: () => Promise<string[]>][] = [
    ...[...rowNouns, "blob" as const].map((noun): (typeof looks)[number] => [
      `The rows of ${noun}`,
      () => rowFaults(sql, noun),
    ]),
    ["How the rows belong together", () => relationFaults(sql)],
    ["The field index", () => indexFaults(sql, isIndexed)],
  ];
  let isDamaged = false;
  for (const [what, look] of looks) {
    try {
      faults.push(...(await look()));
    } catch (error) {
      // On PostgreSQL nothing can be read in the transaction after the first failure.
      if (!isUnreadable(error) && !isDamaged) throw error;
      isDamaged = true;
      faults.push(`${what} cannot all be read: ${(error as Error).message}`);
    }
  }
  return faults;
}

/** Also of an integer that is past what a double holds: SQLite's driver gives none of the row then. */
const isUnreadable = (error: unknown): boolean =>
  isDamage(error) || (error as { code?: string }).code === "ERR_OUT_OF_RANGE";

async function rowFaults(sql: SnapshotSql, noun: StoredNoun): Promise<string[]> {
  const faults = new FaultList();
  for await (const rows of rowsOf(sql, noun)) {
    for (const row of rows) {
      const fault = rowFault(noun, row);
      if (fault !== undefined) faults.add(`The ${rowName(noun, row)}: ${fault}`);
    }
  }
  return faults.all();
}

async function indexFaults(sql: SnapshotSql, isIndexed: (key: string) => boolean): Promise<string[]> {
  const faults = new FaultList();
  let expected = 0;
  for await (const batch of sql.batches("SELECT id, slug, parent, data FROM entry", [], 500)) {
    for (const row of batch) {
      const wanted = wantedRows(row, isIndexed);
      expected += wanted.length;
      // Together: on a server each alone would be a round trip.
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

/** The rows that the index is to have of an entry; none of data that cannot be read, which is a fault of its own. */
function wantedRows([, , , data]: Row, isIndexed: (key: string) => boolean): FieldRow[] {
  try {
    return [...fieldRows(parseJson(data as string) as JsonObject, isIndexed).rows.values()];
  } catch {
    return [];
  }
}

const findField = (sql: SnapshotSql, [id, , parent]: Row, { key, kind, number, text }: FieldRow) =>
  sql.row(
    `SELECT 1 FROM entry_field WHERE parent = ?1 AND key = (SELECT id FROM field_key WHERE name = ?2)
       AND kind = ?3 AND number = ?4 AND text = ?5 AND entry = ?6`,
    ...[parent as number, key, kind, number, text, id as number],
  );
