import { randomUUID } from "node:crypto";
import { readCanonical } from "../lib/canonical-json.ts";
import { isJsonObject, type Json, JsonError } from "../lib/json.ts";
import { latestSeconds } from "../lib/time.ts";
import { isBlobHash } from "./blob.ts";
import { maxDataBytes, maxDataDepth, serviceFields, visibilities } from "./entry.ts";
import { eventKinds } from "./event.ts";
import { fileFields, refuseTooLarge } from "./file.ts";
import { isMediaType } from "./media-type.ts";
import { isPath, joinPath, type Path, parsePath, parsePathBelowRoot, rootPath } from "./path.ts";
import { Problem, problem, quote } from "./problem.ts";
import { parseRegistryKey, refuseLargeValue, refuseReadOnly } from "./registry.ts";
import { checkTokenInput, type TokenKind, type TokenResource, tokenKinds, tokenStates } from "./token.ts";

/**
 * The rules of a stored row: it holds only what a request could have written. `restore` validates the rows of a backup
 * with them, `octavo verify` those of the store, since other programs may have written either. These are the rules of a
 * single row; the database checks the relations between rows.
 */

/** All columns of a row by name. It refers to other rows by path or hash, never by a row number. */
export type BackupRow = Readonly<Record<string, string | number | null>>;

/** Throws a problem that names the column. */
type Check = (column: string, value: unknown) => void;
type Rule = {
  /** All columns, each required, and no others. */
  columns: Readonly<Record<string, Check>>;
  /** The values of columns that older backups lack. */
  defaults?: Readonly<Record<string, () => string | number | null>>;
  /** Validates the columns together, each being valid by itself. */
  whole?: (row: BackupRow) => void;
  /** What distinguishes the row from others of its noun. */
  key: (row: BackupRow) => unknown;
};

/** The row with the columns that an older backup lacks. */
export function completeRow(noun: StoredNoun, row: BackupRow): BackupRow {
  const { defaults }: Rule = rules[noun];
  const missing = Object.entries(defaults ?? {}).filter(([column]) => !Object.hasOwn(row, column));
  if (missing.length === 0) return row;
  return { ...row, ...Object.fromEntries(missing.map(([column, make]) => [column, make()])) };
}

