import { parseJson } from "../core/lib/json.ts";
import type { ReadSql } from "../core/sql/sql.ts";
import { readLists, readQuery, type SearchQuery, type WordLists } from "./query.ts";
import type { SearchAsk } from "./search.ts";
import { loadStemmers } from "./stem.ts";
import { languagesOf } from "./way.ts";

/**
 * What is asked for, in a locale and those that it falls back to, with the lists of words of the site. `isName`: names of files
 * are searched. Throws argument_invalid.
 */
export async function queryOf(
  sql: Pick<ReadSql, "rowsAll">,
  { q, prefix, way }: SearchAsk,
  chain: readonly string[] = [],
  isName = false,
): Promise<SearchQuery> {
  const locales = [...new Set([...chain, way.source])];
  await loadStemmers(languagesOf(way));
  const named = locales.map((locale) => locale || "und");
  return readQuery(q, { locales, prefix, isName, lists: await wordListsOf(sql, named) });
}

/** The lists of words of a site, which are registry items. */
async function wordListsOf(sql: Pick<ReadSql, "rowsAll">, locales: readonly string[]): Promise<WordLists> {
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
