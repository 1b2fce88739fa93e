import { compareText } from "../core/path.ts";
import { grown } from "./grown.ts";
import { maxWords, type SearchQuery, type Term } from "./query.ts";

/** The order of what is found, by buckets. Contract §25, Order. */

/** Where the items of a list and the values of other keys begin: that far, two words are not near each other. */
export const placeGap = 16;
/** The distance of two words that never meet, and the most that counts. */
const far = 8;

/**
 * Where the terms of a query stand in one entry. Filled and cleared again for the next one, since a search looks at
 * thousands.
 */
export class Occurrences {
  size = 0;
  /** A bit for each term that stands somewhere. */
  found = 0;
  terms = new Uint8Array(64);
  typos = new Uint8Array(64);
  wholes = new Uint8Array(64);
  weights = new Uint8Array(64);
  places = new Float64Array(64);

  clear(): void {
    this.size = 0;
    this.found = 0;
  }

  /**
   * `place` is the index of the word in its text, of several words that of the first; two in different texts are at least
   * `placeGap` apart. An integer below 2^53. The order is free; ascending places are the fastest.
   */
  add(term: number, typos: number, isWhole: boolean, weight: number, place: number): void {
    if (this.size === this.terms.length) this.grow();
    const at = this.size++;
    this.found |= 1 << term;
    this.terms[at] = term;
    this.typos[at] = typos;
    this.wholes[at] = isWhole ? 1 : 0;
    this.weights[at] = weight;
    this.places[at] = place;
  }

  private grow(): void {
    const size = this.terms.length * 2;
    this.terms = grown(this.terms, new Uint8Array(size));
    this.typos = grown(this.typos, new Uint8Array(size));
    this.wholes = grown(this.wholes, new Uint8Array(size));
    this.weights = grown(this.weights, new Uint8Array(size));
    this.places = grown(this.places, new Float64Array(size));
  }
}

/** The value in each bucket, in their order. */
export type Buckets = {
  /** Words of the query that are there; more is better. */
  readonly words: number;
  /** The fewest typos of each term together; fewer is better. */
  readonly typos: number;
  /** Of the heaviest field of each term that of the lightest; more is better. */
  readonly weight: number;
  /** The sum of the distances of neighbouring terms; less is better. */
  readonly nearness: number;
  /** Words without typo, beginning, stem; more is better. */
  readonly whole: number;
};

// Each bucket is a digit of the rank: one more than the most that it can be.
const wordsBase = maxWords + 1;
const typosBase = 2 * maxWords + 1;
const weightBase = 16;
const nearnessBase = far * maxWords;

const least = new Uint8Array(maxWords);
const heaviest = new Uint8Array(maxWords);
const counts = new Int32Array(maxWords);
const starts = new Int32Array(maxWords);
let sorted = new Float64Array(64);

/**
 * The buckets as one number: the lower, the better. Of each term those occurrences count that have its fewest typos; terms
 * that stand nowhere are counted as far. What is required is the caller's look at `found` (`requiredTerms`).
 */
export function rankOf({ terms }: SearchQuery, occurrences: Occurrences): number {
  const wholes = countBest(terms.length, occurrences);
  let words = 0;
  let typos = 0;
  let weight = weightBase - 1;
  let whole = 0;
  for (let term = 0; term < terms.length; term++) {
    if (counts[term] === 0) continue;
    const { size } = terms[term] as Term;
    words += size;
    typos += least[term] as number;
    weight = Math.min(weight, heaviest[term] as number);
    if (wholes & (1 << term)) whole += size;
  }
  const nearness = terms.length > 1 ? nearnessOf(terms, occurrences) : 0;
  const heavy = words > 0 ? weight : 0;
  const heavier = ((maxWords - words) * typosBase + typos) * weightBase + weightBase - 1 - heavy;
  return (heavier * nearnessBase + nearness) * wordsBase + maxWords - whole;
}

/** The buckets that a rank was made of. */
export function bucketsOf(rank: number): Buckets {
  const whole = maxWords - (rank % wordsBase);
  const near = Math.floor(rank / wordsBase);
  const weighed = Math.floor(near / nearnessBase);
  const typed = Math.floor(weighed / weightBase);
  return {
    words: maxWords - Math.floor(typed / typosBase),
    typos: typed % typosBase,
    weight: weightBase - 1 - (weighed % weightBase),
    nearness: near % nearnessBase,
    whole,
  };
}

