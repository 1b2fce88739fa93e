import { isJsonObject, type Json, type JsonObject } from "../core/lib/json.ts";
import type { WeightOf } from "../type/weight.ts";
import { cutWords, type Word } from "./word.ts";

/** What of an entry or a file is searched. Contract §25, What is searched. */

/** A text of the data and its words. */
export type SearchField = {
  /** Where it is: keys and places in lists with dots between them, `author.name`, `tags.0`. */
  readonly name: string;
  /** The same without places in lists: `tags`. */
  readonly key: string;
  /** That it is written in; "" for none. */
  readonly locale: string;
  readonly weight: number;
  readonly text: string;
  readonly words: readonly Word[];
};

/** The texts of an entry in the order of its data. */
export type SearchDocument = readonly SearchField[];

/** How the texts of an entry are searched. */
export type SearchShape = {
  readonly weightOf: WeightOf;
  /** The locale of what is below a key of the data itself; "" for none. */
  readonly localeOf: (topKey: string) => string;
  /** Whether a key holds names of files. */
  readonly isName?: (key: string) => boolean;
};

/** A key that names the type of an entry, as a reference does. */
const typeKey = "fieldset";

/** The texts of the data that have a weight. */
export function fieldsOf(data: JsonObject, { weightOf, localeOf, isName }: SearchShape): SearchDocument {
  const fields: SearchField[] = [];
  const add = (text: string, name: string, key: string, locale: string): void => {
    const weight = weightOf(key);
    if (weight > 0) fields.push({ name, key, locale, weight, text, words: cutWords(text, locale, isName?.(key)) });
  };
  // Recursion is as deep as the data, whose depth is bounded.
  const walk = (value: Json, name: string, key: string, locale: string): void => {
    if (typeof value === "string") add(value, name, key, locale);
    else if (Array.isArray(value)) for (const [i, item] of value.entries()) walk(item, `${name}.${i}`, key, locale);
    else if (isJsonObject(value))
      for (const [member, below] of value) walk(below, `${name}.${member}`, `${key}.${member}`, locale);
  };
  for (const [key, value] of data) if (key !== typeKey) walk(value, key, key, localeOf(key));
  return fields;
}
