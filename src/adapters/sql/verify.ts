import { rowNouns } from "../../domain/backup.ts";
import { FaultList } from "../../domain/fault-list.ts";
import { rowFault, rowName, type StoredNoun } from "../../domain/row.ts";
import { rowsOf } from "./backup.ts";
import { isDamage } from "./damage.ts";
import { indexFaults } from "./index/check.ts";
import { hasTexts } from "./index/table.ts";
import { textFaults } from "./index/text-check.ts";
import type { Scanning } from "./noun.ts";
import { indexedTables } from "./nouns.ts";
import { relationFaults } from "./relation.ts";
import type { SnapshotSql } from "./sql.ts";

/**
 * The faults of the store as sentences; empty if it is consistent. Reads every row: for `octavo verify`. Rows that
 * cannot be read because of damage are reported as a sentence, too.
 */
export async function verifyStore(on: Scanning): Promise<string[]> {
  const faults: string[] = [];
  const looks: [what: string, look: () => Promise<string[]>][] = [
    ...[...rowNouns, "blob" as const].map((noun): (typeof looks)[number] => [
      `The rows of ${noun}`,
      () => rowFaults(on.sql, noun),
    ]),
    ["How the rows belong together", () => relationFaults(on.sql)],
    ...indexedTables
      .filter(hasTexts)
      .map((table): (typeof looks)[number] => [`The text index of ${table.name}`, () => textFaults(on.sql, table)]),
    ...indexedTables.map((table): (typeof looks)[number] => [
      `The field index of ${table.name}`,
      () => indexFaults(on, table),
    ]),
  ];
  let isDamaged = false;
  for (const [what, look] of looks) {
    try {
      faults.push(...(await look()));
    } catch (error) {
      // On PostgreSQL a transaction cannot be read from after its first failure.
      if (!isUnreadable(error) && !isDamaged) throw error;
      isDamaged = true;
      faults.push(`${what} cannot all be read: ${(error as Error).message}`);
    }
  }
  return faults;
}

/** Also for an integer beyond the range of a double: SQLite's driver then fails to return the row. */
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
