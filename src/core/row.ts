import { Problem } from "./problem.ts";
import { quote } from "./problem-row.ts";
import type { BackupRow, Column } from "./row-column.ts";

/**
 * The rules of a stored row: it holds only what a request could have written. Each feature has those of its nouns in its
 * row-rules.ts; the statements of the SQL adapter read their columns from there. `restore` validates the rows of a backup
 * with the rules, `octavo verify` those of the store, since other programs may have written either. These are the rules of
 * a single row; the database checks the relations between rows.
 */
export type Rule = {
  readonly noun: string;
  /** All columns, each required, and no others, in the order of a row. */
  readonly columns: Readonly<Record<string, Column>>;
  /** Validates the columns together, each being valid by itself. */
  whole?(row: BackupRow): void;
  /** What distinguishes the row from others of its noun. */
  key(row: BackupRow): unknown;
};

/** The rules by noun, in the order of a backup: rows follow those they refer to. */
export type RowRules = ReadonlyMap<string, Rule>;

/** Those that were asked for: each row of a restore asks twice. */
const addedColumns = new WeakMap<Rule, readonly [string, Column][]>();

/** The columns that older backups lack. */
function addedOf(rule: Rule): readonly [string, Column][] {
  const known = addedColumns.get(rule);
  if (known) return known;
  const added = Object.entries(rule.columns).filter(([, { older }]) => older);
  addedColumns.set(rule, added);
  return added;
}

/** The row with the columns that an older backup lacks. */
export function completeRow(rule: Rule, row: BackupRow): BackupRow {
  const missing = addedOf(rule).filter(([column]) => !Object.hasOwn(row, column));
  if (missing.length === 0) return row;
  return { ...row, ...Object.fromEntries(missing.map(([column, { older }]) => [column, older?.(row) ?? null])) };
}

/** The first rule that the row breaks, in a sentence that names the column; undefined for a valid row. */
export function rowFault({ columns, whole }: Rule, row: BackupRow): string | undefined {
  const unknown = Object.keys(row).find((column) => !Object.hasOwn(columns, column));
  if (unknown !== undefined) return `the column ${quote(unknown)} is unknown`;
  try {
    for (const [column, { check }] of Object.entries(columns)) {
      if (!Object.hasOwn(row, column)) return `the column "${column}" is missing`;
      check(column, row[column]);
    }
    whole?.(row);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** The row's name in a sentence: `folder "blog"`. */
export function rowName({ noun, key }: Rule, row: BackupRow): string {
  const value = key(row);
  return `${noun.replace("_", " ")} ${typeof value === "number" ? value : quote(String(value))}`;
}
