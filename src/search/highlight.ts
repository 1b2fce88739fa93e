import type { SearchDocument, SearchField } from "./document.ts";
import { type Hit, Matcher } from "./match.ts";
import type { SearchQuery } from "./query.ts";
import { type Buckets, bucketsOf } from "./rank.ts";
import type { Word } from "./word.ts";

/** What an answer shows of a match. Contract §25, Answer. */

/** A range of UTF-16 units of the stored text. */
export type Range = readonly [from: number, to: number];

export type Shown = {
  readonly words: number;
  readonly typos: number;
  /** The names of the fields with highlights, in the order of the data. */
  readonly fields: readonly string[];
  /** By field, ascending; ranges never touch. */
  readonly highlights: Readonly<Record<string, readonly Range[]>>;
  /** A part of one field, as it is stored, marks included; empty where nothing is highlighted. */
  readonly snippet: string;
  /** The value in each bucket, for those who may see it. */
  readonly why: Buckets;
};

/** The most characters of a snippet, as UTF-16 units. */
const maxSnippet = 160;
/** The most words of an entry that are highlighted, phrases as one: nobody looks at more, and a page has 100 entries. */
const maxPlaces = 1000;

/**
 * How a query stands in the documents that it found. Of each term the places with its fewest typos are highlighted, whole
 * words also of beginnings.
 */
export class Highlighter {
  private readonly matcher: Matcher;

  constructor(query: SearchQuery) {
    this.matcher = new Matcher(query);
  }

  show(document: SearchDocument): Shown {
    const why = bucketsOf(this.matcher.rank(document)?.rank ?? 0);
    const byField = Map.groupBy(this.matcher.best(document, maxPlaces), ({ field }) => field);
    const highlights: Record<string, readonly Range[]> = Object.create(null);
    for (const [{ name }, found] of byField) highlights[name] = merged(found.flatMap(rangesOf));
    return {
      words: why.words,
      typos: why.typos,
      fields: Object.keys(highlights),
      highlights,
      snippet: snippetOf([...byField]),
      why,
    };
  }
}

/** Each word by itself: between those of a phrase may be marks. */
const rangesOf = ({ field, at, size }: Hit): Range[] =>
  field.words.slice(at, at + size).map(({ from, to }): Range => [from, to]);

function merged(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}

/** A part of a field from the word `first` to the word `last`. */
type Window = { readonly field: SearchField; readonly first: number; readonly last: number; readonly score: Score };
/** More of each is better, the first that differ decide. */
type Score = readonly [terms: number, hits: number, weight: number];

/** The part with the most terms, then the most places, then of the heaviest field, then the first. */
function snippetOf(fields: readonly (readonly [SearchField, readonly Hit[]])[]): string {
  let best: Window | undefined;
  for (const [field, hits] of fields)
    for (const window of windowsOf(field, hits)) if (!best || isBetter(window.score, best.score)) best = window;
  return best ? cutAround(best) : "";
}

/** By their first hits: as many of those that follow as fit. Takes time as the hits are many. */
function* windowsOf(field: SearchField, hits: readonly Hit[]): Generator<Window> {
  const inside = new Map<number, number>();
  let end = 0;
  for (const [begin, first] of hits.entries()) {
    const from = (field.words[first.at] as Word).from;
    for (; end < hits.length && (end === begin || endOf(hits[end] as Hit) - from <= maxSnippet); end++) {
      const { term } = hits[end] as Hit;
      inside.set(term, (inside.get(term) ?? 0) + 1);
    }
    const last = hits[end - 1] as Hit;
    yield { field, first: first.at, last: last.at + last.size - 1, score: [inside.size, end - begin, field.weight] };
    const left = (inside.get(first.term) as number) - 1;
    if (left > 0) inside.set(first.term, left);
    else inside.delete(first.term);
  }
}

const endOf = ({ field, at, size }: Hit): number => (field.words[at + size - 1] as Word).to;

const isBetter = (one: Score, other: Score): boolean => {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at >= 0 && (one[at] as number) > (other[at] as number);
};

/** The text around the window, as much as fits on both sides, from the beginning of a word to the end of one. */
function cutAround({ field: { text, words }, first, last }: Window): string {
  if (text.length <= maxSnippet) return text;
  const begin = (words[first] as Word).from;
  const spare = Math.max(0, maxSnippet - ((words[last] as Word).to - begin));
  const earliest = Math.max(0, Math.min(begin - Math.floor(spare / 2), text.length - maxSnippet));
  const start = earliest === 0 ? 0 : Math.min(begin, words.find(({ from }) => from >= earliest)?.from ?? begin);
  if (start + maxSnippet >= text.length) return text.slice(start);
  const whole = words.findLast(({ to }) => to > start && to <= start + maxSnippet);
  return text.slice(start, whole?.to ?? endBefore(text, start + maxSnippet));
}

/** No character is split, not even where one word is longer than a snippet. */
const endBefore = (text: string, end: number): number => (/[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end - 1 : end);
