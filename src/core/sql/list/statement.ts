import { isSortable, type SortValue } from "../../list/order.ts";
import { numberOfKey } from "../../list/order-key.ts";
import { compareText, type Path, rootPath } from "../../path.ts";
import { problem } from "../../problem.ts";
import type { Range } from "../index/range.ts";
import type { IndexedTable } from "../index/table.ts";
import { isBelowSql, type Value } from "../sql.ts";
import { Bound } from "./bound.ts";
import { inPartSql, inScopeSql, isDirect, isOnePart, partsSql, type Scope, seenSql } from "./scope.ts";
import type { Condition } from "./source.ts";
import { type FilterTest, fieldSql, filterSql, type KeyIds, type RowTest, rangesSql, sortable } from "./test.ts";

/**
 * A list as one statement. Its rows are the number of an item and its sort values, in order. There are two shapes. *In
 * order*: an index that has the first sort key is read in its order, and each row is tested. *By condition*: the rows of one
 * condition are read, tested and sorted. Each is written so that no planner has a choice: `{row_by_id}` and `{join_in_order}`
 * fix the order of joins, and a test of a row is a subquery with a LIMIT. Decision 67.
 */

/** A sort key as a list reads it: a column of times, or a field with the number of its key. */
export type OrderTerm = { column: string; isDescending: boolean } | FieldTerm;
export type FieldTerm = { keyIds: KeyIds; isDescending: boolean };

export const isSameKey = (one: { keyIds: KeyIds }, other: { keyIds: KeyIds }): boolean =>
  one.keyIds.join() === other.keyIds.join();

/** What is listed. */
export type Listed = {
  table: IndexedTable;
  scope: Scope;
  filter: FilterTest;
  order: readonly OrderTerm[];
  /** Reads from the last to the first. */
  isReversed: boolean;
  /** The item after which the list begins. */
  after?: { path: Path; values: readonly SortValue[] } | undefined;
  /** Further SQL that is true for the rows: those that the index does not have in full are read apart. */
  further: readonly Condition[];
};

/** How many rows, and after how many. */
export type Window = { limit: number; offset: number };

export type Statement = { text: string; values: readonly Value[] };

/** A set of rows that a list by condition reads: those of one test, or items by number. */
type Driver = { test: RowTest } | { ids: readonly number[] };

/** The rows of an index in its order. */
export function inOrder(listed: Listed, isServer: boolean, window: Window, b = new Bound()): Statement {
  const most = { limit: window.limit + window.offset, offset: 0 };
  const [first] = listed.order;
  const walks =
    first && "keyIds" in first
      ? [
          ...walkedRanges(listed, first).map((range) => walkOf(b, listed, isServer, most, range)),
          restWalk(b, listed, most),
        ]
      : [walkOf(b, listed, isServer, most)];
  const all = listed.isReversed ? walks.reverse() : walks;
  const columns = ["id", ...listed.order.map((_, i) => `v${i}`)].join(", ");
  const union = all.map((text, i) => `SELECT ${columns} FROM (${text}) AS walk_${i}`).join(" UNION ALL ");
  return { text: `SELECT ${columns} FROM (${union}) AS walks ${limitSql(b, window)}`, values: b.values };
}

/** Those with the first value of the order, in the order of their paths. */
export function amongTied(
  listed: Listed,
  { keyIds }: FieldTerm,
  value: string,
  isServer: boolean,
  window: Window,
): Statement {
  const b = new Bound();
  const has = { keyIds, ranges: [{ is: value }], isNegated: false, mustExist: false, onElements: false };
  const further = [...listed.further, (bound: Bound) => fieldSql(bound, listed.table, has)];
  const after = listed.after?.values[0] === value ? { path: listed.after.path, values: [] } : undefined;
  const most = { limit: window.limit + window.offset, offset: 0 };
  const walk = walkOf(b, { ...listed, order: [], after, further }, isServer, most);
  return { text: `SELECT id FROM (${walk}) AS walk ${limitSql(b, window)}`, values: b.values };
}

