import {
  actor,
  anyTime,
  type BackupRow,
  count,
  fields,
  flag,
  integer,
  name,
  oneOf,
  orNull,
  time,
  uuid,
} from "../core/row-column.ts";
import { serviceFields, visibilities } from "../entry/field.ts";
import { maxEntryBytes } from "../entry/row-rules.ts";
import { hashes, localeTag } from "./locale-row-rules.ts";

/** The rules of the rows of translations: see core/row.ts. */

export const translationRule = {
  noun: "translation",
  columns: {
    uuid,
    locale: localeTag,
    name: orNull(name),
    visibility: oneOf(visibilities),
    published_at: anyTime,
    listing: integer(0, 3),
    was_public: flag,
    created_at: time,
    modified_at: time,
    modified_by: actor,
    revision: count,
    sources: hashes,
    data: fields(serviceFields, maxEntryBytes),
  },
  key: ({ uuid, locale }: BackupRow) => `${uuid} ${locale}`,
};
