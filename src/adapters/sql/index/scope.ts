import { depthBelow, joinPath, type Path, rootPath } from "../../../domain/path.ts";
import { isWithinSql, type Sql, withinSql } from "../sql.ts";
import { isChildSql } from "./parent.ts";

/** Which entries are searched: children of one path, or of all paths in a subtree, with one of these listings. */
export type Scope = {
  path: Path;
  /** The depth of the entries below the path; the greatest may be Infinity. */
  depth: { min: number; max: number };
  listings: readonly number[];
};

/** True for an entry at this path, below the scope's path. */
export function isInScope(slug: Path, { path, depth }: Scope): boolean {
  const below = depthBelow(slug, path);
  return below >= depth.min && below <= depth.max;
}

export const isSubtree = ({ depth }: Scope): boolean => depth.max > 1;

/** SQL that is true for entries, or rows of their index, in the scope; ?1 is the path. */
export const inScopeSql = (scope: Scope): string => `${parentsSql(scope)} AND ${inListingsSql(scope)}`;

/** SQL that is true for the listings of the scope. No listing has the number -1: a list may not be empty. */
export const inListingsSql = ({ listings }: Scope): string => `listing IN (${listings.join() || -1})`;

function parentsSql(scope: Scope): string {
  if (!isSubtree(scope)) return isChildSql;
  // Lists every parent: without them the index, which begins with the parent, could not be used.
  if (scope.path === rootPath) return "parent IN (SELECT id FROM parent) AND CAST(?1 AS TEXT) IS NOT NULL";
  return `parent IN (SELECT id FROM parent WHERE ${isWithinSql("path", "?1")})`;
}

/** The numbers of the parents in a subtree; undefined when there are more than `maxParents`. */
export async function parentsIn(sql: Sql, scope: Scope, maxParents: number): Promise<number[] | undefined> {
  const { path } = scope;
  const text = `SELECT id, path FROM parent WHERE ${withinSql("path", path)} LIMIT ?2`;
  const rows = await sql.rows(text, path, maxParents + 1);
  if (rows.length > maxParents) return undefined;
  const holdsSome = (parent: Path) => isInScope(joinPath(parent, "child"), scope);
  return rows.filter(([, parent]) => holdsSome(parent as Path)).map(([id]) => id as number);
}

/** A part of an index of entries: the rows of one parent with one listing. */
export type IndexPart = [parent: number, listing: number];

/** The parts of the scope. */
export const partsOf = ({ listings }: Scope, parents: readonly number[]): IndexPart[] =>
  parents.flatMap((parent) => listings.map((listing): IndexPart => [parent, listing]));
