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

/** As in `entryColumns`. */
type EntryRow = readonly [
  ...[id: number, slug: Slug, uuid: string, data: string, publishedAt: number, createdAt: number, modifiedAt: number],
  ...[publishedBy: string, createdBy: string, routable: number, visibility: Visibility, revision: number],
  ...[contentRevision: number, stagedRevision: number | null, listing: number, indexPartial: number],
];

export function toEntry(row: Row): StoredEntry {
  const own = row as EntryRow;
  return {
    id: own[0],
    slug: own[1],
    uuid: own[2],
    data: own[3],
    publishedAt: own[4],
    createdAt: own[5],
    modifiedAt: own[6],
    publishedBy: own[7],
    createdBy: own[8],
    routable: own[9] === 1,
    visibility: own[10],
    revision: own[11],
    contentRevision: own[12],
    stagedRevision: own[13],
    listing: own[14],
    isUnindexed: own[15] === missing.all,
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
