import type { Condition } from "../../../domain/filter.ts";
import type { TableReading } from "../noun.ts";
import type { Row, Value, ValueType } from "../sql.ts";
import { fieldKind } from "./field.ts";
import { exactRangesOf, isIndexedKey, type Range, rangeSql } from "./range.ts";
import type { IndexPart } from "./scope.ts";
import { type IndexedTable, inPartSql } from "./table.ts";

/** How many rows there are, by indexes alone. */

/** The rows in these parts. */
export function countRows({ sql, table }: TableReading, parts: readonly IndexPart[]): Promise<number> {
  const text = `SELECT count(*) FROM ${table.name} WHERE ${inPartSql(table)}`;
  return sumOf(sql.rowsAll(text, parts, integers(table.part.length)));
}

/** The rows that have a value with an order at the key: no list, object or null. */
export async function countValues(on: TableReading, parts: readonly IndexPart[], key: string): Promise<number> {
  const number = (await on.keys.find(on.sql, key)) ?? 0;
  const text = `SELECT count(*) ${withKey(on.table)} AND kind < ${fieldKind.null}`;
  return sumOf(on.sql.rowsAll(text, keyed(parts, number), keyedTypes(on.table)));
}

/** The rows that match the condition; undefined where the index does not tell. */
export async function countMatches(
  on: TableReading,
  parts: readonly IndexPart[],
  condition: Condition,
): Promise<number | undefined> {
  const ranges = isIndexedKey(on, condition.key) ? exactRangesOf(condition) : undefined;
  if (!ranges) return undefined;
  const number = await on.keys.find(on.sql, condition.key);
  if (number === undefined) return 0;
  const { add, subtract, doubt } = ranges;
  // In a list each element has a row, and more than one of them may match.
  const isSingle = condition.operator === "eq" && add.length === 1;
  if (!isSingle && (await hasElements(on, parts, number))) return undefined;
  // At once: on a server each is a round trip.
  const countAll = async (key: number, ranges: readonly Range[]): Promise<number> =>
    (await Promise.all(ranges.map((range) => countRange(on, parts, key, range)))).reduce((sum, one) => sum + one, 0);
  const [doubtful, scalars, elements, subtracted] = await Promise.all([
    countAll(number, doubt),
    countAll(number, add),
    isSingle ? countAll(-number, add) : 0,
    countAll(number, subtract),
  ]);
  return doubtful > 0 ? undefined : scalars + elements - subtracted;
}

/** SQL for the rows of one key in one part: the parameters are the part, the key and what follows. */
const withKey = (table: IndexedTable): string =>
  `FROM ${table.fields?.table} WHERE ${inPartSql(table)} AND key = ?${table.part.length + 1}`;
const keyed = (parts: readonly IndexPart[], key: number): Value[][] => parts.map((part) => [...part, key]);

const integers = (count: number): ValueType[] => Array.from({ length: count }, () => "integer");
const keyedTypes = (table: IndexedTable): ValueType[] => integers(table.part.length + 1);

async function hasElements({ sql, table }: TableReading, parts: readonly IndexPart[], key: number): Promise<boolean> {
  const found = await sql.rowsAll(`SELECT 1 ${withKey(table)} LIMIT 1`, keyed(parts, -key), keyedTypes(table));
  return found.some((rows) => rows.length > 0);
}

function countRange(
  { sql, table }: TableReading,
  parts: readonly IndexPart[],
  key: number,
  range: Range,
): Promise<number> {
  const inRange = rangeSql(range, table.part.length + 2);
  const sets = keyed(parts, key).map((set) => [...set, ...inRange.values]);
  const text = `SELECT count(*) ${withKey(table)} AND ${inRange.sql}`;
  return sumOf(sql.rowsAll(text, sets, [...keyedTypes(table), ...inRange.types]));
}

async function sumOf(counts: Row[][] | Promise<Row[][]>): Promise<number> {
  return (await counts).reduce((sum, [row]) => sum + (row?.[0] as number), 0);
}