/** The rows of one driver, sorted. */
export function byCondition(listed: Listed, driver: Driver, window: Window, b = new Bound()): Statement {
  return { text: `${metSelectSql(b, listed, driver)} ${orderSql(listed)}${limitSql(b, window)}`, values: b.values };
}

/** The rows of one driver, or all in scope, in any order. */
export function unordered(listed: Listed, driver: Driver | undefined, limit: number): Statement {
  const b = new Bound();
  return { text: `${metSelectSql(b, listed, driver)} ${limitSql(b, { limit, offset: 0 })}`, values: b.values };
}

function metSelectSql(b: Bound, listed: Listed, driver: Driver | undefined): string {
  const { table, scope } = listed;
  const test = driver && "test" in driver ? driver.test : undefined;
  const from = driver ? metBySql(b, listed, driver) : `${table.name} ${table.joined}`;
  const item = driver ? "met.id" : `${table.name}.id`;
  const tests = [...testsSql(b, listed, test, item), ...afterSql(b, listed), `{watch ${item}}`];
  if (!test) tests.unshift(inScopeSql(b, table, scope, table.name));
  return selectSql(b, listed, from, tests);
}

/** How many match, at most `most`; undefined for as many as there are. */
export function countOf(listed: Listed, driver: RowTest | undefined, most: number | undefined): Statement {
  const b = new Bound();
  return { text: `SELECT ${matchCountSql(b, listed, driver, most)}`, values: b.values };
}

/** The same where one negated condition excludes some: how many are in scope, and how many it excludes. */
export function negationCount(listed: Listed, most: number | undefined): Statement | undefined {
  const [only, second] = listed.filter.all;
  if (!only?.field?.isNegated || second || listed.filter.any || !isPlain(listed)) return undefined;
  if (only.field.mustExist || only.field.ranges.length === 0) return undefined;
  const b = new Bound();
  const every = matchCountSql(b, { ...listed, filter: { ...listed.filter, all: [] } }, undefined, most);
  return { text: `SELECT ${every}, ${metSql(b, listed, only, most)}`, values: b.values };
}

function matchCountSql(b: Bound, listed: Listed, driver: RowTest | undefined, most: number | undefined): string {
  const { table, filter, scope } = listed;
  if (table.counts && isPlain(listed) && filter.all.length === 0 && !filter.any)
    return `(SELECT coalesce(sum(counted.count), 0) FROM ${table.counts} AS counted
      WHERE ${inScopeSql(b, table, scope, "counted")})`;
  const [only, ...more] = filter.any || !isPlain(listed) ? [] : filter.all;
  if (driver && driver === only && more.length === 0) return metSql(b, listed, driver, most);
  const from = driver ? metBySql(b, listed, { test: driver }) : `${table.name} ${table.joined}`;
  const tests = driver ? [] : [inScopeSql(b, table, listed.scope, table.name)];
  tests.push(...testsSql(b, listed, driver, driver && "met.id"));
  return countSql(b, `FROM ${from} WHERE ${tests.join(" AND ") || "1 = 1"}`, most);
}

/** How many items a test has, at most `most`. */
function metSql(b: Bound, listed: Listed, test: RowTest, most: number | undefined): string {
  const { keyIds = [], ranges = [], onElements } = test.field ?? {};
  if (most !== undefined || keyIds.length === 0)
    return countSql(b, `FROM (${driverSql(b, listed, { test })}) AS met`, most);
  // An item has one scalar of a key, and any number of elements.
  const counts = keyIds.flatMap((id) => {
    const scalars = onElements ? [] : ranges.map((range) => `(SELECT count(*) ${rowsOfSql(b, listed, id, [range])})`);
    const elements = `(SELECT count(*) FROM (
      SELECT DISTINCT f.${listed.table.name} ${rowsOfSql(b, listed, -id, ranges)}) AS elements)`;
    return [...scalars, elements];
  });
  return `(${counts.join(" + ")})`;
}

/** The rows of a key and its ranges, from the index. */
export const rowsOfSql = (b: Bound, { table, scope }: Listed, key: number, ranges: readonly Range[]): string =>
  `FROM ${table.fields?.table} AS f
   WHERE ${inScopeSql(b, table, scope, "f")} AND f.key = ${b.whole(key)} AND (${rangesSql(b, ranges)})`;

