import type { SortKey } from "../../../domain/order.ts";
import { compareText, rootPath } from "../../../domain/path.ts";
import { valueAt } from "../../../domain/value.ts";
import { isJsonObject, type Json } from "../../../lib/json.ts";
import type { TableReading } from "../noun.ts";
import { isBelowSql, type Value, type ValueType, withinSql } from "../sql.ts";
import { type FieldPlace, fieldKind, isDouble, keptTextBytes, numericText, toPlace } from "./field.ts";
import { isIndexedKey, lastText } from "./range.ts";
import { inListingsSql, isSubtree, type Parent, partsBelow, partsOf, type Scope } from "./scope.ts";
import { type Indexed, type IndexedTable, inPartSql, placesFrom } from "./table.ts";

/** Where an item stands in an index. */
export type Spot = FieldPlace & { item: number };

/**
 * A condition on the items of rows, tested in the database: most of the time of a row is its way here. The first
 * parameters of its SQL are those of the row's part, `at` names the others: `values`.
 */
export type RowTest = {
  /** SQL that is true for the item of this number. */
  sql(item: string, at: (i: number) => string): string;
  /** SELECT of the numbers, as `item`, of all items of a part that satisfy it. */
  items?(at: (i: number) => string): string;
  values: readonly Value[];
};

/** An order of rows that an index has, in parts: one for each parent and listing, each in order by itself. */
export type IndexOrder<Item extends Indexed = Indexed> = {
  /** Its name for `octavo explain`. */
  name: string;
  /**
   * The rows of a part after a spot: kind, number, text, item. Parameters: the part's values, those of `after`, the
   * number of rows.
   */
  text(isDescending: boolean): string;
  /** The same, by sorting the items of a RowTest. Absent where this has no use. */
  sortText?(isDescending: boolean, items: string): string;
  /** The same for a long OFFSET, from the index alone: the item is 0 where the index does not have it. */
  skipText(isDescending: boolean): string;
  types: readonly ValueType[];
  /** The column of the item's number. */
  itemColumn: string;
  /** Undefined when the parts are those of the parents, and these are not known. */
  parts(parents: readonly Parent[] | undefined): Value[][] | undefined;
  /** A spot before all others. */
  start(isDescending: boolean): Spot;
  /** The values that stand for the spot in a part. */
  after(spot: Spot, part: readonly Value[]): Value[];
  /**
   * True for the items of a part that have this very place: number and text are told apart. Absent where no two items
   * have one place.
   */
  isAt?(place: FieldPlace): RowTest;
  /** The place of an item; undefined for one that has none. */
  placeOf(item: Item): FieldPlace | undefined;
  /** Every item has a place. */
  isTotal: boolean;
  /** No two items have one place. */
  isUnique: boolean;
  /** Every row is of an item in scope. */
  isExact: boolean;
  /** The kinds of its places that `Span`s apply to. */
  spanKinds: readonly number[];
};

/** True when nothing sorts between the two: a number and a text of the same number are one value to an order. */
export function isSameValue(a: FieldPlace, b: FieldPlace): boolean {
  return a.kind === b.kind && (a.kind === fieldKind.text ? a.text === b.text : a.number === b.number);
}

export function compareSpots(a: Spot, b: Spot): number {
  return a.kind - b.kind || (a.number < b.number ? -1 : Number(a.number > b.number)) || compareText(a.text, b.text);
}

/** True when the index has the whole value, neither cut nor rounded. */
export function isWhole({ kind, text }: FieldPlace): boolean {
  // A cut ends at a character boundary, up to three bytes early.
  if (Buffer.byteLength(text) > keptTextBytes - 4) return false;
  if (kind !== fieldKind.number || text === "") return true;
  return isDouble(text.startsWith(numericText("")) ? text.slice(1) : text);
}

/** The last spot of an item with this value. */
export function endOfValue({ kind, number, text }: FieldPlace, isDescending: boolean): Spot {
  const atNumber = isDescending ? "" : lastText;
  const last = kind === fieldKind.text ? text : atNumber;
  return { kind, number, text: last, item: isDescending ? 0 : Number.MAX_SAFE_INTEGER };
}

/** A spot just before the first item with this value. */
export const startOfValue = (place: FieldPlace, isDescending: boolean): Spot => endOfValue(place, !isDescending);

/**
 * The index that has the order of the first sort key, or of paths when there is none; undefined when there is no such
 * index.
 */
