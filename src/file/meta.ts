import { missingWrites } from "../core/access/access.ts";
import {
  describeJson,
  forbiddenKeys,
  formatJson,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonDepth,
  parseJson,
} from "../core/lib/json.ts";
import { maxDataDepth } from "../entry/entry.ts";
import { focalField, parseFocal } from "../image/focal.ts";
import { type File, fileFields, type MetaChange, type MetaVerb, refuseTooLarge } from "./file.ts";
import { problem } from "./problems.ts";

export type { MetaChange, MetaVerb } from "./file.ts";

/** The fields that clients store on a file, and the two of the service's own that they may write. Contract §5, Meta. */

const writable = new Set(["title", "description"]);

/** Validates a change. Throws argument_invalid, key_forbidden, field_reserved, field_invalid, focal_invalid. */
export function parseMetaChange(
  verb: MetaVerb,
  field: string,
  value: Json | undefined,
  chain?: readonly string[],
): MetaChange {
  const keys = field.split(".");
  if (keys.includes("")) {
    throw problem("argument_invalid", {
      argument: "field",
      received: field,
      accepted: "a name, or names joined by dots",
    });
  }
  const bad = keys.find((key) => forbiddenKeys.has(key));
  if (bad !== undefined) throw problem("key_forbidden", { argument: bad });
  if (chain) return { verb, keys, value: textInLocale(verb, field, value), chain };
  const isOwn = writable.has(field);
  if (fileFields.has(keys[0] as string) && !(isOwn && verb === "update")) throw problem("field_reserved", { field });
  if (isOwn && typeof value !== "string") {
    throw problem("field_invalid", { argument: "value", received: describeJson(value), accepted: "a text" });
  }
  if (keys[0] === focalField && verb !== "delete" && (keys.length > 1 || !parseFocal(value))) {
    const accepted = "two numbers from 0 to 1, joined by a comma";
    throw problem("focal_invalid", { argument: "value", received: describeJson(value), accepted });
  }
  return { verb, keys, value: value === undefined ? undefined : formatJson(value) };
}

/** True for the name of a field that is the service's own, and that clients may write. */
export const isOwnText = (name: string): boolean => writable.has(name);

/** True for the dotted name of a field that may have another text in each locale. Contract §5, Texts by locale. */
export function isTranslatable(name: string): boolean {
  const keys = name.split(".");
  const [first = ""] = keys;
  if (first === focalField || (fileFields.has(first) && !isOwnText(name))) return false;
  return keys.length <= maxDataDepth && !keys.some((key) => key === "" || forbiddenKeys.has(key));
}

/** The text as JSON; undefined on delete. Throws argument_invalid, field_invalid. */
function textInLocale(verb: MetaVerb, field: string, value: Json | undefined): string | undefined {
  if (!isTranslatable(field)) {
    const accepted = `title, description or a field of the client's, at most ${maxDataDepth} levels deep; all others, and focal, are the same in every locale`;
    throw problem("argument_invalid", { argument: "field", received: field, accepted });
  }
  if (verb === "delete") return undefined;
  if (typeof value === "string") return formatJson(value);
  const accepted = `a text; in a locale "${field}" can be nothing else`;
  throw problem("field_invalid", { argument: "value", received: describeJson(value), accepted });
}

const ofAuthors = new Set(["title", "description", "alt", focalField]);

/**
 * Refuses what an access whose writes are staged may not change: other fields, and files that somebody else uploaded. Throws
 * scope_missing. Contract §5, Meta.
 */
export function refuseOthersFile({ uploader }: File, { keys }: MetaChange, actor: string): void {
  const isTheirs = uploader === actor && keys.length === 1 && ofAuthors.has(keys[0] as string);
  if (!isTheirs) throw missingWrites();
}

/** The file after the change. Throws field_exists, field_not_found, field_invalid, data_too_large, argument_invalid. */
export function changedFile(file: File, change: MetaChange, stamp: { revision: number; nowSeconds: number }): File {
  const value = change.value === undefined ? undefined : parseJson(change.value, maxDataDepth + 1);
  if (isOwnField(change)) refuseTooLarge("value", value as string);
  return {
    ...file,
    ...(isOwnField(change) ? { [change.keys[0] as string]: value } : { meta: changedMeta(file.meta, change, value) }),
    modifiedAt: Math.max(stamp.nowSeconds, file.modifiedAt),
    revision: stamp.revision,
    contentRevision: stamp.revision,
  };
}

const isOwnField = ({ keys }: MetaChange): boolean => isOwnText(keys.join("."));

function changedMeta(meta: string, change: MetaChange, value: Json | undefined): string {
  if (change.keys.length > maxDataDepth) throw tooDeep();
  const fields = parseJson(meta, maxDataDepth + 1) as JsonObject;
  apply(fields, change, 0, value);
  const text = formatJson(fields);
  refuseTooLarge("value", text);
  if (jsonDepth(fields) > maxDataDepth) throw tooDeep();
  return text;
}

const tooDeep = () =>
  problem("argument_invalid", {
    argument: "value",
    received: "a value nested deeper",
    accepted: `at most ${maxDataDepth} levels`,
  });

/** Follows the dotted name; an add creates the missing objects on the way. */
function apply(holder: Json, change: MetaChange, at: number, value: Json | undefined): void {
  const { verb, keys } = change;
  const key = keys[at] as string;
  const member = memberOf(holder, key, keys.slice(0, at));
  if (at < keys.length - 1) {
    if (member === undefined && verb !== "add") throw problem("field_not_found", { field: keys.join(".") });
    const below: Json = member === undefined ? new Map() : member;
    if (member === undefined) setMember(holder, key, below, keys.slice(0, at));
    apply(below, change, at + 1, value);
    return;
  }
  if (verb === "add" && member !== undefined) throw problem("field_exists", { field: keys.join(".") });
  if (verb !== "add" && member === undefined) throw problem("field_not_found", { field: keys.join(".") });
  if (verb === "delete") deleteMember(holder, key);
  else setMember(holder, key, value as Json, keys.slice(0, at));
}

/** The member of an object or list. Throws field_invalid when the holder is neither. */
function memberOf(holder: Json, key: string, above: readonly string[]): Json | undefined {
  if (isJsonObject(holder)) return holder.get(key);
  if (!Array.isArray(holder)) throw noFieldsBelow(above, holder);
  return isIndex(key) ? holder[Number(key)] : undefined;
}

/** In a list a number names an element, or the position after the last. */
function setMember(holder: Json, key: string, value: Json, above: readonly string[]): void {
  if (isJsonObject(holder)) holder.set(key, value);
  else if (Array.isArray(holder) && isIndex(key) && Number(key) <= holder.length) holder[Number(key)] = value;
  else throw noFieldsBelow(above, holder);
}

function deleteMember(holder: Json, key: string): void {
  if (isJsonObject(holder)) holder.delete(key);
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
}

const isIndex = (key: string): boolean => /^(0|[1-9]\d{0,8})$/.test(key);

const noFieldsBelow = (above: readonly string[], holder: Json) =>
  problem("field_invalid", {
    argument: "field",
    received: above.join("."),
    accepted: `a field that holds others; it is ${Array.isArray(holder) ? "a list, whose elements have numbers" : describeJson(holder)}`,
  });
