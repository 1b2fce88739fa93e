import type { SortValue } from "../../../domain/order.ts";
import { numberOfKey } from "../../../domain/order-key.ts";
import { type Path, rootPath } from "../../../domain/path.ts";
import { problem } from "../../../domain/problem.ts";
import type { IndexedTable } from "../index/table.ts";
import { isBelowSql, type Value } from "../sql.ts";
import { Bound, type Dialect } from "./bound.ts";
import { inPartSql, inScopeSql, isDirect, isOnePart, partsSql, type Scope, seenSql } from "./scope.ts";
import { type FilterTest, filterSql, type RowTest, rangesSql, sortable } from "./test.ts";

/**
 * A list as one statement. Its rows are the number of an item and its sort values, in order. There are two shapes. *In
 * order*: an index that has the first sort key is read in its order, and each row is tested. *By condition*: the rows of one
 * condition are read, tested and sorted. Each is written so that no planner has a choice: CROSS JOIN fixes the order of a
 * join on SQLite, the settings of a connection do on PostgreSQL, and a test of a row is a subquery with a LIMIT. Decision 71.
 */

/** A sort key as a list reads it: a column of times, or a field with the number of its key. */
export type OrderTerm = { column: string; isDescending: boolean } | { keyId: number; isDescending: boolean };

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
  further: readonly string[];
};

/** How many rows, and after how many. */
export type Window = { limit: number; offset: number };

export type Statement = { text: string; values: readonly Value[] };

/** A set of rows that a list by condition reads: those of one test, or items by number. */
export type Driver = { test: RowTest } | { ids: readonly number[] };

/** The rows of an index in its order; undefined where no index has it. */
export function inOrder(listed: Listed, dialect: Dialect, window: Window): Statement {
  const b = new Bound();
  const most = { limit: window.limit + window.offset, offset: 0 };
  const walk = isOnePart(listed.scope) || hasPathOrder(listed) ? oneWalk(b, listed, dialect, most) : eachWalk(b, listed, dialect, most);
  const [first] = listed.order;
  const rest = first && "keyId" in first ? restWalk(b, listed, dialect, most) : undefined;
  const all = rest ? (listed.isReversed ? [rest, walk] : [walk, rest]) : [walk];
  const columns = ["id", ...listed.order.map((_, i) => `v${i}`)].join(", ");
  const union = all.map((text, i) => `SELECT ${columns} FROM (${text}) AS walk_${i}`).join(" UNION ALL ");
  return { text: `SELECT ${columns} FROM (${union}) AS walks ${limitSql(b, window)}`, values: b.values };
}

/** The rows of one driver, sorted. */
export function byCondition(listed: Listed, dialect: Dialect, driver: Driver, window: Window | undefined): Statement {
  const b = new Bound();
  const { table } = listed;
  const from = `(${driverSql(b, listed, driver)}) AS met CROSS JOIN ${table.name} ON ${table.name}.id = met.id ${table.joined}`;
  const tests = [...testsSql(b, listed, "test" in driver ? driver.test : undefined), ...afterSql(b, listed)];
  if ("ids" in driver) tests.push(inScopeSql(b, table, listed.scope, table.name));
  if (dialect.watch) tests.push(dialect.watch);
  return { text: `${selectSql(b, listed, from, tests)} ${window ? orderSql(listed) + limitSql(b, window) : ""}`, values: b.values };
}

/** All rows in scope, in no order. */
export function everyRow(listed: Listed, dialect: Dialect, most: number): Statement {
  const b = new Bound();
  const { table, scope } = listed;
  const tests = [inScopeSql(b, table, scope, table.name), ...testsSql(b, listed), ...afterSql(b, listed)];
  if (dialect.watch) tests.push(dialect.watch);
  return {
    text: `${selectSql(b, listed, `${table.name} ${table.joined}`, tests)} ${limitSql(b, { limit: most, offset: 0 })}`,
    values: b.values,
  };
}

/** How many match, at most `most`. */
export function countOf(listed: Listed, driver: RowTest | undefined, most: number): Statement {
  const b = new Bound();
  return { text: countSql(matchesSql(b, listed, driver, most)), values: b.values };
}

function matchesSql(b: Bound, listed: Listed, driver: RowTest | undefined, most: number): string {
  const { table, filter } = listed;
  const [only, ...more] = filter.any || !isPlain(listed) ? [] : filter.all;
  if (driver && driver === only && more.length === 0) return driverSql(b, listed, { test: driver }, most);
  const from = driver
    ? `(${driverSql(b, listed, { test: driver })}) AS met CROSS JOIN ${table.name} ON ${table.name}.id = met.id ${table.joined}`
    : `${table.name} ${table.joined}`;
  const tests = driver ? [] : [inScopeSql(b, table, listed.scope, table.name)];
  tests.push(...testsSql(b, listed, driver));
  return `SELECT 1 FROM ${from} WHERE ${tests.join(" AND ") || "1 = 1"}${limitSql(b, { limit: most, offset: 0 })}`;
}

