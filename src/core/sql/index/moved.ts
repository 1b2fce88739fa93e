import type { JsonObject } from "../../lib/json.ts";
import { type Path, parentOf } from "../../path.ts";
import { findNumber, isWithinSql, renameWithin, type Sql, unusedPrefix } from "../sql.ts";
import { addFieldRows, type FieldIndex, type RowOwner, removeFieldRows } from "./field-row.ts";
import { dropUnusedParent, ensureParent } from "./parent.ts";
import type { FieldTable } from "./table.ts";

/** An entry that moves, with what its rows of the index are made of. */
type Moved = { owner: RowOwner; data: JsonObject };

/**
 * Gives the entry at `from`, and all below it, the path `to` and the revision. Below it the field index needs no change
 * but that of interned parents: its rows have numbers in place of paths.
 */
export async function moveEntries(
  index: FieldIndex,
  table: FieldTable,
  { owner, data }: Moved,
  { from, to, revision }: { from: Path; to: Path; revision: number },
): Promise<void> {
  const { sql } = index;
  await removeFieldRows(index, table, owner, data);
  await renameWithin(sql, "entry", "slug", from, to, revision);
  for (const pair of await movedParents(sql, from, to)) await repoint(sql, pair.from, pair.to);
  const parent = await ensureParent(sql, parentOf(to));
  await sql.run("UPDATE entry SET parent = ?1 WHERE id = ?2", parent, owner.item);
  await dropUnusedParent(sql, owner.parent);
  await addFieldRows(index, table, { ...owner, parent }, data);
}

/**
 * Renames the interned parents at and below `from`. Where the new path is interned already, its number stays and the
 * old one is dropped: answers those pairs, so that the caller can re-point rows with the old number. In two steps,
 * through a prefix no path can have, since a/b/b may become a/b.
 */
async function movedParents(sql: Sql, from: Path, to: Path): Promise<{ from: number; to: number }[]> {
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

/** Moves all children of one interned parent to another, and drops the first. */
async function repoint(sql: Sql, from: number, to: number): Promise<void> {
  await sql.run("UPDATE entry SET parent = ?1 WHERE parent = ?2", to, from);
  await sql.run("UPDATE entry_field SET parent = ?1 WHERE parent = ?2", to, from);
  await dropUnusedParent(sql, from);
}
