import type { Path } from "../core/path.ts";
import { type BackupRow, flag, id, json, path, refused, text, textOf } from "../core/row-column.ts";
import { parseName } from "../people/person.ts";
import { checkView } from "./view.ts";

/** The rules of the rows of views: see core/row.ts. */

const jsonText = { ...text, check: (column: string, value: unknown) => void json(column, textOf(column, value)) };

export const viewRule = {
  noun: "view",
  columns: { id, person: id, title: text, path, columns: jsonText, sort: text, filter: jsonText, shared: flag },
  whole: checkViewRow,
  key: ({ id }: BackupRow) => id,
};

/** Throws argument_invalid, data_too_large. */
function checkViewRow(row: BackupRow): void {
  const { id, person, title, path, columns, sort, filter, shared } = row as Record<string, string>;
  if (parseName("title", String(title)) !== title) throw refused("title", title, "its stored form");
  const names = json("columns", columns);
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string") || new Set(names).size < names.length)
    throw refused("columns", columns, "a list of texts, each once");
  const facts = { id, person, title, path: path as Path, sort, filter, isShared: Number(shared) === 1 };
  checkView({ ...facts, columns: names } as Parameters<typeof checkView>[0]);
}
