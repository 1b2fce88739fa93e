import { insertOf, namesOf } from "../core/sql/rows.ts";
import { columnsOf, type ReadSql, type Row, type Sql, type TransactionSql, type Value } from "../core/sql/sql.ts";
import { listing } from "../entry/listing-rows.ts";
import type { StoredEntry } from "../entry/rows.ts";
import { sourceLocale } from "./locale.ts";
import { translationRule } from "./row-rules.ts";
import type { Translation } from "./translation.ts";

/** Conversions between a translation and its row. */

const names = namesOf(translationRule);
const translationColumns = names.join(", ");
export const translationColumnsOf = (table: string): string => columnsOf(table, names);

type TranslationRow = readonly [
  uuid: string,
  locale: string,
  name: string | null,
  visibility: StoredEntry["visibility"],
  publishedAt: number,
  listing: number,
  wasPublic: number,
  createdAt: number,
  modifiedAt: number,
  modifiedBy: string,
  revision: number,
  sources: string,
  data: string,
];

/** A translation as it is stored. */
export type StoredTranslation = Translation<StoredEntry> & {
  readonly modifiedBy: string;
  /** Whose it is. */
  readonly of: StoredEntry;
};

/** The translation of the entry in a row. */
export function toTranslation(entry: StoredEntry, row: Row): StoredTranslation {
  const own = row as TranslationRow;
  return {
    ...entry,
    of: entry,
    locale: own[1],
    name: own[2],
    visibility: own[3],
    publishedAt: own[4],
    listing: own[5],
    wasPublic: own[6] === 1,
    createdAt: own[7],
    modifiedAt: own[8],
    modifiedBy: own[9],
    revision: own[10],
    contentRevision: own[10],
    stagedRevision: null,
    sources: own[11],
    data: own[12],
  };
}

/** A translation that does not exist yet: its first write makes it. */
export const blankTranslation = (entry: StoredEntry, locale: string, nowSeconds: number): StoredTranslation => ({
  ...entry,
  of: entry,
  locale,
  name: null,
  visibility: "draft",
  publishedAt: nowSeconds,
  listing: listing.draft,
  wasPublic: false,
  createdAt: nowSeconds,
  modifiedAt: nowSeconds,
  modifiedBy: "",
  revision: 0,
  contentRevision: 0,
  stagedRevision: null,
  sources: "{}",
  data: "{}",
});

export const isBlank = ({ revision }: Pick<Translation, "revision">): boolean => revision === 0;

const findText = `SELECT ${translationColumns} FROM translation WHERE uuid = ?1 AND locale = ?2`;

/** The translations of entries in these locales, by uuid, in the order of the locales. Reads nothing for what has none. */
export async function translationsIn(
  sql: ReadSql,
  entries: readonly StoredEntry[],
  locales: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredTranslation[]>> {
  const translated = entries.filter((entry) => entry.translated);
  if (translated.length === 0 || locales.length === 0) return new Map();
  const keys = translated.flatMap((entry) => locales.map((locale) => [entry.uuid, locale]));
  const found = await sql.rowsAll(findText, keys, ["text", "text"]);
  const rowsOf = (i: number) => found.slice(i * locales.length, (i + 1) * locales.length).flat();
  return new Map(translated.map((entry, i) => [entry.uuid, rowsOf(i).map((row) => toTranslation(entry, row))]));
}

/** All translations of an entry, in the order of their locales. */
export async function allTranslations(sql: Pick<Sql, "rows">, entry: StoredEntry): Promise<StoredTranslation[]> {
  if (!entry.translated) return [];
  const text = `SELECT ${translationColumns} FROM translation WHERE uuid = ?1 ORDER BY locale`;
  return (await sql.rows(text, entry.uuid)).map((row) => toTranslation(entry, row));
}

/** What an entry says in a locale: the entry itself for the source, otherwise its translation, which may be blank. */
export async function stateIn(
  sql: Pick<ReadSql, "row">,
  entry: StoredEntry,
  locale: string,
  nowSeconds: number,
): Promise<StoredEntry> {
  if (locale === sourceLocale) return entry;
  const row = entry.translated ? await sql.row(findText, entry.uuid, locale) : undefined;
  return row ? toTranslation(entry, row) : blankTranslation(entry, locale, nowSeconds);
}

const insert = insertOf(translationRule);

/** Writes rows, without waiting for them; each replaces that of its locale. */
export function insertTranslations(
  sql: TransactionSql,
  rows: readonly (Translation<StoredEntry> & { modifiedBy: string })[],
): void {
  const values = rows.map((each): Value[] => [
    each.uuid,
    each.locale,
    each.name,
    each.visibility,
    each.publishedAt,
    each.listing,
    Number(each.wasPublic ?? false),
    each.createdAt,
    each.modifiedAt,
    each.modifiedBy,
    each.revision,
    each.sources,
    each.data,
  ]);
  sql.later(insert, values);
}