export async function indexOrder<Item extends Indexed>(
  on: TableReading<Item>,
  scope: Scope,
  key: SortKey | undefined,
): Promise<IndexOrder<Item> | undefined> {
  const { table } = on;
  if (!key) return pathOrder(table, scope);
  const column = columnOf(table, key);
  // At the root a path can be a number, which sorts as one.
  if (column === table.path) return scope.path === rootPath ? undefined : pathOrder(table, scope);
  if (column !== undefined) return table.times.includes(column) ? timeOrder(table, column, scope) : undefined;
  return isIndexedKey(on, key.key) ? fieldOrder(on, scope, key.key) : undefined;
}

/** The column with the values of the sort key; undefined for a field of the client. */
function columnOf({ fieldColumns }: IndexedTable, { source, key }: SortKey): string | undefined {
  if (source !== "field") return `${source}_at`;
  return fieldColumns.has(key) ? key : undefined;
}

// Descending, the start excludes null. There SQLite would search by this alone, and then read from the very end.
const hasOrder = `AND kind < ${fieldKind.null}`;

async function fieldOrder<Item extends Indexed>(
  { sql, keys, table }: TableReading<Item>,
  scope: Scope,
  key: string,
): Promise<IndexOrder<Item>> {
  // Nothing has a key without a number: then nothing has a place.
  const number = (await keys.find(sql, key)) ?? 0;
  const columns = ["kind", "number", "text", table.name];
  const at = placesFrom(table.part.length + 1);
  const text = (isDescending: boolean) =>
    `SELECT ${columns} FROM ${table.fields?.table} WHERE ${inPartSql(table)} AND key = ${at(0)}
       AND (${columns}) ${isDescending ? "<" : ">"} (${at(1)}, ${at(2)}, ${at(3)}, ${at(4)})
       ${isDescending ? "" : hasOrder} ORDER BY ${inDirection(columns, isDescending)} LIMIT ${at(5)}`;
  return {
    name: key,
    text,
    skipText: text,
    types: [...table.part.map(() => "integer" as const), "integer", "integer", "real", "text", "integer", "integer"],
    itemColumn: table.name,
    parts: (parents) => parents && partsOf(scope, parents).map((part) => [...part, number]),
    start: (isDescending) => ({ kind: isDescending ? fieldKind.null : 0, number: 0, text: "", item: 0 }),
    after: ({ kind, number: value, text, item }) => [kind, value, text, item],
    isAt: ({ kind, number: value, text: whole }) => {
      const from = (at: (i: number) => string) =>
        `FROM ${table.fields?.table} WHERE ${inPartSql(table)} AND key = ${at(0)}
         AND kind = ${at(1)} AND number = ${at(2)} AND text = ${at(3)}`;
      return {
        // For each item one look: a join would be free to read all rows of the place first.
        sql: (item, at) => `(SELECT 1 ${from(at)} AND ${table.name} = ${item}) = 1`,
        items: (at) => `SELECT ${table.name} AS item ${from(at)}`,
        values: [number, kind, value, whole],
      };
    },
    placeOf: (item) => placeOfValue(valueAt(table.fields?.dataOf(item), key)),
    isTotal: false,
    isUnique: false,
    isExact: true,
    spanKinds: [fieldKind.number, fieldKind.text, fieldKind.boolean],
  };
}

/** The place of a value that has an order: not null, a list or an object. */
function placeOfValue(value: Json | undefined): FieldPlace | undefined {
  const isOrdered = value !== undefined && value !== null && !isJsonObject(value) && !Array.isArray(value);
  return isOrdered ? toPlace(value) : undefined;
}

const maxTime = Number.MAX_SAFE_INTEGER;

function timeOrder<Item extends Indexed>(table: IndexedTable<Item>, column: string, scope: Scope): IndexOrder<Item> {
  const at = placesFrom(table.part.length + 1);
  const text = (isDescending: boolean) =>
    `SELECT ${fieldKind.number}, ${column}, '', id FROM ${table.name}
     WHERE ${inPartSql(table)} AND (${column}, id) ${isDescending ? "<" : ">"} (${at(0)}, ${at(1)})
     ORDER BY ${inDirection([column, "id"], isDescending)} LIMIT ${at(2)}`;
  return {
    name: column,
    text,
    skipText: text,
    types: [...table.part, column, "id", "LIMIT"].map(() => "integer"),
    itemColumn: "id",
    parts: (parents) => parents && partsOf(scope, parents),
    start: (isDescending) => ({
      ...{ kind: fieldKind.number, text: "", item: 0 },
      number: isDescending ? maxTime : -maxTime,
    }),
    // Bounds of conditions may be fractions or infinite.
    after: ({ number, item }) => [Math.trunc(Math.min(Math.max(number, -maxTime), maxTime)), item],
    isAt: ({ number }) => ({
      sql: (item, at) => `(SELECT ${column} FROM ${table.name} WHERE id = ${item}) = ${at(0)}`,
      items: (at) => `SELECT id AS item FROM ${table.name} WHERE ${inPartSql(table)} AND ${column} = ${at(0)}`,
      values: [number],
    }),
    placeOf: (item) => ({ kind: fieldKind.number, number: table.timeOf(item, column), text: "" }),
    isTotal: true,
    isUnique: false,
    isExact: true,
    spanKinds: [fieldKind.number],
  };
}

