import type { Condition } from "../../../domain/filter.ts";
import type { Reading } from "../noun.ts";
import type { Row, Sql, Value, ValueType } from "../sql.ts";
import { fieldKind } from "./field.ts";
import { exactRangesOf, isIndexedKey, type Range, rangeSql } from "./range.ts";
import type { IndexPart } from "./scope.ts";

/** How many entries there are, by indexes alone. */

/** The entries in these parts. */
export function countEntries(sql: Sql, parts: readonly IndexPart[]): Promise<number> {
  const text = "SELECT count(*) FROM entry WHERE parent = ?1 AND listing = ?2";
  return sumOf(sql.rowsAll(text, asSets(parts), ["integer", "integer"]));
}

/** The entries that have a value with an order at the key: no list, object or null. */
export async function countValues({ sql, keys }: Reading, parts: readonly IndexPart[], key: string): Promise<number> {
  const number = (await keys.find(sql, key)) ?? 0;
  const text = `SELECT count(*) FROM entry_field WHERE ${inPart} AND kind < ${fieldKind.null}`;
  return sumOf(sql.rowsAll(text, keyed(parts, number), partTypes));
}

/** The entries that match the condition; undefined where the index does not tell. */
export async function countMatches(
  on: Reading,
  parts: readonly IndexPart[],
  condition: Condition,
): Promise<number | undefined> {
  const ranges = isIndexedKey(condition.key, on.isIndexed) ? exactRangesOf(condition) : undefined;
  if (!ranges) return undefined;
  const number = await on.keys.find(on.sql, condition.key);
  if (number === undefined) return 0;
  const { add, subtract, doubt } = ranges;
  // In a list each element has a row, and more than one of them may match.
  const isSingle = condition.operator === "eq" && add.length === 1;
  if (!isSingle && (await hasElements(on.sql, parts, number))) return undefined;
  for (const range of doubt) if ((await countRange(on.sql, parts, number, range)) > 0) return undefined;
  let count = 0;
  for (const range of add) {
    count += await countRange(on.sql, parts, number, range);
    if (isSingle) count += await countRange(on.sql, parts, -number, range);
  }
  for (const range of subtract) count -= await countRange(on.sql, parts, number, range);
  return count;
}

const inPart = "parent = ?1 AND key = ?2 AND listing = ?3";
const partTypes: ValueType[] = ["integer", "integer", "integer"];

const asSets = (parts: readonly IndexPart[]): Value[][] => parts.map((part) => [...part]);
const keyed = (parts: readonly IndexPart[], key: number): Value[][] =>
  parts.map(([parent, listing]) => [parent, key, listing]);

async function hasElements(sql: Sql, parts: readonly IndexPart[], key: number): Promise<boolean> {
  const text = `SELECT 1 FROM entry_field WHERE ${inPart} LIMIT 1`;
  const found = await sql.rowsAll(text, keyed(parts, -key), partTypes);
  return found.some((rows) => rows.length > 0);
}

function countRange(sql: Sql, parts: readonly IndexPart[], key: number, range: Range): Promise<number> {
  const inRange = rangeSql(range, 4);
  const sets = keyed(parts, key).map((set) => [...set, ...inRange.values]);
  const text = `SELECT count(*) FROM entry_field WHERE ${inPart} AND ${inRange.sql}`;
  return sumOf(sql.rowsAll(text, sets, [...partTypes, ...inRange.types]));
}

async function sumOf(counts: Row[][] | Promise<Row[][]>): Promise<number> {
  return (await counts).reduce((sum, [row]) => sum + (row?.[0] as number), 0);
}
