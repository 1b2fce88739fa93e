import { readDecimal } from "../../lib/decimal.ts";
import { latestSeconds } from "../../lib/time.ts";
import type { Condition, Filter } from "../../list/filter.ts";
import { compileCondition, inSeconds } from "../../list/match.ts";
import { kinds } from "../../list/order-key.ts";
import { TimeBudget } from "../../list/regexp.ts";
import { readBoolean } from "../../list/value.ts";
import { isIndexable } from "../index/field.ts";
import { isMarked, layerKey } from "../index/layer.ts";
import { type FieldTest, fieldTest, type Range } from "../index/range.ts";
import type { FieldColumn, IndexedTable } from "../index/table.ts";
import type { TableReading } from "../noun.ts";
import type { Bound } from "./bound.ts";

/** Conditions as SQL. */

/** A condition as SQL on a row. `field` is what it asks of the field index, with the number of its key. */
export type RowTest = {
  /** `item`: SQL for the number of the item; that of the row of its table where it is absent. */
  sql(b: Bound, item?: string): string;
  isExact: boolean;
  field?: FieldTest & { keyIds: KeyIds };
};

/** The filter as SQL. `all` without a test counts as inexact: what the SQL finds must be tested again. */
export type FilterTest = {
  all: readonly RowTest[];
  any: readonly RowTest[] | undefined;
  isExact: boolean;
};

/** The numbers of a key: of its rows of items without layers, and of those with; none for one that nothing has. */
export type KeyIds = readonly number[];

export async function keyIdsOf({ sql, keys, layer }: TableReading, key: string): Promise<KeyIds> {
  const names = layer === undefined ? [key] : [key, layerKey(layer, key)];
  const found = await Promise.all(names.map((name) => keys.find(sql, name)));
  return found.filter((id) => id !== undefined);
}

export const isIndexedKey = ({ table, isIndexed }: TableReading, key: string): boolean =>
  table.fields !== undefined && isIndexable(key) && !isMarked(key) && table.fields.isIndexed(key, isIndexed);

export async function filterTest(on: TableReading, filter: Filter, nowSeconds: number): Promise<FilterTest> {
  const test = (condition: Condition) => rowTest(on, condition, nowSeconds);
  const all = await Promise.all(filter.all.map(test));
  const any = await Promise.all(filter.any.map(test));
  const isExact = [...all, ...any].every((each) => each?.isExact);
  const found = all.filter((each) => each !== undefined);
  const anyFound = any.filter((each) => each !== undefined);
  // With or_where a condition without SQL lets everything pass, and so does one without a condition beside it.
  const isOpen = any.length > 0 && (anyFound.length < any.length || (all.length > 0 && found.length === 0));
  if (isOpen) return { all: [], any: undefined, isExact: false };
  return { all: found, any: any.length > 0 ? anyFound : undefined, isExact };
}

/** The whole filter as SQL; empty where everything passes. `item` as RowTest has it. */
export function filterSql(b: Bound, { all, any }: FilterTest, without?: RowTest, item?: string): string[] {
  if (!any) return all.filter((each) => each !== without).map((each) => each.sql(b, item));
  const each = all.length > 0 ? [`(${all.map((one) => one.sql(b, item)).join(" AND ")})`] : [];
  return [`(${[...each, ...any.map((one) => one.sql(b, item))].join(" OR ")})`];
}

async function rowTest(on: TableReading, sent: Condition, nowSeconds: number): Promise<RowTest | undefined> {
  const { table } = on;
  const condition = inSeconds(sent, nowSeconds);
  const { operator, value } = condition;
  // Of no values: the index would look for what is missing.
  if (Array.isArray(value) && value.length === 0)
    return { sql: () => (operator === "in" ? "1 = 0" : "1 = 1"), isExact: true };
  const column = table.columns.get(condition.key);
  if (column) return columnTest(table, column, condition, nowSeconds);
  if (!isIndexedKey(on, condition.key)) return undefined;
  const asked = fieldTest(condition, nowSeconds);
  if (!asked) return undefined;
  const field = { ...asked, keyIds: await keyIdsOf(on, condition.key) };
  return { sql: (b, item) => fieldSql(b, table, field, item), isExact: field.isExact, field };
}

/** The rows of the field index that an item must have, or not. */
type FieldRows = Omit<NonNullable<RowTest["field"]>, "key" | "isExact">;

export function fieldSql(b: Bound, table: IndexedTable, field: FieldRows, item = `${table.name}.id`): string {
  const { keyIds, ranges, isNegated, mustExist, onElements } = field;
  if (keyIds.length === 0) return isNegated && !mustExist ? "1 = 1" : "1 = 0";
  // Not EXISTS: a server would make a join of it.
  const exists = (key: number, of: string): string =>
    `(SELECT 1 FROM ${table.fields?.table} AS f WHERE f.${table.name} = ${item} AND f.key = ${b.whole(key)}${of} LIMIT 1) IS NOT NULL`;
  const any = (ids: readonly number[], of: string) => `(${ids.map((id) => exists(id, of)).join(" OR ")})`;
  const tests = mustExist ? [any(keyIds, "")] : [];
  if (ranges.length > 0) {
    const of = ` AND (${rangesSql(b, ranges)})`;
    // Each is a seek; both keys in one subquery would be a loop that is set up for every row.
    const ids = keyIds.flatMap((id) => (onElements ? [-id] : [id, -id]));
    const [, layered] = keyIds;
    const found = any(ids, of);
    const test =
      layered === undefined || onElements
        ? found
        : `CASE ${scalarSql(b, table, item, layered, ranges)} WHEN 1 THEN TRUE WHEN 0 THEN FALSE ELSE ${found} END`;
    tests.push(`${isNegated ? "NOT " : ""}${test}`);
  } else if (!mustExist) tests.push(isNegated ? `NOT ${any(keyIds, "")}` : "1 = 0");
  return `(${tests.join(" AND ")})`;
}

