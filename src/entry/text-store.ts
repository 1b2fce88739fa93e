import { type Filter, partOfMatches } from "../core/list/filter.ts";
import type { CollectionQuery } from "../core/list/list.ts";
import { certainOfPart } from "../core/list/regexp.ts";
import { fieldTest } from "../core/sql/index/range.ts";
import { likeSql, partPattern } from "../core/sql/sql.ts";
import { serviceFields } from "./field.ts";
import { textFields } from "./rows.ts";

/**
 * Conditions on texts as SQL that is true for every match, and for few others: a scan then parses only those entries.
 */

/** A longer pattern is left to the domain: SQLite takes 50,000 bytes. */
const maxCharacters = 1000;
/** A shorter part of a word is in nearly every entry. */
const minCharacters = 3;

/** The service's fields that are texts. */
const serviceTexts = textFields.join(" || ' ' || ");

/** SQL conditions; their values are the parameters from `?first` on. */
export function textConditions({ filter, find }: CollectionQuery, first: number): { sql: string[]; values: string[] } {
  const values: string[] = [];
  const like = (expression: string, part: string): string => {
    values.push(partPattern(part));
    return likeSql(expression, first + values.length - 1);
  };
  const likeAnywhere = (part: string) => [like("data", inData(part)), like(serviceTexts, part)];
  const sql = partsInData(filter).map((part) => like("data", inData(part)));
  for (const word of find.words.map(longestCertain)) {
    if (word.length >= minCharacters && isShort(word)) sql.push(like("lower(data)", word));
  }
  const parts = find.contains.map(certainOfPart);
  if (parts.length > 0 && parts.every(isShort)) sql.push(`(${parts.flatMap(likeAnywhere).join(" OR ")})`);
  return { sql, values };
}

/** Texts that the data of every match contains, where the field index does not know them. */
function partsInData({ all, any }: Filter): string[] {
  // With or_where an entry need not satisfy the others.
  const conditions =
    any.length > 0 ? [] : all.filter((condition) => condition.operator !== "regexp" && !fieldTest(condition, 0));
  return conditions.flatMap((condition) => {
    const part = serviceFields.has(condition.key) ? undefined : partOfMatches(condition);
    return part !== undefined && isShort(part) ? [part] : [];
  });
}

/** As it is in the text of the data. A number contains its digits there, too. */
const inData = (part: string): string => JSON.stringify(part).slice(1, -1);

const isShort = (part: string): boolean => part !== "" && inData(part).length <= maxCharacters;

/**
 * The longest part of a normalised word that is in the data whatever its case and its Unicode form: ASCII that JSON does
 * not escape, and that no other character becomes in lower case (the Kelvin sign a k, the dotted I an i) or in NFC.
 */
function longestCertain(word: string): string {
  const parts = word.match(/[^"\\`;ki\x00-\x1f\x7f-\uffff]+/g) ?? [];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}
