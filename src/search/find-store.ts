import { type Access, reachedBelow, readerOf } from "../core/access/access.ts";
import { Candidate, compileMembership, objectOf } from "../core/list/candidate.ts";
import { Facets } from "../core/list/facet.ts";
import type { CollectionAnswer, CollectionQuery } from "../core/list/list.ts";
import { TimeBudget } from "../core/list/regexp.ts";
import { compareText, isWithin } from "../core/path.ts";
import { problem } from "../core/problem.ts";
import { watchOf } from "../core/sql/list/source.ts";
import type { Scanning } from "../core/sql/noun.ts";
import { entryItem } from "../entry/item.ts";
import { exists } from "../entry/list-store.ts";
import { entryTable, type StoredEntry } from "../entry/rows.ts";
import { isListed } from "../entry/visibility.ts";
import { sourceLocale } from "../translation/locale.ts";
import { searchAnswer } from "./answer.ts";
import { type Columns, columnsOf } from "./columns-store.ts";
import { fieldsOf, type SearchDocument } from "./document.ts";
import { seenPage } from "./document-store.ts";
import { extrasOf } from "./extra-store.ts";
import { documentsWith, type Hits, readHits, type Seeing } from "./hits-store.ts";
import { Matcher } from "./match.ts";
import { openPlaces, placesOf } from "./place-store.ts";
import type { SearchQuery } from "./query.ts";
import { queryOf } from "./query-store.ts";
import { leftOutTerms, mostLeftOut, Occurrences, rankOf, requiredTerms } from "./rank.ts";
import type { SearchAsk } from "./search.ts";
import { audienceOf, shelvesOf } from "./shelf.ts";
import { type Noted, notedAfter, type SearchState, searchState } from "./state-store.ts";
import { type SearchTypes, searchTypes } from "./types-store.ts";

/**
 * How a search is answered: from the posting lists, and for the few entries that these do not have as the reader sees them,
 * from what they say.
 */

/** So many entries that were written since are looked at by each search; with more of them it waits for the index. */
const maxPending = 64;

export type Answered = { answer: CollectionAnswer; isPending: boolean };

/** Undefined where too much is not indexed yet; where it `isLast`, only if there is no index at all. */
export async function findIn(
  on: Scanning,
  ask: SearchAsk,
  list: CollectionQuery,
  access: Access,
  isLast: boolean,
): Promise<Answered | undefined> {
  const { sql } = on;
  const state = await searchState(sql, ask.way);
  if (state.isVoid) return undefined;
  const types = await searchTypes(on);
  const isTyped = state.typedTo === null && state.types === types.name;
  const isBuilt = state.builtTo === null && isTyped;
  const noted = isBuilt ? await notedAfter(sql, state, maxPending + 1) : [];
  const isBehind = !isBuilt || noted.length > maxPending;
  if (isBehind && !isLast) return undefined;
  if (!(await exists(on, list.path, access))) throw problem("entry_not_found", { id: list.path });
  const search = await open(on, ask, list, access, state, types);
  const found = await find(search, noted, isBehind);
  return { answer: await answer(search, found), isPending: noted.length > 0 };
}

/** A search under way. */
type Search = {
  readonly on: Scanning;
  readonly ask: SearchAsk;
  readonly list: CollectionQuery;
  readonly access: Access;
  readonly state: SearchState;
  readonly query: SearchQuery;
  readonly types: SearchTypes;
  readonly columns: Columns;
  readonly hasConditions: boolean;
  /** True for an entry at the depth that the conditions have. */
  isMember(entry: StoredEntry): boolean;
  watch(): void;
};