/** SQL for 1 or 0, whether the scalar of a key is in the ranges; null for an item without. */
const scalarSql = (b: Bound, table: IndexedTable, item: string, key: number, ranges: readonly Range[]): string =>
  `(SELECT CASE WHEN ${rangesSql(b, ranges)} THEN 1 ELSE 0 END FROM ${table.fields?.table} AS f
    WHERE f.${table.name} = ${item} AND f.key = ${b.whole(key)} LIMIT 1)`;

export function rangesSql(b: Bound, ranges: readonly Range[], column = "f.value"): string {
  return ranges
    .map((range) =>
      "is" in range
        ? `${column} = ${b.text(range.is)}`
        : `(${column} >= ${b.text(range.from)} AND ${column} < ${b.text(range.to)})`,
    )
    .join(" OR ");
}

/** The values that have a place in an order. */
export const sortable: Range = { from: kinds.number, to: kinds.past };

// ------------------------------------------------------------------------------------------------ columns of the service

function columnTest(
  table: IndexedTable,
  { column, type }: FieldColumn,
  condition: Condition,
  nowSeconds: number,
): RowTest | undefined {
  const name = `${table.name}.${column}`;
  const exactly = (sql: (b: Bound) => string): RowTest => ({ sql, isExact: true });
  const { operator, value } = condition;
  const values = typeof value === "string" ? [value] : value;
  if (operator === "exists") return exactly(() => (readBoolean(values[0] ?? "") ? "1 = 1" : "1 = 0"));
  if (operator === "member_of") return exactly(() => "1 = 0");
  const isNegated = operator === "neq" || operator === "nin" || operator === "nbetween";
  const not = isNegated ? "NOT " : "";
  if (type === "seconds") {
    const range = secondsOf(condition, nowSeconds);
    return (
      range &&
      exactly(
        (b) =>
          `${not}(${range.map(([from, to]) => `${name} BETWEEN ${b.whole(from)} AND ${b.whole(to)}`).join(" OR ") || "1 = 0"})`,
      )
    );
  }
  if (operator !== "eq" && operator !== "neq" && operator !== "in" && operator !== "nin") return undefined;
  if (type === "text") return exactly((b) => `${not}${name} IN (${values.map((each) => b.text(each)).join(", ")})`);
  const flags = values.map(readBoolean).filter((flag) => flag !== undefined);
  return exactly(
    (b) =>
      `${not}${flags.length > 0 ? `${name} IN (${flags.map((flag) => b.whole(Number(flag))).join(", ")})` : "(1 = 0)"}`,
  );
}

/** The ranges of whole seconds that satisfy the condition, or what it negates; undefined for a condition on the text. */
function secondsOf({ key, operator, value }: Condition, nowSeconds: number): [number, number][] | undefined {
  const values = typeof value === "string" ? [value] : value;
  const [first = "", second = ""] = values;
  const context = { budget: new TimeBudget(1000), nowSeconds };
  const bounds = (positive: "lt" | "lte" | "gt" | "gte" | "newer" | "older", operand: string): [number, number][] => {
    const isMatch = compileCondition({ key, operator: positive, value: operand }, context);
    const isAscending = positive === "gt" || positive === "gte" || positive === "newer";
    return edge((seconds) => isMatch(new Map([[key, seconds]])), isAscending);
  };
  switch (operator) {
    case "eq":
    case "neq":
    case "in":
    case "nin":
      return values.flatMap((each): [number, number][] => {
        const decimal = readDecimal(each);
        return decimal && Number.isSafeInteger(decimal.near) ? both(bounds("gte", each), bounds("lte", each)) : [];
      });
    case "between":
    case "nbetween":
      return both(bounds("gte", first), bounds("lte", second));
    case "lt":
    case "lte":
    case "gt":
    case "gte":
    case "newer":
    case "older":
      return bounds(operator, first);
    default:
      return undefined;
  }
}

const [lowest, highest] = [-latestSeconds - 1, latestSeconds + 1];

/** Where a test that changes once, from the lowest to the highest second, is true. */
function edge(test: (seconds: number) => boolean, isAscending: boolean): [number, number][] {
  let [low, high] = [lowest, highest];
  if (test(low) && test(high)) return [[low, high]];
  if (isAscending ? !test(high) : !test(low)) {
    // newer and older accept nothing past the last second that is a time.
    if (isAscending ? !test(latestSeconds) : !test(-latestSeconds)) return [];
    [low, high] = [-latestSeconds, latestSeconds];
    if (test(low) && test(high)) return [[low, high]];
  }
  const [start, end] = [low, high];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (test(middle) === isAscending) high = middle;
    else low = middle;
  }
  return isAscending ? [[high, end]] : [[start, low]];
}

const both = (a: [number, number][], b: [number, number][]): [number, number][] =>
  a.flatMap(([from, to]) =>
    b.map(([first, last]): [number, number] => [Math.max(from, first), Math.min(to, last)]).filter(([x, y]) => x <= y),
  );
