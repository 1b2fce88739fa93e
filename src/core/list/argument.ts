import { parseFlag } from "../lib/flag.ts";
import { describeJson, type Json, type JsonObject } from "../lib/json.ts";
import { type Problem, problem } from "../problem.ts";

/**
 * Readers of a collection's arguments. Any of them may be sent as text, list or group, whichever is expected; an empty
 * text means "not sent", as forms send fields left blank.
 */

/** The name of an argument as it was sent: `filter[where][0][key]`. */
export function argumentName(...keys: (string | number)[]): string {
  return `filter${keys.map((key) => `[${key}]`).join("")}`;
}

/** The refusal of a collection's argument. */
export function filterInvalid(argument: string, value: Json | undefined, accepted: string): Problem {
  return problem("filter_invalid", { argument, received: describeJson(value), accepted });
}

/** One text, or undefined when absent. Throws filter_invalid for a list or a group. */
export function readText(args: JsonObject, name: string): string | undefined {
  const value = args.get(name);
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string") return value;
  throw filterInvalid(argumentName(name), value, "one text");
}

/** One text or a list of texts; empty when absent. Throws filter_invalid. */
export function readTexts(args: JsonObject, name: string): string[] {
  const value = args.get(name);
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  for (const text of list) {
    if (typeof text !== "string") throw filterInvalid(argumentName(name), text, "a text or a list of texts");
  }
  return (list as string[]).filter((text) => text !== "");
}

/** A whole number of 0 or more, or undefined when absent. Throws filter_invalid. */
function readCount(args: JsonObject, name: string): number | undefined {
  const text = readText(args, name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw filterInvalid(argumentName(name), text, "a whole number of 0 or more");
}

/** The count given under any of an argument's names, which must agree. Throws filter_invalid, argument_conflict. */
export function readCountOf(args: JsonObject, names: readonly string[]): { name: string; count: number } | undefined {
  let found: { name: string; count: number } | undefined;
  for (const name of names) {
    const count = readCount(args, name);
    if (count === undefined) continue;
    if (found && found.count !== count) {
      throw problem("argument_conflict", { first: argumentName(found.name), second: argumentName(name) });
    }
    found ??= { name, count };
  }
  return found;
}

/** A word for true or false, in any letter case; false when absent. Throws filter_invalid. */
export function readFlag(args: JsonObject, name: string): boolean {
  const text = readText(args, name);
  if (text === undefined) return false;
  const flag = parseFlag(text);
  if (flag === undefined) throw filterInvalid(argumentName(name), text, "true, false, 1 or 0");
  return flag;
}

/** What is returned: a list in order, its first or last item, random items, or only a number or a boolean. */
export type Returns = "list" | "first" | "last" | "next" | "random" | "shuffle" | "exists" | "count";

/** The limits of a collection's pages; `isKeyed`: its items are an object by their paths; `times`: fields that are times. */
export type CollectionBounds = {
  maxLimit: number;
  defaultLimit: number;
  isKeyed?: boolean;
  times?: ReadonlySet<string>;
};

const returns = new Map<string, Returns>([
  ["all", "list"],
  ["limit", "list"],
  ["slice", "list"],
  ["set_first_result", "list"],
  ["first", "first"],
  ["last", "last"],
  ["next", "next"],
  ["random", "random"],
  ["shuffle", "shuffle"],
  ["exists", "exists"],
  ["count", "count"],
]);

// The same argument under its names in Flextype's releases.
export const limitNames = ["limit", "set_max_result", "limit_value", "slice_limit_value", "slice_limit"];
export const offsetNames = [
  "offset",
  "set_first_result",
  "set_first_result_value",
  "slice_offset_value",
  "slice_offset",
];

/** What the answer is. Throws filter_invalid. */
export function readReturns(args: JsonObject): Returns {
  const text = readText(args, "return") ?? "all";
  const found = returns.get(text.toLowerCase());
  if (found) return found;
  throw filterInvalid(argumentName("return"), text, [...returns.keys()].join(", "));
}

/** The most items of a page, and whether the client said so. Throws filter_invalid, argument_conflict, limit_too_large. */
export function readLimit(args: JsonObject, bounds: CollectionBounds): { limit: number; isLimited: boolean } {
  const sent = readCountOf(args, limitNames);
  if (!sent) return { limit: bounds.defaultLimit, isLimited: false };
  // In Flextype `limit_value=0` meant no limit, and `limit=0` no items at all.
  if (sent.count === 0 && sent.name === "limit_value") return { limit: bounds.maxLimit, isLimited: false };
  refusePast(bounds.maxLimit, sent);
  return { limit: sent.count, isLimited: true };
}

/** How many items at random; undefined for one by itself. Throws filter_invalid, argument_conflict, limit_too_large. */
export function readRandomCount(args: JsonObject, bounds: CollectionBounds): number | undefined {
  const names = ["random_value", "random"].filter((name) => args.get(name) !== "null");
  const sent = readCountOf(args, names);
  if (sent) refusePast(bounds.maxLimit, sent);
  return sent?.count;
}

function refusePast(max: number, { name, count }: { name: string; count: number }): void {
  if (count > max) throw problem("limit_too_large", { argument: argumentName(name), received: String(count), max });
}

/** A list or group is refused like any invalid text. Throws cursor_invalid. */
export function readCursor(args: JsonObject): string | undefined {
  const cursor = args.get("cursor") ?? "";
  if (typeof cursor !== "string") throw problem("cursor_invalid");
  return cursor === "" ? undefined : cursor;
}
