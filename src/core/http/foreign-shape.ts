import { cutText } from "../lib/cut-text.ts";
import { parseFlag } from "../lib/flag.ts";
import { describeJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { typoOf } from "../lib/nearest.ts";
import { conditionShape, isOperator, namesMeant, orderShape, plainOf, showText } from "../list/foreign.ts";
import type { Names } from "../list/list.ts";
import { type Problem, problem } from "../problem.ts";

/**
 * Filters, orders and fields in the shape of other products, which would be passed over: a list without them looks right
 * and is not. Contract §1, Query.
 */

/** Groups at the top that other products have. */
const foreignGroups = new Set(["filters", "where", "populate", "fields", "sort"]);

const maxNameLength = 80;

/** What a read may take: `include`, or none. */
type Read = { query: JsonObject; groups: Names };

/**
 * Refuses an unknown key of `filter` whose value is an object or a list, and groups of other products at the top, with what
 * works in place of it, made of what was sent. Throws filter_invalid.
 */
export function refuseForeign(query: JsonObject, groups: Names): void {
  const read = { query, groups };
  for (const group of ["filter", "args"]) {
    const names = groups.get(group);
    if (names) refuseKeys(read, group, query.get(group), names);
  }
  for (const [name, value] of query) {
    if (!foreignGroups.has(name) || typeof value === "string") continue;
    throw refusedGroup(name, value, groupShape(read, name, value));
  }
}

/** A list of filters is one filter in parts. */
function refuseKeys(read: Read, group: string, value: Json | undefined, names: Names): void {
  for (const [i, item] of Array.isArray(value) ? value.entries() : [])
    if (isJsonObject(item)) refuseKeys(read, `${group}[${i}]`, item, names);
  if (!isJsonObject(value)) return;
  const unknown = [...value].filter(([key, member]) => !names.has(key) && typeof member !== "string");
  const [first] = unknown;
  if (!first) return;
  const [key, member] = first;
  const filter = group.replace(/\[\d+\]$/, "");
  const other = otherShape(read, plainOf(key), member, filter);
  const shape = other ?? conditionShape(new Map(unknown), `${filter}[where]`);
  const typo = typoOf(key, names.keys(), 1);
  throw invalid(`${group}[${key}]`, member, typo === undefined ? shape : `${shape}, or ${filter}[${typo}]`);
}

const groupShape = (read: Read, name: string, value: Json): string =>
  otherShape(read, name, value, "filter") ?? knownShape(read, value) ?? conditionShape(value, "filter[where]");

/** `filters[limit]=5`: an argument of `filter` under another name of that. */
function knownShape({ groups }: Read, value: Json): string | undefined {
  const names = groups.get("filter");
  const [key, member] = isJsonObject(value) ? ([...value][0] ?? []) : [];
  const isKnown = key !== undefined && names?.has(key) && typeof member === "string" && !findNames.has(key);
  return isKnown ? `filter[${key}]=${showText(member)}` : undefined;
}

/** Arguments of `filter` that are likely fields, too, of who has the shape of another product. */
const findNames = new Set(["date", "size", "path", "key", "value", "expr", "operator"]);

/** What is no condition: an order, fields, or what is sent along. */
function otherShape(read: Read, name: string, value: Json, filter: string): string | undefined {
  if (isJsonObject(value) && [...value.keys()].some(isOperator)) return undefined;
  if (["sort", "order", "orderby", "order_by", "sort_by"].includes(name))
    return orderShape(value, `${filter}[order_by]`);
  if (["populate", "expand", "include"].includes(name)) return includeShape(read, value);
  return ["fields", "select"].includes(name) ? onlyShape(read, value, filter) : undefined;
}

function includeShape({ groups }: Read, value: Json): string {
  if (!groups.get("filter")?.has("include")) return "none of it here: files and folders refer to nothing";
  return `include=${orElse(namesMeant(value, true), "field").map(showText).join(",")}`;
}

function onlyShape({ query }: Read, value: Json, filter: string): string {
  const names = orElse(namesMeant(value, false), "field");
  const shown = (only: string) => names.map((name) => `${only}[]=${showText(name)}`).join("&");
  const options = query.get("options");
  const isList =
    query.has("filter") || query.has("args") || (isJsonObject(options) && parseFlag(options.get("collection")));
  return isList
    ? shown(`${filter}[only]`)
    : `${shown(`${filter}[only]`)} for a list, ${shown("options[filter][only]")} for one`;
}

const orElse = (names: readonly string[], name: string): readonly string[] => (names.length > 0 ? names : [name]);

/** A group is refused by its first key. */
function refusedGroup(name: string, value: Json, accepted: string): Problem {
  const [first] = isJsonObject(value) ? value : [];
  return first ? invalid(`${name}[${first[0]}]`, first[1], accepted) : invalid(name, value, accepted);
}

const invalid = (argument: string, value: Json, accepted: string) =>
  problem("filter_invalid", { argument: cutText(argument, maxNameLength), received: describeJson(value), accepted });
