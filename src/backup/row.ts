import { randomUUID } from "node:crypto";
import { checkTokenRow } from "../access/token-row-rules.ts";
import { tokenKinds, tokenStates, tokenWrites } from "../core/access/token.ts";
import { isBlobHash } from "../core/bytes/blob.ts";
import { isMediaType } from "../core/bytes/media-type.ts";
import { eventKinds, type KindFacts, kindFacts, publicity } from "../core/event.ts";
import { joinPath, type Path, parsePath, rootPath } from "../core/path.ts";
import { Problem, quote } from "../core/problem.ts";
import { maxDataBytes } from "../entry/entry.ts";
import { entryFields, serviceFields } from "../entry/field.ts";
import { fileFields } from "../file/file.ts";
import { passkeyRule } from "../people/passkey-row-rules.ts";
import { personRule, roleRule } from "../people/person-row-rules.ts";
import { refuseLargeValue, refuseReadOnly } from "../registry/registry.ts";
import { typeIdColumn, typeRule } from "../type/row-rules.ts";
import { type HistoryNoun, historyNouns, stateFields } from "../version/history.ts";
import { releaseEntryRule, releaseRule } from "../version/release-row-rules.ts";
import { stagedRule } from "../version/staged-row-rules.ts";
import { trashNouns } from "../version/trash.ts";
import { viewRule } from "../view/row-rules.ts";
import { webhookRule } from "../webhook/row-rules.ts";
import {
  actor,
  added,
  type BackupRow,
  boolean,
  type Check,
  type Column,
  count,
  fieldChecks,
  fieldColumn,
  fields,
  fieldsOf,
  flag,
  hash,
  id,
  integer,
  json,
  keptText,
  matching,
  maxCounted,
  name,
  oneOf,
  orNull,
  path,
  pathBelowRoot,
  refused,
  registryKey,
  secret,
  size,
  text,
  textOf,
  time,
  uuid,
} from "./row-column.ts";

/**
 * The columns of each noun, written once, with the rules of a stored row: it holds only what a request could have written.
 * The statements of the SQL adapter read their columns from here. `restore` validates the rows of a backup with the rules,
 * `octavo verify` those of the store, since other programs may have written either. These are the rules of a single row;
 * the database checks the relations between rows.
 */

type Rule = {
  /** All columns, each required, and no others, in the order of a row. */
  columns: Readonly<Record<string, Column>>;
  /** Validates the columns together, each being valid by itself. */
  whole?: (row: BackupRow) => void;
  /** What distinguishes the row from others of its noun. */
  key: (row: BackupRow) => unknown;
};

/** The row with the columns that an older backup lacks. */
export function completeRow(noun: StoredNoun, row: BackupRow): BackupRow {
  const missing = addedColumns.get(noun)?.filter(([column]) => !Object.hasOwn(row, column)) ?? [];
  if (missing.length === 0) return row;
  return { ...row, ...Object.fromEntries(missing.map(([column, { older }]) => [column, older?.(row) ?? null])) };
}

