import { isJsonObject } from "../../lib/json.ts";
import { serviceFields, settableFields } from "../entry-field.ts";
import { type BackupRow, fieldChecks, fieldsOf, json, refused } from "./row-column.ts";

/** The fields that a working copy may change; null sets one back to its default. */
const stagedChecks = fieldChecks(settableFields);

/** The rules across the columns of a stored working copy. */
export function checkStaged({ removed, fields, authors }: BackupRow): void {
  for (const [name, value] of Object.entries(fieldsOf(String(fields)))) {
    const check = stagedChecks[name];
    if (!check) throw refused("fields", name, Object.keys(stagedChecks).join(", "));
    if (value !== null) check(`fields.${name}`, value);
  }
  const keys = json("removed", removed);
  const isGood = Array.isArray(keys) && keys.every((key) => typeof key === "string" && !serviceFields.has(key));
  if (!isGood) throw refused("removed", removed, "a JSON array of keys");
  const isKeys = (list: unknown) => Array.isArray(list) && list.every((key) => typeof key === "string");
  const byAuthor = json("authors", authors);
  if (!isJsonObject(byAuthor) || ![...byAuthor.values()].every(isKeys))
    throw refused("authors", authors, "a JSON object of lists of keys");
}
