import type { SearchDocument, SearchField } from "./document.ts";
import { languageOf, type SearchQuery, type Sequence, type Term } from "./query.ts";
import {
  compareRanked,
  leftOutTerms,
  mostLeftOut,
  Occurrences,
  placeGap,
  type Ranked,
  rankOf,
  requiredTerms,
} from "./rank.ts";
import { stemOf } from "./stem.ts";
import { typosBetween } from "./typo.ts";
import type { Word } from "./word.ts";

/** What a query finds in documents, word by word: the plain model of a search. Contract §25, Words, Order. */

/**
 * The typos with which a word stands for a term that is none of its `wholes`: 0 by its beginning or its stem in the language;
 * undefined where it does not. `stem` is the word's; `term` none of a phrase.
 */
export function typosOf(term: Term, word: string, stem: string, language: string): number | undefined {
  if (term.word === undefined) return undefined;
  if (term.isBeginning && word.startsWith(term.word)) return 0;
  if (language !== "" && term.stems.get(language) === stem) return 0;
  return typosBetween(term.word, word, term.mostTypos);
}

/** Where a term stands: in which field, from which of its words on, and how many these are. */
export type Hit = {
  readonly term: number;
  readonly typos: number;
  readonly isWhole: boolean;
  readonly field: SearchField;
  readonly at: number;
  readonly size: number;
};

/** The buckets as a rank (`rankOf`), and a bit for each term that is there. */
export type Match = { readonly rank: number; readonly found: number };

/** A sequence to look for; `term` is -1 for what an entry may have nowhere. */
type Wanted = { readonly term: number; readonly words: Sequence };
type Near = { readonly term: number; readonly typos: number };

/** Looks for a query in documents. The stemmers of their languages must be loaded. */
export class Matcher {
  readonly query: SearchQuery;
  /** By their first words. */
  private readonly wanted = new Map<string, Wanted[]>();
  /** What the words of a language are near to, by their forms as written. */
  private readonly near = new Map<string, Map<string, readonly Near[]>>();
  private readonly occurrences = new Occurrences();

  constructor(query: SearchQuery) {
    this.query = query;
    const want = (term: number, words: Sequence) => {
      const first = words[0] as string;
      this.wanted.set(first, [...(this.wanted.get(first) ?? []), { term, words }]);
    };
    for (const [i, { wholes }] of query.terms.entries()) for (const words of wholes) want(i, words);
    for (const words of query.without) want(-1, words);
  }

  /** All places of the terms in reading order; undefined where the document has something of `without`. */
  hits(document: SearchDocument): Hit[] | undefined {
    const hits: Hit[] = [];
    for (const field of document)
      for (let at = 0; at < field.words.length; at++) if (!this.hitsAt(field, at, hits)) return undefined;
    return hits;
  }

  /** The rank of the document, and a bit for each term that it has; undefined where it has something of `without`. */
  rank(document: SearchDocument): Match | undefined {
    const hits = this.hits(document);
    return hits && this.rankOfHits(hits);
  }

  /** The same by the document's hits. */
  rankOfHits(hits: readonly Hit[]): Match {
    const { occurrences } = this;
    occurrences.clear();
    let base = 0;
    let last = hits[0]?.field;
    for (const { term, typos, isWhole, field, at } of hits) {
      if (field !== last) base += (last?.words.length ?? 0) + placeGap;
      last = field;
      occurrences.add(term, typos, isWhole, field.weight, base + at);
    }
    return { rank: rankOf(this.query, occurrences), found: occurrences.found };
  }

  private hitsAt(field: SearchField, at: number, hits: Hit[]): boolean {
    const { word, from, to } = field.words[at] as Word;
    let wholes = 0;
    for (const { term, words } of this.wanted.get(word) ?? []) {
      if (!words.every((each, i) => field.words[at + i]?.word === each)) continue;
      if (term < 0) return false;
      if (words.length === 1) wholes |= 1 << term;
      hits.push({ term, typos: 0, isWhole: true, field, at, size: words.length });
    }
    for (const { term, typos } of this.nearOf(word, field.text.slice(from, to), languageOf(field.locale)))
      if (!(wholes & (1 << term))) hits.push({ term, typos, isWhole: false, field, at, size: 1 });
    return true;
  }

  private nearOf(word: string, written: string, language: string): readonly Near[] {
    const known = this.near.get(language) ?? new Map<string, readonly Near[]>();
    this.near.set(language, known);
    const found = known.get(written);
    if (found) return found;
    const stem = stemOf(written, language);
    const near = this.query.terms.flatMap((term, i): Near[] => {
      const typos = typosOf(term, word, stem, language);
      return typos === undefined ? [] : [{ term: i, typos }];
    });
    known.set(written, near);
    return near;
  }
}

export type Searched = { readonly document: SearchDocument; readonly at: number; readonly id: string };

/** What is found of some documents, in order, and the words as typed that none has together with the others. */
export type Found<T> = {
  readonly found: readonly (Ranked & { readonly item: T })[];
  readonly dropped: readonly string[];
};

/**
 * Searches all of the documents, the way any other search must answer too. Where none has all words, words are left out from
 * the end until one has the others.
 */
export function searchDocuments<T extends Searched>(query: SearchQuery, items: readonly T[]): Found<T> {
  if (query.terms.length === 0 && !query.isAll) return { found: [], dropped: [] };
  const matcher = new Matcher(query);
  const ranked = items.flatMap((item) => {
    const match = matcher.rank(item.document);
    return match ? [{ ...match, item, at: item.at, id: item.id }] : [];
  });
  for (let leftOut = 0; leftOut <= mostLeftOut(query); leftOut++) {
    const required = requiredTerms(query, leftOut);
    const found = ranked.filter((match) => (match.found & required) === required);
    if (found.length > 0)
      return { found: found.sort(compareRanked), dropped: leftOutTerms(query, leftOut).map(({ text }) => text) };
  }
  return { found: [], dropped: [] };
}