/** Fills `least`, `heaviest` and `counts` of the terms; answers a bit for each that stands somewhere whole. */
function countBest(terms: number, { size, terms: of, typos, weights, wholes }: Occurrences): number {
  least.fill(255, 0, terms);
  counts.fill(0, 0, terms);
  let found = 0;
  for (let i = 0; i < size; i++) {
    const term = of[i] as number;
    const typo = typos[i] as number;
    const fewest = least[term] as number;
    if (typo > fewest) continue;
    if (typo < fewest) {
      least[term] = typo;
      counts[term] = 0;
      heaviest[term] = 0;
      found &= ~(1 << term);
    }
    counts[term] = (counts[term] as number) + 1;
    if ((weights[i] as number) > (heaviest[term] as number)) heaviest[term] = weights[i] as number;
    if (wholes[i] === 1) found |= 1 << term;
  }
  return found;
}

function nearnessOf(terms: readonly Term[], occurrences: Occurrences): number {
  sortPlaces(terms.length, occurrences);
  let sum = 0;
  for (let term = 0; term + 1 < terms.length; term++) {
    const isThere = (counts[term] as number) > 0 && (counts[term + 1] as number) > 0;
    sum += isThere ? leastDistance(term, (terms[term] as Term).size - 1) : far;
  }
  return sum;
}

/** The places of each term's best occurrences into `sorted`, from `starts` on. */
function sortPlaces(terms: number, { size, terms: of, typos, places }: Occurrences): void {
  if (sorted.length < size) sorted = new Float64Array(size * 2);
  for (let term = 0, start = 0; term < terms; term++) {
    starts[term] = start;
    start += counts[term] as number;
    counts[term] = 0;
  }
  let isUnsorted = 0;
  for (let i = 0; i < size; i++) {
    const term = of[i] as number;
    if (typos[i] !== least[term]) continue;
    const count = counts[term] as number;
    const at = (starts[term] as number) + count;
    const place = places[i] as number;
    if (count > 0 && (sorted[at - 1] as number) > place) isUnsorted |= 1 << term;
    sorted[at] = place;
    counts[term] = count + 1;
  }
  for (let term = 0; isUnsorted >> term > 0; term++)
    if (isUnsorted & (1 << term)) {
      const start = starts[term] as number;
      sorted.subarray(start, start + (counts[term] as number)).sort();
    }
}

/** From the last word of a term, `shift` words after its first, to the first of the next term; reversed is one more. */
function leastDistance(term: number, shift: number): number {
  let next = starts[term + 1] as number;
  const begin = next;
  const end = next + (counts[term + 1] as number);
  let found = far;
  const last = (starts[term] as number) + (counts[term] as number);
  for (let at = starts[term] as number; at < last; at++) {
    const place = (sorted[at] as number) + shift;
    while (next < end && (sorted[next] as number) <= place) next++;
    if (next < end) found = Math.min(found, (sorted[next] as number) - place);
    if (next > begin) found = Math.min(found, place - (sorted[next - 1] as number) + 1);
    if (found === 1) return 1;
  }
  return found;
}

/** How many words may be left out from the end: all but phrases and the first term. */
export const mostLeftOut = ({ terms }: SearchQuery): number =>
  terms.slice(1).filter(({ word }) => word !== undefined).length;

/** The terms that are left out when so many words are, in their order. */
export function leftOutTerms({ terms }: SearchQuery, leftOut: number): readonly Term[] {
  const words = terms.slice(1).filter(({ word }) => word !== undefined);
  return words.slice(words.length - leftOut);
}

/** A bit for each term that an entry must have when so many words are left out. */
export function requiredTerms(query: SearchQuery, leftOut: number): number {
  const out = new Set(leftOutTerms(query, leftOut));
  return query.terms.reduce((bits, term, i) => (out.has(term) ? bits : bits | (1 << i)), 0);
}

/** What is found, as it is sorted: its rank, when it was published, its id. */
export type Ranked = { readonly rank: number; readonly at: number; readonly id: string };

/** Best buckets first, then the newest, then by id. */
export const compareRanked = (a: Ranked, b: Ranked): number =>
  a.rank - b.rank || b.at - a.at || compareText(a.id, b.id);
