import { type CollectionItem, objectOf } from "../core/list/candidate.ts";
import type { Facets } from "../core/list/facet.ts";
import { type Reference, referencesOf } from "../core/list/include.ts";
import { type CollectionAnswer, type CollectionQuery, project } from "../core/list/list.ts";
import type { SearchDocument } from "./document.ts";
import { Highlighter } from "./highlight.ts";
import type { SearchQuery } from "./query.ts";
import type { SearchAsk } from "./search.ts";

/** How a page of what was found is answered. Contract §25, Answer. */

type Asked = { ask: SearchAsk; list: CollectionQuery; query: SearchQuery; pageBytes: number };
/** `at`: when it was published. */
type Match = { item: CollectionItem; document: SearchDocument; at: number };
type Sums = { facets: Facets; total: number; dropped: readonly string[]; isPartial: boolean };

/** The page ends early where its items are large, as that of a list does. */
export async function searchAnswer(
  { ask, list, query, pageBytes }: Asked,
  page: readonly Match[],
  { facets, total, dropped, isPartial }: Sums,
): Promise<CollectionAnswer> {
  const highlighter = new Highlighter(query);
  const texts: string[] = [];
  const matches: string[] = [];
  const references: (readonly Reference[])[] = [];
  let length = 0;
  for (const { item, document, at } of page) {
    const text = list.projection ? await project(item.json, list.projection) : item.json;
    length += text.length;
    if (length > pageBytes && texts.length > 0) break;
    texts.push(text);
    const { why, ...shown } = highlighter.show(document);
    matches.push(
      JSON.stringify({ id: item.path, ...shown, ...(ask.wantsWhy && { why: { ...why, published_at: at } }) }),
    );
    if (list.include) references.push(referencesOf(objectOf(item), list.include));
  }
  const sums = `"facets":${facets.toJson()},"total":${total},"dropped":${JSON.stringify(dropped)}`;
  return {
    json: `[${texts.join(",")}]`,
    next: undefined,
    total: undefined,
    beside: `"matches":[${matches.join(",")}],${sums}${isPartial ? ',"partial":true' : ""}`,
    ...(list.include && { references }),
  };
}
