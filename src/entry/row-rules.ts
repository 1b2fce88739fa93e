import {
  added,
  anyTime,
  type BackupRow,
  boolean,
  type Check,
  type Column,
  count,
  fields,
  flag,
  oneOf,
  orNull,
  pathBelowRoot,
  text,
  time,
  uuid,
} from "../core/row-column.ts";
import { localeList } from "../translation/locale-row-rules.ts";
import { maxDataBytes } from "./entry.ts";
import { type EntryField, entryFields, type FieldKind, serviceFields, visibilities } from "./field.ts";

/** The rules of the rows of entries, wherever they are: see core/row.ts. */

/** Of a field of entries by its kind. */
const kindColumns: Readonly<Record<FieldKind, Column>> = {
  date: anyTime,
  time,
  text,
  flag,
  visibility: oneOf(visibilities),
  uuid,
  slug: pathBelowRoot,
};

/** The column of a field. */
export function fieldColumn({ kind, isAdded, unset }: EntryField): Column {
  const column = kindColumns[kind];
  if (!isAdded) return column;
  return added(column, ({ created_at }) => {
    const value = unset?.({ createdAt: Number(created_at) });
    return typeof value === "string" ? value : Number(value);
  });
}

/** The checks of fields in a JSON object, by name. */
export const fieldChecks = (fields: readonly { name: string; kind: FieldKind }[]): Readonly<Record<string, Check>> =>
  Object.fromEntries(fields.map(({ name, kind }) => [name, kind === "flag" ? boolean : kindColumns[kind].check]));

/** The limit of an entry's stored data: the service may have added `content` to what was sent. */
export const maxEntryBytes = maxDataBytes + Buffer.byteLength(',"content":""');

/** The data of an entry. */
export const entryData = fields(serviceFields, maxEntryBytes, ["content"]);
/** What a working copy sets in it. */
export const stagedData = fields(serviceFields, maxEntryBytes);

/** Backups that are older do not know; what is public now is noted when a write takes it away. */
export const wasPublic = added(flag, () => 0);

/** A list that names at least one. */
export const onlyLocales = added(orNull(localeList), () => null);

/** Of an entry: the fields of the service, and what it keeps for itself. */
export const entryColumns = {
  ...Object.fromEntries(entryFields.map((field) => [field.name, fieldColumn(field)])),
  data: entryData,
  revision: count,
  content_revision: count,
  staged_revision: added(orNull(count), () => null),
  was_public: wasPublic,
  translated: added(flag, () => 0),
  only_locales: onlyLocales,
};

/** From before revisions of contents were kept. */
export const contentRevision = added(count, ({ revision }) => revision ?? 0);

export const entryRule = {
  noun: "entry",
  columns: { ...entryColumns, content_revision: contentRevision },
  key: ({ slug }: BackupRow) => slug,
};
