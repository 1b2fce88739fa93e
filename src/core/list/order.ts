import { isJsonObject, type Json, type JsonObject, NumberText } from "../lib/json.ts";
import { compareText, type Path } from "../path.ts";
import { problem } from "../problem.ts";
import { argumentName, filterInvalid } from "./argument.ts";
import { kinds, orderKey } from "./order-key.ts";
import { valueAt } from "./value.ts";

/** A sort key: a field by its dotted key, or a time that the service stores with the object. */
export type SortKey = { source: "field" | "modified" | "created"; key: string; isDescending: boolean };

/** A sort value: an order key. Undefined for values without an order: missing, null, a list, an object. */
export type SortValue = string | undefined;

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
    if (source === "modified") return orderKey(item.modifiedAt);
    if (source === "created") return orderKey(item.createdAt);
    return toSortValue(valueAt(object(), key));
  });
}

function toSortValue(value: Json | undefined): SortValue {
  if (value === undefined || value === null) return undefined;
  return typeof value !== "object" || value instanceof NumberText ? orderKey(value) : undefined;
}

/** True for an order key that a value in an order has. */
export const isSortable = (key: string): boolean => key >= kinds.number && key < kinds.past;

/** The prefix of a long order key, of at most this many characters. Two keys with different prefixes are ordered as these. */
export const headOf = (value: SortValue, maxCharacters: number): SortValue =>
  value === undefined ? undefined : cutCharacters(value, maxCharacters);

/** Truncates to this many code points: to fewer, or between two units of one, could reverse an order. */
export function cutCharacters(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  let end = 0;
  for (let count = 0; count < maxCharacters && end < text.length; count++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/**
 * The order of a collection: by order keys, reversed when descending; values without an order are last either way; ties
 * by path, ascending. A total order of items with different paths.
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
  const compared = compareText(a, b);
  return isDescending ? -compared : compared;
}
