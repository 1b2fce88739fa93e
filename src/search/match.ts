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

/** Where a term stands in a field: from which of its words on, and how many these are. */
type Place = {
  readonly term: number;
  readonly typos: number;
  readonly isWhole: boolean;
  readonly at: number;
  readonly size: number;
};
export type Hit = Place & { readonly field: SearchField };

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
      const known = this.wanted.get(first);
      if (known) known.push({ term, words });
      else this.wanted.set(first, [{ term, words }]);
    };
    for (const [i, { wholes }] of query.terms.entries()) for (const words of wholes) want(i, words);
    for (const words of query.without) want(-1, words);
  }

  /** The rank of the document, and a bit for each term that it has; undefined where it has something of `without`. */
  rank(document: SearchDocument): Match | undefined {
    const { occurrences } = this;
    occurrences.clear();
    let base = 0;
    for (const field of document) {
      const isLeft = this.each(field, ({ term, typos, isWhole, at }) =>
        occurrences.add(term, typos, isWhole, field.weight, base + at),
      );
      if (!isLeft) return undefined;
      base += field.words.length + placeGap;
    }
    return { rank: rankOf(this.query, occurrences), found: occurrences.found };
  }

  /** The places of each term with its fewest typos in reading order, at most so many: a text may be one word over and over. */
  best(document: SearchDocument, most: number): Hit[] {
    const fewest: number[] = [];
    for (const field of document)
      this.each(field, ({ term, typos }) => {
        fewest[term] = Math.min(typos, fewest[term] ?? typos);
      });
    const hits: Hit[] = [];
    for (const field of document) {
      if (hits.length >= most) break;
      this.each(field, (place) => {
        if (hits.length < most && place.typos === fewest[place.term]) hits.push({ ...place, field });
      });
    }
    return hits;
  }

  /** Calls `visit` for the places of a field; false where it has something of `without`, up to there. */
  private each(field: SearchField, visit: (place: Place) => void): boolean {
    const { words, text } = field;
    const language = languageOf(field.locale);
    for (const [at, { word, from, to }] of words.entries()) {
      let wholes = 0;
      for (const { term, words: wanted } of this.wanted.get(word) ?? []) {
        if (!wanted.every((each, i) => words[at + i]?.word === each)) continue;
        if (term < 0) return false;
        if (wanted.length === 1) wholes |= 1 << term;
        visit({ term, typos: 0, isWhole: true, at, size: wanted.length });
      }
      for (const { term, typos } of this.nearOf(word, text.slice(from, to), language))
        if (!(wholes & (1 << term))) visit({ term, typos, isWhole: false, at, size: 1 });
    }
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
