import { compareText, type Path } from "../../../domain/path.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { ReadSql, Row, Value } from "../sql.ts";

/** A row of an indexed table, as the store uses it. */
export type Indexed = {
  readonly id: number;
  /** True for one that has no index rows yet: it came back from the trash with many others. See restored.ts. */
  readonly isUnindexed?: boolean;
};

/** `index_partial` of a row: how many of its index rows are missing, those above the limit of an item, or all. */
export const missing = { none: 0, some: 1, all: 2 } as const;

/**
 * A table that collections read through indexes: in the order of paths, of times and of fields, narrowed by fields,
 * counted. What index/ knows of a noun. Decision 37.
 */
export type IndexedTable<Item extends Indexed = Indexed> = {
  /** Its name; a field index has a column of this name with the number of the row. */
  name: string;
  /** What its rows are called, for `octavo explain`. */
  plural: string;
  /**
   * The columns that each index begins with, a field index too: the number of the parent, and the listing where rows
   * have one. See IndexPart.
   */
  part: readonly [parent: string, ...listing: string[]];
  /** The table of the parents: `id`, `path`. */
  parents: string;
  /** The column that has the order of the paths below one parent. */
  path: string;
  /** True when this column holds the whole path, and the index of it has the order of all paths. */
  isWholePath: boolean;
  /** The columns of times that have an index. */
  times: readonly string[];
  timeOf(item: Item, column: string): number;
  /** Columns that are fields of the object, too: orders by these fields use the index of the column. */
  fieldColumns: ReadonlySet<string>;
  /** Absent: rows have no field index. */
  fields?: Fields<Item>;
  /** Absent: rows have no text index. */
  texts?: Texts;
  /** SELECT … FROM …, for toItem. The first column is the number, the last ones are those of `part`. */
  select: string;
  toItem(row: Row): Item;
  pathOf(item: Item): Path;
  /** About how many bytes a test of the item reads. */
  bytesOf(item: Item): number;
  /** The listing of an item at this time; absent where rows have none. */
  listingOf?(item: Item, nowSeconds: number): number;
};

/** A field index: see field.ts. */
export type Fields<Item extends Indexed = Indexed> = {
  /** Its table. */
  table: string;
  /** True for a key that the index has. `isAllowed` is the setting. */
  isIndexed(key: string, isAllowed: (key: string) => boolean): boolean;
  /** The fields of an item. Throws JsonError for one that is damaged. */
  dataOf(item: Item): JsonObject;
};

/** A text index: see text.ts. */
export type Texts = {
  /** The table of its posting lists. */
  grams: string;
  /** The table of its state. */
  state: string;
};

/** A table with a field index. */
export type FieldTable<Item extends Indexed = Indexed> = IndexedTable<Item> & { readonly fields: Fields<Item> };

/** A table with a text index, too. */
export type TextTable<Item extends Indexed = Indexed> = FieldTable<Item> & { readonly texts: Texts };

export const hasTexts = (table: FieldTable): table is TextTable => table.texts !== undefined;

/** SQL that is true for the rows of one part; its values are the first parameters. */
export const inPartSql = ({ part }: IndexedTable): string =>
  part.map((column, i) => `${column} = ?${i + 1}`).join(" AND ");

/** The names of parameters from this number on. */
export const placesFrom =
  (first: number) =>
  (i: number): string =>
    `?${first + i}`;

/** Rows are read this many at a time. */
const readSizes = [16, 64, 500];

/** Items by number, without those that no longer exist. */
export async function* readItems<Item extends Indexed>(
  sql: ReadSql,
  { name, select, toItem }: IndexedTable<Item>,
  ids: readonly number[],
): AsyncIterable<Item[]> {
  for await (const rows of rowsByNumber(sql, name, select, ids)) yield rows.map(toItem);
}

/** The numbers of items in the order of their paths; only for a table with whole paths. */
export async function sortByPath(
  sql: ReadSql,
  { name, path }: IndexedTable,
  ids: readonly number[],
): Promise<{ id: number; path: string }[]> {
  const found: { id: number; path: string }[] = [];
  for await (const rows of rowsByNumber(sql, name, `SELECT id, ${path} FROM ${name}`, ids)) {
    for (const [id, itemPath] of rows) found.push({ id: id as number, path: itemPath as string });
  }
  return found.sort((a, b) => compareText(a.path, b.path));
}

/** Rows by number. Further conditions have the first parameters. */
export async function* rowsByNumber(
  sql: ReadSql,
  name: string,
  select: string,
  ids: readonly number[],
  further: { sql: readonly string[]; values: readonly Value[] } = { sql: [], values: [] },
): AsyncIterable<Row[]> {
  const size = readSizes.find((most) => ids.length <= most) ?? 500;
  // One statement for each size stays prepared: unused parameters repeat the last number.
  const places = Array.from({ length: size }, (_, i) => `?${further.values.length + i + 1}`).join(", ");
  const text = `${select} WHERE ${[`${name}.id IN (${places})`, ...further.sql].join(" AND ")}`;
  for (let from = 0; from < ids.length; from += size) {
    const batch = ids.slice(from, from + size);
    const last = batch.at(-1) as number;
    const values = Array.from({ length: size }, (_, i) => batch[i] ?? last);
    yield await sql.rows(text, ...further.values, ...values);
  }
}
