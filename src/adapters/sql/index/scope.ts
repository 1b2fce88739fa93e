import { depthBelow, joinPath, type Path, rootPath } from "../../../domain/path.ts";
import type { Known } from "../facts.ts";
import { isWithinSql, type ReadSql, withinSql } from "../sql.ts";
import type { IndexedTable } from "./table.ts";

/** Which rows are searched: children of one path, or of all paths in a subtree, with one of these listings. */
export type Scope = {
  path: Path;
  /** The depth of the rows below the path; the greatest may be Infinity. */
  depth: { min: number; max: number };
  /** Absent where rows have none. */
  listings?: readonly number[];
};

/** True for an item at this path, below the scope's path. */
export function isInScope(itemPath: Path, { path, depth }: Scope): boolean {
  const below = depthBelow(itemPath, path);
  return below >= depth.min && below <= depth.max;
}

export const isSubtree = ({ depth }: Scope): boolean => depth.max > 1;

/** SQL that is true for rows of the table, or of its field index, in the scope; ?1 is the path. */
export const inScopeSql = (table: IndexedTable, scope: Scope): string =>
  parentsSql(table, scope) + inListingsSql(scope);

/** SQL that restricts rows to the scope's listings. */
export function inListingsSql({ listings }: Scope): string {
  // No listing has the number -1: a list may not be empty.
  return listings ? ` AND listing IN (${listings.join() || -1})` : "";
}

function parentsSql({ part: [parent], parents }: IndexedTable, scope: Scope): string {
  if (!isSubtree(scope)) return `${parent} = (SELECT id FROM ${parents} WHERE path = ?1)`;
  // Lists every parent: without them the index, which begins with the parent, could not be used.
  if (scope.path === rootPath) return `${parent} IN (SELECT id FROM ${parents}) AND CAST(?1 AS TEXT) IS NOT NULL`;
  return `${parent} IN (SELECT id FROM ${parents} WHERE ${isWithinSql("path", "?1")})`;
}

/** The path of rows, and its number. */
export type Parent = { id: number; path: Path };

/** More parents are not kept in memory. */
const mostKept = 200;

/** The parents in a subtree; undefined when there are more than `maxParents`. */
export async function parentsIn(
  { sql, known, table }: { sql: ReadSql; known: Known; table: IndexedTable },
  scope: Scope,
  maxParents: number,
): Promise<Parent[] | undefined> {
  const { path } = scope;
  const text = `SELECT id, path FROM ${table.parents} WHERE ${withinSql("path", path)} LIMIT ?2`;
  const read = () => sql.rows(text, path, maxParents + 1);
  const rows = await (maxParents > mostKept ? read() : known(`${table.parents} ${maxParents} ${path}`, read));
  if (rows.length > maxParents) return undefined;
  const found = rows.map(([id, parent]) => ({ id, path: parent }) as Parent);
  return found.filter((parent) => isInScope(joinPath(parent.path, "child"), scope));
}

/** A part of an index: the values of `IndexedTable.part`. */
export type IndexPart = number[];

/** The parts of the scope below one parent. */
export const partsBelow = ({ listings }: Scope, { id }: Parent): IndexPart[] =>
  listings ? listings.map((listing) => [id, listing]) : [[id]];

/** The parts of the scope. */
export const partsOf = (scope: Scope, parents: readonly Parent[]): IndexPart[] =>
  parents.flatMap((parent) => partsBelow(scope, parent));
