import { type Entry, serviceFields, type Visibility } from "../../../domain/entry.ts";
import type { Slug } from "../../../domain/path.ts";
import { parseCanonical } from "../../../lib/canonical-json.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { listingOf } from "../index/listing.ts";
import { type FieldColumn, missing, type TextTable } from "../index/table.ts";
import { insertRows, type Row, type Sql, type TransactionSql } from "../sql.ts";

/** Conversions between an entry and its row. */

/** The columns that a backup has: every other is derived from them. */
export const ownColumns =
  "slug, uuid, data, published_at, created_at, modified_at, published_by, created_by, routable, visibility, revision, " +
  "content_revision, staged_revision";
export const entryColumns = `id, ${ownColumns}, listing, index_partial`;

/** An entry with the number of its row, the listing under which it is indexed, and how much of it is not. */
export type StoredEntry = Entry & {
  readonly id: number;
  readonly listing: number;
  readonly isUnindexed: boolean;
};

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
    contentRevision: row[12] as number,
    stagedRevision: row[13] as number | null,
    listing: row[14] as number,
    isUnindexed: row[15] === missing.all,
  };
}

export const findEntrySql = `SELECT ${entryColumns} FROM entry WHERE slug = ?1`;

export async function findEntry(sql: Sql, slug: Slug): Promise<StoredEntry | undefined> {
  const row = await sql.row(findEntrySql, slug);
  return row && toEntry(row);
}

const times = ["published_at", "created_at", "modified_at"];
const texts = ["published_by", "created_by", "visibility", "uuid", "slug"];

/** How collections of entries are read. */
export const entryTable: TextTable<StoredEntry> = {
  name: "entry",
  plural: "entries",
  part: ["parent", "listing"],
  parents: "parent",
  path: "entry.slug",
  childPath: "slug",
  times: new Set(times),
  columns: new Map<string, FieldColumn>([
    ...times.map((column): [string, FieldColumn] => [column, { column, type: "seconds" }]),
    ...texts.map((column): [string, FieldColumn] => [column, { column, type: "text" }]),
    ["routable", { column: "routable", type: "flag" }],
  ]),
  fields: {
    table: "entry_field",
    isIndexed: (key, isAllowed) => !serviceFields.has(key) && isAllowed(key),
    dataOf: ({ data }) => parseCanonical(data) as JsonObject,
  },
  texts: { grams: "entry_gram", state: "entry_text" },
  joined: "",
  select: `SELECT ${entryColumns}, parent, listing FROM entry`,
  toItem: toEntry,
  pathOf: ({ slug }) => slug,
  listingOf,
};

/** How an entry is in the index; `lacking` as `missing`. */
export type IndexState = { parent: number; listing: number; lacking: number };

/** A new row: the entry with its number and how it is in the index. */
export type NewEntry = IndexState & { id: number; entry: Entry };

const insertColumns = `id, parent, listing, index_partial, ${ownColumns}`.split(", ");
const insert = insertRows(
  "entry",
  insertColumns,
  insertColumns.map((column) =>
    ["slug", "uuid", "data", "published_by", "created_by", "visibility"].includes(column) ? "text" : "integer",
  ),
);

/** Inserts rows alone, without waiting for them. */
export function insertEntryRows(sql: TransactionSql, rows: readonly NewEntry[]): void {
  const sets = rows.map(({ id, entry, parent, listing, lacking }) => [
    ...[id, parent, listing, lacking],
    ...[entry.slug, entry.uuid, entry.data, entry.publishedAt, entry.createdAt, entry.modifiedAt, entry.publishedBy],
    ...[entry.createdBy, Number(entry.routable), entry.visibility, entry.revision, entry.contentRevision],
    entry.stagedRevision,
  ]);
  sql.later(insert, sets);
}
