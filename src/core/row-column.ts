import { readCanonical } from "./lib/canonical-json.ts";
import { isJsonObject, type Json, JsonError, maxDataDepth } from "./lib/json.ts";
import { memo } from "./lib/memo.ts";
import { latestSeconds } from "./lib/time.ts";
import { isPath, parsePath, parsePathBelowRoot } from "./path.ts";
import { type Problem, problem } from "./problem.ts";

/** What a column of a stored row may be: see row.ts. A feature has further ones in its row-rules.ts. */

/** All columns of a row by name. It refers to other rows by path or hash, never by a row number. */
export type BackupRow = Readonly<Record<string, string | number | null>>;

/** Throws a problem that names the column. */
export type Check = (column: string, value: unknown) => void;

/** A column: what it is in the database, and what a request could have written there. */
export type Column = {
  readonly type: "integer" | "text";
  readonly isNullable: boolean;
  readonly check: Check;
  /** The value in a backup that is older than the column. Absent: each backup has the column. */
  readonly older?: (row: BackupRow) => string | number | null;
};

const columnOf =
  (type: Column["type"]) =>
  (check: Check): Column => ({ type, isNullable: false, check });
export const textColumn = columnOf("text");
const integerColumn = columnOf("integer");

export const orNull = (column: Column): Column => ({
  ...column,
  isNullable: true,
  check: (name, value) => {
    if (value !== null) column.check(name, value);
  },
});

/** A column that older backups lack, with the value of their rows. */
export const added = (column: Column, older: NonNullable<Column["older"]>): Column => ({ ...column, older });

export const refused = (argument: string, value: unknown, accepted: string): Problem =>
  problem("argument_invalid", { argument, received: String(value), accepted });

export function textOf(argument: string, value: unknown): string {
  if (typeof value !== "string") throw refused(argument, value, "a text");
  if (!value.isWellFormed()) throw problem("text_invalid", { argument, rule: "a lone surrogate" });
  if (value.includes("\0")) throw problem("text_invalid", { argument, rule: "U+0000" });
  return value;
}

export const text = textColumn(textOf);

/** A confidential text; messages do not show its value. */
export const secret = (isGood: (text: string) => boolean, accepted: string): Column =>
  textColumn((column, value) => {
    if (typeof value !== "string" || !isGood(value)) throw refused(column, "another text", accepted);
  });

export const matching = (isGood: (text: string) => boolean, accepted: string): Column =>
  textColumn((column, value) => {
    if (!isGood(textOf(column, value))) throw refused(column, value, accepted);
  });

/** `names` may be known only when all features are loaded. */
export function oneOf(names: readonly string[] | (() => readonly string[])): Column {
  const known = typeof names === "function" ? memo(names) : () => names;
  return textColumn((column, value) => {
    if (!known().includes(textOf(column, value))) throw refused(column, value, `one of ${known().join(", ")}`);
  });
}

export const integer = (min: number, max: number): Column =>
  integerColumn((column, value) => {
    const isGood = Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
    if (!isGood) throw refused(column, value, `an integer from ${min} to ${max}`);
  });

/** A counter must stay a safe integer: SQLite's rows cannot be read past that. */
export const maxCounted = 2 ** 52;
export const count = integer(0, maxCounted);
export const size = integer(0, Number.MAX_SAFE_INTEGER);
export const flag = integer(0, 1);
/** A time of the service's own clock, which may be wrong but is never before 1970. */
export const time = integer(0, latestSeconds);
/** When a row was made and last changed, and by which event. */
export const stamps = { created_at: time, modified_at: time, revision: count };
/** A time that a client may set. Contract §4. */
export const anyTime = integer(-latestSeconds, latestSeconds);

/** The stored form: a text that parsing would change breaks the rule, too. */
export const asRead = (read: (argument: string, text: string) => string): Column =>
  textColumn((column, value) => {
    if (read(column, textOf(column, value)) !== value) {
      throw problem("path_invalid", {
        argument: column,
        received: String(value),
        rule: "it is not in its stored form (NFC, no outer slashes)",
      });
    }
  });

export const path = asRead(parsePath);
export const pathBelowRoot = asRead(parsePathBelowRoot);

export const name = textColumn((column, value) => {
  parsePathBelowRoot(column, textOf(column, value));
  if (!isPath(value as string) || (value as string).includes("/"))
    throw refused(column, value, "one segment of a path");
});

/** In the canonical form that the service writes: answers are concatenated from such texts. */
export function json(column: string, value: unknown): Json {
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
export const fields = (own: ReadonlySet<string>, maxBytes: number, needed: readonly string[] = []): Column =>
  textColumn((column, value) => {
    if (Buffer.byteLength(textOf(column, value)) > maxBytes) {
      throw problem("data_too_large", { argument: column, limit: maxBytes });
    }
    const object = json(column, value);
    if (!isJsonObject(object)) throw refused(column, value, "a JSON object");
    const reserved = [...object.keys()].find((key) => own.has(key));
    if (reserved !== undefined) throw problem("field_reserved", { field: reserved });
    const missing = needed.find((key) => !object.has(key));
    if (missing !== undefined) throw refused(column, value, `an object with the key "${missing}"`);
  });

export const uuid = matching(
  (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  "a UUID in small letters",
);
/** The request log holds it unescaped. */
export const id = matching((text) => /^[\w-]{1,64}$/.test(text), 'an id of letters, digits, "_" and "-"');
/** Who wrote, as the log names him: a token, a person, the service. */
export const actor = matching((text) => /^(person:)?[\w-]{1,64}$/.test(text), "the id of a token, or person:<id>");

/** true or false, as a member of an object. */
export const boolean: Check = (column, value) => {
  if (typeof value !== "boolean") throw refused(column, value, "true or false");
};

/** The members of an object in its shortest JSON text. Throws what `refused` makes. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === "object" && fields !== null && JSON.stringify(fields) === text) return { ...fields };
  } catch {
    // Refused below.
  }
  throw refused("fields", text, "a JSON object in its shortest form");
}

/** True for an object of hashes, as staged-base.ts writes them, by key. */
export const isHashes = (of: Json): boolean =>
  isJsonObject(of) && [...of.values()].every((hash) => typeof hash === "string" && /^[\w-]{0,16}$/.test(hash));
