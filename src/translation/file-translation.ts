import { formatJson, isJsonObject, type Json, type JsonObject, parseJson } from "../core/lib/json.ts";
import { maxDataDepth } from "../entry/entry.ts";
import { type File, type MetaChange, refuseTooLarge } from "../file/file.ts";
import { isOwnText } from "../file/meta.ts";
import { problem } from "../file/problems.ts";
import { sourceLocale } from "./locale.ts";

/**
 * What a file says in other locales than the source: its title, its description, and texts of its meta fields. It belongs to
 * the file's uuid, and is laid over the file when that is read. Contract §5, Texts by locale.
 */

/** A locale, then those that it falls back to: see locale.ts. */
export type Chain = readonly string[];

/** What a file says in one locale, by the dotted names of its fields. */
export type FileTexts = ReadonlyMap<string, string>;

export type FileTranslation = {
  readonly locale: string;
  /** The sequence of the event that made this state. */
  readonly revision: number;
  readonly texts: FileTexts;
};

/** What a file has besides where it was read in a locale; its `revision` is then that of its state in this locale. */
export type InLocale = {
  /** The first of the chain in which it has a text; "" for the source. */
  readonly language: string;
};

export interface FileTranslationStore {
  /** The files as they are in the first locale of the chain, in their order; as they are themselves for a chain of none. */
  laidOver<F extends File>(files: readonly F[], chain: Chain): Promise<(F & InLocale)[]>;
}

/** The file in the first locale of the chain: each field has the text of the first that has one, otherwise its own. */
export function fileInLocale<F extends File>(file: F, found: readonly FileTranslation[], chain: Chain): F & InLocale {
  const used = chain.flatMap((locale) => found.filter((each) => each.locale === locale));
  const texts = new Map<string, string>();
  for (const [name, text] of used.flatMap((each) => [...each.texts])) if (!texts.has(name)) texts.set(name, text);
  return {
    ...file,
    title: texts.get("title") ?? file.title,
    description: texts.get("description") ?? file.description,
    meta: [...texts.keys()].every(isOwnText) ? file.meta : formatJson(metaWith(file, texts)),
    revision: found.find(({ locale }) => locale === chain[0])?.revision ?? file.revision,
    language: used[0]?.locale ?? sourceLocale,
  };
}

/** The texts after a change. Throws field_exists, field_not_found, field_invalid, data_too_large. */
export function changedTexts(file: File, own: FileTexts, { verb, keys, value }: MetaChange): FileTexts {
  const name = keys.join(".");
  const texts = new Map(own);
  if (verb === "add" && texts.has(name)) throw problem("field_exists", { field: name });
  if (verb === "delete" && !texts.delete(name)) throw problem("field_not_found", { field: name });
  if (value === undefined) return texts;
  const text = parseJson(value, 1) as string;
  if (!isOwnText(name) && !withText(metaWith(file, own), keys, text))
    throw problem("field_invalid", {
      argument: "field",
      received: name,
      accepted: "a field whose value is a text, or that the file does not have",
    });
  texts.set(name, text);
  refuseTooLarge("value", formatTexts(texts));
  return texts;
}

export const formatTexts = (texts: FileTexts): string => formatJson(new Map(texts));
export const parseTexts = (text: string): FileTexts => parseJson(text, 2) as Map<string, string>;

/** The file's meta fields with the texts. One that does not fit any more, since the file has changed, is left out. */
function metaWith({ meta }: File, texts: FileTexts): JsonObject {
  let fields: Json = parseJson(meta, maxDataDepth + 1);
  for (const [name, text] of texts) if (!isOwnText(name)) fields = withText(fields, name.split("."), text) ?? fields;
  return fields as JsonObject;
}

/** The value with the text at the keys; undefined where something else than a text is there. */
function withText(value: Json | undefined, [key, ...rest]: readonly string[], text: string): Json | undefined {
  if (key === undefined) return value === undefined || typeof value === "string" ? text : undefined;
  if (Array.isArray(value)) {
    const below = Object.hasOwn(value, key) && key !== "length" ? withText(value[Number(key)], rest, text) : undefined;
    return below === undefined ? undefined : value.with(Number(key), below);
  }
  if (value !== undefined && !isJsonObject(value)) return undefined;
  const below = withText(value?.get(key), rest, text);
  return below === undefined ? undefined : new Map(value).set(key, below);
}
