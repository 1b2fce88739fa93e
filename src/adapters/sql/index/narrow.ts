import { serviceFields } from "../../../domain/entry.ts";
import { type Condition, type Filter, readBoolean } from "../../../domain/filter.ts";
import { rootPath } from "../../../domain/path.ts";
import { cutText } from "../../../lib/cut-text.ts";
import type { MaybePromise } from "../../../lib/maybe-promise.ts";
import { isWithinSql, type Row, type Sql } from "../sql.ts";
import { decimalNumber, fieldKind, keptTextBytes } from "./field.ts";
import { isChildSql } from "./parent.ts";

/**
 * Which entries can match a filter, by the field index. The answer is a superset: the domain decides. Conditions that
 * the index cannot answer (negations, exists, substrings) never narrow.
 */

/** Whose children are searched: those of one path, or of all paths in a subtree. */
export type Scope = { path: string; isSubtree: boolean };

/** Reading this few entries is faster than looking up another condition. */
const fewEntries = 32;

/** A range of index rows of one key. */
type Range = { kind: number; from: number; to: number; textFrom?: string; textTo?: string };

/**
 * Row numbers of the entries that may match, or undefined when the index cannot narrow them to `maxEntries`. Always
 * includes the entries whose index rows are incomplete.
 */
export async function narrow(
  sql: Sql,
  scope: Scope,
  filter: Filter,
  isIndexed: (key: string) => boolean,
  maxEntries: number,
): Promise<Set<number> | undefined> {
  const groups = [...(filter.all.length > 0 ? [filter.all] : []), ...filter.any.map((condition) => [condition])];
  if (groups.length === 0) return undefined;
  const found = new Set<number>();
  for (const group of groups) {
    const ids = await narrowAll(sql, scope, group, isIndexed, maxEntries);
    if (!ids) return undefined;
    for (const id of ids) found.add(id);
  }
  for (const id of await partialEntries(sql, scope)) found.add(id);
  return found.size <= maxEntries ? found : undefined;
}

/** Entries that every one of the conditions allows; a condition that cannot narrow allows all. */
async function narrowAll(
  sql: Sql,
  scope: Scope,
  conditions: readonly Condition[],
  isIndexed: (key: string) => boolean,
  maxEntries: number,
): Promise<Set<number> | undefined> {
  let best: Set<number> | undefined;
  for (const condition of conditions) {
    const ranges = isIndexedKey(condition.key, isIndexed) ? rangesOf(condition) : undefined;
    if (!ranges) continue;
    // Only a smaller set helps: stops reading once it exceeds the size of the best set so far.
    const ids = await entriesIn(sql, scope, condition.key, ranges, best ? best.size : maxEntries);
    if (ids) best = best ? best.intersection(ids) : ids;
    if (best && best.size <= fewEntries) return best;
  }
  return best;
}

/** `tags.0` and similar names are not in the index, and the service's own fields are columns. */
function isIndexedKey(key: string, isIndexed: (key: string) => boolean): boolean {
  return !serviceFields.has(key) && !/(^|\.)\d+(\.|$)/.test(key) && isIndexed(key);
}

async function entriesIn(
  sql: Sql,
  scope: Scope,
  key: string,
  ranges: Range[],
  max: number,
): Promise<Set<number> | undefined> {
  const ids = new Set<number>();
  // Two ranges in parallel, as many as a plain comparison has: on a server each query is a round trip.
  for (let i = 0; i < ranges.length; i += 2) {
    const pair = ranges.slice(i, i + 2).map((range) => rowsIn(sql, scope, key, range, max + 1));
    for (const rows of await Promise.all(pair)) {
      for (const row of rows) ids.add(row[0] as number);
      if (rows.length > max || ids.size > max) return undefined;
    }
  }
  return ids;
}

