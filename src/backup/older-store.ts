import type { RowRules, Rule } from "../core/row.ts";
import {
  added,
  type BackupRow,
  count,
  id,
  integer,
  maxCounted,
  name,
  orNull,
  path,
  pathBelowRoot,
  text,
} from "../core/row-column.ts";
import { entryColumns } from "../entry/row-rules.ts";
import { checkFile, fileColumns, sentColumns, uploader } from "../file/row-rules.ts";
import { bytesOfVersion, versionFields } from "../version/version.ts";
import { versionRule } from "../version/version-row-rules.ts";
import { checkPatch, workingCopyRule } from "../working-copy/staged-row-rules.ts";
import { backupFormat, type Format, type RowBatch } from "./backup.ts";

/**
 * How backups of formats 1 and 2 are read. What an entry says was in five nouns there; each of their rows becomes rows of the
 * versions, the working copies and the trash. Columns that came within a format are with their nouns: see `added`.
 */

/** The format of this number, for a store with these rules; undefined for one that is not read. */
export function formatOf(rules: RowRules, number: unknown): Format | undefined {
  if (number === backupFormat) return presentFormat(rules);
  return number === 1 || number === 2 ? olderFormat(rules) : undefined;
}

/** Of the present format, which has the rows of the store. */
const presentFormat = (rules: RowRules): Format => ({
  rules,
  convert: (batch) => [batch],
  countsOf: (counts) => counts,
});

const item = integer(1, maxCounted);

const without = (columns: Rule["columns"], ...names: string[]): Rule["columns"] =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !names.includes(name)));
const copyColumns = without(workingCopyRule.columns, "published_revision", "locale", "slug", "release");

/** The row as one of the present: all contents were those of the source. */
const ofSource = (row: BackupRow): BackupRow => ({ ...row, locale: "" });

const olderRules: readonly Rule[] = [
  {
    noun: "history",
    columns: without(versionRule.columns, "locale", "is_deleted"),
    whole: (row) => versionRule.whole(ofSource(row)),
    key: (row) => versionRule.key(ofSource(row)),
  },
  {
    noun: "trash_entry",
    columns: { item, ...entryColumns },
    key: ({ item, slug }) => `${item} ${slug}`,
  },
  {
    noun: "trash_file",
    columns: { item, folder: path, name, ...fileColumns, uploader, ...sentColumns },
    whole: checkFile,
    key: ({ item, folder, name }) => `${item} ${folder}/${name}`,
  },
  {
    noun: "staged",
    columns: {
      ...copyColumns,
      authors: added(text, () => "{}"),
      base: added(text, () => "{}"),
      release: added(orNull(id), () => null),
    },
    whole: checkPatch,
    key: ({ uuid }) => uuid,
  },
  {
    noun: "release_entry",
    columns: {
      ...without(copyColumns, "publish_at", "scheduled_by"),
      release: id,
      slug: pathBelowRoot,
      content_revision: count,
    },
    whole: checkPatch,
    key: ({ release, slug }) => `${release} ${slug}`,
  },
];

/** The order of the nouns that had a place of their own. */
const olderOrder = [
  "history",
  "trash_item",
  "trash_entry",
  "trash_folder",
  "trash_file",
  "release",
  "staged",
  "release_entry",
];

/** Of formats 1 and 2, for a store with these rules. */
function olderFormat(rules: RowRules): Format {
  const known = new Map([...rules, ...olderRules.map((rule) => [rule.noun, rule] as const)]);
  // The file has none of the present nouns, and those of `olderOrder` in another order.
  const isElsewhere = (noun: string) => ["version", "working_copy", ...olderOrder].includes(noun);
  const order = [...rules.keys()].flatMap((noun) =>
    noun === "trash_item" ? olderOrder : isElsewhere(noun) ? [] : [noun],
  );
  const deletions = new Map<number, Deleted>();
  return {
    rules: new Map(order.map((noun) => [noun, known.get(noun) as Rule])),
    convert: (batch) => convert(batch, deletions),
    countsOf: ({ history = 0, staged = 0, release_entry = 0, ...counts }) => ({
      ...counts,
      version: history + (counts.trash_entry ?? 0) + (counts.trash_file ?? 0),
      working_copy: staged + release_entry,
    }),
  };
}

/** When an item of the trash was deleted, and by whom. */
type Deleted = { readonly replaced_at: number; readonly replaced_by: string };

function convert({ noun, rows }: RowBatch, deletions: Map<number, Deleted>): readonly RowBatch[] {
  switch (noun) {
    case "history":
      return [{ noun: "version", rows: rows.map((row) => ({ ...ofSource(row), is_deleted: 0 })) }];
    case "trash_item":
      for (const { id, deleted_at, deleted_by } of rows)
        deletions.set(id as number, { replaced_at: deleted_at as number, replaced_by: deleted_by as string });
      return [{ noun, rows }];
    case "trash_entry":
    case "trash_file": {
      const versionOf = noun === "trash_entry" ? entryVersion : fileVersion;
      const columns = noun === "trash_entry" ? entryPlace : filePlace;
      const places = rows.map((row) => picked(row, columns));
      const versions = rows.map((row) =>
        deletedVersion(row, versionOf(row), deletions.get(row.item as number) ?? noItem),
      );
      return [
        { noun, rows: places },
        { noun: "version", rows: versions },
      ];
    }
    case "staged":
      return [
        { noun: "working_copy", rows: rows.map((row) => ({ ...row, published_revision: 0, locale: "", slug: "" })) },
      ];
    case "release_entry":
      return [{ noun: "working_copy", rows: rows.map(publishedCopy) }];
    default:
      return [{ noun, rows }];
  }
}

const entryPlace = ["item", "slug", "uuid", "created_at", "was_public"];
const filePlace = ["item", "folder", "name", "uuid", "created_at", "uploader", "sent_name", "given_name"];

const picked = (row: BackupRow, columns: readonly string[]): BackupRow =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));

const publishedCopy = ({ content_revision = 0, ...copy }: BackupRow): BackupRow => ({
  ...copy,
  published_revision: content_revision,
  locale: "",
  publish_at: null,
  scheduled_by: null,
});

/** The database refuses the place of what is in no item. */
const noItem: Deleted = { replaced_at: 0, replaced_by: "" };

/** What is left of a row of the trash besides its place. */
type Said = { noun: string; fields: string; data: string; blob: string | null; size: number };

function deletedVersion(row: BackupRow, { noun, fields, data, blob, size }: Said, deleted: Deleted): BackupRow {
  const revision = row.content_revision as number;
  const bytes = bytesOfVersion({ revision, fields, data, blob }) + size;
  const { uuid = null, item = null } = row;
  const events = { revision, next_revision: item, is_deleted: 1, ...deleted };
  return { noun, thing: uuid, locale: "", ...events, fields, data, blob, bytes };
}

function entryVersion(row: BackupRow): Said {
  const fields = versionFields.map(({ name, kind }) => [name, kind === "flag" ? row[name] === 1 : row[name]]);
  return {
    noun: "entry",
    fields: JSON.stringify(Object.fromEntries(fields)),
    data: row.data as string,
    blob: null,
    size: 0,
  };
}

function fileVersion(row: BackupRow): Said {
  const { title, description, type, size, uploaded_at, width, height, is_color, modified_at } = row;
  const image = width === null ? undefined : { width, height, is_color: is_color === 1 };
  return {
    noun: "file",
    fields: JSON.stringify({ title, description, type, size, uploaded_at, image, modified_at }),
    data: row.meta as string,
    blob: row.blob as string,
    size: size as number,
  };
}
