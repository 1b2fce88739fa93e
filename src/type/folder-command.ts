import { type Dirent, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { CommandError, UsageError } from "../cli/command.ts";
import { isYaml, jsonIn, replaceFile } from "../cli/data-file.ts";
import { yamlIn } from "../cli/yaml-file.ts";
import { formatJson, isJsonObject, type Json, type JsonObject, maxDataDepth } from "../core/lib/json.ts";
import { formatYaml } from "../core/lib/yaml-text.ts";
import { compareText } from "../core/path.ts";
import { Problem } from "../core/problem.ts";
import { differencesOf, objectOf } from "./model.ts";
import { refuseUnknownKeys } from "./read-command.ts";
import { type ContentType, parseTypeObject } from "./type.ts";

/** A folder with a file for each type. */
export type TypeFolder = {
  name: string;
  /** In the order of their names. */
  files: readonly TypeFile[];
  /** The folders in it, which are not read. */
  folders: readonly string[];
};

export type TypeFile = { name: string; type: ContentType; remove(): void };

const extension = /\.(json|ya?ml)$/i;
/** More than any type has: a schema has 256 KiB. */
const maxFileBytes = 4 * 1024 * 1024;
/** A schema is one level below its type. */
const maxFileDepth = maxDataDepth + 1;

/** Files of other kinds, and hidden ones, are passed over. Throws UsageError for a file that is no type, or is one twice. */
export function readTypeFolder(name: string, { mayBeMissing = false } = {}): TypeFolder {
  const all = entriesOf(name, mayBeMissing).filter((entry) => !entry.name.startsWith("."));
  const { folder = [], file = [] } = Object.groupBy(all, (entry) => (entry.isDirectory() ? "folder" : "file"));
  const files = file.filter((entry) => extension.test(entry.name)).map((entry) => readTypeFile(name, entry.name));
  const first = new Map<string, string>();
  for (const { name: own, type } of files) {
    const other = first.get(type.id);
    if (other !== undefined)
      throw new UsageError(`${other} and ${own} both have the type "${type.id}"; expected one file for each`);
    first.set(type.id, own);
  }
  return { name, files, folders: folder.map((entry) => entry.name) };
}

function entriesOf(name: string, mayBeMissing: boolean): Dirent[] {
  try {
    return readdirSync(name, { withFileTypes: true }).sort((one, other) => compareText(one.name, other.name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && mayBeMissing) return [];
    if (code === "ENOENT")
      throw new UsageError(`DIR was "${name}", and there is no such folder; expected one with a file for each type`);
    if (code === "ENOTDIR") throw new UsageError(`DIR was "${name}", which is a file; expected a folder`);
    throw new UsageError(`DIR was "${name}", which cannot be read: ${message}`);
  }
}

function readTypeFile(folder: string, name: string): TypeFile {
  const path = join(folder, name);
  const sent = objectIn(path, name);
  refuseUnknownKeys(sent, name);
  return { name, type: typeOf(sent, name), remove: () => rmSync(path) };
}

/** A file without `id` has that of its name. */
function typeOf(sent: JsonObject, name: string): ContentType {
  try {
    return parseTypeObject(sent.has("id") ? sent : new Map([["id", name.replace(extension, "")], ...sent]));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new UsageError(`${name}: ${error.message}`);
  }
}

function objectIn(path: string, name: string): JsonObject {
  const text = textIn(path, name);
  const value = isYaml(name) ? untaggedYamlIn(text, name) : jsonIn(text, name, maxFileDepth);
  if (!isJsonObject(value)) throw new UsageError(`${name} does not have an object; expected that of a type`);
  return value;
}

function textIn(path: string, name: string): string {
  try {
    if (statSync(path).size > maxFileBytes) throw new UsageError(`${name} has more than ${maxFileBytes} bytes`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${name} cannot be read: ${error instanceof TypeError ? "it is not UTF-8" : (error as Error).message}`,
    );
  }
}

/** Tags would be dropped. */
function untaggedYamlIn(text: string, name: string): Json {
  const { value, tags } = yamlIn(text.replaceAll("\r\n", "\n"), name);
  if (tags.length > 0) throw new UsageError(`${name} has the tag ${tags[0]}; expected YAML without tags`);
  return value;
}

// ---------------------------------------------------------------------------------------------- written

/** Makes the folder, too. */
function writeTypeFile({ name: folder }: TypeFolder, name: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new CommandError(`${folder} cannot be made: ${(error as Error).message}`);
  }
  replaceFile(join(folder, name), text);
}

type Pulled = { name: string; isWritten: boolean };

/** A file that says the same keeps its text, also its comments. */
export function writePulled(folder: TypeFolder, file: TypeFile | undefined, type: ContentType): Pulled {
  if (file && differencesOf(file.type, type).length === 0) return { name: file.name, isWritten: false };
  const name = file?.name ?? newNameOf(type, folder);
  writeTypeFile(folder, name, fileTextOf(type, name));
  return { name, isWritten: true };
}

/** A name for the file of a type that has none. On some disks names that differ in case alone are one. */
function newNameOf({ id }: ContentType, { files }: TypeFolder): string {
  const taken = new Set(files.map(({ name }) => name.toLowerCase()));
  let name = `${id}.json`;
  for (let n = 2; taken.has(name); n++) name = `${id}-${n}.json`;
  return name;
}

/** The file of a type: the same type is always the same text. */
function fileTextOf(type: ContentType, name: string): string {
  const object = new Map([["id", type.id], ...objectOf(type)]);
  return isYaml(name) ? formatYaml(object) : `${formatPretty(object)}\n`;
}

/** JSON with a line for each member, and numbers as they were written. */
function formatPretty(value: Json, indent = ""): string {
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.length > 0)
    return `[\n${value.map((item) => `${inner}${formatPretty(item, inner)}`).join(",\n")}\n${indent}]`;
  if (!isJsonObject(value) || value.size === 0) return formatJson(value);
  const members = [...value].map(([key, member]) => `${inner}${JSON.stringify(key)}: ${formatPretty(member, inner)}`);
  return `{\n${members.join(",\n")}\n${indent}}`;
}
