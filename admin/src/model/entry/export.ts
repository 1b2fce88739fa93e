import type { Entry } from "../../api/entry.ts";
import { formatJson, type Json } from "../../api/json.ts";

/** Entries as a file. */

/** All that the service answers of them. */
export const jsonOf = (entries: readonly Entry[]): string => `${formatJson([...entries], 2)}\n`;

/** A line each, with a column for each key that one of them has; values that are no texts as JSON. */
export function csvOf(entries: readonly Entry[]): string {
  const first = ["slug", "title", "visibility", "published_at"];
  const keys = [...new Set([...first, ...entries.flatMap(Object.keys)])];
  const lines = entries.map((entry) => keys.map((key) => cellOf(Object.hasOwn(entry, key) ? entry[key] : undefined)));
  return `\uFEFF${[keys.map(quoted), ...lines].map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}

function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") return quoted(formatJson(value));
  // A spreadsheet would run it as a formula.
  return quoted(/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
