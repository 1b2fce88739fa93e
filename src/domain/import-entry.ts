import { formatJson, isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { parseTime } from "../lib/time.ts";
import { parseYaml, YamlError } from "../lib/yaml.ts";
import { type EntryState, refuseTooLarge, serviceFields } from "./entry.ts";
import { parseEntryData } from "./entry-data.ts";
import { FrontMatterError, parseFrontMatter } from "./front-matter.ts";
import { Problem } from "./problem.ts";

/** The file of an entry as an import reads it. */

/** What is not taken of a thing, in a sentence. */
export type Note = string;

/** Why a thing is not imported. */
export class NotImported extends Error {}

export type EntryFile = { bytes: Uint8Array; extension: string; modifiedSeconds: number };
export type ReadEntry = { state: Omit<EntryState, "onConflict" | "maxKeys">; notes: Note[] };

/** More than an entry of maximum size takes as YAML, mostly. */
export const maxEntryFileBytes = 4 * 1024 * 1024;

/** Reads the file. Throws NotImported. */
export function readEntryFile({ bytes, extension, modifiedSeconds }: EntryFile, nowSeconds: number): ReadEntry {
  try {
    const { data, tags, isUnclosed } = parseFrontMatter(decode(bytes), extension);
    if (data.has("hashed_access_token")) throw new NotImported("it is a token of 1.0-alpha, whose text is not stored");
    const notes: Note[] = tags.map((tag) => `the tag ${tag} of a value has no effect`);
    if (isUnclosed) notes.push("its front matter has no second line ---: all of it is the content");
    const times = takeTimes(data, nowSeconds, notes);
    const uuid = takeUuid(data, notes);
    dropInvalid(data, notes);
    const { own, fields } = parseEntryData(data);
    if (!own.has("content")) own.set("content", "");
    const text = formatJson(own);
    refuseTooLarge(text);
    notes.push(...notesOf(own, text));
    return { state: { data: text, fields, uuid, ...times, fileSeconds: Math.min(modifiedSeconds, nowSeconds) }, notes };
  } catch (error) {
    if (error instanceof FrontMatterError || error instanceof Problem) throw new NotImported(error.message);
    throw error;
  }
}

/** Throws NotImported for other bytes than UTF-8. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotImported("it is not in UTF-8");
  }
}

/** The fields of a YAML file; none for an empty one. Throws NotImported, naming it as `what`. */
export function yamlFields(bytes: Uint8Array, what: string): JsonObject {
  try {
    const { value } = parseYaml(decode(bytes));
    if (value === null) return new Map();
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new NotImported(`${what} cannot be read: ${error.message}`);
  }
  throw new NotImported(`${what} holds no object of fields`);
}

type Times = { createdAt: number | undefined; modifiedAt: number | undefined };

/** The times that the service sets itself; those ahead of the clock become now. Decision 20. */
function takeTimes(data: JsonObject, nowSeconds: number, notes: Note[]): Times {
  const timeOf = (key: string): number | undefined => {
    const value = data.get(key);
    data.delete(key);
    if (value === undefined || value === null || value === "") return undefined;
    const time = typeof value === "string" || typeof value === "number" ? parseTime(value) : undefined;
    if (time !== undefined && time >= 0) return Math.min(time, nowSeconds);
    notes.push(`${key} is no time: that of the file is taken`);
    return undefined;
  };
  return { createdAt: timeOf("created_at"), modifiedAt: timeOf("modified_at") };
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function takeUuid(data: JsonObject, notes: Note[]): string | undefined {
  const value = data.get("uuid");
  data.delete("uuid");
  if (value === undefined || value === null || value === "") return undefined;
  const uuid = typeof value === "string" ? value.toLowerCase() : "";
  if (uuidPattern.test(uuid)) return uuid;
  notes.push("uuid is no UUID: the entry gets a new one");
  return undefined;
}

/** Removes the service's fields with values that a client could not set: the original has a default for them, too. */
function dropInvalid(data: JsonObject, notes: Note[]): void {
  const fields = [...data].filter(([name]) => serviceFields.has(name));
  if (isAccepted(fields)) return;
  for (const field of fields) {
    if (isAccepted([field])) continue;
    const [name] = field;
    data.delete(name);
    notes.push(`${name} is not accepted and has its default`);
  }
}

function isAccepted(fields: readonly (readonly [string, Json])[]): boolean {
  try {
    parseEntryData(new Map(fields));
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------- what has no effect

const shortcode = /\[([a-z][a-z0-9_-]*)(?:\s+[a-z_]+\s*=\s*\\?["'][^\]]*)?\s*\/?\](?!\()/g;
/** The shortcodes of the original that need no argument. */
const knownShortcodes = new Set([
  "url",
  "url_base",
  "site_url",
  "raw",
  "registry_get",
  "entries_fetch",
  "snippets",
  "media_files_fetch",
]);

/** `text` is the data as JSON. */
function* notesOf(data: JsonObject, text: string): Generator<Note> {
  const names = new Set<string>();
  for (const [all, name = ""] of text.includes("[") ? text.matchAll(shortcode) : []) {
    if (all.includes("=") || knownShortcodes.has(name) || text.includes(`[/${name}]`)) names.add(name);
  }
  if (names.size > 0)
    yield `shortcodes stay text: ${[...names]
      .sort()
      .slice(0, 10)
      .map((name) => `[${name}]`)
      .join(", ")}`;
  if (/<\?(?:php|=)/i.test(text)) yield "PHP stays text and does not run";
  if (data.has("parsers")) yield "the field parsers has no effect: clients render the text";
  if (fetches.some(([key, below]) => hasMember(data.get(key), below)))
    yield "a field that fetches others has no effect";
  if (text.includes("project/media/")) yield "it names project/media/…: files are at project/uploads/…";
}

const fetches: readonly (readonly [key: string, below: string])[] = [
  ["entries", "fetch"],
  ["media", "files"],
  ["media", "folders"],
  ["registry", "get"],
];

const hasMember = (value: Json | undefined, key: string): boolean => isJsonObject(value) && value.has(key);
