import { isJsonObject, type Json } from "../core/lib/json.ts";
import { problem } from "../core/problem.ts";
import { stemOf } from "./stem.ts";
import { mostTypos } from "./typo.ts";
import { cutWords, type Word } from "./word.ts";

/** What a search asks for. Contract §25, Words. */

/** The language of a locale, whose stemmer its words have: the first subtag. */
export const languageOf = (locale: string): string => (locale.split("-", 1)[0] as string).toLowerCase();

/** Folded words that stand next to each other. */
export type Sequence = readonly string[];

/** A word or a phrase of the query, which an entry has somewhere. */
export type Term = {
  /** As it was typed, a phrase without its quotes. */
  readonly text: string;
  /** The folded word; undefined for a phrase, which takes no typos, beginnings and stems. */
  readonly word: string | undefined;
  /** How many words of the query it is. */
  readonly size: number;
  /** What stands for it whole: itself, as each locale cuts it, and its synonyms. None is empty. */
  readonly wholes: readonly Sequence[];
  /** The stems of the word by language. */
  readonly stems: ReadonlyMap<string, string>;
  /** Whether it may be the beginning of a word. */
  readonly isBeginning: boolean;
  readonly mostTypos: 0 | 1 | 2;
};

export type SearchQuery = {
  /** In the order of the query, at most 16. */
  readonly terms: readonly Term[];
  /** What an entry has nowhere. */
  readonly without: readonly Sequence[];
  /** True where nothing is asked for, so that all is found that has nothing of `without`. */
  readonly isAll: boolean;
};

/** The lists of words of a site, folded. */
export type WordLists = {
  readonly stopWords: ReadonlySet<string>;
  /** The lists of equal ones that one is in, by its words with spaces between them. */
  readonly synonyms: ReadonlyMap<string, readonly (readonly Sequence[])[]>;
};

export type QueryOptions = {
  /** The locales that a text may be written in, the preferred one first; "" for none. Never empty. */
  readonly locales: readonly string[];
  /** Whether the last word may be the beginning of one. */
  readonly prefix: boolean;
  /** Whether names of files are searched, which are cut at more signs. */
  readonly isName?: boolean;
  readonly lists?: WordLists;
};

/** The bytes of `q`. */
export const maxBytes = 512;
/** The equal words of a list that are used: each is looked for in place of a word. */
const maxEqual = 100;
/** More would not fit the bits of found terms, nor the numbers of the ranks (`rank.ts`). */
export const maxWords = 16;

const noLists: WordLists = { stopWords: new Set(), synonyms: new Map() };

/**
 * The registry items of the locales as searches use them: `stopWords` is a list of words, `synonyms` a list of lists of equal
 * words, of each the first 100. What has another form is passed over: a registry item may have any.
 */
export function readLists(items: readonly { locale: string; stopWords?: Json; synonyms?: Json }[]): WordLists {
  const stopWords = new Set<string>();
  const synonyms = new Map<string, (readonly Sequence[])[]>();
  for (const { locale, stopWords: stopped, synonyms: lists } of items) {
    const sequencesOf = (texts: Json | undefined): Sequence[] =>
      listed(texts)
        .map((text) => (typeof text === "string" ? wordsOf(cutWords(text, locale)) : []))
        .filter((words) => words.length > 0);
    for (const words of sequencesOf(stopped)) for (const word of words) stopWords.add(word);
    for (const list of listed(lists)) {
      const equal = sequencesOf(list).slice(0, maxEqual);
      for (const key of new Set(equal.map((words) => words.join(" ")))) {
        const known = synonyms.get(key);
        if (known) known.push(equal);
        else synonyms.set(key, [equal]);
      }
    }
  }
  return { stopWords, synonyms };
}

const listed = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) && !isJsonObject(value) ? value : [];
const wordsOf = (words: readonly Word[]): string[] => words.map(({ word }) => word);

const isSame = (one: Sequence, other: Sequence): boolean =>
  one.length === other.length && one.every((word, i) => word === other[i]);

/** A part of the query: words, or what a sign makes of them. */
type Part = { readonly kind: "words" | "phrase" | "without"; readonly text: string };

/** A quote opens a phrase, and `-` takes away, only where a word may begin: `7"` and `e-mail` are words. */
const signs = /(?<![^\s(])(?:(-?)"([^"]*)"|-(\S+))/g;

function partsOf(q: string): Part[] {
  const parts: Part[] = [];
  let read = 0;
  for (const match of q.matchAll(signs)) {
    const [whole, minus, phrase, word = ""] = match;
    parts.push({ kind: "words", text: q.slice(read, match.index) });
    if (phrase === undefined) parts.push({ kind: "without", text: word });
    else parts.push({ kind: minus ? "without" : "phrase", text: phrase });
    read = match.index + whole.length;
  }
  parts.push({ kind: "words", text: q.slice(read) });
  return parts;
}

/**
 * Reads the argument `q`. Throws argument_invalid for more than 512 bytes or 16 words. Its words are cut as the first locale
 * does it (names of files as such); where another cuts them otherwise, its words stand for them as synonyms do. A word that comes
 * twice is one term. The stemmers
 * of the locales' languages must be loaded (`loadStemmers`).
 */
