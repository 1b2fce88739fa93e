import { FaultList } from "../core/fault-list.ts";
import { type Rule, rowFault, rowName } from "../core/row.ts";
import { isDamage } from "../core/sql/damage.ts";
import { indexFaults } from "../core/sql/index/check.ts";
import { hasTexts } from "../core/sql/index/table.ts";
import { textFaults } from "../core/sql/index/text-check.ts";
import { type NounSet, noun, type Scanning } from "../core/sql/noun.ts";
import { relationFaults } from "../core/sql/relation.ts";
import type { VerifyPart } from "../core/sql/scans.ts";
import type { SnapshotSql } from "../core/sql/sql.ts";
import { rowsOf } from "./store.ts";

type Look = [what: string, look: () => Promise<string[]>];

/**
 * The faults of parts of the store as sentences; empty if they are consistent. Reads every row: for `octavo verify`. Rows
 * that cannot be read because of damage are reported as a sentence, too.
 */
async function verifyStore(on: Scanning, parts: readonly VerifyPart[]): Promise<string[]> {
  const faults: string[] = [];
  let isDamaged = false;
  for (const [what, look] of parts.flatMap((part) => looks[part](on))) {
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

const looks: Readonly<Record<VerifyPart, (on: Scanning) => Look[]>> = {
  rows: ({ sql, nouns }) => [
    ...[...nouns.rowTables.values()].map(
      ({ rule }): Look => [`The rows of ${rule.noun}`, () => rowFaults(nouns, sql, rule)],
    ),
    ["How the rows belong together", () => relationFaults(sql, nouns.relations)],
    ...nouns.indexedTables
      .filter(hasTexts)
      .map((table): Look => [`The text index of ${table.name}`, () => textFaults(sql, table)]),
  ],
  indexes: (on) =>
    on.nouns.indexedTables.map((table): Look => [`The field index of ${table.name}`, () => indexFaults(on, table)]),
};

/** Also for an integer beyond the range of a double: SQLite's driver then fails to return the row. */
const isUnreadable = (error: unknown): boolean =>
  isDamage(error) || (error as { code?: string }).code === "ERR_OUT_OF_RANGE";

async function rowFaults(nouns: NounSet, sql: SnapshotSql, rule: Rule): Promise<string[]> {
  const faults = new FaultList();
  for await (const rows of rowsOf(nouns, sql, rule.noun)) {
    for (const row of rows) {
      const fault = rowFault(rule, row);
      if (fault !== undefined) faults.add(`The ${rowName(rule, row)}: ${fault}`);
    }
  }
  return faults.all();
}

/** No noun of its own: a scan over the rows of all. */
export const verifyNoun = noun({ scans: { verifyStore } });