/** Index rows of one range, at most `limit`. */
function rowsIn(sql: Sql, scope: Scope, key: string, range: Range, limit: number): MaybePromise<Row[]> {
  const { kind, from, to, textFrom, textTo } = range;
  const base = `SELECT entry FROM entry_field WHERE ${inScope(scope)}
    AND key = (SELECT id FROM field_key WHERE name = ?2) AND kind = ?3`;
  if (textFrom === undefined || textTo === undefined) {
    const text = `${base} AND number >= ?4 AND number <= ?5 LIMIT ?6`;
    return sql.rows(text, scope.path, key, kind, from, to, limit);
  }
  const text = `${base} AND number = ?4 AND text >= ?5 AND text <= ?6 LIMIT ?7`;
  return sql.rows(text, scope.path, key, kind, from, textFrom, textTo, limit);
}

/** SQL that is true for the children of the scope's path or paths; ?1 is the path. */
function inScope({ path, isSubtree }: Scope): string {
  if (!isSubtree) return isChildSql;
  // Lists every parent: without them the index, which begins with the parent, could not be used.
  if (path === rootPath) return "parent IN (SELECT id FROM parent) AND CAST(?1 AS TEXT) IS NOT NULL";
  return `parent IN (SELECT id FROM parent WHERE ${isWithinSql("path", "?1")})`;
}

async function partialEntries(sql: Sql, scope: Scope): Promise<number[]> {
  const rows = await sql.rows(`SELECT id FROM entry WHERE index_partial = 1 AND ${inScope(scope)}`, scope.path);
  return rows.map((row) => row[0] as number);
}

// ---------------------------------------------------------------------------------------------- conditions as ranges

const lowest = Number.NEGATIVE_INFINITY;
const highest = Number.POSITIVE_INFINITY;
const lastText = "\u{10FFFF}".repeat(64);

const numbers = (from: number, to: number): Range[] => [
  { kind: fieldKind.number, from, to },
  { kind: fieldKind.numericText, from, to },
];
const texts = (textFrom: string, textTo: string): Range => ({ kind: fieldKind.text, from: 0, to: 0, textFrom, textTo });
const booleans: Range = { kind: fieldKind.boolean, from: 0, to: 1 };

// The index cuts a stored text to at most 256 bytes, at a character boundary. A lower bound cut slightly shorter (252)
// never sorts after the cut text of a value that is not below the bound itself.
const lowerBound = (text: string): string => cutText(text, keptTextBytes - 4);
const sameText = (text: string): string => cutText(text, keptTextBytes);

/** The ranges that hold an index row of every match, or undefined when a match need not have one. */
function rangesOf({ operator, value }: Condition): Range[] | undefined {
  const [first = "", second = ""] = typeof value === "string" ? [value] : value;
  switch (operator) {
    case "eq":
    case "member_of":
      return equal(first);
    case "in":
      return (typeof value === "string" ? [value] : value).flatMap(equal);
    case "lt":
    case "lte":
      return between(undefined, first);
    case "gt":
    case "gte":
      return between(first, undefined);
    case "between":
      return between(first, second);
    case "starts_with":
      return [texts(lowerBound(first), first + lastText), ...numbers(lowest, highest)];
    default:
      return undefined;
  }
}

function equal(value: string): Range[] {
  const number = decimalNumber(value);
  const boolean = readBoolean(value);
  const text = sameText(value);
  const ranges: Range[] = [
    number === undefined
      ? texts(text, text)
      : { kind: fieldKind.numericText, from: number, to: number, textFrom: text, textTo: text },
  ];
  if (number !== undefined) ranges.push({ kind: fieldKind.number, from: number, to: number });
  if (boolean !== undefined) ranges.push({ ...booleans, from: Number(boolean), to: Number(boolean) });
  if (value === "null") ranges.push({ kind: fieldKind.null, from: 0, to: 0 });
  return ranges;
}

/** Numbers of both kinds by the numeric bounds, other text by the bounds as text, all booleans. */
function between(low: string | undefined, high: string | undefined): Range[] {
  const ranges = [texts(low === undefined ? "" : lowerBound(low), high ?? lastText), booleans];
  const from = low === undefined ? lowest : decimalNumber(low);
  const to = high === undefined ? highest : decimalNumber(high);
  return from === undefined || to === undefined ? ranges : [...ranges, ...numbers(from, to)];
}