/** How many are in scope and how many of these a negated condition excludes, each at most `most`. */
export function negationCount(listed: Listed, most: number): Statement | undefined {
  const [only, second] = listed.filter.all;
  if (!only?.field?.isNegated || second || listed.filter.any || !isPlain(listed)) return undefined;
  const { field } = only;
  if (field.mustExist || field.ranges.length === 0) return undefined;
  const b = new Bound();
  const every = matchesSql(b, { ...listed, filter: { ...listed.filter, all: [] } }, undefined, most);
  const met = driverSql(b, listed, { test: only }, most);
  return { text: `SELECT (${countSql(every)}), (${countSql(met)})`, values: b.values };
}

const countSql = (text: string): string => `SELECT count(*) FROM (${text}) AS found`;

/** True when the parts and the filter tell all. */
const isPlain = ({ scope, further }: Listed): boolean => scope.paths === null && further.length === 0;

/** How many rows of the index a test has, at most `most`. For the choice between the two shapes. */
export const metSql = (b: Bound, listed: Listed, test: RowTest, most: number): string =>
  countSql(driverSql(b, listed, { test }, most));

/** True where the rows of this test can be read from the index. */
export const isDriver = ({ field }: RowTest): boolean =>
  field !== undefined && !field.isNegated && field.ranges.length > 0;

/** SELECT for the numbers of the items, each once. */
function driverSql(b: Bound, { table, scope }: Listed, driver: Driver, most?: number): string {
  if ("ids" in driver)
    return `SELECT value AS id FROM (SELECT value FROM json_each(${b.put(JSON.stringify(driver.ids))})) AS given`;
  const { field } = driver.test;
  if (!field || field.keyId === undefined) return `SELECT id FROM ${table.name} WHERE 1 = 0`;
  const { keyId, ranges, onElements } = field;
  const scoped = inScopeSql(b, table, scope, "f");
  // One after another: each is a range of the index.
  const rows = (key: number) =>
    ranges.map(
      (range) =>
        `SELECT f.${table.name} AS id FROM ${table.fields?.table} AS f
         WHERE ${scoped} AND f.key = ${b.whole(key)} AND ${rangesSql(b, [range])}`,
    );
  // An item has one scalar of a key, and any number of elements.
  const elements = `SELECT DISTINCT id FROM (${rows(-keyId).join(" UNION ALL ")}) AS elements`;
  const all = [...(onElements ? [] : rows(keyId)), elements].join(" UNION ALL ");
  return `SELECT id FROM (${all}) AS met${most === undefined ? "" : limitSql(b, { limit: most, offset: 0 })}`;
}

// ----------------------------------------------------------------------------------------------------------- its pieces

type Known = readonly (string | undefined)[];

