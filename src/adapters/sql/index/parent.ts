import type { Path } from "../../../domain/path.ts";
import { Memo } from "../../../lib/memo.ts";
import { findNumber, isWithinSql, type SharedSql, type Sql, unusedPrefix } from "../sql.ts";
import { intern } from "./intern.ts";

/** The number of a parent path; creates it if it is new. */
export const ensureParent = (sql: SharedSql, path: Path): Promise<number> => intern(sql, "parent", "path", path);

/** The same within one transaction, with each path looked up once. */
export function parentNumbers(sql: SharedSql): (path: Path) => Promise<number> {
  const known = new Memo<Path, Promise<number>>(10_000);
  return (path) => known.get(path, () => ensureParent(sql, path));
}

/**
 * Renames the interned parents at and below `from`. Where the new path is interned already, its number stays and the
 * old one is dropped: answers those pairs, so that the caller can re-point rows with the old number. In two steps,
 * through a prefix no path can have, since a/b/b may become a/b.
 */
export async function movedParents(sql: Sql, from: Path, to: Path): Promise<{ from: number; to: number }[]> {
  const moved = await sql.rows(`SELECT id, path FROM parent WHERE ${isWithinSql("path", "?1")}`, from);
  await sql.run(`UPDATE parent SET path = ?2 || path WHERE ${isWithinSql("path", "?1")}`, from, unusedPrefix);
  const merged: { from: number; to: number }[] = [];
  for (const [id, path] of moved as [number, string][]) {
    const target = `${to}${path.slice(from.length)}`;
    const existing = await findNumber(sql, "SELECT id FROM parent WHERE path = ?1", target);
    if (existing !== undefined) merged.push({ from: id, to: existing });
    else await sql.run("UPDATE parent SET path = ?1 WHERE id = ?2", target, id);
  }
  return merged;
}

/** Drops a number that no entry uses any more: a filter on a subtree reads every parent. */
export async function dropUnusedParent(sql: Sql, id: number): Promise<void> {
  await sql.run("DELETE FROM parent WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM entry WHERE parent = ?1)", id);
}
