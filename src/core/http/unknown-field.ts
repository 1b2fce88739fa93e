import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { leadOf } from "../list/include.ts";
import { type AbsentFields, type CollectionAnswer, parseCollection } from "../list/list.ts";
import type { CollectionQuery } from "../list/query.ts";
import type { Path } from "../path.ts";
import { Problem } from "../problem.ts";

/**
 * Fields of `order_by` and `include` that nothing below a path has, as the caller sees it: most are a typo, so they are
 * reported as unknown arguments are. Where the answer itself has the fields, nothing is read for this. A strict read is not
 * refused: what is there changes, and a site must not fail while nothing has an optional field. Contract §1, Query.
 */

/** Where such fields may be: `list` reads for the caller, `isDeclared` is true for a field of a type that the caller may know. */
export type FieldScope = {
  path: Path;
  list(query: CollectionQuery): MaybePromise<CollectionAnswer>;
  isDeclared?: ((name: string) => Promise<boolean>) | undefined;
};

/** What was ignored of the order of a list, and of what it includes. `sent`: the query of the request. */
export async function unknownFields(
  scope: FieldScope,
  { order, include }: AbsentFields,
  sent: JsonObject,
): Promise<string[]> {
  const ignored: string[] = [];
  for (const received of order) {
    if (!(await isUnknown(scope, [received]))) continue;
    ignored.push(nameOf(sent, /(^|\[)(order|sort)_by\b/, (text) => text === received));
  }
  for (const received of include) {
    if (!(await isUnknown(scope, [received, leadOf(received)]))) continue;
    ignored.push(nameOf(sent, /(^|\[)include\b/, (text) => text.split(",").some((one) => one.trim() === received)));
  }
  return ignored;
}

/** True when nothing has a field of these names, but there is something. */
async function isUnknown(scope: FieldScope, names: readonly string[]): Promise<boolean> {
  for (const name of new Set(names)) if (await has(scope, name)) return false;
  return !(await scope.isDeclared?.(leadOf(names[0] as string))) && (await has(scope, undefined));
}

/** Whether anything has the field, at any depth; without a name whether there is anything. True where it cannot be known. */
async function has({ path, list }: FieldScope, key: string | undefined): Promise<boolean> {
  const where: JsonObject = new Map(Object.entries({ key: key ?? "", expr: "exists", value: "true" }));
  const args: [string, Json][] = [
    ["depth", "*"],
    ["return", "exists"],
  ];
  if (key !== undefined) args.push(["where", where]);
  try {
    return (await list(parseCollection(path, new Map(args), { maxLimit: 1, defaultLimit: 1 }))).json === "true";
  } catch (error) {
    if (error instanceof Problem) return true;
    throw error;
  }
}

/** The name of the argument as it was sent. */
function nameOf(sent: JsonObject, name: RegExp, holds: (text: string) => boolean): string {
  const found = textsIn(sent, "").find(([argument, text]) => name.test(argument) && holds(text));
  return found?.[0].replace(/(?<=\binclude\]?)\[\d+\]$/, "") ?? "filter";
}

function textsIn(value: Json, name: string): [name: string, text: string][] {
  if (typeof value === "string") return [[name, value]];
  const members: [string | number, Json][] = isJsonObject(value) || Array.isArray(value) ? [...value.entries()] : [];
  return members.flatMap(([key, member]) => textsIn(member, name === "" ? String(key) : `${name}[${key}]`));
}
