import { isHashes, json, matching, refused, textColumn, textOf } from "../core/row-column.ts";
import { canonicalLocale, sourceLocale } from "./locale.ts";

/** Columns of locales: see core/row.ts. */

const isTag = (text: string): boolean => canonicalLocale(text) === text;

/** A locale other than the source. */
export const localeTag = matching(isTag, "a language tag");
/** A locale, "" for the source. */
export const localeOrSource = matching((text) => text === sourceLocale || isTag(text), 'a language tag, or ""');
/** A JSON list of at least one. */
export const localeList = textColumn((column, value) => {
  const list = json(column, textOf(column, value));
  const isList = Array.isArray(list) && list.length > 0;
  if (!isList || !list.every((each) => each === sourceLocale || (typeof each === "string" && isTag(each))))
    throw refused(column, value, "a JSON list of language tags");
});

/** What keys were written against: a JSON object of hashes by key. */
export const hashes = textColumn((column, value) => {
  if (!isHashes(json(column, textOf(column, value)))) throw refused(column, value, "a JSON object of hashes by key");
});
