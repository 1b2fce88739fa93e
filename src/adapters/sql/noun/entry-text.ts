import type { CollectionQuery } from "../../../domain/collection.ts";
import { serviceFields } from "../../../domain/entry.ts";

/**
 * Conditions on texts as SQL that is true for every match, and for few others: a scan then parses only those entries.
 */

/** A longer pattern is left to the domain: SQLite takes 50,000 bytes. */
const maxCharacters = 1000;
/** A shorter part of a word is in nearly every entry. */
const minCharacters = 3;

/** SQL conditions; their values are the parameters from `?first` on. */
export function textConditions({ filter, find }: CollectionQuery, first: number): { sql: string[]; values: string[] } {
  const sql: string[] = [];
  const values: string[] = [];
  const add = (expression: string, part: string) => {
    sql.push(`${expression} LIKE ?${first + values.length} ESCAPE '!'`);
    values.push(`%${part.replace(/[%_!]/g, "!$&")}%`);
  };
  // With or_where an entry need not satisfy the others.
  const conditions = filter.any.length > 0 ? [] : filter.all;
  for (const { key, operator, value } of conditions) {
    if (operator !== "contains" || typeof value !== "string" || serviceFields.has(key)) continue;
    // As it is in the text of the data. A number contains its digits there, too.
    const part = JSON.stringify(value).slice(1, -1);
    if (part.length <= maxCharacters) add("data", part);
  }
  for (const word of find.words) {
    const part = longestCertain(word);
    if (part.length >= minCharacters && part.length <= maxCharacters) add("lower(data)", part);
  }
  return { sql, values };
}

/**
 * The longest part of a normalised word that is in the data whatever its case and its Unicode form: ASCII that JSON does
 * not escape, and that no other character becomes in lower case (the Kelvin sign a k, the dotted I an i) or in NFC.
 */
function longestCertain(word: string): string {
  const parts = word.match(/[^"\\`;ki\x00-\x1f\x7f-\uffff]+/g) ?? [];
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}
