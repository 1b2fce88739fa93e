import { formatJson, isJsonObject, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import type { Path } from "../core/path.ts";
import type { View } from "../view/view.ts";
import { each, type Place } from "./place.ts";
import type { Step } from "./step.ts";

/** What steps make of saved tables: their columns, order and conditions name the fields that they are then. */

/** What a table names. */
export type TableNames = Pick<View, "columns" | "sort" | "filter">;

/** How a table names a field; undefined for what is in items of lists. */
const nameOf = (place: Place): string | undefined => (place.includes(each) ? undefined : place.join("."));

/**
 * The table after the steps, or undefined where they change none of its names. `isOfOthers`: entries of other types in the table
 * have a field of this name, too, so it stays beside the new one.
 */
export function followedView(
  view: TableNames,
  steps: readonly Step[],
  isOfOthers: (field: string) => boolean,
  most: number,
): TableNames | undefined {
  let names = view;
  for (const step of steps) {
    const from = nameOf("from" in step ? step.from : step.at);
    const to = "from" in step ? nameOf(step.to) : undefined;
    const isGone = step.kind === "drop";
    if (from === undefined || (to === undefined && !isGone)) continue;
    const isShared = isOfOthers(from.split(".")[0] as string);
    if (!isShared) names = renamed(names, from, to);
    else if (to !== undefined && names.columns.length < most)
      names = { ...names, columns: beside(names.columns, from, to) };
  }
  const isSame = JSON.stringify([names.columns, names.sort]) === JSON.stringify([view.columns, view.sort]);
  return isSame && names.filter === view.filter ? undefined : names;
}

/** `to` undefined: it goes. */
function renamed({ columns, sort, filter }: TableNames, from: string, to: string | undefined): TableNames {
  const rename = (name: string): string[] => (name !== from ? [name] : to === undefined ? [] : [to]);
  const orders = sort.split(",").flatMap((part) => {
    const sign = part.startsWith("-") ? "-" : "";
    return rename(part.slice(sign.length)).map((name) => sign + name);
  });
  return {
    columns: [...new Set(columns.flatMap(rename))],
    sort: orders.join(","),
    filter: renamedIn(filter, from, to),
  };
}

const beside = (columns: readonly string[], from: string, to: string): string[] => [
  ...new Set(columns.flatMap((name) => (name === from ? [from, to] : [name]))),
];

/** The filter of the admin page: what it names as a key, and its order. Another filter stays. */
function renamedIn(text: string, from: string, to: string | undefined): string {
  const filter = parseJson(text);
  if (!isJsonObject(filter)) return text;
  const changed: JsonObject = new Map(filter);
  const conditions = filter.get("conditions");
  if (Array.isArray(conditions))
    changed.set(
      "conditions",
      conditions.flatMap((one) => conditionAfter(one, from, to)),
    );
  if (filter.get("orderBy") === from) changed.set("orderBy", to ?? "");
  return formatJson(changed);
}

function conditionAfter(condition: Json, from: string, to: string | undefined): Json[] {
  if (!isJsonObject(condition) || condition.get("key") !== from) return [condition];
  return to === undefined ? [] : [new Map(condition).set("key", to)];
}

/** True where the pattern matches ids below the path. */
export function isBelow(pattern: string, path: Path): boolean {
  const segments = pattern.split("/");
  const above = path === "" ? [] : path.split("/");
  for (const [i, name] of above.entries()) {
    const segment = segments[i];
    if (segment === "**") return true;
    if (segment !== "*" && segment !== name) return false;
  }
  return segments.length > above.length;
}