function pathOrder<Item extends Indexed>(table: IndexedTable<Item>, scope: Scope): IndexOrder<Item> {
  const { pathOf } = table;
  return {
    ...(table.isWholePath ? wholePathOrder(table, scope) : nameOrder(table, scope)),
    name: table.path,
    itemColumn: "id",
    start: (isDescending) => ({
      ...{ kind: fieldKind.text, number: 0, item: 0 },
      text: isDescending ? lastText : "",
    }),
    placeOf: (item) => ({ kind: fieldKind.text, number: 0, text: pathOf(item) }),
    isTotal: true,
    isUnique: true,
    // Spans have cut texts, paths are whole.
    spanKinds: [],
  };
}

type PathRows = Pick<IndexOrder, "text" | "sortText" | "skipText" | "types" | "parts" | "after" | "isExact">;

function wholePathOrder(table: IndexedTable, scope: Scope): PathRows {
  const { path, depth } = scope;
  const isWide = isSubtree(scope);
  const within = depth.min === 0 || path === rootPath ? withinSql(table.path, path) : isBelowSql(table.path, "?1");
  const part = isWide ? within + inListingsSql(scope) : inPartSql(table);
  const all = `${table.name} WHERE`;
  const at = placesFrom(isWide ? 2 : table.part.length + 1);
  const rowsOf = (item: string, from: string, isDescending: boolean) =>
    `SELECT ${fieldKind.text}, 0, ${table.path}, ${item} FROM ${from} ${part} AND ${table.path} ${isDescending ? "<" : ">"} ${at(0)}
     ORDER BY ${inDirection([table.path], isDescending)} LIMIT ${at(1)}`;
  return {
    text: (isDescending) => rowsOf("id", all, isDescending),
    // SQLite does not change the order of a CROSS JOIN: it looks up each item.
    sortText: (isDescending, items) =>
      rowsOf("id", `(${items}) AS those CROSS JOIN ${table.name} ON id = those.item WHERE`, isDescending),
    skipText: (isDescending) => rowsOf("0", all, isDescending),
    types: [...(isWide ? ["text" as const] : table.part.map(() => "integer" as const)), "text", "integer"],
    // One part for the whole subtree: the index of paths has its order.
    parts: (parents) => (isWide ? [[path]] : parents && partsOf(scope, parents)),
    after: ({ text }) => [text],
    isExact: !isWide || (depth.min <= 1 && depth.max === Number.POSITIVE_INFINITY),
  };
}

/** The order of paths where a row has only its name: below each parent, whose path is a value of the part. */
function nameOrder(table: IndexedTable, scope: Scope): PathRows {
  const at = placesFrom(table.part.length + 1);
  const rowsWith = (item: string) => (isDescending: boolean) =>
    `SELECT ${fieldKind.text}, 0, ${at(0)} || ${table.path}, ${item} FROM ${table.name}
     WHERE ${inPartSql(table)} AND ${table.path} ${isDescending ? "<" : ">"} ${at(1)}
     ORDER BY ${inDirection([table.path], isDescending)} LIMIT ${at(2)}`;
  return {
    text: rowsWith("id"),
    skipText: rowsWith("0"),
    types: [...table.part.map(() => "integer" as const), "text", "text", "integer"],
    parts: (parents) =>
      parents?.flatMap((parent) => partsBelow(scope, parent).map((part) => [...part, prefixOf(parent)])),
    after: ({ text }, part) => [nameAfter(text, part.at(-1) as string)],
    isExact: true,
  };
}

const prefixOf = ({ path }: Parent): string => (path === rootPath ? "" : `${path}/`);

/** Where the names below this prefix begin that are after the path, or end that are before it. */
function nameAfter(path: string, prefix: string): string {
  if (path.startsWith(prefix)) return path.slice(prefix.length);
  return compareText(path, prefix) < 0 ? "" : lastText;
}

const inDirection = (columns: readonly string[], isDescending: boolean): string =>
  columns.map((column) => (isDescending ? `${column} DESC` : column)).join(", ");
