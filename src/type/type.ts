import type { WriteContext } from "../core/event.ts";
import {
  describeJson,
  formatJson,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonDepth,
  maxDataDepth,
} from "../core/lib/json.ts";
import type { Asker } from "../core/list/query.ts";
import type { Path, Slug } from "../core/path.ts";
import { checkAll, type Fault, type Problem } from "../core/problem.ts";
import { parsePattern } from "./path.ts";
import { problem } from "./problems.ts";

/**
 * The room of content types: which data the entries of some paths have. A type is a JSON Schema with the patterns of the ids whose
 * entries are of it. Contract, part two, §9; decision 55.
 */
export type ContentType = Readonly<{
  id: string;
  title: string;
  description: string;
  /** Patterns of entry ids; see type-path.ts. */
  paths: readonly string[];
  /** A JSON Schema 2020-12, as JSON text. */
  schema: string;
  /** Whether writes are checked. */
  mode: TypeMode;
}>;

export const typeModes = ["enforce", "off"] as const;
export type TypeMode = (typeof typeModes)[number];

/** What a put refuses in a schema that an earlier version took; see type-name.ts. */
export type SchemaFault = Readonly<{ pointer: string; message: string }>;
type Faulty = { readonly fault?: SchemaFault | undefined };

/** A type with the sequence of the event that made it. */
export type StoredType = ContentType & { readonly revision: number } & Faulty;

/** A type that is tried: which entries would be of it. */
export type TriedType = Pick<ContentType, "id" | "paths" | "schema">;

/**
 * What a check of the entries found: how many are of the type, how many fail, the first of these by id. `last` is where the
 * check ended before it came to the end: the id of the entry that it looked at last.
 */
export type TypeCheck = {
  checked: number;
  failing: number;
  first: { id: string; errors: readonly Fault[] }[];
  last?: Slug;
};

/** Which entries a check looks at: those at and below these paths (null for all), behind an id; for whom. */
export type TypeCheckScope = {
  readonly paths: readonly Path[] | null;
  readonly after?: Slug | undefined;
  readonly asker?: Asker | undefined;
};

/** Where types are stored. Each write is one transaction and one event, in force from the next write on. */
export interface TypeStore {
  find(id: string): Promise<StoredType | undefined>;
  /** Types in the order of their ids, at most `limit`, after `after`. */
  list(after: string | undefined, limit: number): Promise<StoredType[]>;
  /**
   * Creates or replaces the type. Throws type_not_found (with `ifMatch`), revision_mismatch, schema_invalid,
   * type_in_use (another type refers to a part that the schema no longer has), too_many_types.
   */
  put(id: string, type: Omit<ContentType, "id">, context: WriteContext): Promise<StoredType>;
  /** Throws type_not_found, revision_mismatch, type_in_use. */
  delete(id: string, context: WriteContext): Promise<void>;
  /**
   * Checks the entries that the type would have if it were put, as long as a scan for a management token may take, and
   * stores nothing. Throws schema_invalid, and busy when the asker has too many scans in progress or has left.
   */
  check(tried: TriedType, scope: TypeCheckScope): Promise<TypeCheck>;
}

export const maxTypes = 1000;
/** The entries and working copies that one change of types may write, in one transaction. */
export const maxPlanned = 100_000;
const maxSchemaBytes = 256 * 1024;
const maxTitleBytes = 1000;
const maxDescriptionBytes = 16 * 1024;
const maxPatterns = 100;

/** The failing entries that a check names. */
export const maxNamedEntries = 100;

const idPattern = /^[a-z0-9_-]{1,64}$/;
export const isTypeId = (text: string): boolean => idPattern.test(text);

const acceptedId = 'an id of 1 to 64 small letters, digits, "_" and "-"';

/** Throws argument_invalid. */
export function parseTypeId(text: string, argument = "id"): string {
  if (!isTypeId(text)) throw problem("argument_invalid", { argument, received: text, accepted: acceptedId });
  return text;
}

/** A type without what may be absent. */
export type SentType = Pick<ContentType, "id" | "schema"> & Partial<ContentType>;

