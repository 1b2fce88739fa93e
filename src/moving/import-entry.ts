import { formatJson, isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import { parseTime } from "../core/lib/time.ts";
import { parseYaml, YamlError } from "../core/lib/yaml.ts";
import { nameOf, type Slug } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { quote } from "../core/problem-row.ts";
import { parseEntryData } from "../entry/data.ts";
import { type EntryState, refuseTooLarge } from "../entry/entry.ts";
import { type SettableFields, serviceFields, settableFields } from "../entry/field.ts";
import { type Locales, parseLocale } from "../translation/locale.ts";
import { type FrontMatter, FrontMatterError, parseFrontMatter } from "./front-matter.ts";
import { publicationOf, type Site } from "./import-page.ts";

/** The file of an entry as an import reads it. */

/** What is not taken of a thing, in a sentence. */
export type Note = string;

/** Why a thing is not imported; `code` is that of a service's refusal. */
export class NotImported extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** `slug` is where it goes; `path` where it is in a folder of pages, undefined in a project of the original. */
export type EntryFile = {
  bytes: Uint8Array;
  extension: string;
  modifiedSeconds: number;
  slug: Slug;
  page: { path: string; site: Site } | undefined;
  /** Those of the store. */
  locales: Locales | undefined;
  /** Of a translation; undefined for the source. */
  locale?: string | undefined;
};
export type ReadEntry = {
  state: Omit<EntryState, "onConflict" | "maxKeys">;
  /** Of a translation: the last part of its path. */
  name: string | null;
  notes: Note[];
  /** Comments of the file are not in the entry. */
  hasComments: boolean;
};

/** More than an entry of maximum size takes as YAML, mostly. */
export const maxEntryFileBytes = 4 * 1024 * 1024;

/** Changes the links of the data of a page at the path, and says which stay. */
export type Relink = (path: string, data: JsonObject, notes: Note[]) => void;

/** Reads the file. Throws NotImported. */
export function readEntryFile(file: EntryFile, nowSeconds: number, relink?: Relink): ReadEntry {
  try {
    const front = parseFrontMatter(decode(file.bytes), file.extension);
    const { data } = front;
    if (data.has("hashed_access_token")) throw new NotImported("it is a token of 1.0-alpha, whose text is not stored");
    const isTranslation = file.locale !== undefined;
    const notes = [...frontNotes(front, file.slug, isTranslation)];
    const name = isTranslation ? nameIn(data.get("slug"), notes) : null;
    const times = takeTimes(data, nowSeconds, notes);
    const uuid = takeUuid(data, notes);
    dropInvalid(data, notes);
    const { own, fields } = parseEntryData(data);
    const { page } = file;
    if (page) {
      const read = { ...page, data: own, stated: { ...fields }, isUnclosed: front.unclosed !== undefined };
      Object.assign(fields, publicationOf(read, nowSeconds, notes));
    }
    const onlyLocales = isTranslation ? undefined : takeOnlyLocales(own, file.locales);
    if (isTranslation) keepOwn(own, fields, front, notes);
    else if (!own.has("content")) own.set("content", "");
    if (page) relink?.(page.path, own, notes);
    const text = formatJson(own);
    refuseTooLarge(text);
    notes.push(...notesOf(own, text, page?.path));
    const fileSeconds = Math.min(file.modifiedSeconds, nowSeconds);
    const state = { data: text, fields, uuid, ...times, fileSeconds, onlyLocales };
    return { state, name, notes, hasComments: front.hasComments };
  } catch (error) {
    if (error instanceof FrontMatterError || error instanceof Problem) throw new NotImported(error.message);
    throw error;
  }
}

/** What the entry has not of its front matter. */
function* frontNotes(front: FrontMatter, slug: Slug, isTranslation: boolean): Generator<Note> {
  const { data, tags, unclosed, hasOtherContent } = front;
  for (const tag of tags) yield `the tag ${tag} of a value has no effect`;
  if (unclosed) yield `its front matter has no ${unclosed}: all of it is the content`;
  if (hasOtherContent) yield "its field content is not taken: the text below the front matter is the content";
  const other = data.get("slug");
  if (isTranslation || other === undefined || other === null || other === "") return;
  if (other === slug || other === nameOf(slug)) return;
  const text = typeof other === "string" ? other : formatJson(other);
  yield `its field slug is not taken, since the path of the file is the id: ${quote(text)}`;
}

/** The name of a translation, where its field `slug` is one. */
function nameIn(slug: Json | undefined, notes: Note[]): string | null {
  if (slug === undefined || slug === null || slug === "") return null;
  if (typeof slug === "string" && !slug.includes("/")) return slug;
  notes.push(`its field slug is not taken, since it is no last part of a path: ${quote(formatJson(slug))}`);
  return null;
}

/** Leaves what a translation has of its own. */
function keepOwn(own: JsonObject, fields: SettableFields, { isBare }: FrontMatter, notes: Note[]): void {
  if (isBare) own.delete("content");
  const shared = settableFields.filter(({ key }) => key !== "visibility" && key !== "publishedAt");
  for (const { key, name } of shared.filter(({ key }) => fields[key] !== undefined)) {
    delete fields[key];
    notes.push(`its ${name} is not taken: that of the entry is of all locales`);
  }
}

/** How an export says in which locales alone an entry is public. */
export const onlyLocalesKey = "octavo_only_locales";

/** The source as "". Throws NotImported, also where there are no locales: then the entry would be public to all. */
function takeOnlyLocales(own: JsonObject, locales: Locales | undefined): string[] | null | undefined {
  const value = own.get(onlyLocalesKey);
  own.delete(onlyLocalesKey);
  if (value === undefined || value === null) return locales && null;
  if (!locales)
    throw new NotImported(`it is public in some locales alone (${onlyLocalesKey}): set the setting locales`);
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0) throw new NotImported(`its ${onlyLocalesKey} is an empty list`);
  return [...new Set(names.map((name) => parseLocale(locales, String(name), onlyLocalesKey)))];
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

/** What the templates of Hugo (`{{< figure >}}`), Zola (`{{ youtube() }}`) and Jekyll (`{% include %}`) begin with. */
const template = /\{\{[<%]-?\s*([a-zA-Z][\w./-]*)|\{%-?\s*([a-zA-Z]\w*)|\{\{-?\s*(\w+(?=\()|(?:site|page)\.[\w.]+)/g;

/** `text` is the data as JSON; `path` that of a page of a generator. */
function* notesOf(data: JsonObject, text: string, path: string | undefined): Generator<Note> {
  const content = data.get("content");
  if (path !== undefined && typeof content === "string") yield* pageNotes(content, path);
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

function* pageNotes(content: string, path: string): Generator<Note> {
  const names = new Set<string>();
  for (const [, hugo, tag, variable] of content.includes("{") ? content.matchAll(template) : [])
    names.add(hugo ?? tag ?? (variable as string));
  for (const name of names) if (/^end/.test(name)) names.delete(name);
  if (names.size > 0) yield `templates stay text: ${[...names].sort().slice(0, 10).map(quote).join(", ")}`;
  if (path.endsWith(".mdx") && /^(?:import|export)\s|<[A-Z]/m.test(content)) yield "components of MDX stay text";
}

const fetches: readonly (readonly [key: string, below: string])[] = [
  ["entries", "fetch"],
  ["media", "files"],
  ["media", "folders"],
  ["registry", "get"],
];

const hasMember = (value: Json | undefined, key: string): boolean => isJsonObject(value) && value.has(key);