async function open(
  on: Scanning,
  ask: SearchAsk,
  list: CollectionQuery,
  access: Access,
  state: SearchState,
  types: SearchTypes,
): Promise<Search> {
  const { filter } = list;
  const budget = new TimeBudget(on.options.regexpBudgetMs);
  const isMember = compileMembership(list, { budget, nowSeconds: access.nowSeconds });
  return {
    on,
    ask,
    list,
    access,
    state,
    query: await queryOf(on.sql, ask, access.locale?.chain),
    types,
    columns: await columnsOf(on, state),
    hasConditions: filter.all.length + filter.any.length > 0,
    isMember: (entry) => isMember(new Candidate(entryItem(entry))),
    watch: await watchOf(on, readerOf(access), "q"),
  };
}

// ---------------------------------------------------------------------------------------------- finding

/** An entry that was found. The rank: lower is better. */
type Found = { readonly entry: number; readonly rank: number; readonly publishedAt: number };
type AllFound = { readonly found: readonly Found[]; readonly dropped: readonly string[]; readonly isPartial: boolean };

async function find(search: Search, noted: readonly Noted[], isBehind: boolean): Promise<AllFound> {
  const { on, query, access } = search;
  if (query.terms.length === 0 && !query.isAll) return { found: [], dropped: [], isPartial: isBehind };
  const extras = await extrasOf(on, access, noted);
  const ranked = await rankedExtras(search, extras.look);
  const seeing = await seeingOf(search, extras.passOver);
  const read: Hits[] = [];
  for (const term of query.terms) read.push(await readHits(on.sql, term, seeing));
  for (let leftOut = 0; leftOut <= mostLeftOut(query); leftOut++) {
    const required = requiredTerms(query, leftOut);
    const { documents, hits, isCut } = await documentsOf(search, read, required, seeing);
    const fromIndex = await passing(search, await rankedDocuments(search, hits, documents), required);
    const fromExtras = ranked.filter(({ found }) => (found & required) === required);
    const found = [...fromIndex, ...fromExtras];
    if (found.length === 0) continue;
    return { found, dropped: leftOutTerms(query, leftOut).map(({ text }) => text), isPartial: isCut || isBehind };
  }
  return { found: [], dropped: [], isPartial: isBehind };
}

/** What the postings are looked at for. */
async function seeingOf({ on, list, access, state, types, columns, watch }: Search, passOver: ReadonlySet<number>) {
  const places = await placesOf(
    on,
    { path: list.path, depth: list.find.depth },
    reachedBelow(access, list.path),
    watch,
  );
  const open = await openPlaces(on, access, watch);
  const { fields } = columns;
  const tops = new Map<number, number>();
  const seeing: Seeing = {
    shelves: shelvesOf(access, access.locale?.own ?? sourceLocale),
    watch,
    isSeen(document) {
      if (!columns.holds(document, state)) return false;
      const entry = columns.entryOf(document);
      const parent = columns.parentOf(document);
      if (passOver.has(entry) || !places.has(parent, entry)) return false;
      if (!open) return true;
      const audience = audienceOf(columns.shelfOf(document));
      return audience === "all" || (audience === "drafts") === open.has(parent, entry);
    },
    weightOf: (document, field) => types.weightsOf(columns.typeOf(document))(fields.get(field)?.key ?? ""),
    topWeightOf(field) {
      const known = tops.get(field);
      if (known !== undefined) return known;
      const top = types.topWeightOf(fields.get(field)?.key ?? "");
      tops.set(field, top);
      return top;
    },
    languageOf: (field) => fields.get(field)?.language ?? "",
    readFields: (numbers) => columns.readFields(on.sql, numbers),
  };
  return seeing;
}