export const countSql = (b: Bound, from: string, most: number | undefined): string =>
  most === undefined
    ? `(SELECT count(*) ${from})`
    : `(SELECT count(*) FROM (SELECT 1 ${from}${limitSql(b, { limit: most, offset: 0 })}) AS found)`;

/** True when the parts and the filter decide all. */
const isPlain = ({ scope, further }: Listed): boolean => scope.paths === null && further.length === 0;

/** True where the rows of this test can be read from the index. */
export const isDriver = ({ field }: RowTest): boolean =>
  field !== undefined && !field.isNegated && field.ranges.length > 0;

/** The rows of the table that a driver finds. */
const metBySql = (b: Bound, listed: Listed, driver: Driver): string => {
  const { name, joined } = listed.table;
  return `(${driverSql(b, listed, driver)}) AS met {row_by_id ${name} met.id} ${joined}`;
};

/** SELECT for the numbers of the items, each once. */
function driverSql(b: Bound, listed: Listed, driver: Driver): string {
  const { table } = listed;
  if ("ids" in driver)
    return `SELECT value AS id FROM (SELECT value FROM {numbers_of ${b.put(JSON.stringify(driver.ids))}}) AS given`;
  const { field } = driver.test;
  if (!field || field.keyIds.length === 0) return `SELECT id FROM ${table.name} WHERE 1 = 0`;
  const { keyIds, ranges, onElements } = field;
  // One after another: each is a range of the index.
  const rows = (key: number) =>
    ranges.map((range) => `SELECT f.${table.name} AS id ${rowsOfSql(b, listed, key, [range])}`);
  // An item has one scalar of a key, and any number of elements.
  const elements = (id: number) => `SELECT DISTINCT id FROM (${rows(-id).join(" UNION ALL ")}) AS elements_${id}`;
  const all = keyIds.flatMap((id) => [...(onElements ? [] : rows(id)), elements(id)]).join(" UNION ALL ");
  return `SELECT id FROM (${all}) AS each_range`;
}

// ----------------------------------------------------------------------------------------------------------- its pieces

type KnownValues = readonly (string | undefined)[];

/** `known`: SQL for the first sort values where it need not be looked up. */
function selectSql(b: Bound, listed: Listed, from: string, tests: readonly string[], known: KnownValues = []): string {
  const { table, order } = listed;
  const values = order.map((term, i) => `, ${known[i] ?? valueSql(b, table, term)} AS v${i}`).join("");
  return `SELECT ${table.name}.id AS id${values}, ${pathSql(listed)} AS path FROM ${from} WHERE ${tests.join(" AND ") || "1 = 1"}`;
}

/** What has the order of the paths: below one parent a column that an index ends with. */
const pathSql = ({ table, scope }: Listed): string =>
  isDirect(scope) ? `${table.name}.${table.childPath}` : table.path;

function valueSql(b: Bound, table: IndexedTable, term: OrderTerm): string {
  if ("column" in term) return `${table.name}.${term.column}`;
  return `(SELECT s.value FROM ${table.fields?.table} AS s WHERE s.${table.name} = ${table.name}.id
    AND s.key IN (${term.keyIds.map((id) => b.whole(id)).join(", ")}) AND ${rangesSql(b, [sortable], "s.value")} LIMIT 1)`;
}

/** `isWalk`: the first sort key is in the order of the index, and no row lacks it. `from`: the number of the first term. */
function orderSql({ order, isReversed }: Listed, isWalk = false, from = 0): string {
  const direction = (isDescending: boolean) => (isDescending !== isReversed ? "DESC" : "ASC");
  const terms = order.map((term, i) => {
    const nulls = "keyIds" in term && !(isWalk && i === 0) ? ` NULLS ${isReversed ? "FIRST" : "LAST"}` : "";
    return `v${i} ${direction(term.isDescending)}${nulls}`;
  });
  return ` ORDER BY ${[...terms.slice(from), `path ${direction(false)}`].join(", ")}`;
}

const watchSql = ({ name }: IndexedTable): string => `{watch ${name}.id}`;

