import type { CollectionQuery } from "../../../domain/collection.ts";
import type { Condition } from "../../../domain/filter.ts";
import type { TableReading } from "../noun.ts";
import { isIndexedKey, type Range, rangeSql, rangesOf } from "./range.ts";
import { inScopeSql, type Scope } from "./scope.ts";
import { gramsOfCondition, gramsOfSearch, itemsWithGrams, type TextBudget } from "./text-narrow.ts";

/**
 * Which rows can match a query, by the field index and the text index. The answer is a superset: the domain decides.
 * Conditions that neither can answer (negations, exists, short substrings) never narrow.
 */

/** Reading this few rows is faster than looking up another condition. */
const fewRows = 32;

/** More rows of one condition are not kept in memory. */
const mostKept = 200;

/** What may be read: rows that conditions leave, and posting lists. */
export type NarrowBudget = { narrowed: number; texts: TextBudget };

/** Numbers of rows, and whether the text index told some of them. */
export type Narrowed = { ids: ReadonlySet<number>; isByText: boolean };

/**
 * The rows that may match, or undefined when the indexes cannot narrow them to as many as the budget has. Those whose
 * index rows are incomplete are not among them.
 */
export async function narrow(
  on: TableReading,
  scope: Scope,
  { filter, find }: Pick<CollectionQuery, "filter" | "find">,
  budget: NarrowBudget,
): Promise<Narrowed | undefined> {
  const searched = gramsOfSearch(find);
  const groups = [...(filter.all.length > 0 ? [filter.all] : []), ...filter.any.map((condition) => [condition])];
  if (groups.length === 0) return narrowAll(on, scope, [], searched, budget);
  const ids = new Set<number>();
  let isByText = false;
  for (const group of groups) {
    const found = await narrowAll(on, scope, group, searched, budget);
    if (!found) return undefined;
    for (const id of found.ids) ids.add(id);
    isByText ||= found.isByText;
  }
  return ids.size <= (isByText ? Math.max(budget.narrowed, budget.texts.rows) : budget.narrowed)
    ? { ids, isByText }
    : undefined;
}

/** Rows that every one of the conditions allows, and the search; what cannot narrow allows all. */
async function narrowAll(
  on: TableReading,
  scope: Scope,
  conditions: readonly Condition[],
  searched: ReadonlySet<number>,
  { narrowed: maxRows, texts }: NarrowBudget,
): Promise<Narrowed | undefined> {
  let best: ReadonlySet<number> | undefined;
  for (const condition of conditions) {
    const ranges = isIndexedKey(on, condition.key) ? rangesOf(condition) : undefined;
    if (!ranges) continue;
    // Only a smaller set helps: stops reading once it exceeds the size of the best set so far.
    const ids = await itemsInFew(on, scope, condition.key, ranges, best ? best.size : maxRows);
    if (ids) best = best ? best.intersection(ids) : ids;
    if (best && best.size <= fewRows) return { ids: best, isByText: false };
  }
  const grams = conditions.reduce((all, condition) => all.union(gramsOfCondition(on, condition)), new Set(searched));
  const ids = await itemsWithGrams(on, grams, best ? best.size : Math.max(maxRows, texts.rows), texts);
  if (ids) return { ids: best ? best.intersection(ids) : ids, isByText: true };
  return best && { ids: best, isByText: false };
}

/** As itemsIn. Few rows are kept, as is that there are more than `max`: a condition of many pages is not read again. */
async function itemsInFew(...asked: Parameters<typeof itemsIn>): Promise<ReadonlySet<number> | undefined> {
  let ids: ReadonlySet<number> | undefined;
  const [on, { path, depth, listings }, key, ranges, max] = asked;
  const name = JSON.stringify([on.table.name, max, key, ranges, path, depth.max > 1, listings]);
  const found = await on.known(name, async () => {
    ids = await itemsIn(...asked);
    if (!ids) return "many";
    return ids.size <= mostKept ? ids : undefined;
  });
  return found === "many" ? undefined : (found ?? ids);
}

/** The rows with a value of the key in one of the ranges; undefined when there are more than `max`. */
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
  // As many ranges in parallel as a comparison has, and two values of a list: on a server each query is a round trip.
  for (let i = 0; i < ranges.length; i += 4) {
    const some = ranges.slice(i, i + 4).map((range) => itemsInRange(on, scope, number, range, max + 1));
    for (const items of await Promise.all(some)) {
      for (const item of items) ids.add(item);
      if (items.length > max || ids.size > max) return undefined;
    }
  }
  return ids;
}

/** The items of the index rows in one range, of at most `limit` rows: of scalars and of elements. */
async function itemsInRange(
  { sql, table }: TableReading,
  scope: Scope,
  key: number,
  range: Range,
  limit: number,
): Promise<number[]> {
  const inRange = rangeSql(range, 4);
  // One row with all of them: most of the time of a row is its way here.
  const text = `SELECT json_group_array(${table.name}) FROM
    (SELECT ${table.name} FROM ${table.fields?.table} WHERE ${inScopeSql(table, scope)} AND key IN (?2, ?3)
      AND ${inRange.sql} LIMIT ?${4 + inRange.values.length}) AS met`;
  const row = await sql.row(text, scope.path, key, -key, ...inRange.values, limit);
  return JSON.parse((row?.[0] as string | null) ?? "[]");
}
