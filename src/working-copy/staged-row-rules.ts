import { isJsonObject, type Json } from "../core/lib/json.ts";
import {
  actor,
  added,
  anyTime,
  type BackupRow,
  count,
  fieldsOf,
  id,
  json,
  orNull,
  refused,
  text,
  time,
  uuid,
} from "../core/row-column.ts";
import { serviceFields, settableFields } from "../entry/field.ts";
import { fieldChecks, stagedData } from "../entry/row-rules.ts";

/** The rules of the rows of working copies: see core/row.ts. */

/** The columns of a copy from its first to its last change. */
export const copyColumns = {
  uuid,
  revision: count,
  data: stagedData,
  removed: text,
  fields: text,
  staged_at: time,
  staged_by: actor,
};

export const stagedRule = {
  noun: "staged",
  columns: {
    ...copyColumns,
    publish_at: orNull(anyTime),
    scheduled_by: orNull(actor),
    authors: added(text, () => "{}"),
    base: added(text, () => "{}"),
    release: added(orNull(id), () => null),
  },
  whole: checkStaged,
  key: ({ uuid }: BackupRow) => uuid,
};

/** The fields that a working copy may change; null sets one back to its default. */
const stagedChecks = fieldChecks(settableFields);

/** The rules across the columns of a stored working copy. */
export function checkStaged({ removed, fields, authors, base }: BackupRow): void {
  for (const [name, value] of Object.entries(fieldsOf(String(fields)))) {
    const check = stagedChecks[name];
    if (!check) throw refused("fields", name, Object.keys(stagedChecks).join(", "));
    if (value !== null) check(`fields.${name}`, value);
  }
  const keys = json("removed", removed);
  const isKeys = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((key) => typeof key === "string");
  if (!isKeys(keys) || keys.some((key) => serviceFields.has(key)))
    throw refused("removed", removed, "a JSON array of keys");
  const byAuthor = json("authors", authors);
  if (!isJsonObject(byAuthor) || ![...byAuthor.values()].every(isKeys))
    throw refused("authors", authors, "a JSON object of lists of keys");
  const isHashes = (of: Json) =>
    isJsonObject(of) && [...of.values()].every((hash) => typeof hash === "string" && /^[\w-]{0,16}$/.test(hash));
  const byRevision = json("base", base);
  const isBase =
    isJsonObject(byRevision) && [...byRevision].every(([revision, of]) => /^\d{1,15}$/.test(revision) && isHashes(of));
  if (!isBase) throw refused("base", base, "a JSON object of revisions with hashes by key");
}
