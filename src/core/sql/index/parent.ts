import { Memo } from "../../lib/memo.ts";
import type { Path } from "../../path.ts";
import type { SharedSql, Sql } from "../sql.ts";
import { intern } from "./intern.ts";

/** The number of a parent path; creates it if it is new. */
export const ensureParent = (sql: SharedSql, path: Path): Promise<number> => intern(sql, "parent", "path", path);

/** The same within one transaction, with each path looked up once. */
export function parentNumbers(sql: SharedSql): (path: Path) => Promise<number> {
  const known = new Memo<Path, Promise<number>>(10_000);
  return (path) => known.get(path, () => ensureParent(sql, path));
}

/** Drops a number that no entry uses any more: a filter on a subtree reads every parent. */
export async function dropUnusedParent(sql: Sql, id: number): Promise<void> {
  await sql.run("DELETE FROM parent WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM entry WHERE parent = ?1)", id);
}