/** The first rule that the row breaks, in a sentence that names the column; undefined for a valid row. */
export function rowFault(noun: StoredNoun, row: BackupRow): string | undefined {
  const { columns, whole }: Rule = rules[noun];
  const unknown = Object.keys(row).find((column) => !Object.hasOwn(columns, column));
  if (unknown !== undefined) return `the column ${quote(unknown)} is unknown`;
  try {
    for (const [column, { check }] of Object.entries(columns)) {
      if (!Object.hasOwn(row, column)) return `the column "${column}" is missing`;
      check(column, row[column]);
    }
    whole?.(row);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** The row's name in a sentence: `folder "blog"`. */
export function rowName(noun: StoredNoun, row: BackupRow): string {
  const key = rules[noun].key(row);
  return `${noun.replace("_", " ")} ${typeof key === "number" ? key : quote(String(key))}`;
}

// ------------------------------------------------------------------------------------------------------ rules of a noun

/** What the store remembers about itself, by name. */
const stateValues: Readonly<Record<string, Column>> = {
  signing_key: secret((key) => /^[0-9a-f]{64}$/.test(key), "64 hex digits"),
  index_keys: matching((keys) => keys === "" || keys.split(",").every((key) => key.trim() !== ""), "keys with commas"),
};

/** Who uploaded the bytes: files from before, and copies, have none. */
const uploader = added(orNull(actor), () => null);

const stamps = { created_at: time, modified_at: time, revision: count };

/** The limit of an entry's stored data: the service may have added `content` to what was sent. */
const maxEntryBytes = maxDataBytes + Buffer.byteLength(',"content":""');

/** Of a file, besides its place. */
const fileColumns = {
  title: keptText,
  description: keptText,
  type: matching(isMediaType, "a media type"),
  blob: hash,
  size,
  uploaded_at: time,
  width: orNull(size),
  height: orNull(size),
  is_color: orNull(flag),
  meta: fields(fileFields, maxDataBytes),
  ...stamps,
  uuid,
  content_revision: count,
};

/** Of an entry: the fields of the service, and what it keeps for itself. */
const entryColumns = {
  ...Object.fromEntries(entryFields.map((field) => [field.name, fieldColumn(field)])),
  data: fields(serviceFields, maxEntryBytes, ["content"]),
  revision: count,
  content_revision: count,
  staged_revision: added(orNull(count), () => null),
};

/** Of a working copy. */
const stagedData = fields(serviceFields, maxEntryBytes);

/** From before revisions of contents were kept. */
const contentRevision = added(count, ({ revision }) => revision ?? 0);

/** In the order of a backup: rows follow those they refer to. */
const rules = {
  state: {
    columns: { name: oneOf(Object.keys(stateValues)), value: text },
    whole: ({ name, value }) => stateValues[String(name)]?.check("value", value),
    key: ({ name }) => name,
  },
  folder: { columns: { path, ...stamps }, key: (row) => row.path },
  file: {
    columns: {
      folder: path,
      name,
      ...fileColumns,
      uuid: added(uuid, () => randomUUID()),
      content_revision: contentRevision,
      uploader,
    },
    whole: checkFile,
    key: ({ folder, name }) => (folder === rootPath ? name : `${folder}/${name}`),
  },
  entry: {
    columns: { ...entryColumns, content_revision: contentRevision },
    key: ({ slug }) => slug,
  },
  registry_item: {
    columns: {
      key: registryKey,
      value: text,
      content_revision: added(count, () => 0),
      modified_at: added(time, () => 0),
    },
    whole: ({ key, value }) => {
      refuseReadOnly(String(key));
      refuseLargeValue(String(value));
      json("value", value);
    },
    key: ({ key }) => key,
  },
  token: {
    columns: {
      hash: secret(isBlobHash, "a SHA-256 in hex"),
      id,
      kind: oneOf(tokenKinds),
      resources: text,
      label: text,
      environment: text,
      state: oneOf(tokenStates),
      limit_calls: size,
      calls: count,
      expires_at: orNull(time),
      created_at: time,
      last_used_at: orNull(time),
      paths: added(text, () => ""),
      writes: added(oneOf(tokenWrites), () => "all"),
      maker: added(orNull(actor), () => null),
      release: added(orNull(id), () => null),
    },
    whole: checkTokenRow,
    key: (row) => row.id,
  },
  event: {
    columns: {
      sequence: integer(1, maxCounted),
      at: time,
      kind: oneOf(eventKinds),
      subject: text,
      target: orNull(text),
      count: integer(1, maxCounted),
      actor,
      uuid: added(orNull(uuid), () => null),
      was_public: added(orNull(integer(0, publicity.byId)), () => null),
      is_public: added(orNull(integer(0, publicity.byId)), () => null),
      outdated: added(orNull(text), () => null),
      first_sequence: added(orNull(integer(1, maxCounted)), () => null),
      request_id: added(orNull(text), () => null),
      address: added(orNull(text), () => null),
      trace: added(orNull(text), () => null),
    },
    whole: checkEvent,
    key: ({ sequence }) => sequence,
  },
  event_entry: {
    columns: {
      sequence: integer(1, maxCounted),
      uuid,
      old_slug: orNull(pathBelowRoot),
      new_slug: orNull(pathBelowRoot),
      was_listed: added(flag, () => 0),
      is_listed: added(flag, () => 0),
    },
    key: (row) => `${row.sequence} ${row.uuid}`,
  },
  history: {
    columns: {
      noun: oneOf(historyNouns),
      thing: text,
      revision: count,
      next_revision: integer(1, maxCounted),
      replaced_at: time,
      replaced_by: actor,
      fields: text,
      data: text,
      blob: orNull(hash),
      bytes: size,
    },
    whole: checkHistory,
    key: ({ noun, thing, next_revision }) => `${noun} ${thing} before ${next_revision}`,
  },
  trash_item: {
    columns: {
      id: integer(1, maxCounted),
      noun: oneOf(trashNouns),
      path: pathBelowRoot,
      count: integer(1, maxCounted),
      bytes: size,
      deleted_at: time,
      deleted_by: actor,
      is_purged: flag,
    },
    key: (row) => row.id,
  },
  trash_entry: {
    columns: { item: integer(1, maxCounted), ...entryColumns },
    key: ({ item, slug }) => `${item} ${slug}`,
  },
  trash_folder: {
    columns: { item: integer(1, maxCounted), path: pathBelowRoot, created_at: time, modified_at: time },
    key: ({ item, path }) => `${item} ${path}`,
  },
  trash_file: {
    columns: { item: integer(1, maxCounted), folder: path, name, ...fileColumns, uploader },
    whole: checkFile,
    key: ({ item, folder, name }) => `${item} ${folder}/${name}`,
  },
  release: releaseRule,
  staged: stagedRule(stagedData),
  release_entry: releaseEntryRule(stagedData),
  type: typeRule,
  role: roleRule,
  person: personRule,
  passkey: passkeyRule,
  view: viewRule,
  webhook: webhookRule,
  blob: {
    columns: { hash, size, unreferenced_since: time, generation: size },
    key: (row) => row.hash,
  },
} satisfies Readonly<Record<string, Rule>>;

/** The nouns of rows: those of a backup, and the ledger's blobs, which a restore creates from the bytes. */
export type StoredNoun = keyof typeof rules;
export type RowNoun = Exclude<StoredNoun, "blob">;

/** The columns of a noun's rows, in their order. */
export const columnsOfNoun = (noun: StoredNoun): Rule["columns"] => rules[noun].columns;

/** By noun, the columns that older backups lack. */
const addedColumns: ReadonlyMap<string, readonly (readonly [string, Column])[]> = new Map(
  Object.entries<Rule>(rules).map(([noun, { columns }]) => [
    noun,
    Object.entries(columns).filter(([, { older }]) => older),
  ]),
);

/** The nouns of a backup, in the order in which their rows are written and can be loaded. */
export const rowNouns = (Object.keys(rules) as StoredNoun[]).filter((noun) => noun !== "blob");

function checkFile(row: BackupRow): void {
  parsePath("name", joinPath(row.folder as Path, row.name as string));
  const facts = [row.width, row.height, row.is_color];
  const known = facts.filter((fact) => fact !== null).length;
  if (known > 0 && known < facts.length) {
    throw refused("width", row.width, "a width, a height and is_color, or none of them");
  }
}

/** The subject of an event. */
const subjects: Readonly<Record<KindFacts["subject"], Column>> = {
  path: pathBelowRoot,
  "registry key": registryKey,
  "type id": typeIdColumn,
  id,
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

/** Of the states in the history, by noun: what they belong to, their fields, what the client stored. */
const states: Readonly<Record<HistoryNoun, { thing: Column; fields: Readonly<Record<string, Check>>; data: Check }>> = {
  entry: { thing: uuid, fields: fieldChecks(stateFields), data: entryColumns.data.check },
  file: {
    thing: uuid,
    fields: {
      title: keptText.check,
      description: keptText.check,
      type: fileColumns.type.check,
      size: size.check,
      uploaded_at: time.check,
      image,
      modified_at: time.check,
    },
    data: fileColumns.meta.check,
  },
  registry_item: { thing: registryKey, fields: { modified_at: time.check }, data: registryValue },
};
/** An image's facts are left out for files that are none, later fields in older states. */
const optional = new Set(["image", ...stateFields.flatMap(({ name, isAdded }) => (isAdded ? [name] : []))]);

function checkHistory({ noun, thing, fields, data, blob }: BackupRow): void {
  const rule = states[noun as HistoryNoun];
  rule.thing.check("thing", thing);
  rule.data("data", data);
  if ((noun === "file") !== (blob !== null)) throw refused("blob", blob, "the bytes of a file, nothing for others");
  const values = fieldsOf(String(fields));
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(rule.fields, name));
  if (unknown !== undefined) throw refused("fields", unknown, Object.keys(rule.fields).join(", "));
  for (const [name, check] of Object.entries(rule.fields)) {
    if (!optional.has(name) || Object.hasOwn(values, name)) check(`fields.${name}`, values[name]);
  }
}

function checkEvent({ kind, subject, target, uuid, was_public, is_public, outdated }: BackupRow): void {
  const change = [uuid, was_public, is_public].filter((value) => value !== null);
  if (change.length % 3 !== 0) throw refused("uuid", uuid, "a uuid, was_public and is_public, or none of them");
  const { subject: sort, target: named } = kindFacts(String(kind)) as KindFacts;
  // A restore of all entries is at the root.
  if (kind !== "entry.restore" || subject !== "") subjects[sort].check("subject", subject);
  if (named === "always") pathBelowRoot.check("target", target);
  else if (named === "maybe") orNull(pathBelowRoot).check("target", target);
  else if (target !== null) throw refused("target", target, `nothing, for ${kind}`);
  const isKeys = (list: unknown) => Array.isArray(list) && list.every((key) => typeof key === "string");
  if (outdated !== null && !isKeys(json("outdated", outdated)))
    throw refused("outdated", outdated, "a JSON array of keys, or nothing");
}
