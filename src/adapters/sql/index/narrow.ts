import type { Condition, Filter } from "../../../domain/filter.ts";
import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import type { TableReading } from "../noun.ts";
import type { Row } from "../sql.ts";
import { isIndexedKey, type Range, rangeSql, rangesOf } from "./range.ts";
import { inScopeSql, type Scope } from "./scope.ts";

/**
 * Which rows can match a filter, by the field index. The answer is a superset: the domain decides. Conditions that
 * the index cannot answer (negations, exists, substrings) never narrow.
 */

/** TableReading this few rows is faster than looking up another condition. */
const fewRows = 32;

/**
 * Numbers of the rows that may match, or undefined when the index cannot narrow them to `maxRows`. Those
 * whose index rows are incomplete are not among them.
 */
export async function narrow(
  on: TableReading,
  scope: Scope,
  filter: Filter,
  maxRows: number,
): Promise<Set<number> | undefined> {
  const groups = [...(filter.all.length > 0 ? [filter.all] : []), ...filter.any.map((condition) => [condition])];
  if (groups.length === 0) return undefined;
  const found = new Set<number>();
  for (const group of groups) {
    const ids = await narrowAll(on, scope, group, maxRows);
    if (!ids) return undefined;
    for (const id of ids) found.add(id);
  }
  return found.size <= maxRows ? found : undefined;
}

/** Rows that every one of the conditions allows; a condition that cannot narrow allows all. */
async function narrowAll(
  on: TableReading,
  scope: Scope,
  conditions: readonly Condition[],
  maxRows: number,
): Promise<Set<number> | undefined> {
  let best: Set<number> | undefined;
  for (const condition of conditions) {
    const ranges = isIndexedKey(on, condition.key) ? rangesOf(condition) : undefined;
    if (!ranges) continue;
    // Only a smaller set helps: stops reading once it exceeds the size of the best set so far.
    const ids = await itemsIn(on, scope, condition.key, ranges, best ? best.size : maxRows);
    if (ids) best = best ? best.intersection(ids) : ids;
    if (best && best.size <= fewRows) return best;
  }
  return best;
}

async function itemsIn(
  on: TableReading,
  scope: Scope,
  key: string,
  ranges: Range[],
  max: number,
): Promise<Set<number> | undefined> {
  const ids = new Set<number>();
  const number = await on.keys.find(on.sql, key);
  if (number === undefined) return ids;
  // Two ranges in parallel, as many as a plain comparison has: on a server each query is a round trip.
  for (let i = 0; i < ranges.length; i += 2) {
    const pair = ranges.slice(i, i + 2).map((range) => rowsIn(on, scope, number, range, max + 1));
    for (const rows of await Promise.all(pair)) {
      for (const row of rows) ids.add(row[0] as number);
      if (rows.length > max || ids.size > max) return undefined;
    }
  }
  return ids;
}

/** Index rows of one range, at most `limit`: of scalars and of elements. */
function rowsIn(
  { sql, table }: TableReading,
  scope: Scope,
  key: number,
  range: Range,
  limit: number,
): MaybePromise<Row[]> {
  const inRange = rangeSql(range, 4);
  const text = `SELECT ${table.name} FROM ${table.fields?.table} WHERE ${inScopeSql(table, scope)} AND key IN (?2, ?3)
    AND ${inRange.sql} LIMIT ?${4 + inRange.values.length}`;
  return sql.rows(text, scope.path, key, -key, ...inRange.values, limit);
}
