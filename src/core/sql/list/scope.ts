import { type Comparison, depthBounds } from "../../list/find.ts";
import { type Path, parentOf, rootPath } from "../../path.ts";
import type { IndexedTable } from "../index/table.ts";
import { isWithinSql } from "../sql.ts";
import type { Bound } from "./bound.ts";

/** Which rows a collection may have: children of a path, or of all paths in a subtree. */
export type Scope = {
  path: Path;
  depth: readonly Comparison[];
  /** The listings of its rows; absent where rows have none. */
  listings?: readonly number[];
  /** The paths that the caller may see, all below `path`; null when it sees everything there. */
  paths: readonly Path[] | null;
};

/** True when the rows are children of one path. */
export function isDirect({ depth, paths }: Scope): boolean {
  const { min, max } = depthBounds({ depth: [...depth] });
  return max === 1 && min <= 1 && paths === null && depth.every(({ comparator }) => comparator !== "!=");
}

/** True when all rows of one index have the order of the collection. */
export const isOnePart = (scope: Scope): boolean => isDirect(scope) && (scope.listings?.length ?? 1) === 1;

/** SELECT for the numbers of the parents. */
function parentsSql(b: Bound, { parents }: IndexedTable, scope: Scope): string {
  return `SELECT above.id FROM ${parents} AS above WHERE ${parentTest(b, scope)}`;
}

function parentTest(b: Bound, scope: Scope): string {
  if (isDirect(scope)) return `above.path = ${b.text(scope.path)}`;
  const { path, depth, paths } = scope;
  const tests = [depth.map((comparison) => depthTest(b, comparison, path)).join(" AND ") || "1 = 1"];
  if (paths) tests.push(paths.length > 0 ? `(${paths.map((each) => reachTest(b, each)).join(" OR ")})` : "1 = 0");
  if (path !== rootPath) tests.push(isWithinSql("above.path", b.text(path)));
  // A parent without rows takes a look, too.
  tests.push("{watch above.id}");
  return tests.join(" AND ");
}

/** A path of a token is that of a subtree, and of the row at it. */
const reachTest = (b: Bound, path: Path): string =>
  `${isWithinSql("above.path", b.text(path))} OR above.path = ${b.text(parentOf(path))}`;

const operators = { "==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=" };

/** The depth of the children below the path. */
function depthTest(b: Bound, { comparator, value }: Comparison, path: Path): string {
  const depth =
    "(CASE WHEN above.path = '' THEN 0 ELSE length(above.path) - length(replace(above.path, '/', '')) + 1 END)";
  const base = path === rootPath ? 0 : path.split("/").length;
  return `${depth} + ${1 - base} ${operators[comparator]} ${b.whole(value)}`;
}

/** SQL that is true for rows of the table, or of its field index, in the parts of the scope. A + keeps indexes of them unused. */
export function inScopeSql(b: Bound, table: IndexedTable, scope: Scope, alias: string, plus = ""): string {
  const { part } = table;
  const { listings } = scope;
  const tests: string[] = [];
  if (isDirect(scope)) tests.push(`${plus}${alias}.${part[0]} = (${parentsSql(b, table, scope)})`);
  // The range of the paths decides it.
  else if (!(plus && scope.paths === null && isUnbounded(scope)))
    tests.push(`${plus}${alias}.${part[0]} IN (${parentsSql(b, table, scope)})`);
  if (listings) {
    // No listing has the number -1: a list may not be empty.
    const listed = listings.length === 1 ? `= ${listings[0]}` : `IN (${listings.join() || -1})`;
    tests.push(`${plus}${alias}.${part[1]} ${listed}`);
  }
  return tests.join(" AND ") || "1 = 1";
}

/** True for a whole subtree. */
const isUnbounded = ({ depth }: Scope): boolean =>
  depth.every(({ comparator, value }) => (comparator === ">=" && value <= 1) || (comparator === ">" && value < 1));

/** SQL that is true for a row that the caller may see, beside its part; empty when the parts decide. */
export function seenSql(b: Bound, table: IndexedTable, { paths }: Scope): string[] {
  if (!paths) return [];
  return [paths.length > 0 ? `(${paths.map((path) => isWithinSql(table.path, b.text(path))).join(" OR ")})` : "1 = 0"];
}

/** SELECT for the parts: the number of a parent, and a listing. */
export function partsSql(b: Bound, table: IndexedTable, scope: Scope): string {
  const test = parentTest(b, scope);
  const { listings } = scope;
  if (!listings) return `SELECT above.id AS parent FROM ${table.parents} AS above WHERE ${test}`;
  const listed = listings.map((listing) => `SELECT ${listing} AS listing`).join(" UNION ALL ");
  return `SELECT above.id AS parent, listed.listing AS listing
    FROM ${table.parents} AS above {join_in_order} (${listed}) AS listed ON 1 = 1 WHERE ${test}`;
}

/** SQL that is true for rows of one part. */
export const inPartSql = ({ part }: IndexedTable, alias: string): string =>
  part.map((column, i) => `${alias}.${column} = part.${i === 0 ? "parent" : "listing"}`).join(" AND ");
