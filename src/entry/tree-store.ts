import { childOn, type Path, rootPath, type Slug } from "../core/path.ts";
import type { Sql } from "../core/sql/sql.ts";
import type { EntryChild } from "./entry.ts";
import { findEntrySql, toEntry } from "./rows.ts";

/** The direct children of a path: a few index lookups for each child, however many entries are below those. */
export async function listChildren(
  sql: Sql,
  path: Path,
  after: Slug | undefined,
  limit: number,
): Promise<EntryChild[]> {
  const end = path === rootPath ? undefined : `${path}0`;
  const children: EntryChild[] = [];
  let found = await first(sql, after, path, end);
  while (found !== undefined && children.length < limit) {
    const child = childOn(path, found);
    const row = await sql.row(findEntrySql, child);
    // Below an entry that was listed already, when neighbours such as `a-b` sort between the two.
    if (child === found || !row) {
      const below = await nextSlug(sql, ">", `${child}/`, `${child}0`);
      children.push({ slug: child, entry: row && toEntry(row), hasChildren: below !== undefined });
    }
    found = await (child === found ? nextSlug(sql, ">", child, end) : nextSlug(sql, ">=", `${child}0`, end));
  }
  return children;
}

/** Where a list continues: after the entry, or after everything below a path without an entry. */
async function first(
  sql: Sql,
  after: Slug | undefined,
  path: Path,
  end: string | undefined,
): Promise<Slug | undefined> {
  if (after === undefined) return nextSlug(sql, ">", path === rootPath ? "" : `${path}/`, end);
  const isEntry = (await sql.row(findEntrySql, after)) !== undefined;
  return isEntry ? nextSlug(sql, ">", after, end) : nextSlug(sql, ">=", `${after}0`, end);
}

async function nextSlug(sql: Sql, comparison: ">" | ">=", from: string, end: string | undefined) {
  const bound = end === undefined ? "CAST(?2 AS TEXT) IS NULL" : "slug < ?2";
  const row = await sql.row(
    `SELECT slug FROM entry WHERE slug ${comparison} ?1 AND ${bound} ORDER BY slug LIMIT 1`,
    from,
    end ?? null,
  );
  return row?.[0] as Slug | undefined;
}
