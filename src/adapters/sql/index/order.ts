import type { Entry } from "../../../domain/entry.ts";
import type { SortKey } from "../../../domain/order.ts";
import { compareText, rootPath } from "../../../domain/path.ts";
import { valueAt } from "../../../domain/value.ts";
import { parseCanonical } from "../../../lib/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../lib/json.ts";
import type { Reading } from "../noun.ts";
import { isBelowSql, type Value, type ValueType, withinSql } from "../sql.ts";
import { type FieldPlace, fieldKind, isDouble, keptTextBytes, numericText, toPlace } from "./field.ts";
import { isIndexedKey, lastText } from "./range.ts";
import { inListingsSql, isSubtree, partsOf, type Scope } from "./scope.ts";

/** Where an entry stands in an index. */
export type Spot = FieldPlace & { entry: number };

/** An order of entries that an index has, in parts: one for each parent and listing, each in order by itself. */
export type IndexOrder = {
  /** Its name for `octavo explain`. */
  name: string;
  /**
   * The rows of a part after a spot: kind, number, text, entry. Parameters: the part's values, those of the spot, the
   * number of rows.
   */
  text(isDescending: boolean): string;
  types: readonly ValueType[];
  /** Undefined when the parts are those of the parents, and these are not known. */
  parts(parents: readonly number[] | undefined): Value[][] | undefined;
  /** A spot before all others. */
  start(isDescending: boolean): Spot;
  valuesOf(spot: Spot): Value[];
  /** The place of an entry; undefined for one that has none. */
  placeOf(entry: Entry): FieldPlace | undefined;
  /** Every entry has a place. */
  isTotal: boolean;
  /** No two entries have one place. */
  isUnique: boolean;
  /** Every row is of an entry in scope. */
  isExact: boolean;
};

/** True when no entry sorts between the two: a number and a text of the same number are one value to an order. */
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

/** The last spot of an entry with this value. */
export function endOfValue({ kind, number, text }: FieldPlace, isDescending: boolean): Spot {
  const atNumber = isDescending ? "" : lastText;
  const last = kind === fieldKind.text ? text : atNumber;
  return { kind, number, text: last, entry: isDescending ? 0 : Number.MAX_SAFE_INTEGER };
}

/** A spot just before the first entry with this value. */
export const startOfValue = (place: FieldPlace, isDescending: boolean): Spot => endOfValue(place, !isDescending);

/**
 * The index that has the order of the first sort key, or of paths when there is none; undefined when there is no such
 * index.
 */
export async function indexOrder(on: Reading, scope: Scope, key: SortKey | undefined): Promise<IndexOrder | undefined> {
  if (!key) return pathOrder(scope);
  const field = key.source === "field" ? key.key : `${key.source}_at`;
  const timeOf = times.get(field);
  if (timeOf) return timeOrder(field, scope, timeOf);
  // At the root a slug can be a number, which sorts as one.
  if (field === "slug") return scope.path === rootPath ? undefined : pathOrder(scope);
  return isIndexedKey(field, on.isIndexed) ? fieldOrder(on, scope, field) : undefined;
}

/** The columns of times that have an index. */
const times = new Map<string, (entry: Entry) => number>([
  ["published_at", ({ publishedAt }) => publishedAt],
  ["created_at", ({ createdAt }) => createdAt],
  ["modified_at", ({ modifiedAt }) => modifiedAt],
]);

// Descending, the start excludes null. There SQLite would search by this alone, and then read from the very end.
const hasOrder = `AND kind < ${fieldKind.null}`;

async function fieldOrder(on: Reading, scope: Scope, key: string): Promise<IndexOrder> {
  // No entry has a key without a number: then none has a place.
  const number = (await on.keys.find(on.sql, key)) ?? 0;
  return {
    name: key,
    text: (isDescending) =>
      `SELECT kind, number, text, entry FROM entry_field
       WHERE parent = ?1 AND key = ?2 AND listing = ?3
         AND (kind, number, text, entry) ${isDescending ? "<" : ">"} (?4, ?5, ?6, ?7) ${isDescending ? "" : hasOrder}
       ORDER BY ${inDirection(["kind", "number", "text", "entry"], isDescending)} LIMIT ?8`,
    types: ["integer", "integer", "integer", "integer", "real", "text", "integer", "integer"],
    parts: (parents) => parents && partsOf(scope, parents).map(([parent, listing]) => [parent, number, listing]),
    start: (isDescending) => ({ kind: isDescending ? fieldKind.null : 0, number: 0, text: "", entry: 0 }),
    valuesOf: ({ kind, number: value, text, entry }) => [kind, value, text, entry],
    placeOf: ({ data }) => placeOfValue(valueAt(parseCanonical(data) as JsonObject, key)),
    isTotal: false,
    isUnique: false,
    isExact: true,
  };
}

/** The place of a value that has an order: not null, a list or an object. */
function placeOfValue(value: Json | undefined): FieldPlace | undefined {
  const isOrdered = value !== undefined && value !== null && !isJsonObject(value) && !Array.isArray(value);
  return isOrdered ? toPlace(value) : undefined;
}

function timeOrder(column: string, scope: Scope, timeOf: (entry: Entry) => number): IndexOrder {
  return {
    name: column,
    text: (isDescending) =>
      `SELECT ${fieldKind.number}, ${column}, '', id FROM entry
       WHERE parent = ?1 AND listing = ?2 AND (${column}, id) ${isDescending ? "<" : ">"} (?3, ?4)
       ORDER BY ${inDirection([column, "id"], isDescending)} LIMIT ?5`,
    types: ["integer", "integer", "integer", "integer", "integer"],
    parts: (parents) => parents && partsOf(scope, parents),
    start: (isDescending) => ({
      ...{ kind: fieldKind.number, text: "", entry: 0 },
      number: isDescending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER,
    }),
    valuesOf: ({ number, entry }) => [number, entry],
    placeOf: (entry) => ({ kind: fieldKind.number, number: timeOf(entry), text: "" }),
    isTotal: true,
    isUnique: false,
    isExact: true,
  };
}

function pathOrder(scope: Scope): IndexOrder {
  const { path, depth } = scope;
  const isWide = isSubtree(scope);
  const within = depth.min === 0 || path === rootPath ? withinSql("slug", path) : isBelowSql("slug", "?1");
  const [part, next] = isWide ? [`${within} AND ${inListingsSql(scope)}`, 2] : ["parent = ?1 AND listing = ?2", 3];
  return {
    name: "slug",
    text: (isDescending) =>
      `SELECT ${fieldKind.text}, 0, slug, id FROM entry WHERE ${part} AND slug ${isDescending ? "<" : ">"} ?${next}
       ORDER BY ${inDirection(["slug"], isDescending)} LIMIT ?${next + 1}`,
    types: isWide ? ["text", "text", "integer"] : ["integer", "integer", "text", "integer"],
    // One part for the whole subtree: the index of paths has its order.
    parts: (parents) => (isWide ? [[path]] : parents && partsOf(scope, parents)),
    start: (isDescending) => ({
      ...{ kind: fieldKind.text, number: 0, entry: 0 },
      text: isDescending ? lastText : "",
    }),
    valuesOf: ({ text }) => [text],
    placeOf: ({ slug }) => ({ kind: fieldKind.text, number: 0, text: slug }),
    isTotal: true,
    isUnique: true,
    isExact: !isWide || (depth.min <= 1 && depth.max === Number.POSITIVE_INFINITY),
  };
}

const inDirection = (columns: readonly string[], isDescending: boolean): string =>
  columns.map((column) => (isDescending ? `${column} DESC` : column)).join(", ");
