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
import {
  Among,
  documentsWith,
  Hits,
  listsOfTerm,
  mostPostings,
  readHits,
  type Seeing,
  type TermLists,
} from "./hits-store.ts";
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

/**
 * So many entries that were written since are looked at by a search; with more of them it waits for the index, once, and then
 * looks at more: beside steady writes there are always some.
 */
const [usualPending, mostPending] = [8, 512];

export type Answered = { answer: CollectionAnswer; isPending: boolean };

/** Undefined where too much is not indexed yet; where it `isLast`, only while the words of all entries are being made. */
export async function findIn(
  on: Scanning,
  ask: SearchAsk,
  list: CollectionQuery,
  access: Access,
  isLast: boolean,
): Promise<Answered | undefined> {
  const { sql } = on;
  const state = await searchState(sql, ask.way);
  if (state.isVoid || state.builtTo !== null) return undefined;
  const types = await searchTypes(on);
  const isTyped = state.typedTo === null && state.types === types.name;
  const maxPending = isLast ? mostPending : usualPending;
  const noted = isTyped ? await notedAfter(sql, state, maxPending + 1) : [];
  const isBehind = !isTyped || noted.length > maxPending;
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
  const lists: TermLists[] = [];
  for (const term of query.terms) lists.push(await listsOfTerm(on.sql, term, seeing));
  const whole = new Map<TermLists, Hits>();
  for (let leftOut = 0; leftOut <= mostLeftOut(query); leftOut++) {
    const required = requiredTerms(query, leftOut);
    const { documents, hits, isCut } = await documentsOf(search, { lists, whole }, required, seeing);
    const fromIndex = await passing(search, rankedDocuments(search, hits, documents), required);
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
  const weights = new Map<number, number>();
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
    weightOf(document, field) {
      const at = columns.typeNumberOf(document) * mostFields + field;
      const known = weights.get(at);
      if (known !== undefined) return known;
      const weight = types.weightsOf(columns.typeOf(document))(fields.get(field)?.key ?? "");
      weights.set(at, weight);
      return weight;
    },
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

/** The lists of the terms, and those of which all postings were read. */
type Read = { readonly lists: readonly TermLists[]; readonly whole: Map<TermLists, Hits> };

/**
 * The documents that have all required terms, and nothing that must not be there, with the hits of each term in them. The
 * hits begin with one term of which all are read, so that of others those in its documents are enough; where there is none,
 * with the first, and there may be more.
 */
async function documentsOf(
  search: Search,
  { lists, whole }: Read,
  required: number,
  seeing: Seeing,
): Promise<{ documents: ReadonlySet<number>; hits: readonly Hits[]; isCut: boolean }> {
  const { on, query, columns, state } = search;
  const needed = lists.filter((_, i) => required & (1 << i));
  const hits = new Map<TermLists, Hits>();
  let documents: Set<number> | undefined;
  let isCut = false;
  const readWhole = async (term: TermLists): Promise<Hits> => {
    const known = whole.get(term) ?? (await readHits(on.sql, term, seeing));
    whole.set(term, known);
    return known;
  };
  if (query.isAll) {
    const shelves = new Set(seeing.shelves);
    documents = new Set();
    for (const document of columns.all(state))
      if (shelves.has(columns.shelfOf(document)) && seeing.isSeen(document)) documents.add(document);
  } else {
    const base = await baseOf(needed, readWhole);
    const own = await readWhole(base);
    hits.set(base, own);
    isCut = own.isCut;
    documents = own.documentSet();
  }
  // The rarest first: each leaves fewer documents to the next.
  const rest = lists.filter((term) => !hits.has(term)).sort((a, b) => a.count - b.count);
  for (const term of rest.filter((each) => needed.includes(each))) {
    const own = await readHits(on.sql, term, seeing, new Among(documents));
    isCut ||= own.isCut;
    hits.set(term, own);
    documents = documents.intersection(own.documentSet());
  }
  // Where nothing falls back, what falls back otherwise takes nothing away: `passing` looks again.
  const without = search.access.locale?.isStrict ? [] : query.without;
  for (const words of without)
    documents = documents.difference(await documentsWith(on.sql, words, seeing, new Among(documents)));
  if (documents.size > 0)
    for (const term of rest.filter((each) => !needed.includes(each)))
      hits.set(term, await readHits(on.sql, term, seeing, new Among(documents)));
  return { documents, hits: lists.map((term) => hits.get(term) ?? new Hits()), isCut };
}

/** One of which all postings are read, the fewest of them first; the first of the query where there is none. */
async function baseOf(needed: readonly TermLists[], read: (term: TermLists) => Promise<Hits>): Promise<TermLists> {
  const [rarest] = needed.toSorted((a, b) => a.count - b.count);
  if (rarest && rarest.count <= mostPostings) return rarest;
  for (const term of needed) if (!(await read(term)).isCut) return term;
  return needed[0] as TermLists;
}

type Ranked = Found & { readonly found: number };

/** More fields than a store has, and more words than a value has: so far apart are the places of two fields. */
const [mostFields, fieldPlaces] = [2 ** 24, 2 ** 24];

function rankedDocuments(
  { query, columns, watch }: Search,
  hits: readonly Hits[],
  documents: ReadonlySet<number>,
): Ranked[] {
  // By document the last posting of it; `before` leads to the others.
  const last = new Map<number, number>();
  const most = hits.reduce((sum, { size }) => sum + size, 0);
  const before = new Int32Array(most);
  const terms = new Uint8Array(most);
  const postings = new Int32Array(most);
  let count = 0;
  for (const [term, { documents: of, size }] of hits.entries())
    for (let posting = size - 1; posting >= 0; posting--) {
      const document = of[posting] as number;
      if (!documents.has(document)) continue;
      before[count] = last.get(document) ?? -1;
      terms[count] = term;
      postings[count] = posting;
      last.set(document, count++);
    }
  const occurrences = new Occurrences();
  const ranked: Ranked[] = [];
  for (const document of documents) {
    if (ranked.length % 256 === 0) watch();
    occurrences.clear();
    for (let i = last.get(document) ?? -1; i >= 0; i = before[i] as number) {
      const term = terms[i] as number;
      const { typos, wholes, weights, fields, begins, places } = hits[term] as Hits;
      const at = postings[i] as number;
      const [typo, isWhole, weight] = [typos[at] as number, wholes[at] === 1, weights[at] as number];
      const from = (fields[at] as number) * fieldPlaces;
      for (let place = begins[at] as number; place < (begins[at + 1] as number); place++)
        occurrences.add(term, typo, isWhole, weight, from + (places[place] as number));
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
  const keys = near.map(({ entry }) => [entry]);
  const rows = await on.sql.rowsAll("SELECT id, slug FROM entry WHERE id = ?1", keys, ["integer"]);
  const slugs = new Map(rows.flat() as unknown as [number, string][]);
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

/** Counted over all that was found. */
async function facetsOf(search: Search, found: readonly Found[]): Promise<Facets> {
  const facets = new Facets(search.ask.facets);
  if (search.ask.facets.length === 0) return facets;
  const ids = found.map(({ entry }) => entry);
  for await (const entry of seenEntries(search, ids)) facets.add(objectOf(entryItem(entry)));
  return facets;
}