/** The documents that have all required terms, and nothing that must not be there. */
async function documentsOf(
  search: Search,
  read: readonly Hits[],
  required: number,
  seeing: Seeing,
): Promise<{ documents: ReadonlySet<number>; hits: readonly Hits[]; isCut: boolean }> {
  const { on, query, columns, state } = search;
  const needed = query.terms.map((_, i) => i).filter((i) => required & (1 << i));
  const hits = [...read];
  let documents: Set<number> | undefined;
  const areCut = needed.every((i) => hits[i]?.isCut);
  const narrow = (i: number) => {
    const own = new Set(hits[i]?.documents);
    documents = documents ? documents.intersection(own) : own;
  };
  if (query.isAll) {
    const shelves = new Set(seeing.shelves);
    documents = new Set();
    for (const document of columns.all(state))
      if (shelves.has(columns.shelfOf(document)) && seeing.isSeen(document)) documents.add(document);
  }
  for (const i of needed) if (areCut || !hits[i]?.isCut) narrow(i);
  // The documents of a rarer word: of the frequent one their postings alone are read.
  for (const [i, term] of query.terms.entries()) {
    if (!hits[i]?.isCut || areCut || !documents) continue;
    hits[i] = await readHits(on.sql, term, seeing, Number.POSITIVE_INFINITY, documents);
    if (needed.includes(i)) narrow(i);
  }
  let left: ReadonlySet<number> = documents ?? new Set();
  // Where nothing falls back, what falls back otherwise takes nothing away: `passing` looks again.
  const without = search.access.locale?.isStrict ? [] : query.without;
  for (const words of without) left = left.difference(await documentsWith(on.sql, words, seeing, left));
  return { documents: left, hits, isCut: needed.some((i) => hits[i]?.isCut) };
}

type Ranked = Found & { readonly found: number };

/** Of each field places are this far apart: more words than a value has. */
const fieldPlaces = 2 ** 24;

async function rankedDocuments(
  { query, columns, watch }: Search,
  hits: readonly Hits[],
  documents: ReadonlySet<number>,
): Promise<Ranked[]> {
  // By document the last posting of it; `before` leads to the others.
  const last = new Map<number, number>();
  const before: number[] = [];
  const at: [term: number, posting: number][] = [];
  for (const [term, { documents: of }] of hits.entries())
    for (let posting = of.length - 1; posting >= 0; posting--) {
      const document = of[posting] as number;
      if (!documents.has(document)) continue;
      before.push(last.get(document) ?? -1);
      last.set(document, at.push([term, posting]) - 1);
    }
  const occurrences = new Occurrences();
  const ranked: Ranked[] = [];
  for (const document of documents) {
    if (ranked.length % 256 === 0) watch();
    occurrences.clear();
    for (let i = last.get(document) ?? -1; i >= 0; i = before[i] as number) {
      const [term, posting] = at[i] as [number, number];
      const own = hits[term] as Hits;
      const field = own.fields[posting] as number;
      const begin = own.begins[posting] as number;
      const end = own.begins[posting + 1] as number;
      for (let place = begin; place < end; place++)
        occurrences.add(
          term,
          own.typos[posting] as number,
          own.wholes[posting] as boolean,
          own.weights[posting] as number,
          field * fieldPlaces + (own.places[place] as number),
        );
    }
    ranked.push({
      entry: columns.entryOf(document),
      rank: rankOf(query, occurrences),
      publishedAt: columns.publishedAt(document),
      found: occurrences.found,
    });
  }
  return ranked;
}

/** Those that the conditions have; what falls back is looked at again where nothing may. */
async function passing(search: Search, ranked: readonly Ranked[], required: number): Promise<readonly Ranked[]> {
  const { hasConditions, access, query } = search;
  const isStrict = access.locale?.isStrict ?? false;
  if (!hasConditions && !isStrict) return ranked;
  const matcher = new Matcher(query);
  const kept: Ranked[] = [];
  const known = new Map(ranked.map((each) => [each.entry, each]));
  for await (const entry of seenEntries(search, known.keys())) {
    if (hasConditions && !search.isMember(entry)) continue;
    const own = known.get(entry.id) as Ranked;
    const match = isStrict ? matcher.rank(documentOf(search, entry)) : own;
    if (match && (match.found & required) === required) kept.push({ ...own, ...match });
  }
  return kept;
}

