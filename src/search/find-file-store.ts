import { type Access, readerOf } from "../core/access/access.ts";
import { parseJson } from "../core/lib/json.ts";
import { Candidate, type CollectionItem, compileMembership, objectOf } from "../core/list/candidate.ts";
import { Facets } from "../core/list/facet.ts";
import type { CollectionAnswer, CollectionQuery } from "../core/list/list.ts";
import { TimeBudget } from "../core/list/regexp.ts";
import { nameOf } from "../core/path.ts";
import { watchOf } from "../core/sql/list/source.ts";
import type { Scanning } from "../core/sql/noun.ts";
import { fileItem } from "../file/file.ts";
import type { UploadsAddress } from "../file/folder.ts";
import { filesIn } from "../file/list-store.ts";
import type { StoredFile } from "../file/rows.ts";
import { usualWeight } from "../type/weight.ts";
import { searchAnswer } from "./answer.ts";
import { fieldsOf, type SearchDocument } from "./document.ts";
import { searchDocuments } from "./match.ts";
import { queryOf } from "./query-store.ts";
import type { SearchAsk } from "./search.ts";

/**
 * Searches of files, whose few words each search looks at: a store has a hundred times fewer of them than it has words, so no
 * index is worth its writes. Past the time of a scan it is refused.
 */

/** Throws folder_not_found, argument_invalid, filter_too_costly. */
export async function findFilesIn(
  on: Scanning,
  ask: SearchAsk,
  list: CollectionQuery,
  address: UploadsAddress,
  access: Access,
  chain: readonly string[] | undefined,
): Promise<CollectionAnswer> {
  const { options } = on;
  const watch = await watchOf(on, readerOf(access), "q");
  const query = await queryOf(on.sql, ask, chain, true);
  const isMember = compileMembership(list, {
    budget: new TimeBudget(options.regexpBudgetMs),
    nowSeconds: access.nowSeconds,
  });
  const items: { item: CollectionItem; document: SearchDocument; at: number; id: string }[] = [];
  for await (const files of filesIn(on, list, access, chain)) {
    watch();
    for (const file of files) {
      const item = fileItem(file, address);
      if (!isMember(new Candidate(item))) continue;
      const document = documentOf(file, chain?.[0] ?? ask.way.source);
      items.push({ item, document, at: file.uploadedAt, id: file.path });
    }
  }
  const { found, dropped } = searchDocuments(query, items);
  const facets = new Facets(ask.facets);
  if (ask.facets.length > 0) for (const { item } of found) facets.add(objectOf(item.item));
  const page = found.slice(list.offset, list.offset + list.limit).map(({ item }) => item);
  const sums = { facets, total: found.length, dropped, isPartial: false };
  return searchAnswer({ ask, list, query, pageBytes: options.pageBytes }, page, sums);
}

const names: ReadonlySet<string> = new Set(["filename", "sent_name"]);
const isName = (key: string): boolean => names.has(key);

/** The texts by which a file is known. Contract §25. */
function documentOf(file: StoredFile, locale: string): SearchDocument {
  const meta = parseJson(file.meta) as Map<string, never>;
  const texts = new Map<string, never>(
    Object.entries({
      title: file.title,
      filename: nameOf(file.path),
      sent_name: file.sentName,
      alt: meta.get("alt"),
      description: file.description,
      tags: meta.get("tags"),
    }).filter(([, value]) => value !== undefined && value !== null) as [string, never][],
  );
  return fieldsOf(texts, { weightOf: usualWeight, localeOf: () => locale, isName });
}
