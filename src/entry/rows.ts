import { parseCanonical } from "../core/lib/canonical-json.ts";
import type { JsonObject } from "../core/lib/json.ts";
import type { Slug } from "../core/path.ts";
import type { FieldIndex } from "../core/sql/index/field-row.ts";
import { type Chains, layered, plainKey } from "../core/sql/index/layer.ts";
import { type FieldColumn, missing, type TextTable, undamaged } from "../core/sql/index/table.ts";
import { insertOf, namesOf } from "../core/sql/rows.ts";
import { type ReadSql, type Row, type Sql, type TransactionSql, unawaited, type Value } from "../core/sql/sql.ts";
import { versionFields } from "../version/version.ts";
import type { Entry } from "./entry.ts";
import { type EntryField, entryFields, serviceFields, timeFields, type Visibility } from "./field.ts";
import { keptListing, listing } from "./listing-rows.ts";
import { entryRule } from "./row-rules.ts";

/** Conversions between an entry and its row. */

const names = namesOf(entryRule);
export const entryNames = ["id", ...names, "listing", "index_partial"];
export const entryColumns = entryNames.join(", ");

/** An entry with the number of its row, the listing under which it is indexed, and how much of it is not. */
export type StoredEntry = Entry & {
  readonly id: number;
  readonly listing: number;
  readonly isUnindexed: boolean;
};

/** As in `entryColumns`. */
type EntryRow = readonly [
  id: number,
  publishedAt: number,
  createdAt: number,
  modifiedAt: number,
  publishedBy: string,
  createdBy: string,
  routable: number,
  visibility: Visibility,
  uuid: string,
  slug: Slug,
  data: string,
  revision: number,
  contentRevision: number,
  stagedRevision: number | null,
  wasPublic: number,
  translated: number,
  onlyLocales: string | null,
  listing: number,
  indexPartial: number,
];

export function toEntry(row: Row): StoredEntry {
  const own = row as EntryRow;
  return {
    id: own[0],
    publishedAt: own[1],
    createdAt: own[2],
    modifiedAt: own[3],
    publishedBy: own[4],
    createdBy: own[5],
    routable: own[6] === 1,
    visibility: own[7],
    uuid: own[8],
    slug: own[9],
    data: own[10],
    revision: own[11],
    contentRevision: own[12],
    stagedRevision: own[13],
    wasPublic: own[14] === 1,
    translated: own[15] === 1,
    onlyLocales: own[16],
    listing: own[17],
    isUnindexed: own[18] === missing.all,
  };
}

/** The values of these fields and of the columns that follow them. */
function valuesOf(entry: Entry, fields: readonly EntryField[]): Value[] {
  const values: Value[] = [];
  for (const { key, kind } of fields) values.push(kind === "flag" ? Number(entry[key]) : (entry[key] as Value));
  values.push(entry.data, entry.revision, entry.contentRevision);
  return values;
}

export const findEntrySql = `SELECT ${entryColumns} FROM entry WHERE slug = ?1`;

export async function findEntry(sql: Sql, slug: Slug): Promise<StoredEntry | undefined> {
  const row = await sql.row(findEntrySql, slug);
  return row && toEntry(row);
}

/** Those that are there, in the order of these slugs. */
export async function findEntries(sql: ReadSql, slugs: readonly Slug[]): Promise<StoredEntry[]> {
  const keys = slugs.map((slug) => [slug]);
  return (await sql.rowsAll(findEntrySql, keys, ["text"])).flat().map((row) => toEntry(row));
}

const flags = entryFields.filter(({ kind }) => kind === "flag").map(({ name }) => name);
export const textFields = entryFields
  .map(({ name }) => name)
  .filter((name) => !timeFields.has(name) && !flags.includes(name));

/** How collections of entries are read. */
export const entryTable: TextTable<StoredEntry> = {
  name: "entry",
  plural: "entries",
  part: ["parent", "listing"],
  parents: "parent",
  counts: "entry_count",
  path: "entry.slug",
  childPath: "slug",
  times: timeFields,
  columns: new Map<string, FieldColumn>([
    ...[...timeFields].map((column): [string, FieldColumn] => [column, { column, type: "seconds" }]),
    ...textFields.map((column): [string, FieldColumn] => [column, { column, type: "text" }]),
    ...flags.map((column): [string, FieldColumn] => [column, { column, type: "flag" }]),
  ]),
  layered: "translated = 1",
  fields: {
    table: "entry_field",
    isIndexed: (name, isAllowed) => {
      const key = plainKey(name);
      return !serviceFields.has(key) && isAllowed(key);
    },
    dataOf: ({ data }) => parseCanonical(data) as JsonObject,
    documentsOf: (sql, entries, chains) => documentsOf(sql, entries, chains),
  },
  texts: { grams: "entry_gram", state: "entry_text" },
  joined: "",
  select: `SELECT ${entryColumns}, parent, listing FROM entry`,
  toItem: toEntry,
  pathOf: ({ slug }) => slug,
  keptListing,
};

