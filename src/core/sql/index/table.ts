import type { JsonObject } from "../../lib/json.ts";
import type { MaybePromise } from "../../lib/maybe-promise.ts";
import type { Path } from "../../path.ts";
import type { ReadSql, Row, Value } from "../sql.ts";
import type { Chains } from "./layer.ts";

/** A row of an indexed table, as the store uses it. */
export type Indexed = {
  readonly id: number;
  /** True for one that has no index rows yet: it came back from the trash with many others. See restored.ts. */
  readonly isUnindexed?: boolean;
};

/**
 * `index_partial` of a row: which of its index rows are missing. `all` when it came back from the trash and waits for them;
 * `from(depth)` when there were too many: those of keys of that many names or more.
 */
export const missing = { none: 0, all: 1, from: (depth: number) => depth + 1 } as const;

/** A column of the service that is a field of the object, too, and how a condition reads it. */
export type FieldColumn = { column: string; type: "seconds" | "text" | "flag" };

/** A table that collections read through indexes. What list/ knows of a noun. Decision 67. */
export type IndexedTable<Item extends Indexed = Indexed> = {
  /** Its name; a field index has a column of this name with the number of the row. */
  name: string;
  /** What its rows are called, for `octavo explain`. */
  plural: string;
  /**
   * The columns that each index begins with, a field index too: the number of the parent, and the listing where rows
   * have one.
   */
  part: readonly [parent: string, ...listing: string[]];
  /** The table of the parents: `id`, `path`. */
  parents: string;
  /** SQL for the whole path of a row. */
  path: string;
  /** The column that has the order of the paths below one parent. */
  childPath: string;
  /** The columns of times that have an index: of fields by the name of the field, and of `sort_by`. */
  times: ReadonlySet<string>;
  /** The service's fields that are columns. */
  columns: ReadonlyMap<string, FieldColumn>;
  /** The table that has how many rows each part has: see `count_rows` in sql-text.ts. Absent: they are counted. */
  counts?: string;
  /** SQL that is true for rows with layers: see layer.ts. Absent: there are none. */
  layered?: string;
  /** Absent: rows have no field index. */
  fields?: Fields<Item>;
  /** Absent: rows have no text index. */
  texts?: Texts;
  /** What is joined with a row for its path. */
  joined: string;
  /** SELECT … FROM …, for toItem. The first column is the number, the last ones are those of `part`. */
  select: string;
  toItem(row: Row): Item;
  pathOf(item: Item): Path;
  /** The listing of a row with the listing `before` whose index is built at this time; absent where rows have none. */
  keptListing?(item: Item, nowSeconds: number, before: number): number;
};

/** A field index: see field.ts. */
export type Fields<Item extends Indexed = Indexed> = {
  /** Its table. */
  table: string;
  /** True for a key that the index has. `isAllowed` is the setting. */
  isIndexed(key: string, isAllowed: (key: string) => boolean): boolean;
  /** The fields of an item. Throws JsonError for one that is damaged. */
  dataOf(item: Item): JsonObject;
  /**
   * The same of several, with their layers: see layer.ts. Without chains for texts alone. Absent: items have none. Undefined for one that is
   * damaged.
   */
  documentsOf?(sql: ReadSql, items: readonly Item[], chains?: Chains): MaybePromise<(JsonObject | undefined)[]>;
};

/** A text index: see text.ts. */
export type Texts = {
  /** The table of its posting lists. */
  grams: string;
  /** The table of its state. */
  state: string;
};

/** What the indexes have of items; undefined for one that is damaged. */
export function documentsOf<Item extends Indexed>(
  sql: ReadSql,
  { fields }: FieldTable<Item>,
  items: readonly Item[],
  chains?: Chains,
): MaybePromise<(JsonObject | undefined)[]> {
  return fields.documentsOf
    ? fields.documentsOf(sql, items, chains)
    : items.map((item) => undamaged(() => fields.dataOf(item)));
}

/** Undefined for damaged data, which is reported elsewhere. */
export function undamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A table with a field index. */
export type FieldTable<Item extends Indexed = Indexed> = IndexedTable<Item> & { readonly fields: Fields<Item> };

/** A table with a text index, too. */
export type TextTable<Item extends Indexed = Indexed> = FieldTable<Item> & { readonly texts: Texts };

export const hasTexts = (table: FieldTable): table is TextTable => table.texts !== undefined;

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
