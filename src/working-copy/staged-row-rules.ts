import { isJsonObject } from "../core/lib/json.ts";
import {
  actor,
  anyTime,
  type BackupRow,
  count,
  fieldsOf,
  id,
  isHashes,
  json,
  orNull,
  path,
  refused,
  text,
  time,
  uuid,
} from "../core/row-column.ts";
import { serviceFields, settableFields } from "../entry/field.ts";
import { fieldChecks, stagedData } from "../entry/row-rules.ts";
import { localeOrSource } from "../translation/locale-row-rules.ts";

/** The rules of the rows of working copies: see core/row.ts. */

export const workingCopyRule = {
  noun: "working_copy",
  columns: {
    published_revision: count,
    uuid,
    locale: localeOrSource,
    slug: path,
    revision: count,
    removed: text,
    fields: text,
    staged_at: time,
    staged_by: actor,
    publish_at: orNull(anyTime),
    scheduled_by: orNull(actor),
    authors: text,
    base: text,
    release: orNull(id),
    data: stagedData,
  },
  whole: checkCopy,
  key: ({ uuid, locale, published_revision }: BackupRow) =>
    [uuid, locale, published_revision || ""].filter(Boolean).join(" "),
};

/** Throws argument_invalid. */
function checkCopy(row: BackupRow): void {
  const { published_revision, slug, publish_at, release } = row;
  const isPublished = published_revision !== 0;
  if (isPublished !== (slug !== ""))
    throw refused("slug", slug, "where a published copy was, nothing for a staged one");
  if (isPublished && release === null) throw refused("release", release, "the release that published it");
  if (isPublished && publish_at !== null) throw refused("publish_at", publish_at, "nothing for a published copy");
  checkPatch(row);
}

/** The fields that a working copy may change; null sets one back to its default. */
const stagedChecks = fieldChecks(settableFields);

/** The rules of the texts of a copy. Throws argument_invalid. */
export function checkPatch({ removed, fields, authors, base }: BackupRow): void {
  for (const [name, value] of Object.entries(fieldsOf(String(fields)))) {
    if (name === "sources") {
      if (!isHashes(json("sources", value))) throw refused("sources", value, "a JSON object of hashes by key");
      continue;
    }
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
  const byRevision = json("base", base);
  const isBase =
    isJsonObject(byRevision) && [...byRevision].every(([revision, of]) => /^\d{1,15}$/.test(revision) && isHashes(of));
  if (!isBase) throw refused("base", base, "a JSON object of revisions with hashes by key");
}
