import { type Access, accessAt, isOpenAt } from "../../src/core/access/access.ts";
import { type Json, type JsonObject, parseJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { type CollectionQuery, parseCollection } from "../../src/core/list/list.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import type { SqlStore } from "../../src/database.ts";
import type { StoredEntry } from "../../src/entry/rows.ts";
import { fieldsOf } from "../../src/search/document.ts";
import { seenPage } from "../../src/search/document-store.ts";
import { Highlighter } from "../../src/search/highlight.ts";
import { searchDocuments } from "../../src/search/match.ts";
import { readLists, readQuery } from "../../src/search/query.ts";
import { bucketsOf } from "../../src/search/rank.ts";
import type { Way } from "../../src/search/way.ts";
import { Types } from "../../src/type/check.ts";
import { usualWeight } from "../../src/type/weight.ts";

/** Searches beside a plain model: what the list of the same reader has, looked at one by one. Contract §25. */

export type Ask = {
  q: string;
  prefix: boolean;
  facets: readonly string[];
  top: Path;
  /** Depth and conditions, as a list has them. */
  args: Record<string, unknown>;
  limit: number;
  offset: number;
};

/** Registry items of searches, by locale. */
export type Lists = Readonly<Record<string, { stop_words?: unknown; synonyms?: unknown }>>;
export type TypeDefinition = { id: string; paths: readonly string[]; schema: string };

const bounds = { maxLimit: 10_000, defaultLimit: 10_000 };
const toJson = (value: unknown): Json => parseJson(JSON.stringify(value));
const queryOf = (top: Path, args: object): CollectionQuery =>
  parseCollection(top, toJson({ depth: "*", ...args }) as JsonObject, bounds);

/** What a search answers, as a client reads it. */
export type Told = { ids: string[]; matches: unknown[]; facets: unknown; total: number; dropped: string[] } | string;

export async function storeSearch({ searches }: SqlStore, ask: Ask, access: Access, way: Way): Promise<Told> {
  const { q, prefix, facets, top, args, limit, offset } = ask;
  const query = queryOf(top, { ...args, limit: String(limit), offset: String(offset) });
  const asked = { q, prefix, facets, wantsWhy: false, way, locale: way.source };
  const found = await searches.find(asked, query, access).catch(({ code }: { code: string }) => code);
  if (typeof found === "string") return found;
  const beside = JSON.parse(`{${found.beside}}`);
  const ids = (JSON.parse(wholeText(found.json)) as { slug: string }[]).map(({ slug }) => slug);
  return { ids, ...beside };
}

/** Searches of a state of types and lists, in entries that each list has. */
export class Searched {
  private readonly store: SqlStore;
  private readonly way: Way;
  private readonly lists: Lists;
  private readonly definitions: readonly TypeDefinition[];
  private readonly types: Types;

  constructor(store: SqlStore, way: Way, lists: Lists, definitions: readonly TypeDefinition[]) {
    this.store = store;
    this.way = way;
    this.lists = lists;
    this.definitions = definitions;
    const schemas = new Map(definitions.map(({ id, schema }) => [id, schema]));
    const rows = definitions.map(({ id, paths }) => ({ id, paths, mode: "enforce" as const }));
    this.types = new Types(rows, { schemaOf: (id) => schemas.get(id) });
  }

  async told({ q, prefix, facets, top, args, limit, offset }: Ask, access: Access): Promise<Told> {
    const seen = await this.listed(top, args, access).catch(({ code }: { code: string }) => code);
    if (typeof seen === "string") return seen;
    const locales = [...new Set([...(access.locale?.chain ?? []), this.way.source])];
    const items = locales.map((locale) => {
      const own = this.lists[locale] ?? {};
      return { locale, stopWords: toJson(own.stop_words ?? null), synonyms: toJson(own.synonyms ?? null) };
    });
    const query = readQuery(q, { locales, prefix, lists: readLists(items) });
    const documents = await Promise.all(seen.map((entry) => this.documentOf(entry)));
    const { found, dropped } = searchDocuments(query, documents);
    const page = found.slice(offset, offset + limit);
    const highlighter = new Highlighter(query);
    const matches = page.map(({ id, rank, item }) => {
      const { why: _, ...shown } = highlighter.show(item.document);
      const { words, typos } = bucketsOf(rank);
      return JSON.parse(JSON.stringify({ id, ...shown, words, typos }));
    });
    return {
      ...{ ids: page.map(({ id }) => id), matches, total: found.length, dropped: [...dropped] },
      facets: Object.fromEntries(facets.map((field) => [field, countsOf(found.map(({ item }) => item.data[field]))])),
    };
  }

  private async listed(top: Path, args: object, access: Access): Promise<StoredEntry[]> {
    const { json } = await this.store.entries.list(queryOf(top, args), access);
    // A depth may have the top itself, which is not searched.
    const slugs = (JSON.parse(wholeText(json)) as { slug: Slug }[])
      .map(({ slug }) => slug)
      .filter((slug) => slug !== top);
    // A preview shows more in some places than in others.
    const groups = [...Map.groupBy(slugs, (slug) => isOpenAt(access, slug)).values()];
    const find = (own: Slug[]) => this.store.translations.findAll(own, accessAt(access, own[0] as Slug));
    return (await Promise.all(groups.map(find))).flat() as StoredEntry[];
  }

  private async documentOf(entry: StoredEntry) {
    const { data, localeOf } = seenPage(entry, this.way.source);
    const type = this.types.typeOf(entry.slug, data.get("fieldset"));
    const isKnown = this.definitions.some(({ id }) => id === type);
    const weightOf = isKnown ? await this.types.weightsOf(type as string) : usualWeight;
    const document = fieldsOf(data, { weightOf, localeOf });
    return { document, at: entry.publishedAt, id: entry.slug, data: JSON.parse(entry.data) as Record<string, unknown> };
  }
}

function countsOf(values: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values)
    for (const each of new Set(Array.isArray(value) ? value : [value]))
      if (["string", "number", "boolean"].includes(typeof each)) counts[String(each)] = (counts[String(each)] ?? 0) + 1;
  return counts;
}
