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