/** `known`: SQL for the first sort values where it need not be looked up. */
function selectSql(b: Bound, listed: Listed, from: string, tests: readonly string[], known: Known = []): string {
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
    AND s.key = ${b.whole(term.keyId)} AND ${rangesSql(b, [sortable], "s.value")} LIMIT 1)`;
}

/** `isWalk`: the first sort key is in the order of the index, and no row lacks it. */
function orderSql({ order, isReversed }: Listed, isWalk = false): string {
  const direction = (isDescending: boolean) => (isDescending !== isReversed ? "DESC" : "ASC");
  const terms = order.map((term, i) => {
    const nulls = "keyId" in term && !(isWalk && i === 0) ? ` NULLS ${isReversed ? "FIRST" : "LAST"}` : "";
    return `v${i} ${direction(term.isDescending)}${nulls}`;
  });
  return ` ORDER BY ${[...terms, `path ${direction(false)}`].join(", ")}`;
}

const limitSql = (b: Bound, { limit, offset }: Window): string =>
  ` LIMIT ${b.whole(limit)}${offset > 0 ? ` OFFSET ${b.whole(offset)}` : ""}`;

const testsSql = (b: Bound, { table, scope, filter, further }: Listed, without?: RowTest): string[] => [
  ...seenSql(b, table, scope),
  ...further,
  ...filterSql(b, filter, without),
];

/** What comes after an item: a place in the order is a list of values, of which missing ones are last. */
function afterSql(b: Bound, { table, order, after, isReversed }: Listed, known: Known = []): string[] {
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

/** An index of one part, or that of all paths, in its order. */
const oneWalk = (b: Bound, listed: Listed, dialect: Dialect, window: Window): string =>
  walkSql(b, listed, dialect, window, (alias) => rowsInScopeSql(b, listed, alias));

/** SQL that is true for the rows in scope; in the order of all paths for a table with an index of them. */
function rowsInScopeSql(b: Bound, { table, scope }: Listed, alias: string): string {
  if (alias !== table.name || isDirect(scope) || !isWholePath(table)) return inScopeSql(b, table, scope, alias);
  const inScope = inScopeSql(b, table, scope, alias, "+");
  return scope.path === rootPath ? inScope : `${isBelowSql(table.path, b.text(scope.path))} AND ${inScope}`;
}

/** `partSql`: true for the rows that are read, of this table or index. */
function walkSql(
  b: Bound,
  listed: Listed,
  dialect: Dialect,
  window: Window,
  partSql: (alias: string) => string,
): string {
  const { table, order, filter } = listed;
  const [first] = order;
  const watch = dialect.watch ? [dialect.watch] : [];
  if (!first || "column" in first) {
    const tests = [partSql(table.name), ...watch, ...testsSql(b, listed), ...afterSql(b, listed)];
    return selectSql(b, listed, `${table.name} ${table.joined}`, tests) + orderSql(listed, true) + limitSql(b, window);
  }
  const from = `${table.fields?.table} AS w CROSS JOIN ${table.name} ON ${table.name}.id = w.${table.name} ${table.joined}`;
  const range = rangeOn(filter, first.keyId);
  const tests = [partSql("w"), `w.key = ${b.whole(first.keyId)}`, rangesSql(b, [sortable], "w.value"), ...watch];
  if (range) tests.push(`(${rangesSql(b, range.field?.ranges ?? [], "w.value")})`);
  if (listed.after && !listed.isReversed) {
    // Where the walk begins. What has the same value is told apart below.
    const given = listed.after.values[0];
    tests.push(given === undefined ? "1 = 0" : `w.value ${first.isDescending ? "<=" : ">="} ${b.text(given)}`);
  }
  tests.push(...testsSql(b, listed, range), ...afterSql(b, listed, ["w.value"]));
  return selectSql(b, listed, from, tests, ["w.value"]) + orderSql(listed, true) + limitSql(b, window);
}

/** A condition on the key of the order that each match satisfies. */
const rangeOn = ({ all, any }: FilterTest, keyId: number): RowTest | undefined =>
  any ? undefined : all.find((each) => isDriver(each) && each.field?.keyId === keyId && !each.field.onElements);

/** Each part in its order, so far as it may be in the window; then all of these in order. */
function eachWalk(b: Bound, listed: Listed, dialect: Dialect, window: Window): string {
  const { table, scope } = listed;
  const parts = partsSql(b, table, scope);
  const each = walkSql(b, listed, dialect, window, (alias) => inPartSql(table, alias));
  if (dialect.hasLateral)
    return `SELECT each.* FROM (${parts}) AS part JOIN LATERAL (${each}) AS each ON TRUE${orderSql(listed, true)}${limitSql(b, window)}`;
  const from = `(${parts}) AS part CROSS JOIN ${table.name}
    ON ${table.name}.id IN (SELECT id FROM (${each}) AS each) ${table.joined}`;
  return selectSql(b, listed, from, []) + orderSql(listed, true) + limitSql(b, window);
}

/** Those without a value of the first sort key, which are last. */
function restWalk(b: Bound, listed: Listed, dialect: Dialect, window: Window): string {
  const { table, order, filter } = listed;
  const [first] = order as [{ keyId: number; isDescending: boolean }];
  const range = rangeOn(filter, first.keyId);
  // What satisfies the condition without a value is a list with such an element.
  const elements = range?.field && { ...range, field: { ...range.field, onElements: true } };
  const from = elements
    ? `(${driverSql(b, listed, { test: elements })}) AS met CROSS JOIN ${table.name} ON ${table.name}.id = met.id`
    : table.name;
  const tests = elements ? [] : [rowsInScopeSql(b, listed, table.name)];
  if (dialect.watch) tests.push(dialect.watch);
  tests.push(`${valueSql(b, table, first)} IS NULL`, ...testsSql(b, listed), ...afterSql(b, listed));
  const rest = selectSql(b, listed, `${from} ${table.joined}`, tests, ["CAST(NULL AS TEXT)"]);
  return rest + orderSql(listed, true) + limitSql(b, window);
}