async function rankedExtras(search: Search, ids: readonly number[]): Promise<Ranked[]> {
  const { query, list } = search;
  const matcher = new Matcher(query);
  const ranked: Ranked[] = [];
  for await (const entry of seenEntries(search, ids)) {
    if (entry.slug === list.path || !isWithin(entry.slug, list.path) || !search.isMember(entry)) continue;
    const match = matcher.rank(documentOf(search, entry));
    if (match) ranked.push({ entry: entry.id, publishedAt: entry.publishedAt, ...match });
  }
  return ranked;
}

const documentOf = ({ ask, types }: Search, entry: StoredEntry): SearchDocument => {
  const { data, localeOf } = seenPage(entry, ask.way.source);
  return fieldsOf(data, { weightOf: types.weightsOf(types.typeOf(entry.slug, data.get("fieldset"))), localeOf });
};

/** Entries by number, as the reader sees them; those that he does not see are left out. */
async function* seenEntries({ on, access, watch }: Search, ids: Iterable<number>): AsyncGenerator<StoredEntry> {
  const itemsById = on.links.seenItems(on.sql, on.itemsById, access);
  for await (const some of itemsById(entryTable, ids)) {
    watch();
    const laid = await on.links.inLocale(on, some as StoredEntry[], access);
    for (const entry of laid) if (isListed(entry, access)) yield entry;
  }
}

// ---------------------------------------------------------------------------------------------- the answer

async function answer(search: Search, { found, dropped, isPartial }: AllFound): Promise<CollectionAnswer> {
  const { ask, list, query, on } = search;
  const page = await pageOf(search, found);
  const facets = await facetsOf(search, found);
  const items = page.map(({ entry, at }) => ({ item: entryItem(entry), document: documentOf(search, entry), at }));
  const { pageBytes } = on.options;
  return searchAnswer({ ask, list, query, pageBytes }, items, { facets, total: found.length, dropped, isPartial });
}

/** The entries of the page, in order. */
async function pageOf(search: Search, found: readonly Found[]): Promise<{ entry: StoredEntry; at: number }[]> {
  const { on, list } = search;
  const { offset, limit } = list;
  const compare = (a: Found, b: Found) => a.rank - b.rank || b.publishedAt - a.publishedAt;
  const sorted = found.toSorted(compare);
  const [first, last] = [sorted[offset], sorted[Math.min(offset + limit, sorted.length) - 1]];
  if (!first || !last) return [];
  // Ids decide between those that are alike: of others than those at the ends of the page none is asked for.
  const begin = sorted.findIndex((each) => compare(each, first) === 0);
  const end = sorted.findLastIndex((each) => compare(each, last) === 0) + 1;
  const near = sorted.slice(begin, end);
  const slugs = new Map<number, string>();
  for await (const rows of idsOf(on, near)) for (const [id, slug] of rows) slugs.set(id as number, slug as string);
  near.sort((a, b) => compare(a, b) || compareText(slugs.get(a.entry) ?? "", slugs.get(b.entry) ?? ""));
  const wanted = near.slice(offset - begin, offset - begin + limit);
  const entries = new Map<number, StoredEntry>();
  for await (const entry of seenEntries(
    search,
    wanted.map(({ entry }) => entry),
  ))
    entries.set(entry.id, entry);
  return wanted.flatMap(({ entry, publishedAt }) => {
    const own = entries.get(entry);
    return own ? [{ entry: own, at: publishedAt }] : [];
  });
}

async function* idsOf({ sql }: Scanning, found: readonly Found[]) {
  const keys = found.map(({ entry }) => [entry]);
  yield (await sql.rowsAll("SELECT id, slug FROM entry WHERE id = ?1", keys, ["integer"])).flat();
}

/** Counted over all that was found. */
async function facetsOf(search: Search, found: readonly Found[]): Promise<Facets> {
  const facets = new Facets(search.ask.facets);
  if (search.ask.facets.length === 0) return facets;
  const ids = found.map(({ entry }) => entry);
  for await (const entry of seenEntries(search, ids)) facets.add(objectOf(entryItem(entry)));
  return facets;
}