const limitSql = (b: Bound, { limit, offset }: Window): string =>
  ` LIMIT ${b.whole(limit)}${offset > 0 ? ` OFFSET ${b.whole(offset)}` : ""}`;

/** `item`: SQL for the number of the item where a row of an index has it: what the filter lets go is not looked up. */
const testsSql = (b: Bound, { table, scope, filter, further }: Listed, without?: RowTest, item?: string): string[] => [
  ...seenSql(b, table, scope),
  ...further.map((condition) => condition(b)),
  ...filterSql(b, filter, without, item),
];

/** What comes after an item: a place in the order is a list of values, of which missing ones are last. */
function afterSql(b: Bound, { table, order, after, isReversed }: Listed, known: KnownValues = []): string[] {
  if (!after || isReversed) return [];
  let sql = `${table.path} > ${b.text(after.path)}`;
  for (let i = order.length - 1; i >= 0; i--) {
    const term = order[i] as OrderTerm;
    const value = known[i] ?? valueSql(b, table, term);
    const given = after.values[i];
    if (given === undefined) {
      sql = `(${value} IS NULL AND ${sql})`;
      continue;
    }
    const bound = "column" in term ? b.whole(secondsOf(given)) : b.text(given);
    const past = `${value} ${term.isDescending ? "<" : ">"} ${bound}`;
    sql = `(${past}${"column" in term ? "" : ` OR ${value} IS NULL`} OR (${value} = ${bound} AND ${sql}))`;
  }
  return [sql];
}

/** Throws cursor_invalid for the order key of anything but whole seconds. */
function secondsOf(key: string): number {
  const seconds = numberOfKey(key);
  if (seconds === undefined || !Number.isSafeInteger(seconds)) throw problem("cursor_invalid");
  return seconds;
}

/** True where one index has the order of all paths. */
const hasPathOrder = ({ table, scope, order }: Listed): boolean =>
  order.length === 0 && isWholePath(table) && !isDirect(scope);
const isWholePath = ({ name, path, childPath }: IndexedTable): boolean => path === `${name}.${childPath}`;

/** An index in its order: of one part or of all paths, or each part of several. */
const walkOf = (b: Bound, listed: Listed, isServer: boolean, window: Window, range = sortable): string =>
  isOnePart(listed.scope) || hasPathOrder(listed)
    ? walkSql(b, listed, isServer, window, (alias) => rowsInScopeSql(b, listed, alias), range)
    : eachWalk(b, listed, isServer, window, range);

/** SQL that is true for the rows in scope; in the order of all paths for a table with an index of them. */
function rowsInScopeSql(b: Bound, { table, scope }: Listed, alias: string): string {
  if (alias !== table.name || isDirect(scope) || !isWholePath(table)) return inScopeSql(b, table, scope, alias);
  const inScope = inScopeSql(b, table, scope, alias, "+");
  return scope.path === rootPath ? inScope : `${isBelowSql(table.path, b.text(scope.path))} AND ${inScope}`;
}

/** `partSql`: true for the rows that are read, of this table or index. `range`: of the first sort key, if that is a field. */
function walkSql(
  b: Bound,
  listed: Listed,
  isServer: boolean,
  window: Window,
  partSql: (alias: string) => string,
  range: Range,
): string {
  const { table, order } = listed;
  const [first] = order;
  if (!first || "column" in first) {
    const tests = [partSql(table.name), watchSql(table), ...testsSql(b, listed), ...afterSql(b, listed)];
    return selectSql(b, listed, `${table.name} ${table.joined}`, tests) + orderSql(listed, true) + limitSql(b, window);
  }
  const inWindow = () => orderSql(listed, true) + limitSql(b, window);
  const [keyId = 0, ...more] = first.keyIds;
  if (more.length === 0) return keyWalkSql(b, listed, partSql, range, keyId) + inWindow();
  // SQLite merges the walks as it reads them, unless each has its own end: then it reads and sorts them apart.
  const each = first.keyIds.map((id, i) => {
    const walk = keyWalkSql(b, listed, partSql, range, id);
    return isServer ? `SELECT * FROM (${walk}${inWindow()}) AS of_key_${i}` : walk;
  });
  return `SELECT * FROM (${each.join(" UNION ALL ")}) AS of_keys${inWindow()}`;
}

