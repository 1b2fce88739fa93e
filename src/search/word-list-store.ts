import { parseJson } from "../core/lib/json.ts";
import type { ReadSql } from "../core/sql/sql.ts";
import { readLists, type WordLists } from "./query.ts";

/** The lists of words of a site, which are registry items. */
export async function wordListsOf(sql: Pick<ReadSql, "rowsAll">, locales: readonly string[]): Promise<WordLists> {
  const keys = locales.flatMap((locale) => kinds.map((kind) => [`search.${kind}.${locale}`]));
  const found = await sql.rowsAll("SELECT value FROM registry_item WHERE key = ?1", keys, ["text"]);
  const itemAt = (at: number) => {
    const [row] = found[at] ?? [];
    return row === undefined ? undefined : parseJson(String(row[0]));
  };
  return readLists(
    locales.map((locale, i) => ({ locale, stopWords: itemAt(2 * i), synonyms: itemAt(2 * i + 1) })) as never,
  );
}

const kinds = ["stop_words", "synonyms"];