/** Throws argument_invalid, data_too_large. The store compiles the schema. */
export function parseType(sent: SentType): ContentType {
  const { id, title = "", description = "", paths = [], schema, mode = "enforce" } = sent;
  checkAll(
    () => parseTypeId(id),
    () => parseMode(mode),
    () => refuseLong("title", title, maxTitleBytes),
    () => refuseLong("description", description, maxDescriptionBytes),
  );
  return { id, title, description, paths, schema, mode };
}

function parseMode(mode: string): TypeMode {
  const found = typeModes.find((each) => each === mode);
  if (!found) throw problem("argument_invalid", { argument: "mode", received: mode, accepted: typeModes.join(" or ") });
  return found;
}

function refuseLong(argument: string, text: string, limit: number): void {
  if (Buffer.byteLength(text) > limit) throw problem("data_too_large", { argument, limit });
}

/** Absent is none. Throws argument_invalid. */
export function parsePaths(sent: Json | undefined): string[] {
  if (sent === undefined) return [];
  if (!Array.isArray(sent) || sent.length > maxPatterns)
    throw notPaths(describeJson(sent), `a list of at most ${maxPatterns} patterns of entry ids`);
  const paths = sent.map((each) => {
    if (typeof each !== "string") throw notPaths(describeJson(each), "a text such as blog/*");
    parsePattern(each);
    return each;
  });
  return [...new Set(paths)];
}

const notPaths = (received: string, accepted: string): Problem =>
  problem("argument_invalid", { argument: "paths", received, accepted });

const acceptedSchema = "a JSON Schema: an object, true or false";

/** The schema as JSON text. Throws argument_missing, argument_invalid, data_too_large. */
export function parseSchema(sent: Json | undefined): string {
  if (sent === undefined) throw problem("argument_missing", { argument: "schema", accepted: acceptedSchema });
  if (!isJsonObject(sent) && typeof sent !== "boolean") {
    throw problem("argument_invalid", { argument: "schema", received: describeJson(sent), accepted: acceptedSchema });
  }
  if (jsonDepth(sent) > maxDataDepth) {
    const accepted = `${acceptedSchema}, of at most ${maxDataDepth} levels`;
    throw problem("argument_invalid", { argument: "schema", received: "one of more levels", accepted });
  }
  const text = formatJson(sent);
  if (Buffer.byteLength(text) > maxSchemaBytes)
    throw problem("data_too_large", { argument: "schema", limit: maxSchemaBytes });
  return text;
}

/** The members of a type object as clients send it. */
export const typeKeys: readonly string[] = ["id", "title", "description", "paths", "schema", "mode"];

/** A type object, whose members are known. Throws argument_missing, argument_invalid, data_too_large. */
export function parseTypeObject(sent: JsonObject): ContentType {
  const text = (key: string): string | undefined => {
    const value = sent.get(key);
    if (value === undefined || typeof value === "string") return value;
    throw problem("argument_invalid", { argument: key, received: describeJson(value), accepted: "a text" });
  };
  const [id, title, description, mode, paths, schema] = checkAll(
    () => text("id"),
    () => text("title"),
    () => text("description"),
    () => text("mode"),
    () => parsePaths(sent.get("paths")),
    () => parseSchema(sent.get("schema")),
  );
  if (id === undefined) throw problem("argument_missing", { argument: "id", accepted: acceptedId });
  return parseType({ id, title, description, mode, paths, schema } as SentType);
}

/** The type, if there is one. Throws type_not_found. */
export function existingType<T extends ContentType>(type: T | undefined, id: string): T {
  if (!type) throw problem("type_not_found", { id });
  return type;
}

/** The type object as JSON text; the schema is as it was sent. */
export function formatType({ id, title, description, paths, schema, mode, fault }: ContentType & Faulty): string {
  const head = JSON.stringify({ id, title, description, paths });
  const tail = JSON.stringify({ mode, fault });
  return `${head.slice(0, -1)},"schema":${schema},${tail.slice(1)}`;
}

/** The cursor after a type of the list. */
export const formatTypeCursor = ({ id }: ContentType): string => Buffer.from(id).toString("base64url");

/** The inverse: the id after which a page begins. Throws cursor_invalid. */
export function parseTypeCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!isTypeId(id)) throw problem("cursor_invalid");
  return id;
}
