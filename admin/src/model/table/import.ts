import { formatJson, type Json, type JsonObject, parseJson, parseNumber } from "../../api/json.ts";
import { joinPath } from "../../api/path.ts";
import { say } from "../../language/say.ts";
import { slugOf } from "../entry/slug.ts";
import type { FieldOption, FilterField } from "../filter/filter-field.ts";
import { isDay, localOf, momentFields, stateOptions } from "../filter/moment.ts";
import { segmentOf, valueAt } from "../form/pointer.ts";
import type { CsvRow } from "./csv.ts";

/** Rows of a table as entries: which field a column is, and what its texts say. */

/** Which field each column is; empty for one that is left out. */
export type Mapping = readonly string[];

/** A row as an entry, or why it is none. */
export type ImportRow = { line: number; id: string; data: JsonObject; faults: string[] };

/** What a table may set of every entry. */
export const ownTargets: readonly FilterField[] = [
  { key: "slug", name: say("Id"), kind: "text" },
  { key: "title", name: say("Title"), kind: "text" },
  { key: "visibility", name: say("State"), kind: "state", options: stateOptions },
  { key: "published_at", name: say("Publish date"), kind: "moment" },
];

/** What the service says of every entry itself. */
const closed = new Set(["uuid", "created_at", "modified_at", "created_by", "published_by", "id"]);

/** The field of each head: by its key or its name; a field that nobody knows is one of its own where there is no type. */
export function mappingOf(heads: readonly string[], fields: readonly FilterField[], isTyped: boolean): string[] {
  return heads.map((head) => {
    const text = head.trim().toLowerCase();
    const found = fields.find(({ key, name }) => [key.toLowerCase(), name.toLowerCase()].includes(text));
    if (found) return found.key;
    return text === "" || isTyped || closed.has(text) || text.includes(".") ? "" : head.trim();
  });
}

/** The rows below the heads as entries below a path. */
export function rowsOf(rows: readonly CsvRow[], mapping: Mapping, fields: readonly FilterField[], path: string) {
  const lines = new Map<string, number>();
  return rows.map(({ line, cells }): ImportRow => {
    const faults: string[] = [];
    const data: JsonObject = {};
    for (const [i, key] of mapping.entries()) {
      const text = plainOf(cells[i] ?? "");
      if (key === "" || key === "slug" || text === "") continue;
      const field = fields.find((each) => each.key === key) ?? { key, name: key, kind: "any" as const };
      const value = valueOfText(field, text);
      if (value === undefined) faults.push(say("{name}: “{text}” does not fit", { name: field.name, text }));
      else set(data, key, value);
    }
    const named = plainOf(cells[mapping.indexOf("slug")] ?? "").replace(/^\/+|\/+$/g, "");
    const last = named || slugOf(typeof data.title === "string" ? data.title : "");
    if (last === "") faults.push(say("It has neither an id nor a title"));
    const isBelow = path === "" || last.startsWith(`${path}/`);
    const id = last === "" || isBelow ? last : joinPath(path, last);
    const before = lines.get(id);
    if (before !== undefined && last !== "") faults.push(say("It has the id of line {before}", { before }));
    lines.set(id, line);
    return { line, id, data, faults };
  });
}

/** Without the apostrophe that keeps a spreadsheet from running it. */
const plainOf = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

/** A name with dots is a place in groups. */
function set(data: JsonObject, key: string, value: Json): void {
  const names = key.split(".");
  const last = names.pop() as string;
  let inside = data;
  for (const [i, name] of names.entries()) {
    inside[name] =
      valueAt(
        data,
        names
          .slice(0, i + 1)
          .map(segmentOf)
          .join(""),
      ) ?? {};
    inside = inside[name] as JsonObject;
  }
  inside[last] = value;
}

/** What a text says as a value of a field; undefined for a text that is none. */
function valueOfText({ key, kind, options }: FilterField, text: string): Json | undefined {
  if (momentFields.has(key)) return secondsIn(text);
  if (key === "visibility") return stateIn(text);
  if (kind === "number") return parseNumber(text);
  if (kind === "day") return isDay(text) ? text : undefined;
  if (kind === "moment") return localOf(text) === "" ? undefined : text;
  if (kind === "choice" && options) return optionIn(options, text);
  if (kind === "choices" || kind === "entries") return listIn(text, options);
  return kind === "any" ? anyIn(text) : text;
}

function secondsIn(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

function stateIn(text: string): string | undefined {
  const word = text.toLowerCase();
  if (word === "public" || word === "scheduled") return "visible";
  return ["visible", "hidden", "draft"].includes(word) ? word : undefined;
}

function optionIn(options: readonly FieldOption[], text: string): Json | undefined {
  const found =
    options.find(({ value }) => value === text) ??
    options.find(({ label }) => label.toLowerCase() === text.toLowerCase()) ??
    options.find(({ value }) => value === text.toLowerCase());
  return found && (found.isText ? found.value : storedOf(found.value));
}

/** What an option or a text is as a number, or as yes and no; else the text. */
function storedOf(value: string): Json {
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

function listIn(text: string, options: readonly FieldOption[] | undefined): Json | undefined {
  const json = text.startsWith("[") ? storedOf(text) : undefined;
  if (Array.isArray(json)) return json;
  const parts = text.split(",").map((part) => part.trim());
  const values = parts.filter((part) => part !== "").map((part) => (options ? optionIn(options, part) : part));
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** Of a field that no type describes: numbers, yes and no, lists and objects as JSON writes them; all else is a text. */
function anyIn(text: string): Json {
  const value = storedOf(text);
  return typeof value !== "string" && value !== null && formatJson(value) === text.trim() ? value : text;
}