export function readQuery(q: string, options: QueryOptions): SearchQuery {
  if (Buffer.byteLength(q) > maxBytes) throw tooLong(q, `at most ${maxBytes} bytes`);
  const parts = partsOf(q).map((part) => ({ ...part, cuts: cutsOf(part.text, options) }));
  if (parts.reduce((sum, { cuts: [words] }) => sum + words.length, 0) > maxWords)
    throw tooLong(q, `at most ${maxWords} words`);
  const without = parts.flatMap(({ kind, cuts }) => (kind === "without" ? sequencesIn(cuts) : []));
  const found = parts.flatMap(({ kind, text, cuts }): Term[] => {
    if (kind === "words") return termsOf(text, cuts, options);
    return kind === "phrase" && cuts[0].length > 0 ? [phraseOf(text, cuts)] : [];
  });
  const { prefix, lists = noLists } = options;
  const last = prefix ? found.at(-1)?.word : undefined;
  const terms = found
    .filter(({ word }, i) => word === undefined || found.findIndex((term) => term.word === word) === i)
    .map((term) => (term.word !== undefined && term.word === last ? { ...term, isBeginning: true } : term));
  const searched = terms.filter(({ word }) => word === undefined || !lists.stopWords.has(word));
  return {
    terms: searched.length > 0 ? searched : terms,
    without,
    isAll: terms.length === 0 && partsOf(q).every(({ kind, text }) => kind === "without" || /^[\s"-]*$/.test(text)),
  };
}

const tooLong = (received: string, accepted: string) =>
  problem("argument_invalid", { argument: "q", received, accepted });

/** The words of a text as the first locale cuts it, and as the others do. */
type Cuts = readonly [readonly Word[], ...(readonly Word[])[]];

function cutsOf(text: string, { locales, isName = false }: QueryOptions): Cuts {
  const [first = "", ...others] = locales;
  const rest = others.map((locale) => cutWords(text, locale));
  return isName ? [cutWords(text, first, true), cutWords(text, first), ...rest] : [cutWords(text, first), ...rest];
}

/** Each cut that has words, once. */
function sequencesIn(cuts: Cuts): Sequence[] {
  const byText = new Map(cuts.map((words) => [wordsOf(words).join(" "), wordsOf(words)]));
  return [...byText.values()].filter((words) => words.length > 0);
}

const phraseOf = (text: string, cuts: Cuts): Term => ({
  text: text.trim(),
  word: undefined,
  size: cuts[0].length,
  wholes: sequencesIn(cuts),
  stems: new Map(),
  isBeginning: false,
  mostTypos: 0,
});

function termsOf(text: string, cuts: Cuts, { locales, lists = noLists }: QueryOptions): Term[] {
  const [words, ...others] = cuts;
  const wholes = words.map(({ word }) => new Map<string, Sequence>([[word, [word]]]));
  const add = (from: number, to: number, sequence: Sequence) => {
    for (const known of wholes.slice(from, to)) known.set(sequence.join(" "), sequence);
  };
  for (const other of others) alignCuts(words, other, add);
  for (let from = 0; from < words.length; from++)
    for (let to = from + 1; to <= words.length; to++) {
      const own = wordsOf(words.slice(from, to));
      const equal = lists.synonyms.get(own.join(" "))?.flat() ?? [];
      for (const sequence of equal) if (!isSame(own, sequence)) add(from, to, sequence);
    }
  const languages = [...new Set(locales.map(languageOf))];
  return words.map(({ word, from, to }, i) => ({
    text: text.slice(from, to),
    word,
    size: 1,
    wholes: [...(wholes[i] as Map<string, Sequence>).values()],
    stems: new Map(languages.map((language) => [language, stemOf(text.slice(from, to), language)])),
    isBeginning: false,
    mostTypos: mostTypos(word),
  }));
}

/** Calls `add` for each part of the text that two cuts cut otherwise: the range of words of the one, the words of the other. */
function alignCuts(
  words: readonly Word[],
  other: readonly Word[],
  add: (from: number, to: number, sequence: Sequence) => void,
): void {
  for (let from = 0, otherFrom = 0; from < words.length; ) {
    const { from: start, to: end } = words[from] as Word;
    while (otherFrom < other.length && (other[otherFrom] as Word).to <= start) otherFrom++;
    let to = from + 1;
    let otherTo = otherFrom;
    for (let reach = end; ; ) {
      const before = reach;
      while (otherTo < other.length && (other[otherTo] as Word).from < reach)
        reach = Math.max(reach, (other[otherTo++] as Word).to);
      while (to < words.length && (words[to] as Word).from < reach) reach = Math.max(reach, (words[to++] as Word).to);
      if (reach === before) break;
    }
    const sequence = wordsOf(other.slice(otherFrom, otherTo));
    if (sequence.length > 0 && !isSame(sequence, wordsOf(words.slice(from, to)))) add(from, to, sequence);
    from = to;
    otherFrom = otherTo;
  }
}
