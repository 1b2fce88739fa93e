import { hash } from "../core/bytes/blob-row.ts";
import {
  actor,
  type BackupRow,
  boolean,
  type Check,
  type Column,
  count,
  fieldsOf,
  flag,
  integer,
  json,
  maxCounted,
  name,
  oneOf,
  orNull,
  refused,
  size,
  text,
  textOf,
  time,
  uuid,
} from "../core/row-column.ts";
import { entryData, fieldChecks, stagedData } from "../entry/row-rules.ts";
import { fileMeta, keptText, mediaType } from "../file/row-rules.ts";
import { refuseLargeValue } from "../registry/registry.ts";
import { registryKey } from "../registry/row-rules.ts";
import { hashes, localeOrSource } from "../translation/locale-row-rules.ts";
import { type VersionedNoun, versionedNouns, versionFields } from "./version.ts";

/** The rules of the rows of versions: see core/row.ts. */

export const versionRule = {
  noun: "version",
  columns: {
    noun: oneOf(versionedNouns),
    thing: text,
    locale: localeOrSource,
    revision: count,
    next_revision: integer(1, maxCounted),
    is_deleted: flag,
    replaced_at: time,
    replaced_by: actor,
    fields: text,
    data: text,
    blob: orNull(hash),
    bytes: size,
  },
  whole: checkVersion,
  key: ({ noun, thing, locale, next_revision }: BackupRow) =>
    `${noun} ${thing}${locale === "" ? "" : ` ${locale}`} before ${next_revision}`,
};

const image: Check = (column, value) => {
  const { width, height, is_color } = Object(value);
  for (const each of [width, height]) size.check(column, each);
  boolean(column, is_color);
};

const registryValue: Check = (column, value) => {
  refuseLargeValue(textOf(column, value));
  json(column, value);
};

/** Of a translation, beside those of an entry. */
const translationFields: Readonly<Record<string, Check>> = {
  name: orNull(name).check,
  sources: hashes.check,
  created_at: time.check,
  modified_by: text.check,
};

/** Of versions, by noun: what they belong to, their fields, what the client stored. */
const states: Readonly<Record<VersionedNoun, { thing: Column; fields: Readonly<Record<string, Check>>; data: Check }>> =
  {
    entry: { thing: uuid, fields: { ...fieldChecks(versionFields), ...translationFields }, data: entryData.check },
    file: {
      thing: uuid,
      fields: {
        title: keptText.check,
        description: keptText.check,
        type: mediaType.check,
        size: size.check,
        uploaded_at: time.check,
        image,
        modified_at: time.check,
      },
      data: fileMeta.check,
    },
    registry_item: { thing: registryKey, fields: { modified_at: time.check }, data: registryValue },
  };
/** An image's facts are left out for files that are none, later fields in older states. */
const optional = new Set([
  "image",
  ...Object.keys(translationFields),
  ...versionFields.flatMap(({ name, isAdded }) => (isAdded ? [name] : [])),
]);

/** Throws argument_invalid, and what the checks of the states throw. */
function checkVersion({ noun, thing, locale, fields, data, blob }: BackupRow): void {
  const rule = states[noun as VersionedNoun];
  rule.thing.check("thing", thing);
  if (locale === "") rule.data("data", data);
  else stagedData.check("data", data);
  if (locale !== "" && noun !== "entry") throw refused("locale", locale, "nothing but for an entry");
  if ((noun === "file") !== (blob !== null)) throw refused("blob", blob, "the bytes of a file, nothing for others");
  const values = fieldsOf(String(fields));
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(rule.fields, name));
  if (unknown !== undefined) throw refused("fields", unknown, Object.keys(rule.fields).join(", "));
  for (const [name, check] of Object.entries(rule.fields)) {
    if (!optional.has(name) || Object.hasOwn(values, name)) check(`fields.${name}`, values[name]);
  }
}
