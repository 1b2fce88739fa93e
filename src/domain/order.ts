import { compareDecimals, cutDecimal, type Decimal, toDecimal } from "../lib/decimal.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { argumentName, filterInvalid } from "./argument.ts";
import { compareText, type Path } from "./path.ts";
import { problem } from "./problem.ts";
import { numberOf, valueAt } from "./value.ts";

/** A sort key: a field by its dotted key, or a time that the service stores with the object. */
export type SortKey = { source: "field" | "modified" | "created"; key: string; isDescending: boolean };

/** A sort value. Undefined for values without an order: missing, null, a list, an object. */
export type SortValue = Decimal | string | boolean | undefined;

/** The sort position of an item in a collection. */
export type Rank = { path: Path; values: readonly SortValue[] };

const maxSortKeys = 10;

/** Flextype's times. No access times are kept, so atime means mtime, the nearest equivalent. Contract §4. */
const times: Record<string, SortKey["source"]> = Object.assign(Object.create(null), {
  mtime: "modified",
  atime: "modified",
  ctime: "created",
});

/**
 * Reads `order_by` and `sort_by`: one `{field or key, direction}` or a list of them; `sort_by` also as the text mtime,
 * ctime or atime. Throws filter_invalid, filter_too_complex. Contract §4.
 */
export function parseOrder(args: JsonObject): SortKey[] {
  const order = ["order_by", "sort_by"].flatMap((name) => readSortKeys(args.get(name), name));
  if (order.length > maxSortKeys) throw problem("filter_too_complex", { rule: `at most ${maxSortKeys} sort keys` });
  return order;
}

function readSortKeys(value: Json | undefined, name: string): SortKey[] {
  if (value === undefined || value === "") return [];
  if (typeof value === "string") return [readTime(value, name)];
  if (isJsonObject(value)) return [readSortKey(value, [name])];
  if (!Array.isArray(value)) throw filterInvalid(argumentName(name), value, sortKeyShape(name));
  if (value.every((item) => item === "")) return [];
  return value.map((item, index) => readSortKey(item, [name, index]));
}

function readTime(value: string, name: string): SortKey {
  const source = times[value.toLowerCase()];
  if (source) return { source, key: "", isDescending: false };
  throw filterInvalid(argumentName(name), value, `mtime, ctime, atime or ${sortKeyShape(name)}`);
}

const sortKeyShape = (...at: (string | number)[]): string =>
  `${argumentName(...at, at[0] === "sort_by" ? "key" : "field")} and ${argumentName(...at, "direction")}`;

function readSortKey(value: Json, at: (string | number)[]): SortKey {
  if (!isJsonObject(value)) throw filterInvalid(argumentName(...at), value, sortKeyShape(...at));
  const named = value.has("field") ? "field" : value.has("key") ? "key" : at[0] === "sort_by" ? "key" : "field";
  const key = value.get(named);
  if (typeof key !== "string" || key === "") {
    throw filterInvalid(argumentName(...at, named), key, "the name of a field");
  }
  const direction = value.get("direction") ?? "";
  const word = typeof direction === "string" ? direction.toLowerCase() : undefined;
  if (word !== "" && word !== "asc" && word !== "desc") {
    throw filterInvalid(argumentName(...at, "direction"), direction, "asc or desc");
  }
  return { source: "field", key, isDescending: word === "desc" };
}

/** The values an item is sorted by. `object` is called only when sorting by a field. */
export function sortValues(
  order: readonly SortKey[],
  item: { modifiedAt: number; createdAt: number },
  object: () => JsonObject,
): SortValue[] {
  return order.map(({ source, key }) => {
    if (source === "modified") return toDecimal(item.modifiedAt);
    if (source === "created") return toDecimal(item.createdAt);
    return toSortValue(valueAt(object(), key));
  });
}

function toSortValue(value: Json | undefined): SortValue {
  if (typeof value === "boolean") return value;
  return numberOf(value) ?? (typeof value === "string" ? value : undefined);
}

/**
 * The prefix of a long value, of at most this many characters or digits. Two values whose prefixes differ are ordered
 * as their prefixes are. A value that is no longer than that is its own prefix.
 */
export function headOf(value: SortValue, maxCharacters: number): SortValue {
  if (typeof value === "object") return cutDecimal(value, maxCharacters);
  return typeof value === "string" ? cutCharacters(value, maxCharacters) : value;
}

/** Truncates between code points; otherwise truncation could reverse an order. */
function cutCharacters(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  let end = 0;
  for (let count = 0; count < maxCharacters && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/**
 * The order of a collection: numbers before texts (bytewise) before booleans, reversed when descending; values without
 * an order are last either way; ties by path, ascending. A total order of items with different paths.
 */
export function compareRanks(order: readonly SortKey[]): (a: Rank, b: Rank) => number {
  if (order.length === 0) return (a, b) => compareText(a.path, b.path);
  return (a, b) => {
    for (let i = 0; i < order.length; i++) {
      const compared = compareSortValues(a.values[i], b.values[i], (order[i] as SortKey).isDescending);
      if (compared !== 0) return compared;
    }
    return compareText(a.path, b.path);
  };
}

/** Compares by one sort key: -, 0 or +. */
export function compareSortValues(a: SortValue, b: SortValue, isDescending: boolean): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const compared = compareSortable(a, b);
  return isDescending ? -compared : compared;
}

type Sortable = NonNullable<SortValue> | false;

function compareSortable(a: Sortable, b: Sortable): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "object" && typeof b === "object") return compareDecimals(a, b);
  return kindRank(a) - kindRank(b);
}

/** The rank of the type: numbers, texts, false, true. */
function kindRank(value: Sortable): number {
  if (typeof value === "object") return 0;
  return typeof value === "string" ? 1 : 2 + Number(value);
}