/** The first rule that the row breaks, in a sentence that names the column; undefined for a valid row. */
export function rowFault(noun: StoredNoun, row: BackupRow): string | undefined {
  const { columns, whole }: Rule = rules[noun];
  const unknown = Object.keys(row).find((column) => !Object.hasOwn(columns, column));
  if (unknown !== undefined) return `the column ${quote(unknown)} is unknown`;
  try {
    for (const [column, check] of Object.entries(columns)) {
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

// ------------------------------------------------------------------------------------------------- checks of one column

const refused = (argument: string, value: unknown, accepted: string): Problem =>
  problem("argument_invalid", { argument, received: String(value), accepted });

function textOf(argument: string, value: unknown): string {
  if (typeof value !== "string") throw refused(argument, value, "a text");
  if (!value.isWellFormed()) throw problem("text_invalid", { argument, rule: "a lone surrogate" });
  if (value.includes("\0")) throw problem("text_invalid", { argument, rule: "U+0000" });
  return value;
}

const text: Check = (column, value) => void textOf(column, value);

/** A text of a file: its title, its description. */
const keptText: Check = (column, value) => refuseTooLarge(column, textOf(column, value));

/** A confidential text; messages do not show its value. */
const secret =
  (isGood: (text: string) => boolean, accepted: string): Check =>
  (column, value) => {
    if (typeof value !== "string" || !isGood(value)) throw refused(column, "another text", accepted);
  };

const matching =
  (isGood: (text: string) => boolean, accepted: string): Check =>
  (column, value) => {
    if (!isGood(textOf(column, value))) throw refused(column, value, accepted);
  };

const oneOf = (names: readonly string[]): Check =>
  matching((name) => names.includes(name), `one of ${names.join(", ")}`);

const integer =
  (min: number, max: number): Check =>
  (column, value) => {
    const isGood = Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
    if (!isGood) throw refused(column, value, `an integer from ${min} to ${max}`);
  };

const orNull =
  (check: Check): Check =>
  (column, value) => {
    if (value !== null) check(column, value);
  };

/** A counter must stay a safe integer: SQLite's rows cannot be read past that. */
const maxCounted = 2 ** 52;
const count = integer(0, maxCounted);
const size = integer(0, Number.MAX_SAFE_INTEGER);
const flag = integer(0, 1);
/** A time of the service's own clock, which may be wrong but is never before 1970. */
const time = integer(0, latestSeconds);
/** A time that a client may set. Contract §4. */
const anyTime = integer(-latestSeconds, latestSeconds);

/** The stored form: a text that parsing would change breaks the rule, too. */
const asRead =
  (read: (argument: string, text: string) => string): Check =>
  (column, value) => {
    if (read(column, textOf(column, value)) !== value) {
      throw problem("path_invalid", {
        argument: column,
        received: String(value),
        rule: "it is not in its stored form (NFC, no outer slashes)",
      });
    }
  };

const path = asRead(parsePath);
const pathBelowRoot = asRead(parsePathBelowRoot);
const registryKey = asRead((column, key) => parseRegistryKey(key, column));

const name: Check = (column, value) => {
  parsePathBelowRoot(column, textOf(column, value));
  if (!isPath(value as string) || (value as string).includes("/"))
    throw refused(column, value, "one segment of a path");
};

/** In the canonical form that the service writes: answers are concatenated from such texts. */
function json(column: string, value: unknown): Json {
  let read: Json | undefined;
  try {
    read = readCanonical(textOf(column, value), maxDataDepth);
  } catch (error) {
    if (error instanceof JsonError) throw refused(column, value, `JSON that a request may send: ${error.message}`);
    throw error;
  }
  if (read === undefined) throw refused(column, value, "JSON in its shortest form");
  return read;
}

/** The fields of a client; none has the name of one of the service's. */
const fields =
  (own: ReadonlySet<string>, maxBytes: number, needed: readonly string[] = []): Check =>
  (column, value) => {
    if (Buffer.byteLength(textOf(column, value)) > maxBytes) {
      throw problem("data_too_large", { argument: column, limit: maxBytes });
    }
    const object = json(column, value);
    if (!isJsonObject(object)) throw refused(column, value, "a JSON object");
    const reserved = [...object.keys()].find((key) => own.has(key));
    if (reserved !== undefined) throw problem("field_reserved", { field: reserved });
    const missing = needed.find((key) => !object.has(key));
    if (missing !== undefined) throw refused(column, value, `an object with the key "${missing}"`);
  };

const uuid = matching((text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text), "a UUID in small letters");
/** The request log holds it unescaped. */
const id = matching((text) => /^[\w-]{1,64}$/.test(text), 'an id of letters, digits, "_" and "-"');
const hash = matching(isBlobHash, "a SHA-256 in hex");

// ------------------------------------------------------------------------------------------------------ rules of a noun

/** What the store remembers about itself, by name. */
const stateValues: Readonly<Record<string, Check>> = {
  signing_key: secret((key) => /^[0-9a-f]{64}$/.test(key), "64 hex digits"),
  index_keys: matching((keys) => keys === "" || keys.split(",").every((key) => key.trim() !== ""), "keys with commas"),
};

const stamps = { created_at: time, modified_at: time, revision: count };

/** The limit of an entry's stored data: the service may have added `content` to what was sent. */
const maxEntryBytes = maxDataBytes + Buffer.byteLength(',"content":""');

/** In the order of a backup: rows follow those they refer to. */
const rules = {
  state: {
    columns: { name: oneOf(Object.keys(stateValues)), value: text },
    whole: ({ name, value }) => stateValues[String(name)]?.("value", value),
    key: ({ name }) => name,
  },
  folder: { columns: { path, ...stamps }, key: (row) => row.path },
  file: {
    columns: {
      folder: path,
      name,
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
    },
    defaults: { uuid: randomUUID },
    whole: checkFile,
    key: ({ folder, name }) => (folder === rootPath ? name : `${folder}/${name}`),
  },
  entry: {
    columns: {
      slug: pathBelowRoot,
      uuid,
      data: fields(serviceFields, maxEntryBytes, ["content"]),
      published_at: anyTime,
      ...stamps,
      published_by: text,
      created_by: text,
      routable: flag,
      visibility: oneOf(visibilities),
    },
    key: ({ slug }) => slug,
  },
  registry_item: {
    columns: { key: registryKey, value: text },
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
      // A token that is valid below some paths only must not become one for all of them.
      paths: matching((paths) => paths === "", "an empty text: this version has no paths of tokens"),
      writes: oneOf(["all"]),
    },
    defaults: { paths: () => "", writes: () => "all" },
    whole: checkToken,
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
      actor: id,
      uuid: orNull(uuid),
      was_public: orNull(flag),
      is_public: orNull(flag),
    },
    defaults: { uuid: () => null, was_public: () => null, is_public: () => null },
    whole: checkEvent,
    key: ({ sequence }) => sequence,
  },
  event_entry: {
    columns: {
      sequence: integer(1, maxCounted),
      uuid,
      old_slug: orNull(pathBelowRoot),
      new_slug: orNull(pathBelowRoot),
    },
    key: (row) => `${row.sequence} ${row.uuid}`,
  },
  blob: {
    columns: { hash, size, unreferenced_since: time, generation: size },
    key: (row) => row.hash,
  },
} satisfies Readonly<Record<string, Rule>>;

/** The nouns of rows: those of a backup, and the ledger's blobs, which a restore creates from the bytes. */
export type StoredNoun = keyof typeof rules;
export type RowNoun = Exclude<StoredNoun, "blob">;

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

function checkToken({ kind, resources, label, environment }: BackupRow): void {
  const names = String(resources).split(",").filter(Boolean) as TokenResource[];
  const texts = { label: String(label), environment: String(environment) };
  const input = { kind: kind as TokenKind, resources: names, ...texts, limitCalls: 0, expiresAt: null };
  const checked = checkTokenInput(input);
  if (checked.resources.join() !== resources) throw refused("resources", resources, "names with commas, each once");
}

/** The subject of an event, by its noun. */
const subjects: Readonly<Record<string, Check>> = {
  entry: pathBelowRoot,
  folder: pathBelowRoot,
  file: pathBelowRoot,
  registry: registryKey,
  token: id,
};

function checkEvent({ kind, subject, target, uuid, was_public, is_public }: BackupRow): void {
  const change = [uuid, was_public, is_public].filter((value) => value !== null);
  if (change.length % 3 !== 0) throw refused("uuid", uuid, "a uuid, was_public and is_public, or none of them");
  const [noun = "", verb] = String(kind).split(".");
  subjects[noun]?.("subject", subject);
  if (verb === "move" || verb === "copy") pathBelowRoot("target", target);
  else if (target !== null) throw refused("target", target, `nothing, for ${kind}`);
}
