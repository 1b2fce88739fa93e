import type { Entry, Visibility } from "../../../domain/entry.ts";
import type { Slug } from "../../../domain/path.ts";
import type { Row, Sql } from "../sql.ts";

/** Conversions between an entry and its row. */

export const entryColumns =
  "id, slug, uuid, data, published_at, created_at, modified_at, published_by, created_by, routable, visibility, revision";

/** An entry with the number of its row. */
export type StoredEntry = Entry & { readonly id: number };

export function toEntry(row: Row): StoredEntry {
  return {
    id: row[0] as number,
    slug: row[1] as Slug,
    uuid: row[2] as string,
    data: row[3] as string,
    publishedAt: row[4] as number,
    createdAt: row[5] as number,
    modifiedAt: row[6] as number,
    publishedBy: row[7] as string,
    createdBy: row[8] as string,
    routable: row[9] === 1,
    visibility: row[10] as Visibility,
    revision: row[11] as number,
  };
}

export const findEntrySql = `SELECT ${entryColumns} FROM entry WHERE slug = ?1`;
export const entryByIdSql = `SELECT ${entryColumns} FROM entry WHERE id = ?1`;

export async function findEntry(sql: Sql, slug: Slug): Promise<StoredEntry | undefined> {
  const row = await sql.row(findEntrySql, slug);
  return row && toEntry(row);
}

/** Inserts the row alone; answers its number. */
export async function insertEntryRow(sql: Sql, entry: Entry, parent: number, isPartial: boolean): Promise<number> {
  const row = await sql.row(
    `INSERT INTO entry (slug, parent, uuid, data, published_at, created_at, modified_at, published_by, created_by,
       routable, visibility, revision, index_partial)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) RETURNING id`,
    entry.slug,
    parent,
    entry.uuid,
    entry.data,
    entry.publishedAt,
    entry.createdAt,
    entry.modifiedAt,
    entry.publishedBy,
    entry.createdBy,
    Number(entry.routable),
    entry.visibility,
    entry.revision,
    Number(isPartial),
  );
  return row?.[0] as number;
}
