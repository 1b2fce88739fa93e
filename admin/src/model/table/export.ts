import type { Entry } from "../../api/entry.ts";
import { formatJson, isNumber, type Json } from "../../api/json.ts";
import { momentFields } from "../filter/moment.ts";

/** Entries as a file. */

/** All that the service answers of them. */
export const jsonOf = (entries: readonly Entry[]): string => `${formatJson([...entries], 2)}\n`;

/** A column of a table in a file: the field, what its head says, and its values in words where they are not as stored. */
export type CsvColumn = { field: string; head: string; word?: ((value: Json) => Json) | undefined };

const first = ["slug", "title", "visibility", "published_at"];

/** Each field that one of the entries has, as it is stored. */
export const allColumns = (entries: readonly Entry[]): CsvColumn[] =>
  [...new Set([...first, ...entries.flatMap(Object.keys)])].map((field) => ({ field, head: field }));

/** A line each. Times are ISO 8601; values that are no texts, numbers or times are JSON. */
export function csvOf(entries: readonly Entry[], columns: readonly CsvColumn[]): string {
  const lines = entries.map((entry) =>
    columns.map(({ field, word }) => {
      const value = Object.hasOwn(entry, field) ? entry[field] : undefined;
      return value === undefined || value === null ? "" : cellOf(field, value, word);
    }),
  );
  const all = [columns.map(({ head }) => harmless(head)), ...lines];
  return `\uFEFF${all.map((cells) => cells.map(quoted).join(",")).join("\r\n")}\r\n`;
}

function cellOf(field: string, value: Json, word: CsvColumn["word"]): string {
  if (momentFields.has(field) && isNumber(value)) return isoOf(Number(formatJson(value)));
  const told = word?.(value) ?? value;
  return typeof told === "string" ? harmless(told) : formatJson(told);
}

/** A moment as spreadsheets and programs read it: `2026-07-01T08:00:00Z`. */
const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(/\.000Z$/, "Z");

/** A spreadsheet would run it as a formula. One more apostrophe before those of the text: an import takes one off. */
const harmless = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