/** What public lists show of the translations of an entry. */
const listedText = `SELECT locale, data FROM translation WHERE uuid = ?1 AND listing = ${listing.listed}`;

/** What the indexes have of entries: with what their public translations say. */
async function documentsOf(
  sql: ReadSql,
  entries: readonly StoredEntry[],
  chains?: Chains,
): Promise<(JsonObject | undefined)[]> {
  const translated = entries.filter((entry) => entry.translated && chains?.length !== 0);
  const found =
    translated.length === 0
      ? []
      : await sql.rowsAll(
          listedText,
          translated.map(({ uuid }) => [uuid]),
          ["text"],
        );
  const rowsOf = new Map(translated.map((entry, i) => [entry, found[i] ?? []]));
  return entries.map((entry) =>
    undamaged(() => {
      const data = parseCanonical(entry.data) as JsonObject;
      return layeredWith(data, rowsOf.get(entry) ?? [], chains);
    }),
  );
}

const translationsOf = (rows: readonly Row[]): ReadonlyMap<string, JsonObject> =>
  new Map(rows.map(([locale, data]) => [locale as string, parseCanonical(data as string) as JsonObject]));

/** The same of one entry, with this data. */
export async function documentOf(
  { sql, chains }: FieldIndex,
  { uuid, translated }: Pick<Entry, "uuid" | "translated">,
  data: JsonObject,
): Promise<JsonObject> {
  if (!translated || !chains?.length) return data;
  return layeredWith(data, await sql.rows(listedText, uuid), chains);
}

const layeredWith = (data: JsonObject, rows: readonly Row[], chains: Chains | undefined): JsonObject =>
  rows.length === 0 ? data : layered(data, translationsOf(rows), chains);

/** The same for each of the indexes. That of texts has each public translation as it is, also without chains. */
export async function bothDocumentsOf(
  { sql, chains }: FieldIndex,
  { uuid, translated }: Pick<Entry, "uuid" | "translated">,
  data: JsonObject,
): Promise<{ fields: JsonObject; texts: JsonObject }> {
  const rows = translated ? await sql.rows(listedText, uuid) : [];
  const fields = chains?.length ? layeredWith(data, rows, chains) : data;
  return { fields, texts: layeredWith(data, rows, undefined) };
}

/** How an entry is in the index; `lacking` as `missing`. */
export type IndexState = { parent: number; listing: number; lacking: number };

/** A new row: the entry with its number and how it is in the index. */
export type NewEntry = IndexState & { id: number; entry: Entry };

const insert = insertOf(entryRule, { id: "integer", parent: "integer", listing: "integer", index_partial: "integer" });

/** Inserts rows alone, without waiting for them. */
export function insertEntryRows(sql: TransactionSql, rows: readonly NewEntry[]): void {
  const sets = rows.map(({ id, entry, parent, listing, lacking }) => {
    const values = valuesOf(entry, entryFields);
    values.push(entry.stagedRevision, Number(entry.wasPublic ?? false));
    values.push(Number(entry.translated ?? false), entry.onlyLocales ?? null, id, parent, listing, lacking);
    return values;
  });
  sql.later(insert, sets);
}

/** The others are not named: SQLite would write their indexes again. */
const updated = [
  ...versionFields.map(({ name }) => name),
  "data",
  "revision",
  "content_revision",
  "listing",
  "was_public",
];
const update = `UPDATE entry SET ${updated.map((column, i) => `${column} = ?${i + 3}`).join(", ")}, index_partial = ?2
  WHERE id = ?1`;

/** Gives the row new content, without waiting for it. */
export function updateEntryRow(sql: Sql, { id, entry, listing, lacking }: Omit<NewEntry, "parent">): void {
  const values = [...valuesOf(entry, versionFields), listing, Number(entry.wasPublic ?? false)];
  unawaited(sql.run(update, id, lacking, ...values));
}