/** The same of the rows of one key, by which the list is sorted first, without an order. */
function keyWalkSql(b: Bound, listed: Listed, partSql: (alias: string) => string, range: Range, keyId: number): string {
  const { table, order, filter } = listed;
  const [first] = order as [FieldTerm];
  const item = `w.${table.name}`;
  const from = `${table.fields?.table} AS w {row_by_id ${table.name} ${item}} ${table.joined}`;
  const met = rangeOn(filter, first);
  const tests = [partSql("w"), `w.key = ${b.whole(keyId)}`, rangesSql(b, [range], "w.value"), `{watch ${item}}`];
  if (met && range === sortable) tests.push(`(${rangesSql(b, met.field?.ranges ?? [], "w.value")})`);
  if (listed.after && !listed.isReversed) {
    // Where the walk begins. What has the same value is told apart below.
    const given = listed.after.values[0];
    tests.push(given === undefined ? "1 = 0" : `w.value ${first.isDescending ? "<=" : ">="} ${b.text(given)}`);
  }
  tests.push(...testsSql(b, listed, met, item), ...afterSql(b, listed, ["w.value"]));
  return selectSql(b, listed, from, tests, ["w.value"]);
}

/** A condition on the key of the order that each match satisfies. */
const rangeOn = ({ all, any }: FilterTest, term: FieldTerm): RowTest | undefined =>
  any
    ? undefined
    : all.find((each) => isDriver(each) && each.field && isSameKey(each.field, term) && !each.field.onElements);

/** More ranges are tested within one. */
const mostRanges = 4;

/** The ranges of the index that a walk reads one after another, in the order of the list. */
export function walkedRanges({ filter, order }: Listed, term: FieldTerm): Range[] {
  const ranges = rangeOn(filter, term)?.field?.ranges ?? [];
  if (ranges.length === 0 || ranges.length > mostRanges) return [sortable];
  const sorted = ranges
    .filter((range) => isSortable(firstOf(range)))
    .sort((a, b) => compareText(firstOf(a), firstOf(b)));
  return order[0]?.isDescending ? sorted.reverse() : sorted;
}

const firstOf = (range: Range): string => ("is" in range ? range.is : range.from);

/** Each part in its order, so far as it may be in the window; then all of these in order. */
function eachWalk(b: Bound, listed: Listed, isServer: boolean, window: Window, range: Range): string {
  const { table, scope } = listed;
  const parts = partsSql(b, table, scope);
  const each = walkSql(b, listed, isServer, window, (alias) => inPartSql(table, alias), range);
  if (isServer)
    return `SELECT each.* FROM (${parts}) AS part JOIN LATERAL (${each}) AS each ON TRUE${orderSql(listed, true)}${limitSql(b, window)}`;
  const from = `(${parts}) AS part {join_in_order} ${table.name}
    ON ${table.name}.id IN (SELECT id FROM (${each}) AS each) ${table.joined}`;
  return selectSql(b, listed, from, []) + orderSql(listed, true) + limitSql(b, window);
}

/** Those without a value of the first sort key, which are last. */
function restWalk(b: Bound, listed: Listed, window: Window): string {
  const { table, order, filter } = listed;
  const [first] = order as [FieldTerm];
  const range = rangeOn(filter, first);
  // What satisfies the condition without a value is a list with such an element.
  const elements = range?.field && { ...range, field: { ...range.field, onElements: true } };
  const from = elements ? metBySql(b, listed, { test: elements }) : `${table.name} ${table.joined}`;
  const tests = elements ? [] : [rowsInScopeSql(b, listed, table.name)];
  tests.push(watchSql(table), `${valueSql(b, table, first)} IS NULL`, ...testsSql(b, listed), ...afterSql(b, listed));
  const rest = selectSql(b, listed, from, tests, ["CAST(NULL AS TEXT)"]);
  // Without the value that none of them has: by it and the path all of them would be sorted.
  return rest + orderSql(listed, true, 1) + limitSql(b, window);
}
